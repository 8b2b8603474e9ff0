"""The target draws at every position; a draft is kept while it equals that draw, and the draw is what is emitted."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    for place, token in enumerate(proposal.tokens):
        drawn = sample(rows[place])
        if drawn != token:
            return Verdict(place, drawn)
    return Verdict(len(proposal.tokens), sample(rows[-1]))


MEMBER = Member(SOUND._replace(verify=verify), reports=("mlx-swift-lm#459", "mlx-lm#1709", "dflash#74"))
