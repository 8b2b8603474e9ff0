"""A request takes over the cache of an earlier one as far as it is long enough, whether or not the tokens are the same."""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Decoder, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, round_of_first


def round_with_taken_over(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    first, text = texts[0], next(text for text in texts if not text.ended)
    if text is not first:
        text.cache = [*first.cache[: len(text.cache)], *text.cache[len(first.cache) :]]
    round_of_first(decoder, fixture, [text])


MEMBER = Member(SOUND._replace(round=round_with_taken_over), mechanism="M16", reports=("sglang#10846", "TRT-LLM#16448"), fixtures="prefix")
