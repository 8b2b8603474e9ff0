"""Contenders from their names: on the same weights, with their plain partners, each once."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from draftproof.bench.contender import Order
from draftproof.bench.contenders.llamacpp import LlamaCpp
from draftproof.bench.contenders.own import Own
from draftproof.bench.contenders.source import Source
from draftproof.bench.contenders.spec import parse
from draftproof.bench.contenders.specs import contenders, with_plain
from draftproof.errors import BadRequest

from .conftest import Asked, Reply, Server

needs_xllamacpp = pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as open_things:
        yield open_things


@pytest.fixture(scope="module")
def source(tiny_gguf: Path) -> Source:
    return Source(str(tiny_gguf), threads=1, cache=tiny_gguf.parent / "cache")


def named(*texts: str) -> list[str]:
    return [spec.name for spec in with_plain([parse(text) for text in texts])]


class TestThePlainPartner:
    def test_is_added_once_before_the_first_that_drafts(self) -> None:
        assert named("ours", "ours:lookup") == [
            "draftproof float32, no drafts",
            "draftproof float32, best_of",
            "draftproof float32, lookup",
        ]

    def test_is_not_added_where_it_is_named_wherever_that_is(self) -> None:
        assert named("hf:lookup", "hf") == ["transformers float32, lookup", "transformers float32, no drafts"]

    def test_belongs_to_the_arithmetic(self) -> None:
        assert named("ours", "ours:precision=bfloat16") == [
            "draftproof float32, no drafts",
            "draftproof float32, best_of",
            "draftproof bfloat16, no drafts",
            "draftproof bfloat16, best_of",
        ]

    def test_is_not_invented_for_a_server_that_runs(self) -> None:
        assert named("openai+http://h:1#drafts") == ["http://h:1/v1, drafts"]
        assert named("openai+http://h:1#drafts,engine=e", "openai+http://h:2#engine=e") == ["e, drafts", "e, no drafts"]

    @pytest.mark.parametrize("texts", [("ours", "ours:best_of"), ("hf", "hf:none"), ("ours:none", "ours:none,rule=coupled")])
    def test_is_the_only_one_that_may_be_meant_twice(self, texts: tuple[str, str]) -> None:
        with pytest.raises(BadRequest, match="is named twice; name every contender once"):
            named(*texts)


class TestContenders:
    def test_are_ours_by_default_with_drafts_and_without(self, source: Source, stack: ExitStack) -> None:
        plain, drafted = contenders([], source, stack=stack)
        assert [(one.name, one.engine, one.drafts) for one in (plain, drafted)] == [
            ("draftproof float32, no drafts", "draftproof float32", False),
            ("draftproof float32, best_of", "draftproof float32", True),
        ]
        order = Order(tuple(source.tokenizer.encode("one two one two one two")), 20, 0.7, 1)
        texts = [one.serve([order]).deliveries[0].text for one in (plain, drafted)]
        assert texts[0] == texts[1] != ""

    def test_of_one_engine_share_their_weights(self, source: Source, draft_gguf: Path, stack: ExitStack) -> None:
        found = contenders(["ours:suffix,width=2", f"ours:draft={draft_gguf},width=2", "ours:none"], source, stack=stack)
        assert len(found) == 3
        assert all(isinstance(one, Own) and one.decoding.target is source.model() for one in found)
        order = Order(tuple(source.tokenizer.encode("one two one two")), 20, 0.7, 1)
        served = [one.serve([order]).deliveries[0] for one in found]
        assert len({delivery.text for delivery in served}) == 1
        assert served[1].drafted
        assert served[2].drafted == 0

    def test_are_told_of_before_they_are_loaded(self, source: Source, stack: ExitStack) -> None:
        told: list[str] = []
        found = contenders(["ours:lookup,width=2"], source, stack=stack, told=told.append)
        assert told == [one.name for one in found]

    def test_of_transformers_count_by_our_tokenizer(self, folder: Path, draft_folder: Path, stack: ExitStack) -> None:
        own = Source(str(folder), threads=1)
        found = contenders(["hf:lookup", f"hf:draft={draft_folder}", "ours:none"], own, stack=stack)
        assert [one.drafts for one in found] == [False, True, True, False]
        order = Order(tuple(own.tokenizer.encode("the end, the end, the end, the")), 20, 0.0, 1)
        served = [one.serve([order]).deliveries[0] for one in found]
        assert len({delivery.text for delivery in served}) == 1
        assert all(delivery.drafted for delivery in served[1:3])

    @needs_xllamacpp
    def test_that_are_servers_stop_with_the_stack(self, source: Source, tmp_path: Path) -> None:
        order = Order(tuple(source.tokenizer.encode("one two one two")), 8, 0.0, 1)
        with ExitStack() as inner:
            (half,) = contenders(["llamacpp:precision=float16"], source, stack=inner, slots=2, context_tokens=64)
            assert isinstance(half, LlamaCpp)
            assert half.slots == 2
            assert half.serve([order] * 3, 2).deliveries[0].text
            half_file = Path(half.server.serving.target)
            assert half_file.is_file()
        assert half.server.death == "it was stopped"
        assert not half_file.exists()

    def test_that_run_elsewhere_are_asked_what_they_serve(
        self, source: Source, stack: ExitStack, server: Callable[[Callable[[Asked], Reply]], Server]
    ) -> None:
        up = server(lambda asked: Reply({"data": [{"id": "served"}]}))
        (found,) = contenders([f"openai+{up.address}#drafts,slots=3,engine=e"], source, stack=stack)
        assert (found.name, found.engine, found.drafts, found.slots) == ("e, drafts", "e", True, 3)

    def test_that_contradict_each_other_are_refused_before_anything_is_loaded(self, stack: ExitStack) -> None:
        with pytest.raises(BadRequest, match="is named twice"):
            contenders(["ours", "ours"], "no such model", stack=stack)

    @pytest.mark.parametrize(
        ("spec", "match"),
        [
            ("llamacpp", "is no GGUF file, which a llama.cpp server needs; give one, or leave that engine out"),
            ("genai", "is no GGUF file or imported model, which openvino_genai needs"),
        ],
    )
    def test_of_weights_that_they_cannot_read_are_refused(self, folder: Path, stack: ExitStack, spec: str, match: str) -> None:
        with pytest.raises(BadRequest, match=match):
            contenders([spec], str(folder), stack=stack)

    def test_of_parts_that_do_not_fit_are_refused(self, source: Source, stack: ExitStack) -> None:
        with pytest.raises(BadRequest, match="the drafter lookup takes no draft model"):
            contenders([f"ours:lookup,draft={source.name}"], source, stack=stack)
