"""Numbers that repeat earlier ones, or outlive their run, are never taken for new ones."""

import copy
import random

import numpy as np
import pytest
import torch

from draftproof.errors import NotReproducible, Untracked
from draftproof.proof.foreign import explore_program, explore_rounds

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

GENERATOR, BITS = torch.Generator(), np.random.PCG64(7)
STATE = GENERATOR.get_state()


class Holder:
    rng = np.random.default_rng(0)

    def __call__(self):
        return self.rng.random() < 0.5, self.rng.random() < 0.5


def seeded(seed):
    generator = torch.Generator()
    generator.manual_seed(seed)
    return generator


def coin(generator):
    return bool(torch.rand((), generator=generator) < 0.5)


def rewound():
    GENERATOR.set_state(STATE)
    return coin(GENERATOR)


def rewound_globally():
    torch.set_rng_state(torch.get_rng_state())


def forked():
    with torch.random.fork_rng(devices=[]):
        return bool(torch.rand(()) < 0.5)


def rewound_bits():
    generator = np.random.default_rng()
    state = generator.bit_generator.state
    generator.bit_generator.state = state


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (lambda: (coin(seeded(3)), coin(seeded(3))), "torch.Generator is seeded with 3 a second time"),
        (lambda: (coin(torch.Generator()), coin(torch.Generator())), "a second time"),
        (lambda: (rewound(), rewound()), "a second time"),
        (lambda: coin(GENERATOR.clone_state()), "a copy of a torch.Generator"),
        (rewound_globally, "the state of torch's generator is set"),
        (forked, "the state of torch's generator is set"),
        (lambda: [np.random.Generator(np.random.PCG64(42)).random() < 0.5 for _ in range(2)], "numpy.random.PCG64 is seeded with 42"),
        (lambda: [np.random.RandomState(np.random.MT19937(5)).rand() < 0.5 for _ in range(2)], "numpy.random.MT19937 is seeded with 5"),
        (lambda: np.random.Generator(copy.deepcopy(BITS)).random() < 0.5, "has no exact rule"),
        (rewound_bits, "the state of a numpy generator is set"),
    ],
)
def test_a_start_from_where_another_started_is_refused(program, what):
    with pytest.raises(Untracked, match=what):
        explore_program(program)


@pytest.mark.parametrize(
    "program",
    [
        lambda: (coin(GENERATOR), coin(GENERATOR)),
        lambda: (coin(seeded(3)), coin(seeded(4))),
        lambda: (np.random.Generator(BITS).random() < 0.5, np.random.Generator(BITS).random() < 0.5),
        lambda: (np.random.default_rng(BITS).random() < 0.5, np.random.default_rng(9).random() < 0.5),
        Holder(),
    ],
)
def test_generators_that_go_on_or_start_elsewhere_are_independent(program):
    assert len(explore_program(program).law) == 4


def test_the_same_seed_in_every_round_is_refused():
    with pytest.raises(Untracked, match="a second time"):
        explore_rounds(list, lambda state: state.append(coin(seeded(0))), lambda state: tuple(state) if len(state) == 2 else None)


@pytest.mark.parametrize("draw", [random.random, lambda: torch.rand(())], ids=["random", "torch"])
@pytest.mark.parametrize(
    "use",
    [lambda new, old: bool(old < 0.5), lambda new, old: max(new, old) < 0.5, lambda new, old: new == old],
    ids=["compared", "beside", "equal"],
)
def test_a_number_of_an_earlier_run_is_refused(draw, use):
    kept = []

    def program():
        new = draw()
        old = kept[-1] if kept else new
        kept.append(new)
        return bool(new < 0.25), bool(use(new, old))

    with pytest.raises(NotReproducible, match="of an earlier run"):
        explore_program(program)


def test_a_number_a_hair_below_the_end_of_a_sum_is_rounding():
    ends = np.cumsum([0.1] * 10)
    assert ends[-1] < 1
    found = explore_program(lambda: int(np.searchsorted(ends, np.random.rand(), side="right")))
    assert set(found.law) == set(range(10))
    assert 0 < found.rounding < 2**-45
