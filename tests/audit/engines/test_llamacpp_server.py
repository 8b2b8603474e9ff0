"""A server of our own is never left behind, and how it ended is told."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from draftproof.audit.engines import llamacpp_server
from draftproof.audit.engines.llamacpp_server import LlamaCppServer, Serving
from draftproof.errors import BadRequest, Unavailable, Unsupported


def gone(process: int) -> bool:
    """True once the process with this file descriptor has ended; waits for it."""
    return bool(select.select([process], [], [], 30)[0])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"target": "nowhere.gguf"}, "the target nowhere.gguf is not a file"),
        ({"target": ""}, "no target is given"),
        ({"draft": "nowhere.gguf"}, "the draft nowhere.gguf is not a file"),
        ({"draft_sampling": "both"}, "draft_sampling is 'both'; it must be one of greedy, probabilistic"),
        ({"lookup": "ngram"}, "lookup is 'ngram'; it must be one of ngram-simple"),
        ({"lookup": "ngram-simple", "draft": "self"}, "both a draft model and the lookup ngram-simple"),
        ({"width": 0}, "width is 0; it must be a whole number from 1"),
        ({"parallel": 2**30}, "parallel is 1073741824"),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_starts(tiny_gguf: Path, change: dict[str, Any], match: str) -> None:
    wanted = {"target": str(tiny_gguf)} | {name: str(tiny_gguf) if value == "self" else value for name, value in change.items()}
    with pytest.raises(BadRequest, match=match):
        Serving(**wanted)


def test_drafts_are_told_in_words(tiny_gguf: Path) -> None:
    file = str(tiny_gguf)
    assert Serving(file).drafts == ""
    assert Serving(file, draft=file, width=5).drafts == "greedy drafts of tiny.gguf, up to 5 tokens a round"
    assert Serving(file, lookup="ngram-mod").drafts == "ngram-mod after 3 tokens, up to 3 tokens a round"


def test_without_the_package_it_says_what_to_install(tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llamacpp_server, "PACKAGE", "no_such_package")
    with pytest.raises(Unsupported, match=r"pip install 'draftproof\[llamacpp\]'"):
        LlamaCppServer(Serving(str(tiny_gguf))).start()


@pytest.fixture
def installed() -> None:
    pytest.importorskip("xllamacpp")


@pytest.mark.usefixtures("installed")
class TestRunning:
    def test_it_runs_until_it_is_stopped(self, tiny_gguf: Path) -> None:
        server = LlamaCppServer(Serving(str(tiny_gguf)))
        server.start()
        process = os.pidfd_open(server.pid)
        try:
            assert server.address.startswith("http://127.0.0.1:")
            assert server.death == ""
            server.stop()
            assert gone(process)
            server.stop()
        finally:
            os.close(process)

    @pytest.mark.parametrize("content", [b"no weights at all", b"", None])
    def test_a_file_that_is_no_model_is_refused(self, tiny_gguf: Path, tmp_path: Path, content: bytes | None) -> None:
        """With what llama.cpp wrote of it by then: its log comes from a thread of its own."""
        bad = tmp_path / "bad.gguf"
        bad.write_bytes(tiny_gguf.read_bytes()[:150_000] if content is None else content)
        server = LlamaCppServer(Serving(str(bad)))
        with pytest.raises(BadRequest, match=r"llama.cpp cannot serve .*bad.gguf: \w") as error:
            server.start()
        assert str(error.value).isprintable()
        assert server.death == "it was stopped"

    def test_native_code_that_dies_while_it_loads_is_unavailable(
        self, tiny_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        crash = tmp_path / "crash.py"
        crash.write_text(
            "import os, signal, sys\nprint('a last word', file=sys.stderr, flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)\n"
        )
        monkeypatch.setattr(llamacpp_server.llamacpp_child, "__file__", str(crash))
        with pytest.raises(Unavailable, match=r"was ended by SIGSEGV \(a last word\) while it loaded"):
            LlamaCppServer(Serving(str(tiny_gguf))).start()

    def test_the_death_of_a_server_is_told(self, tiny_gguf: Path) -> None:
        server = LlamaCppServer(Serving(str(tiny_gguf)))
        server.start()
        os.kill(server.pid, signal.SIGKILL)
        assert server.death == "was ended by SIGKILL"
        server.stop()

    def test_it_ends_when_its_parent_is_killed(self, tiny_gguf: Path) -> None:
        program = (
            "import sys\nfrom draftproof.audit.engines.llamacpp_server import LlamaCppServer, Serving\n"
            "server = LlamaCppServer(Serving(sys.argv[1]))\nserver.start()\nprint(server.pid, flush=True)\nsys.stdin.read()\n"
        )
        with subprocess.Popen([sys.executable, "-c", program, str(tiny_gguf)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            process = os.pidfd_open(int(parent.stdout.readline()))
            try:
                parent.kill()
                parent.wait()
                assert gone(process)
            finally:
                os.close(process)
