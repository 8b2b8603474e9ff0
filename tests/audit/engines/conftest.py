"""A small HTTP server on loopback that answers as a test says, well or badly."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True)
class Reply:
    """What is sent back.

    Attributes:
        content: bytes, or anything else as JSON.
        cut: bytes that are promised and never sent, since the connection is closed before them.
    """

    content: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0

    @property
    def sent(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()


@dataclass(frozen=True)
class Asked:
    """A request that came.

    Attributes:
        body: read as JSON; empty for a GET.
    """

    path: str
    body: dict[str, Any]
    headers: dict[str, str]


class Served:
    """A server that is up.

    Attributes:
        asked: the requests, as they came.
    """

    def __init__(self, answer: Callable[[Asked], Reply]) -> None:
        self.asked: list[Asked] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                asked = Asked(self.path, json.loads(body) if body else {}, {name.lower(): value for name, value in self.headers.items()})
                served.asked.append(asked)
                reply = answer(asked)
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(reply.sent) + reply.cut))
                self.end_headers()
                with suppress(ConnectionError):  # the other side may have heard enough
                    self.wfile.write(reply.sent)
                self.close_connection = self.close_connection or reply.cut > 0

            do_GET = do_POST = answer  # noqa: N815 - the names that the base class looks for

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[Asked], Reply]], Served]]:
    """Start a server that answers by a function."""
    up: list[Served] = []

    def start(answer: Callable[[Asked], Reply]) -> Served:
        up.append(Served(answer))
        return up[-1]

    yield start
    for served in up:
        served.stop()


@pytest.fixture
def reply() -> type[Reply]:
    return Reply
