"""Nothing is ever drafted, and each round emits one token of the target."""

from draftproof.proof.zoo.decoder import Proposal
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND

MEMBER = Member(SOUND._replace(propose=lambda fixture, text: Proposal([], [])))
