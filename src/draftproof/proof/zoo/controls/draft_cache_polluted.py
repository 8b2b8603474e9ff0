"""The draft model's own cache keeps rejected tokens and never holds the last one of a draft.

What a draft is conditioned on is the draft's affair: whatever its law was, it was recorded. Only fewer are kept.
"""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, sample, width


def propose(fixture: Fixture, text: Text) -> Proposal:
    proposal = Proposal([], [])
    cache = text.notes.get("draft cache", text.prompt[:-1])
    token = text.context[-1]
    for _ in range(width(fixture, text)):
        cache = (*cache, token)
        row = fixture.processed(fixture.draft.law(cache), [*text.emitted, *proposal.tokens])
        token = sample(row)
        proposal.tokens.append(token)
        proposal.laws.append(row)
    text.notes["draft cache"] = cache[-1:]
    return proposal


MEMBER = Member(SOUND._replace(propose=propose))
