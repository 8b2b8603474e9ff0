"""The lines that public samplers and verifiers are written in: each decides what it says, with its probability."""

import bisect
import math
import random
from fractions import Fraction
from itertools import accumulate, permutations

import numpy as np
import pytest
import torch

from draftproof.errors import Untracked
from draftproof.proof.foreign import explore_program

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

ROW = [0.5, 0.25, 0.125, 0.125]
T, N = torch.tensor(ROW), np.array(ROW)
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
ROUNDING = Fraction(1, 2**20)
"""Of guards and of logarithms in float32, at most."""


def noise():
    return torch.empty(4).exponential_()


def fill(tensor, place, value):
    tensor[place] = value
    return tensor


def drawn_into(out):
    torch.rand(1, out=out)
    return out


def is_law(program, law):
    found = explore_program(program)
    assert found.complete
    gap = sum(abs(found.law.get(outcome, 0) - law.get(outcome, 0)) for outcome in {*found.law, *law})
    assert gap <= ROUNDING + 2 * found.rounding < 3 * ROUNDING


TOKENS = {
    "Categorical of logits": lambda: torch.distributions.Categorical(logits=T.log()).sample(),
    "OneHotCategorical": lambda: torch.distributions.OneHotCategorical(T).sample().argmax(),
    "multinomial of halves": lambda: torch.multinomial(T.half(), 1)[0],
    "choices by cumulative weights": lambda: random.choices(range(4), cum_weights=list(accumulate(ROW)))[0],
    "bisect": lambda: bisect.bisect(list(accumulate(ROW)), random.random()),
    "a tensor above a Python number": lambda: (T.cumsum(0) > random.random()).int().argmax(),
    "a Python number below a tensor": lambda: (random.random() < T.cumsum(0)).int().argmax(),
    "cumulative weights passed": lambda: (T.cumsum(0) / T.sum() < torch.rand(1)).sum(),
    "searchsorted of a batch": lambda: torch.searchsorted(T.cumsum(0)[None], torch.rand(1, 1)).squeeze(),
    "digitize": lambda: np.digitize(np.random.rand(), N.cumsum()),
    "first above": lambda: np.nonzero(N.cumsum() > np.random.rand())[0][0],
    "an exponential of distributions": lambda: (torch.distributions.Exponential(torch.ones(4)).sample() / T).argmin(),
    "a race with a guard": lambda: (T / (noise() + 1e-9)).argmax(),
    "a race with a least noise": lambda: (T / torch.maximum(noise(), torch.tensor(1e-10))).argmax(),
    "Gumbel noise in place": lambda: (T.log() + torch.zeros(4).uniform_(0, 1).clamp_(1e-8).log_().neg_().log_().neg_()).argmax(),
    "Gumbel noise with two guards": lambda: (T.log() - torch.log(-torch.log(torch.rand(4) + 1e-20) + 1e-20)).argmax(),
    "the exponential of perturbed logits": lambda: (T.log() - noise().log()).exp().argmax(),
    "a logarithm divided": lambda: (torch.rand(4).log() / T).argmax(),
    "a logarithm to base 2 divided": lambda: (torch.rand(4).log2() / T).argmax(),
    "a power in torch": lambda: torch.pow(torch.rand(4), 1 / T).argmax(),
    "a power in numpy": lambda: (np.random.default_rng().random(4) ** (1 / N)).argmax(),
    "a power in Python": lambda: max(range(4), key=[random.random() ** (1 / weight) for weight in ROW].__getitem__),
    "the largest pair": lambda: max((weight / random.expovariate(1.0), token) for token, weight in enumerate(ROW))[1],
    "numpy of a list": lambda: np.argmax([weight / np.random.exponential() for weight in ROW]),
    "a tensor of Python numbers": lambda: (T / torch.tensor([random.expovariate(1.0) for _ in range(4)])).argmax(),
    "a stable sort": lambda: torch.sort(T / noise(), stable=True, descending=True).indices[0],
    "the largest, kept in its row": lambda: (T[None] / noise()).max(-1, keepdim=True)[1].item(),
}


@pytest.mark.parametrize("program", TOKENS.values(), ids=TOKENS.keys())
def test_a_token(program):
    is_law(program, {token: Fraction(weight) for token, weight in enumerate(ROW)})


COINS = {
    "item": lambda: torch.rand(1).item() < 0.25,
    "tolist": lambda: torch.rand(2).tolist()[1] < 0.25,
    "a branch": lambda: True if torch.rand(1) < 0.25 else False,  # noqa: SIM210  # the truth of the tensor is what is asked
    "not": lambda: not torch.rand(1) >= 0.25,
    "a mask turned": lambda: ~(torch.rand(1) >= 0.25)[0],
    "both": lambda: torch.logical_and(torch.rand(2) < 0.5, torch.ones(2).bool()).all(),
    "at most 1": lambda: bool(torch.rand(1) < torch.min(torch.ones(1), torch.tensor([0.25]))),
    "logarithms": lambda: bool(torch.rand(1).log() < torch.tensor([0.25]).log()),
    "log1p": lambda: bool(torch.log1p(-torch.rand(1)) < math.log(0.25)),
    "log1p in numpy": lambda: np.log1p(-np.random.rand()) < math.log(0.25),
    "a number times q at most p": lambda: bool(torch.rand(1) * torch.tensor([0.5]) <= torch.tensor([0.125])),
    "a Python number times q": lambda: bool(random.random() * torch.tensor([0.5]) <= torch.tensor([0.125])),
    "a Python number and a ratio": lambda: (random.random() <= torch.tensor(0.25)).item(),
    "a numpy number and a ratio": lambda: bool(torch.tensor(0.25) > np.random.uniform()),
    "a difference": lambda: bool(torch.tensor(0.25) - torch.rand(()) > 0),
    "a positive part": lambda: bool(torch.relu(0.25 - torch.rand(1)) > 0),
    "a positive part by clamp": lambda: bool((0.25 - torch.rand(1)).clamp(min=0) > 0),
    "clamp between bounds that cross it": lambda: bool(torch.rand(1).clamp(0.125, 0.5) < 0.25),
    "bernoulli_": lambda: torch.empty(1).bernoulli_(torch.tensor([0.25])).item() == 1,
    "Bernoulli": lambda: torch.distributions.Bernoulli(torch.tensor(0.25)).sample().item() == 1,
    "Uniform": lambda: bool(torch.distributions.Uniform(0, 1).sample((1,)) < 0.25),
    "a tensor of a Python number": lambda: bool(torch.tensor(random.random(), dtype=torch.float64) < 0.25),
    "a tensor of tensors": lambda: bool(torch.tensor([torch.rand(()), 1.0])[0] < 0.25),
    "a tensor of an array": lambda: bool(torch.as_tensor(np.random.rand(1), device="cpu") < 0.25),
    "a Python number written into a tensor": lambda: bool(fill(torch.ones(2), 1, random.random())[1] < 0.25),
    "drawn into `out`": lambda: bool(drawn_into(torch.ones(1)) < 0.25),
    "drawn into a view": lambda: bool((lambda whole: (drawn_into(whole[1:]), whole[1])[1])(torch.ones(2)) < 0.25),
    "a power": lambda: random.random() ** 2 < 0.0625,
}  # fmt: skip


@pytest.mark.parametrize("program", COINS.values(), ids=COINS.keys())
def test_a_coin(program):
    is_law(program, {True: QUARTER, False: 1 - QUARTER})


INDICES = {
    "int of a number times n": lambda: int(random.random() * 4),
    "int of an item": lambda: int(torch.rand(1).item() * 4),
    "long": lambda: (torch.rand(1) * 4).long()[0],
    "floor": lambda: int(torch.floor(torch.rand(1) * 4)),
    "numpy's floor": lambda: int(np.floor(np.random.rand(1) * 4)[0]),
    "ceil": lambda: math.ceil(random.random() * 4) - 1,
    "round": lambda: round(random.random() * 4 - 0.5),
    "astype": lambda: (np.random.rand(1) * 4).astype(np.int64)[0],
    "randint": lambda: torch.randint(0, 4, (1,), generator=torch.Generator())[0],
    "random_": lambda: torch.empty(1, dtype=torch.int64).random_(4)[0],
    "random_ between": lambda: torch.empty(1, dtype=torch.int64).random_(1, 5)[0] - 1,
    "an index of a table": lambda: torch.arange(4)[(torch.rand(1) * 4).long()][0],
}


@pytest.mark.parametrize("program", INDICES.values(), ids=INDICES.keys())
def test_an_index(program):
    is_law(program, dict.fromkeys(range(4), QUARTER))


COUNTS = {
    "cumprod": lambda mask: mask.cumprod(0).sum(),
    "cumsum of the rejected": lambda mask: ((~mask).cumsum(-1) < 1).sum(),
    "argmin": lambda mask: 3 if mask.all() else mask.float().argmin(),
    "the first rejected": lambda mask: next(iter((~mask).nonzero()[:, 0].tolist()), 3),
    "while": lambda mask: next((place for place in range(3) if not mask[place]), 3),
}


@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS.keys())
def test_a_prefix_of_accepted_tokens(count):
    is_law(lambda: count(torch.rand(3) < 0.5), {0: HALF, 1: QUARTER, 2: QUARTER / 2, 3: QUARTER / 2})


PAIRS = {
    "multinomial": lambda: torch.multinomial(T, 2),
    "topk of a race": lambda: (T / noise()).topk(2)[1],
    "topk of perturbed logits": lambda: (T.log() - torch.log(-torch.log(torch.rand(4)))).topk(2).indices,
    "choice": lambda: np.random.choice(4, 2, replace=False, p=N),
    "the largest powers": lambda: np.argsort(-(np.random.rand(4) ** (1 / N)))[:2],
}


@pytest.mark.parametrize("program", PAIRS.values(), ids=PAIRS.keys())
def test_two_tokens_without_replacement(program):
    p = [Fraction(weight) for weight in ROW]
    is_law(program, {(i, j): p[i] * p[j] / (1 - p[i]) for i, j in permutations(range(4), 2)})


def test_an_order():
    for program in (
        lambda: torch.randperm(3),
        lambda: torch.rand(3).argsort(),
        lambda: np.random.rand(3).argsort(),
        lambda: random.sample(range(3), 3),
    ):
        is_law(program, dict.fromkeys(permutations(range(3)), Fraction(1, 6)))


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (lambda: torch.sort(torch.rand(2), out=(torch.zeros(2), torch.zeros(2, dtype=torch.int64))), "torch.sort .* with indices, values"),
        (lambda: torch.argmax(torch.rand(2), 0, out=torch.zeros((), dtype=torch.int64)), "torch.argmax .* with out"),
        (lambda: torch.max(torch.rand(2), 0, out=(torch.zeros(()), torch.zeros((), dtype=torch.int64))), "torch.max .* with max"),
        (lambda: torch.empty(1, dtype=torch.int64).random_(), "random_ without a bound"),
        (lambda: repr(torch.rand(1)), "__repr__"),
        (lambda: f"{torch.rand(()):.2f}", "__format__"),
        (lambda: torch.rand(1).storage()[0] < 0.5, "storage"),
        (lambda: torch.tensor([random.random()], requires_grad=True), "with requires_grad"),
        (lambda: torch.arange(torch.rand(())), "_local_scalar_dense"),
        (lambda: torch.rand(1).view(dtype=torch.int32) > 0, "torch.view"),
    ],
)
def test_what_torch_would_read_or_write_unseen_is_refused(program, name):
    with pytest.raises(Untracked, match=name):
        explore_program(program)
