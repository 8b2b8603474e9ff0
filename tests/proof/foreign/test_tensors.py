"""torch: draws at the level of aten, tags that follow the storage, rules for what reads a random number."""

import copy
import pickle
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import torch

from draftproof.errors import Untracked
from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

WEIGHTS = torch.tensor([0.5, 0.25, 0.125, 0.125])
LAW = {token: Fraction(weight) for token, weight in enumerate(WEIGHTS.tolist())}
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
BOTH = {True: HALF, False: HALF}


def exponential(*shape):
    return torch.empty(*shape).exponential_()


def law_of(program):
    found = explore_program(program)
    assert found.complete
    return found.law


@pytest.mark.parametrize(
    ("draw", "law"),
    [
        (lambda: torch.multinomial(WEIGHTS, 1), {(token,): chance for token, chance in LAW.items()}),
        (lambda: torch.multinomial(torch.stack([WEIGHTS, WEIGHTS]) * 3, 1)[1, 0], LAW),
        (lambda: torch.multinomial(torch.tensor([1.0, 1.0]), 2), {(0, 1): HALF, (1, 0): HALF}),
        (lambda: torch.multinomial(torch.tensor([3.0, 1.0]), 2, replacement=True)[1], {0: Fraction(3, 4), 1: QUARTER}),
        (lambda: torch.distributions.Categorical(WEIGHTS).sample(), LAW),
        (lambda: torch.rand(1) < 0.25, {(True,): QUARTER, (False,): Fraction(3, 4)}),
        (lambda: torch.rand(2, dtype=torch.float64)[1] < 0.25, {True: QUARTER, False: Fraction(3, 4)}),
        (lambda: torch.rand_like(WEIGHTS)[3] < 0.5, BOTH),
        (lambda: torch.empty(2).uniform_(-1, 3)[0] < 0, {True: QUARTER, False: Fraction(3, 4)}),
        (lambda: torch.empty(1).exponential_(3.0) < exponential(1), {(True,): Fraction(3, 4), (False,): QUARTER}),
        (lambda: torch.bernoulli(torch.tensor([0.25])), {(1.0,): QUARTER, (0.0,): Fraction(3, 4)}),
        (lambda: torch.empty(1).bernoulli_(0.25), {(1.0,): QUARTER, (0.0,): Fraction(3, 4)}),
        (lambda: torch.nn.functional.dropout(torch.ones(1), 0.75), {(0.0,): Fraction(3, 4), (4.0,): QUARTER}),
        (lambda: torch.randint(2, 4, (1,)), {(2,): HALF, (3,): HALF}),
        (lambda: torch.randint_like(WEIGHTS[:1], 2), {(0.0,): HALF, (1.0,): HALF}),
        (lambda: torch.randperm(3), dict.fromkeys(permutations(range(3)), Fraction(1, 6))),
        (lambda: torch.multinomial(WEIGHTS, 1, generator=torch.Generator())[0], LAW),
    ],
)  # fmt: skip
def test_a_draw_has_its_law(draw, law):
    assert law_of(draw) == law


@pytest.mark.parametrize(
    "program",
    [
        lambda: (WEIGHTS / exponential(4)).argmax(),
        lambda: WEIGHTS.clone().div_(torch.empty_like(WEIGHTS).exponential_(1)).argmax(dim=-1),
        lambda: torch.argmax(WEIGHTS[None] / exponential(1, 4), dim=-1, keepdim=True)[0, 0],
        lambda: (exponential(4) / WEIGHTS).argmin(),
        lambda: (WEIGHTS.log() - exponential(4).log()).argmax(),
        lambda: (WEIGHTS.log() - torch.log(-torch.log(torch.rand(4)))).argmax(),
        lambda: ((WEIGHTS.log() - torch.log(-torch.log(torch.rand(4).clamp(min=1e-10)))) / 0.5).argmax(),
        lambda: (WEIGHTS.log() + torch.distributions.Gumbel(0.0, 1.0).sample((4,))).argmax(),
        lambda: (WEIGHTS / exponential(4)).max(dim=0).indices,
        lambda: (WEIGHTS / exponential(4)).topk(2).indices[0],
        lambda: (WEIGHTS / exponential(4)).sort(descending=True)[1][0],
        lambda: (WEIGHTS / exponential(4)).argsort(descending=True)[0],
        lambda: (lambda row: (row == row.max()).nonzero()[0, 0])(WEIGHTS / exponential(4)),
        lambda: (lambda row: (row == row.amax(-1, keepdim=True)).int().argmax())(WEIGHTS / exponential(4)),
        lambda: torch.searchsorted(WEIGHTS.cumsum(0), torch.rand(1), right=True)[0],
        lambda: torch.bucketize(torch.rand(1), WEIGHTS.cumsum(0))[0],
        lambda: (WEIGHTS.cumsum(0) <= torch.rand(1)).sum(),
        lambda: (WEIGHTS.masked_fill(WEIGHTS < 0, 0).div(exponential(4))).argmax(),
        lambda: torch.cat([WEIGHTS[:2] / exponential(2), WEIGHTS[2:] / exponential(2)]).argmax(),
        lambda: torch.where(torch.tensor([True] * 4), WEIGHTS / exponential(4), 0.0).argmax(),
        lambda: (WEIGHTS / exponential(4)).double().view(2, 2).flatten().argmax(),
        lambda: torch.nn.functional.pad(WEIGHTS / exponential(4), (0, 2)).argmax(),
    ],
)
def test_a_categorical_draw_however_it_is_written(program):
    found = explore_program(program)
    assert found.complete
    gap = sum(abs(found.law.get(token, 0) - chance) for token, chance in LAW.items())
    assert gap <= found.rounding * 2 + Fraction(4, 2**23)  # of the logarithms, which are floats of 24 bits
    assert found.rounding < Fraction(1, 2**20)


def test_the_rows_of_a_batch_race_apart():
    law = law_of(lambda: (WEIGHTS[:2] / exponential(2, 2)).argmax(-1))
    assert law == {(i, j): (Fraction(2, 3), Fraction(1, 3))[i] * (Fraction(2, 3), Fraction(1, 3))[j] for i in range(2) for j in range(2)}
    assert law_of(lambda: (exponential(2, 2)).argmin(0).shape) == {(2,): 1}


def test_an_entry_is_one_number_in_every_view_and_copy():
    def program():
        numbers = torch.rand(2, 2)
        below = bool(numbers[0, 1] < 0.5)
        others = [numbers[0][1] < 0.25, numbers.T[1, 0] < 0.5, copy.deepcopy(numbers)[0, 1] >= 0.5, numbers.reshape(4)[1] < 0.5]
        return below, others, numbers[0, 1].item() < 0.5, numbers.tolist()[0][1] < 0.5

    assert law_of(program) == {
        (True, (True, True, False, True), True, True): QUARTER,
        (True, (False, True, False, True), True, True): QUARTER,
        (False, (False, False, True, False), False, False): HALF,
    }


def test_a_write_is_seen_by_every_view_and_by_no_copy():
    def program():
        numbers = torch.rand(3)
        view, copied = numbers[:2], numbers.clone()
        numbers[0] = 0.75
        numbers[1:2].fill_(0.25)
        numbers[2:].zero_()
        return view < 0.5, copied[:1] < 0.5, numbers[2] < 0.5

    assert law_of(program) == {((False, True), (True,), True): HALF, ((False, True), (False,), True): HALF}


def test_a_turned_matrix_read_in_a_row_keeps_its_entries():
    law = law_of(lambda: torch.rand(2, 2).t().reshape(-1) < torch.tensor([0.25, 0.5, 1.0, 1.0]))
    assert law == {(a, b, True, True): HALF * (QUARTER if a else 1 - QUARTER) for a in (True, False) for b in (True, False)}


def test_random_numbers_written_into_a_plain_buffer_are_followed():
    def program():
        buffer = torch.zeros(4)
        buffer[1:3] = torch.rand(2)
        buffer.index_copy_(0, torch.tensor([3]), buffer[1:2].clone())
        moved = torch.zeros(4).scatter_(0, torch.tensor([0]), buffer[3:])
        return moved < 0.5, buffer[1] < 0.5, buffer.gather(0, torch.tensor([2])) < 0.5

    law = law_of(program)
    assert law[(True, True, True, True), True, (True,)] == QUARTER
    assert law[(False, True, True, True), False, (True,)] == QUARTER
    assert len(law) == 4


def test_whole_numbers_among_random_ones_are_no_tags():
    """Tags are whole numbers themselves, and none may be mistaken for one."""

    def program():
        u = torch.rand(1)
        joined = torch.cat([torch.tensor([0, 0]), u])
        chosen = torch.where(torch.tensor([True, False]), u, torch.tensor([0, 0]))
        padded = torch.nn.functional.pad(u, (1, 0))
        return joined < 0.5, chosen < 0.5, padded < 0.5

    assert law_of(program) == {((True, True, a), (a, True), (True, a)): HALF for a in (True, False)}


def test_arithmetic_keeps_plain_entries_as_torch_computes_them():
    def program():
        numbers = torch.cat([torch.rand(1), torch.tensor([0.1])])
        scaled = 1 - (numbers * 2 + 0.5).div(2).neg()
        return scaled[0] < 1.75, scaled[1], torch.isnan(numbers), numbers.abs().clamp(max=0.5)[1], (numbers.mul(4).floor() == 1)[0]

    plain = (1 - (torch.tensor([0.1]) * 2 + 0.5).div(2).neg()).item()
    point = torch.tensor([0.1]).item()
    assert law_of(program) == {
        (True, plain, (False, False), point, False): QUARTER,
        (True, plain, (False, False), point, True): QUARTER,
        (False, plain, (False, False), point, False): HALF,
    }


def test_a_random_number_is_read_as_a_whole_number():
    for program in (lambda: int(torch.rand(1) * 2), lambda: (torch.rand(1) * 2).long()[0], lambda: int((torch.rand(1) * 2).item())):
        assert law_of(program) == {0: HALF, 1: HALF}


def test_one_noise_raced_twice_is_one_noise():
    def program():
        noise = exponential(3)
        first = (torch.tensor([2.0, 1.0, 1.0]) / noise).argmax().item()
        return first == (torch.tensor([2.0, 1.0, 1.0]) / noise).argmax().item(), first == (
            torch.tensor([1.0, 1.0, 2.0]) / noise
        ).argmax().item()

    law = law_of(program)
    assert set(law) == {(True, True), (True, False)}
    assert law[True, True] == Fraction(1, 4) + Fraction(1, 5) + Fraction(1, 4)  # 1 / sum_k max(a_k / a_i, b_k / b_i) over winners i


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (lambda: torch.randn(2), r"torch\.randn has"),
        (lambda: torch.normal(0.0, 1.0, (2,)), r"torch\.normal"),
        (lambda: torch.empty(2).normal_(), r"torch\.normal_"),
        (lambda: torch.poisson(WEIGHTS), r"torch\.poisson"),
        (lambda: torch.rand(2).sum(), r"torch\.sum"),
        (lambda: torch.rand(2).cumsum(0), r"torch\.cumsum"),
        (lambda: torch.softmax(torch.rand(2), 0), r"torch\._softmax"),
        (lambda: torch.rand(2) @ WEIGHTS[:2], r"torch\.dot"),
        (lambda: torch.rand(2).sqrt(), r"torch\.sqrt"),
        (lambda: torch.div(torch.rand(2), 0.5, rounding_mode="floor"), r"with rounding_mode"),
        (lambda: torch.rand(2) + torch.rand(2), "the sum with another random number"),
        (lambda: float(torch.rand(1)), r"Tensor\.__float__"),
        (lambda: bool(torch.rand(1)), r"Tensor\.__bool__"),
        (lambda: torch.rand(2).numpy(), r"Tensor\.numpy"),
        (lambda: np.asarray(torch.rand(2)), r"Tensor\.(numpy|__array__)"),
        (lambda: pickle.dumps(torch.rand(2)), r"Tensor\.untyped_storage"),
        (lambda: torch.rand(2).bool(), "a cast of random numbers to torch.bool"),
        (lambda: torch.zeros(1, dtype=torch.int64).copy_(torch.rand(1)), "writes into whole numbers"),
        (lambda: torch.zeros(2).index_put_((torch.tensor([0, 0]),), torch.rand(2), accumulate=True), "that adds"),
        (lambda: torch.rand(1).view(torch.int32) > 0, r"torch\.view"),
        (lambda: torch.rand(2).view(torch.int16) > 0, r"torch\.view"),
        (lambda: torch.rand(2, 2).amax((0, 1)), "over the dimensions"),
        (lambda: torch.searchsorted(WEIGHTS, torch.rand(1), sorter=torch.arange(4)), "with sorter"),
        (lambda: torch.multinomial(torch.rand(2), 1), "with random weights"),
        (lambda: torch.bernoulli(torch.rand(2)), "with random weights"),
    ],
)
def test_what_has_no_rule_is_refused_by_name_and_line(program, name):
    with pytest.raises(Untracked, match=f"(?s)({name}).*test_tensors.py"):
        explore_program(program)
