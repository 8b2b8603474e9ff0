"""A llama.cpp server of our own as a contender: plain, with lookup, or with a draft model."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from draftproof.audit.engines.llamacpp_server import LlamaCppServer, Serving
from draftproof.audit.engines.wire import Wire, first_model
from draftproof.bench.contender import Order, Served
from draftproof.bench.contenders.arrivals import Clock
from draftproof.bench.contenders.url import Url
from draftproof.errors import Unavailable

CLOCK = Clock()


@dataclass(frozen=True)
class LlamaCpp:
    """A server of ours: asked by its address, and when it dies it is known how."""

    server: LlamaCppServer
    url: Url

    @property
    def name(self) -> str:
        return self.url.name

    @property
    def engine(self) -> str:
        return self.url.engine

    @property
    def drafts(self) -> bool:
        return self.url.drafts

    @property
    def slots(self) -> int:
        return self.url.slots

    def serve(self, orders: Sequence[Order], slots: int = 1) -> Served:
        """See `Url.serve`."""
        try:
            return self.url.serve(orders, slots)
        except Unavailable as error:
            if not (death := self.server.death):
                raise
            raise Unavailable(f"llama.cpp {death}; {error}") from error


@contextmanager
def llamacpp(serving: Serving, *, name: str, engine: str, clock: Clock = CLOCK) -> Iterator[LlamaCpp]:
    """Inside, a server that answers; afterwards none is left.

    Raises:
        as `LlamaCppServer.start`.
    """
    server = LlamaCppServer(serving)
    server.start()
    try:
        with closing(Wire(f"{server.address}/v1", connections=serving.parallel)) as wire:
            yield LlamaCpp(server, Url(wire, first_model(wire), name, engine, bool(serving.drafts), serving.parallel, "llamacpp", clock))
    finally:
        server.stop()
