"""A server as a contender: what is sent to it, when, and what its stream is taken for."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest

from draftproof.audit.engines.wire import Wire
from draftproof.bench.contender import Contender, Order
from draftproof.bench.contenders.url import Url
from draftproof.errors import BadRequest, Unavailable

from .conftest import Asked, Pretended, Reply, Server

ORDER = Order((5, 6, 7), 9, 0.8, 3)
COUNTED = {"choices": [], "timings": {"draft_n": 6, "draft_n_accepted": 2}}

Serve = Callable[[Callable[[Asked], Reply]], Server]
Make = Callable[..., Url]


def events(*messages: dict[str, Any], done: bool = True) -> Reply:
    lines = [f"data: {json.dumps(message)}\n\n" for message in messages]
    return Reply("".join([*lines, "data: [DONE]\n\n" if done else ""]).encode())


def choice(text: str, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "text": text, "finish_reason": finish}]}


def echo(asked: Asked) -> Reply:
    """The prompt as text, a piece a token, and the counters."""
    return events(*(choice(f"{token} ") for token in asked.body["prompt"]), choice("", "stop"), COUNTED)


@pytest.fixture
def url() -> Iterator[Callable[..., Url]]:
    """A contender of a server on loopback."""
    with ExitStack() as stack:

        def contender(server: Server, **more: Any) -> Url:
            wire = stack.enter_context(closing(Wire(server.address + "/v1", connections=8)))
            return Url(wire, "tiny", "the server", "a server", **more)

        yield contender


def bodies(server: Server) -> list[dict[str, Any]]:
    return [asked.body for asked in server.asked]


def test_it_is_a_contender_that_drafts_as_it_is_told(url: Make, server: Serve) -> None:
    up = server(echo)
    assert isinstance(url(up), Contender)
    assert not url(up).drafts
    assert url(up, drafts=True).drafts


def test_the_text_its_moments_and_the_counters_are_taken_from_the_stream(url: Make, server: Serve, pretended: Pretended) -> None:
    (delivery,) = url(server(echo), clock=pretended.clock).serve([ORDER]).deliveries
    assert delivery.text == "5 6 7 "
    assert len(delivery.times) == 4  # the end, which took a pass of its own, is the last of them
    assert list(delivery.times) == sorted(set(delivery.times))
    assert (delivery.drafted, delivery.accepted, delivery.rounds) == (6, 2, ())


def test_events_that_come_together_are_one_burst(url: Make, server: Serve) -> None:
    (delivery,) = url(server(echo), clock=Pretended(tick=0.0).clock).serve([ORDER]).deliveries
    assert (delivery.text, delivery.times) == ("5 6 7 ", (0.0,))


def test_a_server_that_counts_nothing_leaves_the_counts_open(url: Make, server: Serve) -> None:
    silent = server(lambda asked: events(choice("a", "length")))
    assert url(silent, drafts=True).serve([ORDER]).deliveries[0].drafted is None
    assert url(silent, drafts=True, dialect="llamacpp").serve([ORDER]).deliveries[0].drafted == 0


class TestWhatIsSent:
    def test_is_the_order_and_no_other_rule_of_sampling(self, url: Make, server: Serve) -> None:
        up = server(echo)
        url(up).serve([ORDER, replace(ORDER, temperature=0.0)])
        first, second = bodies(up)
        assert first == first | {"model": "tiny", "prompt": [5, 6, 7], "max_tokens": 9, "temperature": 0.8, "seed": 3, "top_p": 1.0}
        assert first["stream"]
        assert second["temperature"] == 0

    def test_switches_off_what_llamacpp_would_fill_in_and_remember(self, url: Make, server: Serve) -> None:
        up = server(echo)
        url(up, dialect="llamacpp").serve([ORDER])
        assert bodies(up)[0] == bodies(up)[0] | {"top_k": 0, "min_p": 0.0, "top_p": 1.0, "repeat_penalty": 1.0, "cache_prompt": False}

    def test_lets_no_two_orders_share_a_prompt_in_the_cache_of_vllm(self, url: Make, server: Serve) -> None:
        up = server(echo)
        url(up, dialect="vllm").serve([ORDER, ORDER])
        first, second = (body["cache_salt"] for body in bodies(up))
        assert first != second

    def test_holds_a_seed_that_the_server_takes(self, url: Make, server: Serve) -> None:
        up = server(echo)
        url(up).serve([replace(ORDER, seed=2**32 - 1), replace(ORDER, seed=2**53)])
        assert all(0 <= body["seed"] < 2**32 - 1 for body in bodies(up))


class TestTime:
    def test_an_order_is_sent_when_it_arrives_and_timed_from_there(self, url: Make, server: Serve, pretended: Pretended) -> None:
        up = server(echo)
        late, early = replace(ORDER, arrival=5000.0, seed=1), replace(ORDER, seed=2)
        served = url(up, clock=pretended.clock).serve([late, early])
        assert [body["seed"] for body in bodies(up)] == [2, 1]
        assert len(pretended.slept) == 1
        assert all(0 < delivery.times[0] < 100 for delivery in served.deliveries)
        assert served.seconds > 5000

    def test_waiting_for_a_slot_counts(self, url: Make, server: Serve, pretended: Pretended) -> None:
        def slow(asked: Asked) -> Reply:
            pretended.time += 300
            return echo(asked)

        served = url(server(slow), clock=pretended.clock).serve([ORDER] * 3)
        firsts = [delivery.times[0] for delivery in served.deliveries]
        assert [int(first) // 300 for first in firsts] == [1, 2, 3]

    def test_as_many_are_under_way_as_there_are_slots(self, url: Make, server: Serve) -> None:
        meeting = Barrier(3)
        together = server(lambda asked: (meeting.wait(30), echo(asked))[1])
        assert len(url(together).serve([ORDER] * 6, 3).deliveries) == 6
        with pytest.raises(BadRequest, match="the server serves from 1 to 2 orders at once"):
            url(together, slots=2).serve([ORDER], 3)


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (
            Reply({"error": {"message": "too long"}}, 400),
            r"order 2 of 3 to the server was not served: .* refuses the request \(400\): too long",
        ),
        (Reply(b"no memory", 500), r"order 2 of 3 to the server was not served: .* cannot answer \(500\): no memory"),
        (events(choice("a"), done=False), "order 2 of 3 .* without saying that it was done"),
        (events({"choices": 7}), "order 2 of 3 .* without the list of choices"),
        (events({"choices": [{"text": 7}]}), "order 2 of 3 .* of another type"),
    ],
)
def test_a_failure_names_its_order(url: Make, server: Serve, answer: Reply, match: str) -> None:
    failing = server(lambda asked: answer if asked.body["seed"] == 1 else echo(asked))
    with pytest.raises(Unavailable, match=match) as error:
        url(failing).serve([replace(ORDER, seed=seed) for seed in range(3)])
    assert "\n" not in str(error.value)


def test_a_server_that_is_not_there_is_one_sentence(url: Make, server: Serve) -> None:
    up = server(echo)
    up.stop()
    with pytest.raises(Unavailable, match="order 1 of 1 to the server was not served: no server answers at"):
        url(up).serve([ORDER])


def test_nothing_is_delivered_of_no_orders(url: Make, server: Serve) -> None:
    assert url(server(echo)).serve([]).deliveries == ()
