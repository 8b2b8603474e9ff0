"""The draft model numbers its tokens differently, and they are renumbered on their way in and out.

To the target a permuted draft is just another draft: it is kept less often, and what is emitted is the same.
"""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Proposal, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, sample, width


def propose(fixture: Fixture, text: Text) -> Proposal:
    order = [*range(1, fixture.vocab), 0]
    proposal = Proposal([], [])
    for _ in range(width(fixture, text)):
        law = fixture.draft.law([order[token] for token in [*text.context, *proposal.tokens]])
        row = fixture.processed(tuple(law[other] for other in order), [*text.emitted, *proposal.tokens])
        proposal.tokens.append(sample(row))
        proposal.laws.append(row)
    return proposal


MEMBER = Member(SOUND._replace(propose=propose), reports=("sglang#23838",))
