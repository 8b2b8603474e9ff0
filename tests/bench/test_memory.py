"""Whether work was done faster because it had been done before: seen in drafts, in bursts and in time, and taken for nothing else."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from draftproof.bench.compare import compare
from draftproof.bench.memory import remembered
from draftproof.bench.run import Reply, Run
from draftproof.bench.service import service

from .scripted import drafting, plain, runs, runs_of, sitting


def written(run: Run, change: Callable[[Reply], Reply]) -> Run:
    return replace(run, replies=tuple(map(change, run.replies)))


def accepting(share: float) -> Callable[[Reply], Reply]:
    return lambda reply: replace(reply, accepted=int(share * reply.tokens))


def in_bursts(count: int) -> Callable[[Reply], Reply]:
    return lambda reply: replace(reply, times=reply.times[:count])


def again(run: Run) -> bool:
    return run.repeat > 0


def test_equal_work_that_is_always_done_alike_shows_no_memory():
    assert remembered(runs(drafting())) == ""
    assert remembered(runs(drafting(noise=0.1), repeats=2)) == ""
    assert remembered([]) == ""


class TestDrafts:
    """Twenty tokens a text, ten of them from drafts the first time."""

    def again(self, share: float) -> list[Run]:
        return [written(run, accepting(share)) if again(run) else run for run in runs(drafting())]

    def test_are_taken_from_the_texts_before(self):
        assert remembered(self.again(0.9)) == (
            "of the same texts 50% came from drafts at first and 90% when toy drafting wrote them again: "
            "it drafts from what it wrote before"
        )

    @pytest.mark.parametrize("share", [0.1, 0.5, 0.6])
    def test_are_kept_about_as_often_as_at_first_or_less(self, share):
        assert remembered(self.again(share)) == ""

    def test_of_texts_that_are_new_show_nothing(self):
        new = [written(run, lambda reply, run=run: replace(reply, digest=f"{run.repeat} {reply.digest}")) for run in self.again(0.9)]
        assert remembered(new) == ""

    def test_of_a_service_are_taken_from_texts_that_were_written_alone(self):
        alone = [written(run, accepting(0.1)) for run in runs(drafting(), repeats=1)]
        together = runs_of(service(sitting(drafting()), (1,)))
        later = [written(replace(run, turn=100 + run.turn), accepting(0.9)) for run in together]
        assert remembered(later) == "", "by itself it was never seen to write a text for the first time"
        assert remembered([*alone, *later]).startswith("of the same texts 10% came from drafts at first and 90%")
        assert remembered([*later, *alone]) != "", "it is the turn that says what came first"

    def test_of_one_request_may_be_wider_than_those_of_many_before(self):
        together = [written(run, accepting(0.1)) for run in runs_of(service(sitting(drafting()), (4,)))]
        alone = [replace(run, turn=100 + run.turn) for run in runs(drafting())]
        assert remembered([*together, *alone]) == ""

    def test_are_taken_from_the_same_text_within_one_service(self):
        (run, *_) = runs_of(service(sitting(drafting(), repeats=1), (4,)))
        twelve = replace(run, replies=tuple(replace(reply, digest=f"of {reply.place}") for reply in run.replies))
        assert remembered([twelve]) == ""
        assert remembered([replace(twelve, replies=(*twelve.replies[:10], *map(accepting(1.0), twelve.replies[10:])))]) != ""


class TestBursts:
    def test_of_a_silent_engine_grow_when_it_writes_a_text_again(self):
        found = [written(run, in_bursts(2)) if again(run) else run for run in runs(drafting(tells=False))]
        assert remembered(found).startswith("of the same texts 50% came along with an earlier token at first and 90% when toy drafting")

    def test_are_not_held_against_those_of_another_cell(self):
        together = [
            written(replace(run, turn=100 + run.turn), in_bursts(2)) for run in runs_of(service(sitting(drafting(tells=False)), (4,)))
        ]
        assert remembered([*runs(drafting(tells=False)), *together]) == ""


class TestTime:
    def faster(self, times: float, found: list[Run]) -> list[Run]:
        return [replace(run, seconds=run.seconds / times) if again(run) else run for run in found]

    @pytest.mark.parametrize("contender", [plain, drafting])
    @pytest.mark.parametrize("repeats", [2, 4])
    def test_is_shorter_when_work_is_done_again(self, contender, repeats):
        found = remembered(self.faster(1.25, runs(contender(noise=0.01), repeats=repeats)))
        assert found.startswith(f"the same work took {contender().name} ")
        assert found.endswith("less time when it was done again: it was remembered, or the machine changed")
        assert "20%" in found or "19%" in found

    def test_is_shorter_by_little(self):
        assert remembered(self.faster(1.05, runs(plain(noise=0.01)))) == ""

    def test_is_shorter_by_less_than_the_noise(self):
        assert remembered(self.faster(1.25, runs(plain(noise=0.2)))) == ""

    def test_is_shorter_in_one_of_many_cells_by_what_chance_brings(self):
        found = runs_of(service(sitting(plain(noise=0.04), prompts=5, repeats=3)))
        slow = [run for run in found if run.slots == 8 and not run.repeat]
        assert remembered([replace(run, seconds=run.seconds * 1.1) if run in slow else run for run in found]) == ""
        assert remembered([replace(run, seconds=run.seconds * 1.4) if run in slow else run for run in found]) != ""

    def test_of_one_prompt_alone_shows_nothing(self):
        found = runs(plain())
        assert remembered([replace(run, seconds=3.0) if run.repeat == 0 and run.replies[0].place == 0 else run for run in found]) == ""

    def test_of_texts_that_are_never_the_same_shows_nothing(self):
        assert remembered(self.faster(2.0, runs(drafting(wanders=True)))) == ""

    def test_of_a_whole_service_is_shorter(self):
        assert remembered(self.faster(1.25, runs_of(service(sitting(plain(noise=0.01)), (4,))))) != ""


def test_a_contender_that_remembers_has_no_speed_up_in_any_cell_of_the_workload():
    found = runs(plain(), drafting(), temperatures=(0.0, 0.8))
    changed = [written(run, accepting(0.9)) if again(run) and run.drafts and run.temperature == 0 else run for run in found]
    assert [len(each.refusals) for each in compare(changed)] == [1, 1]
    assert [len(each.refusals) for each in compare(found)] == [0, 0]
    others = [replace(run, workload="others", turn=1000 + run.turn) for run in found]
    assert [len(each.refusals) for each in compare([*changed, *others])] == [1, 1, 0, 0]


def test_a_plain_contender_that_remembers_leaves_no_speed_up_either():
    found = [replace(run, seconds=run.seconds / 1.25) if again(run) and not run.drafts else run for run in runs(plain(), drafting())]
    (only,) = compare(found)
    assert only.refusals == (
        "the same work took toy plain 20% less time when it was done again: it was remembered, or the machine changed",
    )
