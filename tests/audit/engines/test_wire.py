"""Every way in which an exchange can go wrong becomes one sentence, and what is read is bounded."""

from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

from draftproof.audit.engines.wire import Dropped, Wire
from draftproof.errors import BadRequest, DraftproofError, Unavailable

Serve = Callable[[Callable[[Any], Any]], Any]

KEY = "sk-a-secret-of-some-length"


@pytest.fixture
def wired() -> Iterator[Callable[..., Wire]]:
    open_: list[Wire] = []

    def make(address: str, **options: Any) -> Wire:
        open_.append(Wire(address, **options))
        return open_[-1]

    yield make
    for wire in open_:
        wire.close()


def said(error: pytest.ExceptionInfo[DraftproofError]) -> str:
    text = str(error.value)
    assert text.isprintable()
    assert len(text) < 700
    return text


def test_a_message_goes_there_and_an_answer_comes_back(serve: Serve, reply: Any, wired: Any) -> None:
    served = serve(lambda asked: reply({"echo": asked.body}))
    wire = wired(served.address + "/base", key=KEY)
    assert wire.post("/path", {"a": [1, 2]}) == {"echo": {"a": [1, 2]}}
    assert wire.get("/path") == {"echo": {}}
    assert {asked.path for asked in served.asked} == {"/base/path"}
    assert served.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "content",
    [b"<html>", b"", b'{"a": ', b'{"a": NaN}', b"[1]", b"7", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}", b"\x1b[2J"],
)
def test_what_is_no_json_object_is_named(serve: Serve, reply: Any, wired: Any, content: bytes) -> None:
    with pytest.raises(Unavailable, match=r"is not (JSON|a JSON object)") as error:
        wired(serve(lambda asked: reply(content)).address).post("/", {})
    said(error)


def test_no_more_is_read_than_an_answer_can_have(serve: Serve, reply: Any, wired: Any) -> None:
    wire = wired(serve(lambda asked: reply(b'{"a": "' + b"x" * 200_000 + b'"}')).address, most_bytes=100_000)
    with pytest.raises(Unavailable, match="more than 100000 bytes"):
        wire.post("/", {})


@pytest.mark.parametrize("status", [400, 404, 422])
@pytest.mark.parametrize("content", [{"error": {"message": "no \x1b such"}}, {"error": "no such"}, {"message": "no such"}, b"no such"])
def test_a_refusal_is_told_in_the_words_of_the_server(serve: Serve, reply: Any, wired: Any, status: int, content: Any) -> None:
    with pytest.raises(BadRequest, match=rf"refuses the request \({status}\): no (\\x1b )?such") as error:
        wired(serve(lambda asked: reply(content, status)).address).post("/", {})
    said(error)


def test_a_long_refusal_is_shortened(serve: Serve, reply: Any, wired: Any) -> None:
    with pytest.raises(BadRequest) as error:
        wired(serve(lambda asked: reply(b"x" * 1_000_000, 400)).address).post("/", {})
    said(error)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_fails_is_unavailable(serve: Serve, reply: Any, wired: Any, status: int) -> None:
    with pytest.raises(Unavailable, match=rf"cannot answer \({status}\): out of memory"):
        wired(serve(lambda asked: reply({"error": {"message": "out of memory"}}, status)).address).post("/", {})


def test_the_key_is_never_shown(serve: Serve, reply: Any, wired: Any) -> None:
    wire = wired(serve(lambda asked: reply({"error": {"message": f"bad key {KEY}"}}, 401)).address, key=KEY)
    with pytest.raises(Unavailable, match=r"bad key \[key\]") as error:
        wire.post("/", {})
    assert KEY not in said(error)
    with pytest.raises(BadRequest, match="line break") as refused:
        wired("http://127.0.0.1:1", key=KEY + "\n")
    assert KEY not in said(refused)


def test_a_redirection_is_not_followed(serve: Serve, reply: Any, wired: Any) -> None:
    other = serve(lambda asked: reply({}))
    served = serve(lambda asked: reply(b"", 307, {"location": other.address}))
    with pytest.raises(Unavailable, match=f"redirects to {other.address}, which is not followed"):
        wired(served.address, key=KEY).post("/", {})
    assert not other.asked


def test_no_server_is_unavailable(serve: Serve, reply: Any, wired: Any) -> None:
    served = serve(lambda asked: reply({}))
    served.stop()
    with pytest.raises(Unavailable, match="no server answers at") as error:
        wired(served.address).post("/", {})
    assert not isinstance(error.value, Dropped)


def test_an_exchange_that_breaks_off_is_dropped_and_the_server_lives(serve: Serve, reply: Any, wired: Any) -> None:
    served = serve(lambda asked: reply(b'{"a": ', cut=10 if asked.path == "/cut" else 0))
    wire = wired(served.address)
    with pytest.raises(Dropped, match="broke off") as error:
        wire.post("/cut", {})
    whole = wired(serve(lambda asked: reply({})).address)
    whole.require_alive("/health", error.value)
    served.stop()
    with pytest.raises(Unavailable, match=r"broke off.*and the server no longer answers"):
        wire.require_alive("/health", error.value)


def test_a_server_that_falls_silent_is_not_waited_for(serve: Serve, reply: Any, wired: Any) -> None:
    over = Event()

    def silent(asked: Any) -> Any:
        over.wait(30)
        return reply({})

    with pytest.raises(Dropped, match=r"sent nothing for 0\.1 s"):
        wired(serve(silent).address, timeout_s=0.1).post("/", {})
    over.set()


STREAM = b': a comment\n\ndata: {"n": 1}\n\nevent: x\r\ndata:{"n": 2}\r\n\r\n'


def test_a_stream_comes_event_by_event(serve: Serve, reply: Any, wired: Any) -> None:
    wire = wired(serve(lambda asked: reply(STREAM + b"data: [DONE]\n\n")).address)
    assert [event["n"] for event in wire.stream("/", {})] == [1, 2]


@pytest.mark.parametrize("content", [b'{"n":\n 1}', b' \n\n{"n": 1}', b'{"n": 1}\n' + b"\n" * 200_000])
def test_a_server_that_does_not_stream_answers_in_one_event(serve: Serve, reply: Any, wired: Any, content: bytes) -> None:
    wire = wired(serve(lambda asked: reply(content)).address)
    assert list(wire.stream("/", {})) == [{"n": 1}]


@pytest.mark.parametrize("rest", [b"", b'data: {"n": 3', b'data: {"error": {"message": "out of memory"}}\n\n'])
def test_a_stream_that_breaks_off_leaves_what_had_come(serve: Serve, reply: Any, wired: Any, rest: bytes) -> None:
    wire, came = wired(serve(lambda asked: reply(STREAM + rest)).address), []
    with pytest.raises(Dropped, match="out of memory" if b"error" in rest else "without saying that it was done"):
        came.extend(event["n"] for event in wire.stream("/", {}))
    assert came == [1, 2]
