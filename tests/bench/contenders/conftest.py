"""A clock that goes by itself, a model that writes the same again and again, and a server on loopback."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from draftproof.bench.contenders.arrivals import Clock
from draftproof.models.tiny import Near, write_tiny_folder, write_tiny_gguf

from ...audit.engines.conftest import Asked, Reply
from ...audit.engines.conftest import Served as Server

TICK = 1.0


@dataclass
class Pretended:
    """A clock by which nothing but looking at it takes time.

    Attributes:
        tick: seconds that pass whenever the time is read.
        slept: how long, each time.
    """

    tick: float = TICK
    time: float = 1000.0
    slept: list[float] = field(default_factory=list)
    _lock: Any = field(default_factory=Lock)

    def now(self) -> float:
        with self._lock:
            self.time += self.tick
            return self.time

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        with self._lock:
            self.slept.append(seconds)
            self.time += seconds

    @property
    def clock(self) -> Clock:
        return Clock(self.now, self.sleep)


@pytest.fixture
def pretended() -> Pretended:
    return Pretended()


@pytest.fixture(scope="package")
def draft_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draft model that is often right about `tiny_gguf`."""
    return write_tiny_gguf(tmp_path_factory.mktemp("contenders") / "draft.gguf", quantisation="Q8_0")


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model for transformers, whose laws are sharp enough to repeat themselves."""
    return write_tiny_folder(tmp_path_factory.mktemp("contenders") / "target", layers=1, sharpness=3.0)


@pytest.fixture(scope="package")
def draft_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contenders") / "draft"
    return write_tiny_folder(folder, seed=1, layers=1, near=Near(0, 0.98), sharpness=3.0)


@pytest.fixture
def server() -> Iterator[Callable[[Callable[[Asked], Reply]], Server]]:
    """Start a server that answers by a function."""
    up: list[Server] = []

    def start(answer: Callable[[Asked], Reply]) -> Server:
        up.append(Server(answer))
        return up[-1]

    yield start
    for one in up:
        one.stop()
