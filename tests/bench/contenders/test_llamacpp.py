"""A llama.cpp server as a contender: started, timed and stopped."""

import os
import signal
from pathlib import Path

import pytest

from draftproof.audit.engines.llamacpp_server import Serving
from draftproof.bench.contender import Contender, Order
from draftproof.bench.contenders.llamacpp import llamacpp
from draftproof.errors import Unavailable

pytest.importorskip("xllamacpp")

ORDERS = [Order((72, 101, 108, 108, 72, 101, 108, 108, seed), 24, temperature, seed) for seed in range(4) for temperature in (0.0, 0.7)]


def serving(target: Path, **how: object) -> Serving:
    return Serving(str(target), parallel=3, cache_prompt=False, **how)  # type: ignore[arg-type]


def test_a_plain_server_serves_as_many_at_once_as_it_has_slots(tiny_gguf: Path) -> None:
    with llamacpp(serving(tiny_gguf), name="plain", engine="llama.cpp") as contender:
        assert isinstance(contender, Contender)
        assert (contender.name, contender.engine, contender.drafts, contender.slots) == ("plain", "llama.cpp", False, 3)
        served, again = contender.serve(ORDERS, 3), contender.serve(ORDERS)
        pid = contender.server.pid
    for delivery in served.deliveries:
        assert delivery.text
        assert list(delivery.times) == sorted(delivery.times)
        assert (delivery.drafted, delivery.accepted) == (0, 0)
    assert [one.text for one in served.deliveries[::2]] == [one.text for one in again.deliveries[::2]]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_drafts_are_made_and_counted(tiny_gguf: Path, draft_gguf: Path) -> None:
    with llamacpp(serving(tiny_gguf, draft=str(draft_gguf)), name="drafting", engine="llama.cpp") as contender:
        assert contender.drafts
        served = contender.serve(ORDERS)
    drafted, accepted = (sum(getattr(one, side) for one in served.deliveries) for side in ("drafted", "accepted"))
    assert 0 < accepted < drafted


def test_a_server_that_dies_says_how(tiny_gguf: Path) -> None:
    with llamacpp(serving(tiny_gguf), name="plain", engine="llama.cpp") as contender:
        os.kill(contender.server.pid, signal.SIGKILL)
        os.waitid(os.P_PID, contender.server.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(Unavailable, match=r"llama\.cpp was ended by SIGKILL.*; order 1 of 8 to plain was not served"):
            contender.serve(ORDERS)
