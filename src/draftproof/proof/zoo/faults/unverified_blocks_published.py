"""What the target reads of a draft is published before it is verified, and a later request with the same text takes it over."""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Decoder, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit, verified


def round_with_published(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    """The first text publishes each place of its cache as it is filled; a later one takes over as many as its own tokens are the same."""
    first, text = texts[0], next(text for text in texts if not text.ended)
    published = first.notes.setdefault("published", [])
    if text is not first:
        same = common(text.context[:-1], first.context)
        text.cache[:same] = published[:same]
    block = verified(decoder, fixture, text)
    if text is first:
        published += text.cache[len(published) :]
    commit(fixture, text, *block)
    text.rounds += 1


def common(one: list[int], other: list[int]) -> int:
    """How many tokens two texts begin with in common."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


MEMBER = Member(
    SOUND._replace(round=round_with_published), mechanism="M16", reports=("sglang#19897", "vllm#57128", "vllm#45477"), fixtures="prefix"
)
