"""Engines by name: what is started, and what scores it."""

from pathlib import Path

import pytest

from draftproof.audit import subject as subjects
from draftproof.audit.engines.hf import Transformers
from draftproof.audit.engines.hf_spread import SpreadTransformers
from draftproof.audit.engines.llamacpp import LlamaCpp
from draftproof.audit.engines.openai import OpenAi
from draftproof.audit.engines.own import Own
from draftproof.audit.subject import BANDS, ENGINES, Wanted, likeliest, subject
from draftproof.errors import BadRequest
from draftproof.models.language import LanguageModel
from draftproof.models.tiny import write_tiny_gguf
from draftproof.sampling.params import SamplingParams


@pytest.fixture(autouse=True)
def _loaded(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "load", lambda source, **how: tiny)


@pytest.mark.parametrize(
    ("name", "kind", "dialect"),
    [
        ("draftproof:tiny", Own, "transformers"),
        ("hf:tiny", (Transformers, SpreadTransformers), "transformers"),
        ("llamacpp:tiny", LlamaCpp, "llamacpp"),
    ],
)
@pytest.mark.parametrize("drafts", [{}, {"draft": "tiny"}, {"lookup": True}])
def test_an_engine_of_ours_is_ready_with_its_judge(
    name: str, kind: type | tuple[type, ...], dialect: str, drafts: dict[str, object], tmp_path: Path, tiny: LanguageModel
) -> None:
    found = subject(Wanted(name, **drafts), folder=tmp_path)
    assert isinstance(found.engine, kind)
    assert found.dialect == dialect
    assert bool(found.engine.facts.drafts) is bool(drafts)
    assert found.judge is not None
    judge = found.judge()
    assert judge.target is tiny
    assert (judge.draft is tiny) is (found.drafting is not None) is ("draft" in drafts)
    assert judge.band == BANDS[name.partition(":")[0]]
    if name != "draftproof:tiny":
        assert any(file.name.startswith("tiny-target") for file in tmp_path.iterdir())


def test_the_packaged_model_is_served_in_half_precision_as_target_and_as_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_tiny_gguf(tmp_path / "weights.gguf")
    monkeypatch.setattr(subjects, "packaged", lambda name: source)
    engine = subject(Wanted("llamacpp:smollm2", draft="smollm2"), folder=tmp_path).engine
    assert isinstance(engine, LlamaCpp)
    assert (engine.serving.target, engine.serving.draft) == (str(tmp_path / "weights-half.gguf"),) * 2
    assert (tmp_path / "weights-half.gguf").exists()


def test_a_server_without_weights_can_only_be_compared(tmp_path: Path) -> None:
    found = subject(Wanted("openai+http://127.0.0.1:9", served="as it likes", dialect="vllm"), folder=tmp_path)
    assert isinstance(found.engine, OpenAi)
    assert (found.judge, found.dialect) == (None, "vllm")


def test_a_server_with_weights_is_scored(tmp_path: Path) -> None:
    wanted = Wanted("openai+http://127.0.0.1:9", draft="d", weights="t", band=0.25)
    found = subject(wanted, folder=tmp_path)
    assert found.judge is not None
    judge = found.judge()
    assert judge.band == 0.25
    drafts = judge.drafts(SamplingParams(temperature=0.7))
    assert drafts is not None
    assert drafts.temperature == 0


def test_engines_are_told_by_what_stands_before_the_colon() -> None:
    assert {Wanted(f"{engine}://x").engine for engine in ENGINES} == set(ENGINES)
    assert Wanted("openai+https://host").engine == "openai+http"
    assert Wanted("openai+http://host:1/v1").where == "openai+http://host:1/v1"
    assert Wanted("hf:a:b").where == "a:b"


@pytest.mark.parametrize("name", ["", "hf", "hf:", "vllm:x", "http://x"])
def test_no_engine_is_one_sentence(name: str) -> None:
    with pytest.raises(BadRequest, match="is no engine; give draftproof"):
        Wanted(name)


def test_the_likeliest_token_is_temperature_0() -> None:
    assert likeliest(SamplingParams(temperature=0.4)).temperature == 0
