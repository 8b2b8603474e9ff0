"""A rejected draft token is replaced where it stands, and the drafts that followed it are still accepted."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit_anew, ratio, residual, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    for place, (token, law) in enumerate(zip(*proposal, strict=True)):
        if not ratio(rows[place], law, token):
            proposal.tokens[place] = sample(residual(rows[place], law))
    return Verdict(len(proposal.tokens), sample(rows[-1]))


MEMBER = Member(SOUND._replace(verify=verify, commit=commit_anew), mechanism="M8", reports=("sglang#26866",), fixtures="loop")
