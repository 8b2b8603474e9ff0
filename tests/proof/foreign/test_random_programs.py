"""Small random programs in every library against their laws on a grid, on which no symbol is used."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from programs.grid import both_races, law_on_the_grid
from programs.judged import judged
from programs.statements import Program, every, programs

from draftproof.proof.foreign import arrays, order
from draftproof.proof.foreign.formula import Reading
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.symbol import Symbol

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@settings(max_examples=300, phases=[Phase.generate])
@given(program=programs)
def test_the_law_of_a_program_is_the_one_on_the_grid_or_it_is_refused(program):
    verdict = judged(program)
    assert verdict.agrees, f"{float(verdict.distance)} apart"


@pytest.mark.parametrize("library", ["random", "numpy", "numpy.random", "torch"])
def test_a_program_of_every_library_has_a_law_and_many_paths(library):
    steps = (
        ("flip through a view", 0),
        ("count", 0.75, 3),
        ("if", (("pick", (0.25, 0.5, 0.25), 0),), (("until", 0.25, 1),)),
        ("noise", "uniform", 3),
        ("race", (0.5, 0.25, 0.25, 0.0), 0),
        ("race", (0.125, 0.5, 0.25, 0.0), 0),
    )
    verdict = judged(Program(library, 1, 0.5, steps))
    assert (verdict.refusal, verdict.agrees) == ("", True)
    assert verdict.paths > 20


class TestTheGrid:
    """Laws that are known without it."""

    @pytest.mark.parametrize(
        ("steps", "law"),
        [
            ((("compare", 0, 0.25, "<"),), {(1,): QUARTER, (0,): 1 - QUARTER}),
            ((("less", 0, 1),), {(1,): HALF, (0,): HALF}),
            ((("order", False, 0),), {(0, 1): HALF, (1, 0): HALF}),
            ((("copy", 0, 1), ("less", 0, 1)), {(0,): 1}),
            ((("compare", 0, 0.5, "<"), ("less", 0, 1)),
             {(1, 1): Fraction(3, 8), (1, 0): Fraction(1, 8), (0, 1): Fraction(1, 8), (0, 0): Fraction(3, 8)}),
            ((("several", (0.25, 0.5, 0.25), 0),),
             {(0, 1): Fraction(1, 6), (0, 2): Fraction(1, 12), (1, 0): QUARTER, (1, 2): QUARTER,
              (2, 0): Fraction(1, 12), (2, 1): Fraction(1, 6)}),
            ((("noise", "gumbel", 2), ("compare noise", 0, 1), ("compare noise", 1, 0)), {(1, 0): HALF, (0, 1): HALF}),
            ((("noise", "exponential", 2), ("compare noise", 0, 1), ("race", (0.5, 0.5, 0, 0), 0)), {(1, 0): HALF, (0, 1): HALF}),
            ((("until", 0.25, 2),), {(0,): QUARTER, (1,): Fraction(3, 16), (2,): Fraction(9, 16)}),
        ],
    )  # fmt: skip
    def test_a_program_has_its_law(self, steps, law):
        assert law_on_the_grid(Program("random", 2, 1.0, steps)) == law

    def test_two_races_sum_to_each_of_them(self):
        a, b = [Fraction(n, 8) for n in (1, 2, 4, 1)], [Fraction(n, 8) for n in (3, 3, 0, 2)]
        joint = [[both_races(a, b, i, j) for j in range(4)] for i in range(4)]
        assert [sum(row) for row in joint] == a
        assert [sum(column) for column in zip(*joint, strict=True)] == b

    def test_two_races_as_they_are_run(self):
        a, b = [0.125, 0.25, 0.625], [0.5, 0.375, 0.125]
        noise = np.random.default_rng(1).exponential(size=(200_000, 3))
        runs = np.stack([(noise / a).argmin(1), (noise / b).argmin(1)], 1)
        for i, j in np.ndindex(3, 3):
            expected = both_races([Fraction(x) for x in a], [Fraction(x) for x in b], i, j)
            assert (runs == (i, j)).all(1).mean() == pytest.approx(float(expected), abs=5e-3)


# Rules that are wrong. The right ones are kept by name, since a wrong one calls them.
RIGHT = {"below": Run.below, "first": Run.first, "is_below": Symbol._is_below, "best": order.best}


def view_that_is_a_copy(self, key):
    entries = np.asarray(self.view(np.ndarray)[key], dtype=object)
    return entries.copy().view(arrays.Tracked) if entries.ndim else entries[()]


WRONG = {
    "a comparison on the wrong side": (Symbol, "_is_below", lambda self, value: not RIGHT["is_below"](self, value)),
    "a number asked twice is two": (Run, "below", lambda self, _, *edge: RIGHT["below"](self, self.draw(), *edge)),
    "noise raced twice is two": (
        Run, "first", lambda self, runners: RIGHT["first"](self, [(Reading(self.draw(), False), rate) for _, rate in runners]),
    ),
    "the complement is itself": (Symbol, "__rsub__", lambda self, other: self + (other - 1)),
    "a bound is passed over": (Symbol, "_guarded", lambda self, bound, *, lower: self),
    "the largest of an array is its smallest": (arrays, "best", lambda values, *, largest: RIGHT["best"](values, largest=not largest)),
    "a view of an array is a copy": (arrays.Tracked, "__getitem__", view_that_is_a_copy),
}  # fmt: skip


@pytest.mark.parametrize(("owner", "name", "wrong"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_rule_is_found_among_random_programs(owner, name, wrong, monkeypatch):
    monkeypatch.setattr(owner, name, wrong, raising=False)
    light = programs.filter(lambda program: program.library != "torch" and program.size < 3 and len(list(every(program.steps))) < 6)
    found = find(light, lambda program: not judged(program).agrees, settings=settings(max_examples=400, phases=[Phase.generate]))
    monkeypatch.undo()
    assert judged(found).agrees
