"""A server known by its address alone: what it shows is found out, and whatever it sends becomes an answer or one sentence."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draftproof.audit.engines.openai import OpenAi
from draftproof.audit.engines.protocol import Answer, Ask, Audited, Tier
from draftproof.errors import BadRequest, DraftproofError, Unavailable, Unsupported
from draftproof.sampling.params import SamplingParams

VLLM = SamplingParams(dialect="vllm", temperature=0.7)
OPENAI = SamplingParams(dialect="openai")
MODELS = {"data": [{"id": "tiny"}]}
COUNTED = {"metrics": {"speculative_decoding": {"num_draft_tokens": 6, "num_accepted_draft_tokens": 2}}}


def events(*messages: dict[str, Any], done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(message)}\n\n" for message in messages]
    return "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def choice(text: str, ids: list[Any] | None = None, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "text": text, "finish_reason": finish} | ({"token_ids": ids} if ids is not None else {})]}


Content = Callable[[dict[str, Any]], Any]


def vllm(body: dict[str, Any]) -> bytes:
    """Token ids in pieces, then the counters of the request."""
    ids = list(range(100, 100 + body["max_tokens"]))
    return events(choice("a", ids[:2]), choice("b", ids[2:]), choice("", [], "length"), {"choices": [], "usage": {}} | COUNTED)


def text_only(body: dict[str, Any]) -> bytes:
    return events(choice("some "), choice("text", finish="length"))


@pytest.fixture
def at(serve: Any, reply: Any) -> Callable[..., Any]:
    """A server that answers completions with what a function makes of the request."""

    def start(content: Content, *, probes: Content | None = None) -> Any:
        def answer(asked: Any) -> Any:
            if asked.path == "/v1/models":
                return reply(MODELS)
            probing = asked.body["max_tokens"] == 1
            made = (probes if probing and probes else content)(asked.body)
            return made if isinstance(made, reply) else reply(made)

        return serve(answer)

    return start


def answers(engine: OpenAi, *asks: Ask) -> list[Answer]:
    return sorted(engine.answers(asks), key=lambda answer: answer.number)


def test_a_server_that_gives_token_ids_is_scored(at: Any) -> None:
    served = at(vllm)
    with OpenAi("openai+" + served.address, dialect="vllm", drafts="as told") as engine:
        assert isinstance(engine, Audited)
        assert engine.facts.tier is Tier.TOKENS
        assert (engine.facts.drafts, engine.facts.ends) == ("as told", frozenset())
        assert engine.facts.settings["prompts"] == "token ids"
        found = answers(engine, *(Ask(number, (1, 2), VLLM, 5, seed=number) for number in range(9)))
    assert [answer.number for answer in found] == list(range(9))
    assert {(answer.tokens, answer.text, answer.drafted, answer.accepted, answer.lost) for answer in found} == {
        (tuple(range(100, 105)), "ab", 6, 2, "")
    }
    sent = [asked.body for asked in served.asked if asked.body.get("max_tokens") == 5]
    assert sorted(body["seed"] for body in sent) == list(range(9))
    assert sent[0] == sent[0] | {"model": "tiny", "prompt": [1, 2], "temperature": 0.7, "top_k": 0, "min_p": 0, "ignore_eos": True}


def test_a_server_of_text_alone_is_compared_with_itself(at: Any) -> None:
    with OpenAi(at(text_only).address, ends=frozenset({3})) as engine:
        assert engine.facts.tier is Tier.TEXT
        assert engine.facts.ends == {3}
        [found] = answers(engine, Ask(0, (), OPENAI, 4, text="once"))
    assert (found.tokens, found.text, found.drafted, found.lost) == ((), "some text", None, "")


def test_a_server_that_refuses_unknown_fields_and_token_ids_is_asked_without(at: Any, reply: Any) -> None:
    def strict(body: dict[str, Any]) -> Any:
        if "return_token_ids" in body or not isinstance(body["prompt"], str):
            return reply({"error": {"message": "unrecognised"}}, 400)
        return text_only(body)

    with OpenAi(at(strict).address) as engine:
        assert engine.facts.settings["prompts"] == "text"
        [found] = answers(engine, Ask(0, (1, 2), OPENAI, 4, text="once"))
        assert found.text == "some text"
        with pytest.raises(Unsupported, match=r"request 7 has no text, and .* takes no token ids"):
            answers(engine, Ask(7, (1, 2), OPENAI, 4))


def test_extra_fields_go_with_every_request_and_override_none_of_ours(at: Any) -> None:
    served = at(text_only)
    with OpenAi(served.address, extra={"speculative": False}) as engine:
        answers(engine, Ask(0, (), OPENAI, 4, text="once"))
        assert engine.facts.settings["extra speculative"] == "False"
    assert {asked.body.get("speculative") for asked in served.asked if asked.body} == {False}
    for name in ("temperature", "logit_bias", "seed", "max_tokens", "stream"):
        with pytest.raises(BadRequest, match=f"extra sets {name}, which an audit sets itself"):
            OpenAi(served.address, extra={name: 1})


@pytest.mark.parametrize("cut", [0, 50])
def test_a_stream_that_breaks_off_leaves_its_tokens_and_the_reason(at: Any, reply: Any, cut: int) -> None:
    def broken(body: dict[str, Any]) -> Any:
        return reply(events(choice("a", [7, 8]), choice("b", [9]), done=False), cut=cut)

    with OpenAi(at(broken, probes=vllm).address, dialect="vllm") as engine:
        [found] = answers(engine, Ask(0, (1,), VLLM, 5))
    assert (found.tokens, found.text) == ((7, 8, 9), "ab")
    assert "broke off" in found.lost or "without saying that it was done" in found.lost


@pytest.mark.parametrize(
    ("last", "lost"),
    [
        ({"error": {"message": "out \x1b of memory"}}, r"broke off: out \x1b of memory"),
        (choice("", [], "length"), "the server ended the answer before its length; its context may be full"),
        (choice("", [], "abort"), "the server ended the answer with 'abort'"),
        (choice("", [], "stop"), "not with a token that ends a text"),
        ({}, "the server ended the answer without saying why"),
    ],
)
def test_an_answer_that_is_short_says_why(at: Any, last: dict[str, Any], lost: str) -> None:
    with OpenAi(at(lambda body: events(choice("a", [7, 8]), last), probes=vllm).address, dialect="vllm") as engine:
        [found] = answers(engine, Ask(0, (1,), VLLM, 5))
    assert found.tokens == (7, 8)
    assert lost in found.lost
    assert bool(lost) == bool(found.lost)


def test_no_more_tokens_are_taken_than_were_asked_for(at: Any) -> None:
    with OpenAi(at(lambda body: events(choice("a", [*range(50)], "length")), probes=vllm).address, dialect="vllm") as engine:
        [found] = answers(engine, Ask(0, (1,), VLLM, 5))
    assert found.tokens == tuple(range(5))


@pytest.mark.parametrize(
    ("message", "match"),
    [
        (choice("a", [2**31]), "token id 2147483648; ids are whole numbers"),
        (choice("a", [-1]), "token id -1"),
        (choice("a", ["7"]), "token id '7'"),
        (choice("a", [1.0]), "token id 1.0"),
        ({"choices": {"text": "a"}}, "without the list of choices"),
        ({"choices": [7]}, "without the list of choices"),
        ({"choices": [{"text": 7}]}, "is of another type"),
        ({"choices": [{"text": "", "token_ids": {"a": 1}}]}, "is of another type"),
    ],
)
def test_what_is_none_of_this_api_is_one_sentence(at: Any, message: dict[str, Any], match: str) -> None:
    with OpenAi(at(lambda body: events(message), probes=vllm).address, dialect="vllm") as engine, pytest.raises(Unavailable, match=match):
        answers(engine, Ask(0, (1,), VLLM, 5))


def test_a_server_that_dies_is_unavailable_and_stops_all_requests(at: Any, reply: Any) -> None:
    served: Any = None
    count = iter(range(10_000))

    def dying(body: dict[str, Any]) -> Any:
        if next(count) < 3:
            return vllm(body)
        served._server.socket.close()
        return reply(events(choice("a", [7]), done=False), cut=9)

    served = at(dying, probes=vllm)
    with OpenAi(served.address, dialect="vllm", parallel=1) as engine:
        came: list[Answer] = []
        with pytest.raises(Unavailable, match="the server no longer answers; start it again"):
            came.extend(engine.answers([Ask(number, (1,), VLLM, 5) for number in range(500)]))
    assert len(came) == 3
    assert next(count) < 20


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_server_that_fails_is_unavailable(at: Any, reply: Any, status: int) -> None:
    with (
        pytest.raises(Unavailable, match=rf"cannot answer \({status}\): no memory"),
        OpenAi(at(lambda body: reply(b"no memory", status)).address),
    ):
        pass


def test_a_model_that_is_not_there_is_refused_in_the_words_of_the_server(at: Any, reply: Any) -> None:
    missing = at(lambda body: reply({"error": {"message": f"no model {body['model']}"}}, 404))
    with pytest.raises(BadRequest, match="no model large"), OpenAi(missing.address, model="large"):
        pass


def test_a_server_that_lists_nothing_needs_a_name(serve: Any, reply: Any) -> None:
    with pytest.raises(Unavailable, match="lists no model; name one"), OpenAi(serve(lambda asked: reply({"data": []})).address):
        pass


@pytest.mark.parametrize(
    ("address", "match"),
    [
        ("ftp://host", "'ftp://host' is no address of a server"),
        ("host:8000", "is no address of a server"),
        ("http://", "is no address"),
        ("http://host:port", "is no address"),
        ("http://host/v1?key=1", "is no address"),
        ("http://user:word@host", "which would be shown in reports"),
    ],
)
def test_an_address_must_be_one_and_hold_no_password(address: str, match: str) -> None:
    with pytest.raises(BadRequest, match=match) as error:
        OpenAi(address)
    assert "word@" not in str(error.value)


def test_the_key_comes_from_the_environment_and_is_shown_nowhere(at: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    served = at(text_only)
    with OpenAi(served.address) as engine:
        assert "sk-from" not in repr(engine.facts)
    with OpenAi(served.address, key="sk-given"):
        pass
    assert {asked.headers["authorization"] for asked in served.asked} == {"Bearer sk-from-the-environment", "Bearer sk-given"}


def test_rules_of_another_dialect_are_refused(at: Any) -> None:
    with OpenAi(at(text_only).address) as engine, pytest.raises(Unsupported, match="was said to have those of openai"):
        answers(engine, Ask(0, (), VLLM, 4, text="once"))
    with pytest.raises(BadRequest, match="dialect is 'transformers'; it must be one of"):
        OpenAi("http://127.0.0.1", dialect="transformers")


def test_a_llamacpp_server_answers_as_text_with_its_counters(tiny_gguf: Path) -> None:
    pytest.importorskip("xllamacpp")
    from draftproof.audit.engines.llamacpp_server import LlamaCppServer, Serving

    server = LlamaCppServer(Serving(str(tiny_gguf), draft=str(tiny_gguf)))
    server.start()
    try:
        with OpenAi(server.address, dialect="llamacpp") as engine:
            assert engine.facts.tier is Tier.TEXT
            assert engine.facts.settings["prompts"] == "token ids"
            params = SamplingParams(dialect="llamacpp", temperature=0.5)
            found = answers(engine, *(Ask(number, (72, 101), params, 20, seed=number) for number in range(6)))
            with pytest.raises(BadRequest, match="exceeds the available context size"):
                answers(engine, Ask(0, (72,) * 600, params, 4))
    finally:
        server.stop()
    assert all(not answer.lost and answer.text for answer in found)
    assert sum(answer.drafted or 0 for answer in found) > sum(answer.accepted or 0 for answer in found) > 0


def test_every_failure_is_an_error_of_ours(at: Any) -> None:
    """Nothing that a server sends reaches the user as a failure of a library."""
    for content in (
        b"",
        b"data: {",
        b"data: []\n\n",
        b"data: 7\n\n",
        b"\x00" * 1000,
        b'{"choices": [[]]}',
        b"data:\xff\n\ndata: [DONE]\n\n",
    ):
        with pytest.raises(DraftproofError), OpenAi(at(lambda body, content=content: content).address) as engine:
            answers(engine, Ask(0, (), OPENAI, 4, text="once"))
