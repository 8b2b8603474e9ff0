"""Speculative decoding as people write it, in `random`, numpy and torch: exact when right, and every fault at its distance."""

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import torch

from draftproof.proof.fixtures import ROWS
from draftproof.proof.foreign import explore_program
from draftproof.proof.laws import compare, rounding_bound

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def halves(*eighths):
    return tuple(Fraction(eighth, 8) for eighth in eighths)


# Every number that a right program computes from these is a small multiple of a power of 2, so floats are exact.
P = halves(4, 2, 1, 1)
Q = halves(1, 1, 4, 2)
NEXT_Q = halves(2, 1, 1, 4)
RESIDUAL = tuple(Fraction(n, 4) for n in (3, 1, 0, 0))


def floats(row):
    return [float(value) for value in row]


def leviathan_in_random(p, q, recorded_q, *, fallback=None, accepts=lambda u, ratio: u < ratio, reuse=False):
    """One token, with nothing but the standard library."""
    token = random.choices(range(len(q)), q)[0]
    u = random.random()
    if accepts(u, p[token] / recorded_q[token]):
        return token
    rest = fallback or [max(a - b, 0.0) for a, b in zip(p, recorded_q, strict=True)]
    u, total = u if reuse else random.random(), 0.0
    for token, weight in enumerate(rest):
        total += weight / sum(rest)
        if u < total:
            return token
    return None


def leviathan_in_numpy(p, q, recorded_q, *, fallback=None, accepts=lambda u, ratio: u < ratio, reuse=False):
    """The same with one generator."""
    rng, p, recorded_q = np.random.default_rng(), np.array(p), np.array(recorded_q)
    token = rng.choice(len(q), p=q)
    u = rng.random()
    if accepts(u, p[token] / recorded_q[token]):
        return int(token)
    rest = np.maximum(p - recorded_q, 0) if fallback is None else np.array(fallback)
    rest /= rest.sum()
    return int(np.searchsorted(rest.cumsum(), u, side="right") if reuse else rng.choice(len(p), p=rest))


def leviathan_in_torch(p, q, recorded_q, *, fallback=None, accepts=lambda u, ratio: u < ratio, reuse=False):
    """The same with `multinomial`, in float32."""
    p, q, recorded_q = torch.tensor(p), torch.tensor(q), torch.tensor(recorded_q)
    token = torch.multinomial(q, 1)
    u = torch.rand(1)
    if accepts(u, p[token] / recorded_q[token]):
        return token.item()
    rest = torch.clamp(p - recorded_q, min=0) if fallback is None else torch.tensor(fallback)
    if reuse:
        return torch.searchsorted((rest / rest.sum()).cumsum(0), u, right=True).item()
    return torch.multinomial(rest / rest.sum(), 1).item()


def leviathan_by_races(p, q, recorded_q, *, fallback=None, accepts=lambda u, ratio: u < ratio, shared=False):
    """The same as vllm draws: a weight divided by an exponential, largest first; acceptance of a whole block at once."""
    p, q, recorded_q = torch.tensor([p]), torch.tensor([q]), torch.tensor([recorded_q])
    noise = torch.empty_like(q)
    noise.exponential_()
    token = q.div(noise).argmax(dim=-1)
    uniform = torch.rand(1, 1)
    accepted = accepts(uniform[:, 0], p[0, token] / recorded_q[0, token])
    rest = torch.clamp(p - recorded_q, min=torch.finfo(torch.float32).tiny * 0) if fallback is None else torch.tensor([fallback])
    rest = rest / rest.sum(dim=-1, keepdim=True)
    if not shared:
        noise = torch.empty_like(rest).exponential_()
    recovered = rest.div_(noise).argmax(dim=-1)
    return torch.where(accepted, token, recovered).item()


WRITTEN = [leviathan_in_random, leviathan_in_numpy, leviathan_in_torch, leviathan_by_races]
INVERTING = [leviathan_in_random, leviathan_in_numpy, leviathan_in_torch]
in_every_library = pytest.mark.parametrize("program", WRITTEN, ids=lambda program: program.__name__)


def law_of(program, p, q, recorded_q=None, **fault):
    found = explore_program(lambda: program(floats(p), floats(q), floats(recorded_q or q), **fault))
    assert found.complete
    assert found.progress.paths > len(p)
    return found


def faulty_law(p, q, *, accept, residual):
    """The law of a round, from its definition: `accept` (vocab,), `residual[x]` (vocab,) after a refusal of x."""
    return {
        token: q[token] * accept[token] + sum(q[x] * (1 - accept[x]) * residual[x][token] for x in range(len(p))) for token in range(len(p))
    }


def table(row):
    return dict(enumerate(row))


@in_every_library
def test_a_right_program_follows_the_target_as_an_equality_of_fractions(program):
    found = law_of(program, P, Q)
    assert compare(found.law, table(P)).total_variation == 0
    assert found.rounding == 0


@in_every_library
@pytest.mark.parametrize("name", ROWS)
def test_on_rows_that_round_it_follows_the_target_within_the_stated_bound(program, name):
    p, q = ROWS[name]
    bits = 53 if program in (leviathan_in_random, leviathan_in_numpy) else 24
    gap = compare(law_of(program, p, q).law, table(p))
    assert 0 < gap.total_variation < rounding_bound(decisions=3, outcomes=len(p), bits=bits)


ACCEPT = tuple(min(Fraction(1), p / q) for p, q in zip(P, Q, strict=True))


@in_every_library
def test_a_fallback_to_the_target_is_found_at_its_distance(program):
    wrong = faulty_law(P, Q, accept=ACCEPT, residual=[P] * 4)
    gap = compare(law_of(program, P, Q, fallback=floats(P)).law, table(P))
    assert gap.total_variation == compare(wrong, table(P)).total_variation == Fraction(1, 8)
    assert gap.observed == wrong[gap.worst]


@in_every_library
def test_acceptance_on_the_wrong_side_is_found_at_its_distance(program):
    wrong = faulty_law(P, Q, accept=[1 - chance for chance in ACCEPT], residual=[RESIDUAL] * 4)
    found = law_of(program, P, Q, accepts=lambda u, ratio: ratio <= u)
    assert found.law == {token: chance for token, chance in wrong.items() if chance}
    assert compare(found.law, table(P)).total_variation > Fraction(1, 8)


@in_every_library
def test_q_of_the_neighbouring_row_is_found_at_its_distance(program):
    accept = [min(Fraction(1), p / q) for p, q in zip(P, NEXT_Q, strict=True)]
    rest = [max(p - q, Fraction(0)) for p, q in zip(P, NEXT_Q, strict=True)]
    wrong = faulty_law(P, Q, accept=accept, residual=[[weight / sum(rest) for weight in rest]] * 4)
    gap = compare(law_of(program, P, Q, NEXT_Q).law, wrong)
    assert gap.total_variation < Fraction(1, 2**20)  # the residual of this pair is in thirds
    assert compare(wrong, table(P)).total_variation > Fraction(1, 8)


@pytest.mark.parametrize("program", INVERTING, ids=lambda program: program.__name__)
def test_the_acceptance_number_used_again_in_the_residual_is_found_at_its_distance(program):
    edges = [Fraction(0), Fraction(3, 4), Fraction(1), Fraction(1), Fraction(1)]

    def above(start):
        """The law of the residual's token if u is uniform above `start`."""
        shares = [max(end - max(low, start), Fraction(0)) for low, end in pairwise(edges)]
        return [share / (1 - start) if start < 1 else share for share in shares]

    wrong = faulty_law(P, Q, accept=ACCEPT, residual=[above(chance) for chance in ACCEPT])
    found = law_of(program, P, Q, reuse=True)
    assert found.law == wrong
    assert compare(found.law, table(P)).total_variation > 0


def two_races(a, b, i, j):
    """P(i wins a race with rates a, j one with rates b on the same exponentials), from the integral over E_j / E_i."""
    if i == j:
        return 1 / sum(max(a[k] / a[i], b[k] / b[i]) for k in range(len(a)))
    low, high = a[j] / a[i], b[j] / b[i] if b[i] else None
    if high is not None and high <= low:
        return Fraction(0)
    others = [k for k in range(len(a)) if k not in (i, j)]
    cuts = sorted({a[k] * b[j] / (a[i] * b[k]) for k in others if b[k]})
    edges = [low, *(cut for cut in cuts if cut > low and (high is None or cut < high)), high]
    total = Fraction(0)
    for x, y in pairwise(edges):
        inside = x + 1 if y is None else (x + y) / 2
        fixed = 1 + sum(a[k] / a[i] for k in others if a[k] / a[i] > inside * b[k] / b[j])
        slope = 1 + sum(b[k] / b[j] for k in others if a[k] / a[i] <= inside * b[k] / b[j])
        total += (1 / (fixed + slope * x) - (0 if y is None else 1 / (fixed + slope * y))) / slope
    return total


def test_one_noise_for_draft_and_residual_is_found_at_the_distance_of_its_integral():
    recovered = [[two_races(Q, RESIDUAL, x, y) / Q[x] if RESIDUAL[y] else Fraction(0) for y in range(4)] for x in range(4)]
    wrong = faulty_law(P, Q, accept=ACCEPT, residual=recovered)
    found = law_of(leviathan_by_races, P, Q, shared=True)
    assert {token: found.law.get(token, Fraction(0)) for token in range(4)} == wrong
    assert compare(found.law, table(P)).total_variation > Fraction(1, 100)


def test_the_known_distance_of_shared_noise_on_public_rows():
    """0.031 on F4, as a simulation of millions of draws has it."""
    p, q = ROWS["F4"]
    assert compare(law_of(leviathan_by_races, p, q, shared=True).law, table(p)).distance == pytest.approx(0.031, abs=5e-4)


def test_textbook_rejection_sampling_follows_its_target():
    """Propose uniformly, keep with probability p / max p; at most three proposals, then the rest."""

    def sample():
        for _ in range(3):
            token = random.randrange(4)
            if random.random() * 4 * (1 / 4) < P[token] / P[0]:
                return token
        return random.choices(range(4), floats(P))[0]

    assert explore_program(sample).law == table(P)
