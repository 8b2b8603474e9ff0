"""A llama.cpp server of our own: started, watched and stopped, and never left behind."""

import json
import os
import re
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from draftproof.audit.engines import llamacpp_child
from draftproof.errors import BadRequest, Unavailable, Unsupported

PACKAGE = "xllamacpp"

DRAFT_SAMPLINGS = ("greedy", "probabilistic")

LOOKUPS = ("ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod", "ngram-cache")
"""Drafts from the text itself, by llama.cpp's names."""

LOADING_S = 600.0
"""Longer than any model takes from a disk; after it, the child hangs."""

DYING_S = 1.0
"""A connection may break a moment before the kernel reports the death behind it."""

LAST_BYTES = 4096

QUIET = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Threads that wait give the processor away. Where it is shared, two spinning threads made 0.8 tokens a second of a 135M model; with
this, 11."""


@dataclass(frozen=True)
class Serving:
    """What a server is to serve, and how.

    Attributes:
        target, draft: GGUF files; without a draft, none is used.
        draft_sampling: `greedy` drafts the likeliest tokens, `probabilistic` samples them and verifies by rejection.
        width: tokens drafted in one round, at most.
        lookup: one of `LOOKUPS` in the place of a draft model, or empty.
        lookup_size: tokens that must match before a lookup drafts what followed them; `ngram-cache` has its own.
        parallel: requests decoded together.
        context_length: tokens of one request, prompt and answer.
        threads: of the CPU.
        cache_prompt: whether a request may use what an earlier one with the same beginning left in the cache.

    Raises:
        BadRequest: a file that is not there, or a value out of range.
    """

    target: str
    draft: str = ""
    draft_sampling: str = "greedy"
    width: int = 3
    lookup: str = ""
    lookup_size: int = 3
    parallel: int = 4
    context_length: int = 512
    threads: int = 1
    cache_prompt: bool = True

    def __post_init__(self) -> None:
        for name in ("target", "draft"):
            path = getattr(self, name)
            if path and not Path(path).is_file():
                raise BadRequest(f"the {name} {path} is not a file; give the path of a GGUF file")
        if not self.target:
            raise BadRequest("no target is given; give the path of a GGUF file")
        if self.draft_sampling not in DRAFT_SAMPLINGS:
            raise BadRequest(f"draft_sampling is {self.draft_sampling!r}; it must be one of {', '.join(DRAFT_SAMPLINGS)}")
        if self.lookup and self.lookup not in LOOKUPS:
            raise BadRequest(f"lookup is {self.lookup!r}; it must be one of {', '.join(LOOKUPS)}, or empty")
        if self.lookup and self.draft:
            raise BadRequest(
                f"both a draft model and the lookup {self.lookup} are given; leave one out, so that it is known what is audited"
            )
        for name in ("width", "lookup_size", "parallel", "context_length", "threads"):
            if not 1 <= getattr(self, name) < 1 << 20:
                raise BadRequest(f"{name} is {getattr(self, name)!r}; it must be a whole number from 1 to {(1 << 20) - 1}")

    @property
    def drafts(self) -> str:
        """How drafts are configured, in words; empty without any."""
        if self.draft:
            return f"{self.draft_sampling} drafts of {Path(self.draft).name}, up to {self.width} tokens a round"
        if self.lookup:
            return f"{self.lookup} after {self.lookup_size} tokens, up to {self.width} tokens a round"
        return ""


class LlamaCppServer:
    """The child process that serves, and how it is doing. It ends with its parent, however that ends."""

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.address = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None

    def start(self) -> None:
        """A server that answers at `address`.

        Raises:
            Unsupported: the package is not installed.
            BadRequest: a model that llama.cpp cannot load.
            Unavailable: native code died, or never came to an end.
        """
        if find_spec(PACKAGE) is None:
            raise Unsupported(f"running llama.cpp needs the package {PACKAGE}: pip install 'draftproof[llamacpp]'")
        self._log = TemporaryFile()  # noqa: SIM115 - closed in `stop`
        self._process = subprocess.Popen(
            [sys.executable, "-P", llamacpp_child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=QUIET | os.environ,
            start_new_session=True,  # an interrupt at the terminal is for us to act on
        )
        try:
            self.address = self._begun(self._process)
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        assert self._process is not None, "asked of a server that was started"
        return self._process.pid

    @property
    def death(self) -> str:
        """How the child ended, in words; empty while it lives. Asked after something went wrong, so it waits a moment for the end."""
        if self._process is None:
            return "it was stopped"
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(DYING_S if self._process.poll() is None else None)
            how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            return how + (f" ({words})" if (words := self._words(last=True)) else "")
        return ""

    def stop(self) -> None:
        """No child and no open file is left; a second time does nothing."""
        process, log = self._process, self._log
        self._process = self._log = None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
        if log is not None:
            log.close()

    def _begun(self, process: subprocess.Popen[bytes]) -> str:
        """The address, once the child tells it."""
        assert process.stdin is not None, "asked for as a pipe"
        assert process.stdout is not None, "asked for as a pipe"
        with suppress(BrokenPipeError):  # it died at once; the reason is found below
            process.stdin.write(json.dumps(asdict(self.serving)).encode() + b"\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], LOADING_S)[0]:
            raise Unavailable(
                f"llama.cpp did not load {self.serving.target} in {LOADING_S:g} s; try it with less context or a smaller model"
            )
        line = process.stdout.readline()
        if not line:
            raise Unavailable(
                f"llama.cpp {self.death} while it loaded {self.serving.target}; is the file whole, and is there memory for it?"
            )
        answer: dict[str, Any] = json.loads(line)
        if "failed" in answer:
            raise BadRequest(f"llama.cpp cannot serve {self.serving.target}: {self._words() or answer['failed']}")
        return str(answer["address"])

    def _words(self, *, last: bool = False) -> str:
        """The first or the last thing the child complained of."""
        if self._log is None:
            return ""
        size = os.fstat(self._log.fileno()).st_size
        start = max(0, size - LAST_BYTES) if last else 0
        lines = os.pread(self._log.fileno(), LAST_BYTES, start).decode(errors="replace").splitlines()
        told = [re.sub(r"^[\d.]+ [A-Z] ", "", line) for line in lines if line.strip()]
        found = (told[-1 if last else 0] if told else "")[:200]
        return "".join(char if char.isprintable() else "?" for char in found)
