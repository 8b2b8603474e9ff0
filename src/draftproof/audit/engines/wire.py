"""JSON over HTTP, with every way in which it can go wrong told apart.

A server may be absent, refuse, break off, or send anything at all. What is read of it is bounded, what it says is shown
shortened and printable, and a redirection is never followed: the key and the prompts go where they were meant to go.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from draftproof.errors import BadRequest, Unavailable, Unsupported

SCHEME = "openai+"
"""May stand before the address of a server."""

MOST_BYTES = 64 << 20
"""Of one answer: the laws of some hundred thousand places over a small vocabulary, and far more than any text."""

MOST_SAID = 300
"""Characters of a server's own words in a message."""

MOST_REASON_BYTES = 1 << 16

CONNECT_S = 10.0

FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""With one of them every line of a stream of events begins."""

LOOK_S = 20.0
"""A look at a server is answered at once, or the server is stuck."""

REFUSED = frozenset({400, 404, 405, 413, 415, 422})
KEY_REFUSED = frozenset({401, 403})


class Dropped(Unavailable):
    """An exchange broke off after it had begun. Whether the server still lives is not known yet."""


class Wire:
    """Exchanges with one server, from any number of threads.

    Args:
        address: up to where the paths begin.
        key: sent as a bearer token, and taken out of whatever the server says.
        timeout_s: the longest that one answer may take.
        connections: kept open side by side.
        most_bytes: of one answer.
    """

    def __init__(self, address: str, *, key: str = "", timeout_s: float = 300.0, connections: int = 1, most_bytes: int = MOST_BYTES):
        try:
            import httpx2
        except ModuleNotFoundError as error:
            raise Unsupported("talking to a server needs the package httpx2: pip install httpx2") from error
        if not (key.isascii() and key.isprintable()):
            raise BadRequest("the API key holds characters that no header can carry; is there a line break at its end?")
        self.address = address
        self._http, self._key = httpx2, key
        self._timeout_s, self._most_bytes = timeout_s, most_bytes
        self._client = httpx2.Client(
            headers={"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {}),
            limits=httpx2.Limits(max_connections=connections + 1, max_keepalive_connections=connections + 1),
            trust_env=False,
            verify=not address.startswith("http://"),  # without encryption there is nothing to verify, and preparing for it takes 28 ms
        )

    def get(self, path: str) -> dict[str, Any]:
        """The message at a path.

        Raises:
            Unavailable: no server, one that fails, or one that sends no JSON object; `Dropped` if it broke off.
            BadRequest: the server refuses, and why.
        """
        with self._exchange("GET", path, None, min(LOOK_S, self._timeout_s)) as chunks:
            return self._message(path, b"".join(chunks))

    def require_alive(self, path: str, cause: Dropped) -> None:
        """Return if the server still answers there, whatever it answers.

        Raises:
            Unavailable: it does not.
        """
        try:
            self.get(path)
        except BadRequest:
            return
        except Unavailable as error:
            raise Unavailable(f"{cause}, and the server no longer answers; start it again and go on from the answers so far") from error

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """What the server answers to a message.

        Raises:
            as `get`.
        """
        with self._exchange("POST", path, body, self._timeout_s) as chunks:
            return self._message(path, b"".join(chunks))

    def stream(self, path: str, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """What the server answers, event by event; the whole as one event if it does not stream.

        Raises:
            as `get`, and `Dropped` if it reports an error or ends without saying that it is done.
        """
        with self._exchange("POST", path, body, self._timeout_s) as chunks:
            lines = _lines(chunks)
            first = next((line for line in lines if line.strip()), b"")
            if not first.startswith(FIELDS):
                yield self._message(path, b"".join([first, *lines]))
                return
            for line in chain([first], lines):
                data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
                if data == b"[DONE]":
                    return
                if data and line.endswith(b"\n"):
                    yield self._event(path, data)
        raise Dropped(f"{self.address}{path} ended its answer without saying that it was done")

    def close(self) -> None:
        self._client.close()

    def _event(self, path: str, data: bytes) -> dict[str, Any]:
        event = self._message(path, data)
        if event.get("error"):
            raise Dropped(f"{self.address}{path} broke off: {self._said(_reason(data))}")
        return event

    @contextmanager
    def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None, limit_s: float) -> Iterator[Iterator[bytes]]:
        """The bytes of an answer that was not refused."""
        place, content = self.address + path, None if body is None else json.dumps(body, allow_nan=False).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            timeout = self._http.Timeout(limit_s, connect=CONNECT_S)
            with self._client.stream(method, place, content=content, headers=headers, timeout=timeout) as answer:
                if answer.status_code != 200:
                    self._refuse(place, answer)
                yield self._bounded(place, answer, limit_s)
        except (self._http.ConnectError, self._http.ConnectTimeout) as error:
            raise Unavailable(f"no server answers at {self.address}; start one there, or correct the address") from error
        except self._http.TimeoutException as error:
            raise Dropped(f"{place} sent nothing for {limit_s:g} s") from error
        except self._http.HTTPError as error:
            raise Dropped(f"{place} broke off: {self._said(str(error)) or type(error).__name__}") from error

    def _bounded(self, place: str, answer: Any, limit_s: float) -> Iterator[bytes]:
        ends, size = monotonic() + limit_s, 0
        for chunk in answer.iter_raw():
            size += len(chunk)
            if size > self._most_bytes:
                raise Unavailable(f"{place} answers with more than {self._most_bytes} bytes, which no answer to this request has")
            if monotonic() > ends:
                raise Dropped(f"{place} was not done after {limit_s:g} s")
            yield chunk

    def _refuse(self, place: str, answer: Any) -> None:
        status = answer.status_code
        if 300 <= status < 400:
            where = self._said(answer.headers.get("location", ""))
            raise Unavailable(f"{place} redirects to {where or 'another address'}, which is not followed; give that address if it is meant")
        content = b""
        with suppress(self._http.HTTPError):
            for chunk in answer.iter_raw():
                content += chunk
                if len(content) > MOST_REASON_BYTES:
                    break
        reason = self._said(_reason(content)) or "it does not say why"
        if status in KEY_REFUSED:
            raise Unavailable(f"{place} does not accept the API key ({status}: {reason}); set OPENAI_API_KEY to one that it does")
        if status in REFUSED:
            raise BadRequest(f"{place} refuses the request ({status}): {reason}")
        raise Unavailable(f"{place} cannot answer ({status}): {reason}")

    def _message(self, path: str, content: bytes) -> dict[str, Any]:
        try:
            found = json.loads(content, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise Unavailable(f"{self.address}{path} answers with what is not JSON: {self._said(_text(content)) or 'nothing'}") from error
        if not isinstance(found, dict):
            raise Unavailable(f"{self.address}{path} answers with what is not a JSON object: {self._said(_text(content))}")
        return found

    def _said(self, text: str) -> str:
        """Words of the server that can be shown: short, printable, without the key."""
        text = text[: MOST_SAID * 4].strip()
        text = text.replace(self._key, "[key]") if self._key else text
        shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
        return shown if len(shown) <= MOST_SAID else shown[:MOST_SAID] + "..."


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines, each with its end; the last one has none if it was cut."""
    pieces: list[bytes] = []
    for chunk in chunks:
        pieces.append(chunk)
        if b"\n" in chunk:
            *whole, rest = b"".join(pieces).split(b"\n")
            pieces = [rest]
            yield from (line + b"\n" for line in whole)
    yield b"".join(pieces)


def _reason(content: bytes) -> str:
    """Why a request was refused, wherever in its answer a server writes that."""
    with suppress(ValueError, RecursionError):
        found = json.loads(content)
        for name in ("error", "message", "detail"):
            while isinstance(found, dict) and name in found:
                found = found[name]
        if isinstance(found, str):
            return found
    return _text(content)


def _text(content: bytes) -> str:
    return content[: MOST_SAID * 8].decode(errors="replace")


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def base_address(address: str) -> str:
    """Where requests to a server go below: `/v1` unless the address has a path.

    Raises:
        BadRequest: no address of a server, or one with a password in it.
    """
    shown = "what was given" if "@" in address else repr(address)
    refused = BadRequest(f"{shown} is no address of a server; give one such as openai+http://127.0.0.1:8000")
    try:
        parts = urlsplit(address.removeprefix(SCHEME))
        _ = parts.port, (parts.hostname or "").encode("idna")
    except ValueError as error:
        raise refused from error
    if parts.username is not None or parts.password is not None:
        raise BadRequest("the address holds a user or a password, which would be shown in reports; give the key in OPENAI_API_KEY")
    if parts.scheme not in ("http", "https") or not parts.hostname or " " in address or parts.query or parts.fragment:
        raise refused
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}"


def first_model(wire: Wire) -> str:
    """The name of the first model that a server lists.

    Raises:
        Unavailable: no server, or one that lists none.
        BadRequest: the server refuses.
    """
    listed = wire.get("/models").get("data")
    if not (isinstance(listed, list) and listed and isinstance(listed[0], dict) and isinstance(listed[0].get("id"), str)):
        raise Unavailable(f"{wire.address} lists no model; name one")
    return str(listed[0]["id"])


def choices(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The choices in one event of a stream of completions.

    Raises:
        Unavailable: an event that is none of this API.
    """
    found = message.get("choices", [])
    if not isinstance(found, list) or not all(isinstance(choice, dict) for choice in found):
        raise Unavailable("the server answered without the list of choices that its API promises")
    return found
