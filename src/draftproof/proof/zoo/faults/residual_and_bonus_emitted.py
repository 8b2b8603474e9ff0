"""After a rejection the token that replaces the rejected one is emitted, and the token after the whole draft as well."""

from collections.abc import Sequence

from draftproof.proof.decoders.fixture import Row
from draftproof.proof.zoo.decoder import Proposal, Verdict
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit_anew, rejection, sample


def verify(rows: Sequence[Row], proposal: Proposal) -> Verdict:
    verdict = rejection()(rows, proposal)
    if verdict.accepted == len(proposal.tokens):
        return verdict
    proposal.tokens[verdict.accepted] = verdict.token
    return Verdict(verdict.accepted + 1, sample(rows[-1]))


MEMBER = Member(SOUND._replace(verify=verify, commit=commit_anew), mechanism="M8", reports=("ds4#358",), fixtures="loop")
