"""The file of a sitting: what is read is what was measured, and damage is told in a sentence."""

import hashlib
import json
import socket
from pathlib import Path

import pytest

from draftproof.bench.cell import Cell
from draftproof.bench.measure import Withdrawn
from draftproof.bench.store import Head, RunFile, digest, read
from draftproof.errors import BadRequest

from .scripted import drafting, plain, runs

WITHDRAWN = Withdrawn(Cell("one", "letters", 0.8), "other", "it is not there")


@pytest.fixture
def measured():
    return runs(plain(parts={"target": 0.9, "rest": 0.1}), drafting(tells=False), prompts=2, repeats=2)


@pytest.fixture
def path(tmp_path, measured):
    file = RunFile(tmp_path / "new" / "runs.jsonl", Head.here("draftproof bench", [("seed", "0")]))
    for run in measured:
        file.add(run)
    file.add(WITHDRAWN)
    file.end()
    return file.path


def test_what_is_read_is_what_was_measured(path, measured):
    found = read(path)
    assert found.runs == tuple(measured)
    assert found.withdrawn == (WITHDRAWN,)
    assert found.end is not None


def test_the_head_tells_the_machine_and_the_versions_without_their_names(path):
    head = read(path).head
    assert (head.command, head.settings) == ("draftproof bench", (("seed", "0"),))
    assert head.machine.cores >= 1
    assert head.machine.memory > 2**20
    assert head.machine.processor
    assert {"Python", "numpy", "scipy"} <= dict(head.versions).keys()
    assert len(head.load) == 3
    assert socket.gethostname() not in path.read_text().splitlines()[0]


def test_each_run_is_on_disk_before_the_next_begins(tmp_path, measured):
    file = RunFile(tmp_path / "runs.jsonl", Head.here("draftproof bench"))
    for number, run in enumerate(measured):
        file.add(run)
        found = read(file.path)
        assert found.runs == tuple(measured[: number + 1])
        assert found.end is None


def test_a_file_that_is_there_is_not_added_to(path):
    with pytest.raises(BadRequest, match="is there already; give another name, so that no measurement is lost"):
        RunFile(path, Head.here("draftproof bench"))


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRequest, match="give a file that can be written"):
        RunFile(tmp_path / "file" / "runs.jsonl", Head.here("draftproof bench"))


def test_the_digest_is_that_of_the_bytes(path, tmp_path):
    assert digest(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(BadRequest, match="cannot read"):
        digest(tmp_path / "nothing")


class TestLastLine:
    """It may have been cut off: the disk was full, or the program was killed."""

    @pytest.mark.parametrize("lost", [1, 2, 20])
    def test_is_left_out_when_it_is_not_whole(self, path, measured, lost):
        path.write_bytes(path.read_bytes()[:-lost])
        found = read(path)
        assert found.cut
        assert (found.runs, found.withdrawn, found.end) == (tuple(measured), (WITHDRAWN,), None)

    def test_is_left_out_wherever_the_file_ends(self, path, measured):
        content = path.read_bytes()
        head = content.index(b"\n") + 1
        for size in range(head, len(content), 101):
            path.write_bytes(content[:size])
            found = read(path)
            assert found.cut == (content[size - 1 : size] != b"\n")
            assert found.runs == tuple(measured[: max(0, content[:size].count(b"\n") - 1)])
            assert found.end is None

    def test_is_kept_when_it_is_whole(self, path):
        assert not read(path).cut

    def test_is_missed_where_there_is_no_other(self, path):
        path.write_bytes(path.read_bytes()[:50])
        with pytest.raises(BadRequest, match="may have been cut off"):
            read(path)


class TestDamage:
    def changed(self, path, number: int, change) -> None:
        lines = path.read_text().splitlines()
        content = json.loads(lines[number - 1])
        change(content)
        lines[number - 1] = json.dumps(content)
        path.write_text("\n".join(lines) + "\n")

    def test_of_an_empty_file(self, tmp_path):
        (tmp_path / "empty").write_text("")
        with pytest.raises(BadRequest, match="is empty; give a file that draftproof bench wrote"):
            read(tmp_path / "empty")

    def test_of_another_kind_of_file(self, path):
        self.changed(path, 1, lambda head: head.update(kind="audit events"))
        with pytest.raises(BadRequest, match=r"line 1 of .* is not the head of a file of runs \(its kind is not 'bench runs'\)"):
            read(path)

    def test_of_another_version(self, path):
        self.changed(path, 1, lambda head: head.update(version=2))
        with pytest.raises(BadRequest, match="its version is 2, and this draftproof reads 1"):
            read(path)

    def test_of_lines_after_the_end(self, path):
        lines = path.read_text().splitlines()
        path.write_text("\n".join([*lines, lines[1]]) + "\n")
        with pytest.raises(BadRequest, match=rf"line {len(lines) + 1} of .* stands after the end of the sitting"):
            read(path)

    def test_before_a_last_line_that_was_cut_off_is_told_all_the_same(self, path):
        self.changed(path, 3, lambda line: line["run"].pop("seconds"))
        path.write_text(path.read_text()[:-20])
        with pytest.raises(BadRequest, match="line 3 of"):
            read(path)

    def test_of_a_file_without_end(self):
        with pytest.raises(BadRequest, match="it is longer than"):
            read(Path("/dev/zero"))

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            (lambda line: line["run"].pop("seconds"), "it has no 'seconds'"),
            (lambda line: line["run"].update(seconds=-1.0), "-1.0 where a number from 0 to 1e+09 should be"),
            (lambda line: line["run"].update(seconds=float("nan")), "nan where a number from 0 to 1e+09 should be"),
            (lambda line: line["run"].update(seconds=1e10), "10000000000.0 where a number from 0 to 1e+09 should be"),
            (lambda line: line["run"].update(turn=2**54), "18014398509481984 where a whole number from 0 to 9007199254740992 should be"),
            (lambda line: line["run"].update(table="two"), "'two' where one, service or tail should be"),
            (lambda line: line["run"].update(seconds=0.01), "it ended before its last text came"),
            (lambda line: line["run"].update(turn=0), "another run has the turn 0 too"),
            (lambda line: line["run"]["replies"][0].update(seed=99), "seeds, prompts or arrivals are not those of the other contenders"),
            (lambda line: line["run"].update(host="a"), "the field 'host' is not known"),
            (lambda line: line["run"].update(drafts="no"), "'no' where true or false should be"),
            (lambda line: line["run"]["replies"][0].update(tokens=1.5), "1.5 where a whole number from 0 to 9007199254740992 should be"),
            (lambda line: line["run"]["replies"][0].update(drafted=-1), "-1 where a whole number from 0 to 9007199254740992 should be"),
            (lambda line: line["run"]["replies"][0].update(times=[2.0, 1.0]), "times that do not rise"),
            (lambda line: line["run"]["replies"][0].pop("digest"), "it has no 'digest'"),
            (lambda line: line["run"].update(replies=None), "None where a list should be"),
            (lambda line: line.update(run=3), "3 where an object should be"),
            (lambda line: (line.pop("run"), line.update(other=1)), "it has no 'end'"),
        ],
    )
    def test_of_a_run_names_its_line(self, path, change, sentence):
        self.changed(path, 3, change)
        with pytest.raises(BadRequest, match=r"line 3 of .* is not a run, a withdrawal or an end") as refused:
            read(path)
        assert sentence in str(refused.value)
        assert str(refused.value).endswith("measure again, or remove that line")
