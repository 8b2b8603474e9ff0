"""Who is served what, when, and next to whom."""

from collections import Counter

import pytest

from draftproof.bench.cell import Cell
from draftproof.bench.measure import Heat, Sitting, Withdrawn, measured, one_request
from draftproof.bench.run import Run
from draftproof.errors import BadRequest

from .scripted import Scripted, drafting, plain, reader, runs, sitting, workload


def three() -> tuple[Scripted, Scripted, Scripted]:
    return plain(), Scripted("other", engine="other"), drafting()


class TestOrders:
    def test_are_the_same_for_all_contenders_and_in_all_repeats(self):
        contenders = three()
        runs(*contenders, prompts=3, repeats=2)
        seen = [Counter((orders[0].prompt, orders[0].seed) for orders, _ in contender.served) for contender in contenders]
        assert seen[0] == seen[1] == seen[2]
        assert sorted(seen[0].values()) == [1, 2, 2, 2], "two repeats, and a warm-up"

    def test_have_another_seed_on_each_prompt(self):
        assert [order.seed for order in sitting(plain(), prompts=3, seed=7).orders(workload(3), 0.8)] == [7, 8, 9]

    def test_are_read_by_the_tokenizer_of_all_with_its_chat_around_them(self):
        assert sitting(plain()).orders(workload(2), 0.0)[1].prompt == (5, 2, 2)

    def test_that_do_not_fit_are_refused_by_name(self):
        with pytest.raises(BadRequest, match=r"the prompt 'p1' of letters has 3 tokens and leaves room for 997 more, not for 998"):
            sitting(plain(), max_tokens=998).orders(workload(2), 0.0)


class TestTurns:
    def test_go_there_and_back_with_an_engine_side_by_side(self):
        names = [run.contender for run in runs(*three(), prompts=2, repeats=2)]
        there = ["toy plain", "toy drafting", "other"]
        assert names == [*there, *there[::-1], *there[::-1], *there]

    def test_let_each_prompt_be_served_in_both_orders(self):
        found = runs(plain(), drafting(), prompts=4, repeats=2)
        first = {}
        for run in found:
            first.setdefault((run.replies[0].place, run.repeat), run.contender)
        assert all(first[place, 0] != first[place, 1] for place in range(4))

    def test_are_numbered_through(self):
        contenders = three()
        heats = [*one_request(sitting(*contenders)), *one_request(sitting(*contenders, temperatures=(0.8,)))]
        assert [run.turn for run in measured(heats, reader())] == list(range(sum(heat.runs for heat in heats)))

    def test_are_after_a_warm_up_that_is_not_counted(self):
        contender = plain()
        found = runs(contender, prompts=3, repeats=2, temperatures=(0.0, 0.8))
        assert len(contender.served) == len(found) + 2
        assert contender.served[0][0][0].prompt == contender.served[1][0][0].prompt[::-1], "the first order, read backwards"
        asked = {order.prompt for orders, _ in contender.served[1:7] for order in orders}
        assert contender.served[0][0][0].prompt not in asked, "what it keeps of the warm-up is no help"
        assert contender.served[7][0][0].temperature == 0.8, "once in each cell"

    def test_happen_one_by_one_as_the_runs_are_asked_for(self):
        contender = plain()
        found = measured(one_request(sitting(contender)), reader())
        next(found)
        assert len(contender.served) == 2, "a warm-up and a run"


class TestRuns:
    def test_hold_what_was_delivered(self):
        run = runs(drafting(pace=0.5, length=lambda order, chance: 7), prompts=1, repeats=1)[0]
        reply = run.replies[0]
        assert (run.table, run.workload, run.temperature, run.slots, run.rate) == ("one", "letters", 0.0, 1, 0.0)
        assert (run.contender, run.engine, run.drafts, run.repeat) == ("toy drafting", "toy", True, 0)
        assert (reply.place, reply.prompt_tokens, reply.tokens, reply.drafted, reply.accepted) == (0, 2, 7, 4, 4)
        assert reply.times == pytest.approx((0.05, 0.55, 1.05, 1.55))
        assert (run.seconds, run.tokens) == (pytest.approx(1.55), 7)

    def test_show_by_digests_which_texts_are_the_same(self):
        digests = [run.replies[0].digest for run in runs(plain(), drafting(), prompts=1, repeats=2)]
        assert len(set(digests)) == 1
        digests = [run.replies[0].digest for run in runs(plain(), drafting(wanders=True), prompts=1, repeats=2)]
        assert len(set(digests)) == 3


class TestAContenderThatFails:
    @pytest.mark.parametrize(("refuses", "runs_before"), [([0], 0), ([1], 0), ([4], 3)])
    def test_ends_its_own_column_with_the_reason_and_not_the_sitting(self, refuses, runs_before):
        failing = drafting(refuses=refuses)
        found = list(measured(one_request(sitting(plain(), failing, prompts=3, repeats=2)), reader()))
        assert [each for each in found if isinstance(each, Withdrawn)] == [
            Withdrawn(Cell("one", "letters", 0.0), "toy drafting", "it is not there")
        ]
        counts = Counter(each.contender for each in found if isinstance(each, Run))
        assert counts == Counter({"toy plain": 6, "toy drafting": runs_before})
        assert len(failing.served) == refuses[0] + 1, "it is not asked again"

    def test_is_asked_again_in_the_next_cell(self):
        found = list(measured(one_request(sitting(drafting(refuses=[0]), prompts=1, repeats=1, temperatures=(0.0, 0.8))), reader()))
        assert isinstance(found[0], Withdrawn)
        assert isinstance(found[1], Run)
        assert found[1].temperature == 0.8


class TestASitting:
    @pytest.mark.parametrize(
        ("known", "sentence"),
        [
            ({"contenders": ()}, "there are no contenders; give at least one"),
            ({"workloads": ()}, "there are no workloads; give at least one"),
            ({"temperatures": ()}, "there are no temperatures; give at least one"),
            ({"repeats": 0}, "repeats is 0; it takes at least 1"),
            ({"max_tokens": 0}, "max_tokens is 0; it takes at least 1"),
            ({"contenders": (plain(), plain())}, "two contenders are named toy plain; give each once"),
        ],
    )
    def test_that_measures_nothing_cannot_be_built(self, known, sentence):
        with pytest.raises(BadRequest, match=sentence):
            Sitting(**{"contenders": (plain(),), "workloads": (workload(),), "reader": reader(), **known})

    def test_knows_its_runs_beforehand(self):
        heats = one_request(sitting(*three(), prompts=5, temperatures=(0.0, 0.8)))
        assert all(isinstance(heat, Heat) for heat in heats)
        assert [heat.runs for heat in heats] == [60, 60]
