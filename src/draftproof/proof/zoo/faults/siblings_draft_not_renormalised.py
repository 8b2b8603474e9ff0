"""Of candidates drawn without replacement, each is tested as if it had been drawn from the full row."""

from draftproof.proof.decoders.fixture import Row, normalised
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, candidates, in_turn, sample


def distinct(row: Row, count: int) -> list[int]:
    """Tokens drawn without replacement, as many as there are."""
    tokens: list[int] = []
    while len(tokens) < count and any(left := [weight * (token not in tokens) for token, weight in enumerate(row)]):
        tokens.append(sample(normalised(left)))
    return tokens


MEMBER = Member(
    SOUND._replace(propose=candidates(distinct), verify=in_turn),
    mechanism="M10",
    fixtures="siblings",
    distances={"F1": 0.0, "F2": 0.033, "F3": 0.043, "F4": 0.036},
)
