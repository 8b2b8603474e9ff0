"""Every prefix of the draft is tested as a whole, and the longest that passes is kept, so a later token can rescue an earlier one.

Sun et al., ICLR 2025 (arXiv 2403.10444), algorithm 2. A prefix of weight P passes with S / (S + 1 - P), where S is the
sum of the positive part of P p - q at the next place; what follows it is drawn from that part.
"""

import random
from collections.abc import Sequence
from fractions import Fraction

from draftproof.proof.decoders.fixture import Row, normalised
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, sample

ONE = Fraction(1)


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    weights = [ONE]
    for row, token, law in zip(rows, *proposal, strict=False):
        weights.append(min(ONE, weights[-1] * row[token] / law[token]))
    nothing = (Fraction(0),) * len(rows[0])
    left = [
        [max(weight * p - q, Fraction(0)) for p, q in zip(row, law, strict=True)]
        for weight, row, law in zip(weights, rows, [*proposal.laws, nothing], strict=True)
    ]
    kept = next(place for place in reversed(range(len(rows))) if passes(sum(left[place], Fraction(0)), ONE - weights[place]))
    return Verdict(kept, sample(normalised(left[kept])))


def passes(left: Fraction, short: Fraction) -> bool:
    return random.random() * (left + short) < left


MEMBER = Member(SOUND._replace(verify=verify), reports=("mlx-lm#1709",))
