"""`draftproof audit`: engines, logs and servers, each with its verdict, its exit code and its reports."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from draftproof.audit import subject as subjects
from draftproof.audit.engines.own import Own
from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.audit.law.plan import written
from draftproof.cli.audit import read_prompts
from draftproof.errors import BadRequest, Unavailable
from draftproof.models.language import LanguageModel
from draftproof.sampling.params import SamplingParams

from .conftest import Command, Run

Audit = Callable[..., Run]

FAST = ("--no-progress", "--tokens", "1200", "--effect", "0.9", "--params", "temperature=1", "--lookup")


@pytest.fixture
def audit(run: Command, tiny: LanguageModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """The command; every name of a model stands for one tiny model, which has been loaded."""
    monkeypatch.setattr(subjects, "load", lambda source, **how: tiny)
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: run("audit", *arguments)


class Silent(Own):
    """An engine that says nothing of its drafts, and dies after some requests."""

    lives = 10**9

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        for answer in super().answers(asks):
            Silent.lives -= 1
            if Silent.lives < 0:
                raise Unavailable("the engine was ended by SIGKILL; start it again")
            yield answer


def test_our_own_engine_is_judged_with_every_kind_of_evidence(audit: Audit) -> None:
    done = audit("draftproof:any", *FAST)
    assert done.code in (0, 3)
    assert "FAIL  " not in done.out
    for part in (
        "Auditing draftproof",
        "law:",
        "state: greedy text",
        "acceptance: counters",
        "What this audit could not see",
        "Run again:",
    ):
        assert part in done.out


def test_a_folder_keeps_answers_and_reports_and_the_same_audit_goes_on(audit: Audit, tmp_path: Path) -> None:
    first = audit("draftproof:any", *FAST, "--no-state", "--out", "kept", "-q")
    kept = tmp_path / "kept"
    assert {file.name for file in kept.iterdir()} == {"events.jsonl", "run.json", "junit.xml", "report.html", "summary.md"}
    answers, verdict = (kept / "events.jsonl").read_bytes(), json.loads((kept / "run.json").read_text())["word"]
    (kept / "events.jsonl").write_bytes(answers[: len(answers) // 2])  # as a killed audit leaves it
    again = audit("draftproof:any", *FAST, "--no-state", "--out", "kept", "-q")
    assert again.code == first.code
    assert again.out.splitlines()[0] == first.out.splitlines()[0]
    assert (kept / "events.jsonl").read_bytes() == answers
    assert json.loads((kept / "run.json").read_text())["word"] == verdict


def test_another_audit_in_the_same_folder_is_refused(audit: Audit) -> None:
    audit("draftproof:any", *FAST, "--no-state", "--out", "kept", "-q")
    refused = audit("draftproof:any", *FAST, "--no-state", "--out", "kept", "-q", "--alpha", "0.01")
    assert (refused.code, refused.out) == (2, "")
    assert "the answers of another audit" in refused.err


def test_an_engine_that_dies_is_an_error_whatever_was_seen(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "Own", Silent)
    monkeypatch.setattr(Silent, "lives", 20)
    done = audit("draftproof:any", *FAST)
    assert done.code == 4
    assert "ERROR" in done.out
    assert "ended by SIGKILL" in done.out


def test_the_plan_alone_asks_nothing(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subjects, "Own", Silent)
    monkeypatch.setattr(Silent, "lives", 0)
    done = audit("draftproof:any", *FAST, "--plan")
    assert done.code == 0
    assert "error rate 0.001" in done.out


def test_one_document_for_a_program(audit: Audit, tmp_path: Path) -> None:
    done = audit("draftproof:any", *FAST, "--no-state", "--json", "--junit", "audit.xml", "--html", "audit.html")
    found = json.loads(done.out)
    assert (found["kind"], found["schema_version"], found["exit_code"]) == ("audit", 1, done.code)
    assert (tmp_path / "audit.xml").read_text().startswith("<?xml")
    assert "<html" in (tmp_path / "audit.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nothing:x"], "'nothing:x' is no engine; give draftproof:..., hf:..., llamacpp:..., openai+http://..."),
        (["draftproof:"], "is no engine"),
        (["draftproof:any", "--draft", "a", "--lookup"], "give one, so that it is known what is audited"),
        (["draftproof:any", "--alpha", "1"], "alpha is 1.0; it must lie between 0 and 1"),
        (["draftproof:any", "--band", "nan"], "the band is nan; it must be a total variation"),
        (["draftproof:any", "--effect", "1e-9"], "effect is 1e-09; it must lie between 0.001 and 1"),
        (["draftproof:any", "--without", "http://x"], "--without means nothing here, for draftproof:any; leave it out"),
        (["log.jsonl", "--params", "temperature=1"], "--params means nothing to a log; leave it out"),
        (["draftproof:any", "--also", "x"], "--also: 'x' is not name=value"),
        (["draftproof:any", "--html", "."], "it is a folder; give a file in it"),
        (["draftproof:any", "--tokens", "0"], "tokens is 0; it must be at least 1"),
        (["draftproof:any", "--params", "temprature=1"], "temprature"),
        (["draftproof:any", "--params", "temperature=1", "--also", "temperature=1"], "is asked for twice"),
        (["draftproof:any", "--prompts", "missing.txt"], "the prompts in missing.txt cannot be read"),
        (["draftproof:any", "--html", "no/such/folder.html"], "there is no folder no/such"),
        (["missing.jsonl"], "missing.jsonl"),
    ],
)
def test_what_cannot_be_audited_is_one_sentence(audit: Audit, arguments: list[str], sentence: str) -> None:
    refused = audit(*arguments, "--no-progress")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") == 1
    assert sentence in refused.err


def test_prompts_are_lines_and_json_strings(tmp_path: Path) -> None:
    file = tmp_path / "prompts.txt"
    file.write_text('one line\n\n"two\\nlines"\n')
    assert read_prompts(file) == ["one line", "two\nlines"]
    for text, sentence in (("", "holds no prompt"), ('"open', "line 1 of"), ("x" * (2**20 + 1), "bytes")):
        file.write_text(text)
        with pytest.raises(BadRequest, match=sentence):
            read_prompts(file)
    file.write_bytes(b"\xff")
    with pytest.raises(BadRequest, match="not UTF-8"):
        read_prompts(file)


# ---------------------------------------------------------------- logs


def written_log(tiny: LanguageModel, path: Path, *, temperature: float = 1.0, off: float = 0.0) -> Path:
    """Sixty answers that the tiny model wrote, with its own log-probabilities, some of them off."""
    params = SamplingParams()
    prompt = tuple(tiny.tokenizer.encode("hello"))
    texts = written(tiny.model, SamplingParams(temperature=temperature), [prompt] * 60, 20, seed=0)
    rows = subjects.Judge(tiny).reference(params).rows(texts)
    lines = []
    for number, (text, row) in enumerate(zip(texts, rows, strict=True)):
        scores = [float(x) - off for x in __import__("numpy").log(row.probabilities)]
        lines.append(
            {"id": f"r{number}", "prompt_ids": list(text.prompt), "output_ids": list(text.tokens), "params": {}, "log_probs": scores}
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def scored(audit: Audit, tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """The command on a log, scored with the tiny model."""
    from draftproof.models import weights

    monkeypatch.setattr(weights, "load", lambda source, **how: tiny)
    return lambda *arguments: audit(*arguments, "--weights", "any", "--no-progress", "--effect", "0.5")


def test_a_log_is_judged_by_its_tokens_and_by_its_log_probabilities(scored: Audit, tiny: LanguageModel, tmp_path: Path) -> None:
    done = scored(str(written_log(tiny, tmp_path / "log.jsonl")))
    assert "FAIL  " not in done.out
    assert "log-probabilities" in done.out
    assert "kl_k3" in done.out


def test_a_log_at_another_temperature_fails_by_its_tokens(scored: Audit, tiny: LanguageModel, tmp_path: Path) -> None:
    done = scored(str(written_log(tiny, tmp_path / "log.jsonl", temperature=0.2)))
    assert done.code == 1
    assert "do not follow the target's law" in done.out


def test_a_log_with_other_log_probabilities_is_off_policy(scored: Audit, tiny: LanguageModel, tmp_path: Path) -> None:
    done = scored(str(written_log(tiny, tmp_path / "log.jsonl", off=1.5)), "--effect", "0.1")
    assert done.code == 1


def test_a_damaged_log_names_its_line_and_writes_nothing(scored: Audit, tiny: LanguageModel, tmp_path: Path) -> None:
    file = written_log(tiny, tmp_path / "log.jsonl")
    file.write_text(file.read_text() + '{"prompt_ids": [1], "output_ids": [NaN], "params": {}}\n')
    done = scored(str(file), "--html", "page.html")
    assert (done.code, done.out) == (2, "")
    assert "line 61 of" in done.err
    assert not (tmp_path / "page.html").exists()


def test_a_log_under_rules_that_leave_no_token_is_one_sentence(scored: Audit, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(json.dumps({"prompt_ids": [1], "output_ids": [2], "params": {"temperature": 1e-300}}) + "\n")
    done = scored(str(tmp_path / "log.jsonl"))
    assert (done.code, done.out) == (2, "")
    assert "no token can be emitted under the rules temperature 1e-300" in done.err


def test_a_log_without_anything_to_judge_by_says_what_is_missing(audit: Audit, tiny: LanguageModel, tmp_path: Path) -> None:
    done = audit(str(written_log(tiny, tmp_path / "log.jsonl")), "--no-progress")
    assert done.code == 2
    assert "give the target's weights with --weights" in done.err


# ---------------------------------------------------------------- text alone


WORDS = ("blue lamp", "red house", "old stone", "tall tree")


class Talking:
    """A server that gives text alone; one with a fault repeats itself."""

    def __init__(self, address: str, **how: object) -> None:
        self.address = address
        self.facts = Facts(address, Tier.TEXT, "as its operator says")

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        for ask in asks:
            words = WORDS[:1] if "faulty" in self.address else WORDS
            text = words[random.Random(f"{self.address} {ask.number}").randrange(len(words))]
            yield Answer(ask.number, (), text=text)

    def __enter__(self) -> "Talking":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def test_text_alone_is_compared_with_the_same_server_without_drafts(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    from draftproof.audit.engines import openai

    for module in (openai, subjects):
        monkeypatch.setattr(module, "OpenAi", Talking)
    address = "openai+http://127.0.0.1:1"
    refused = audit(address, "--no-progress")
    assert refused.code == 2
    assert "give a trusted copy with --weights" in refused.err
    faulty = audit(f"{address}/faulty", "--without", f"{address}/plain", "--no-progress")
    assert faulty.code == 1
    assert "permutation p" in faulty.out
    sound = audit(f"{address}/drafts", "--without", f"{address}/plain", "--no-progress", "--effect", "0.9")
    assert sound.code == 0
