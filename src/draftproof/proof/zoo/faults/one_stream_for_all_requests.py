"""All requests of a batch consume the same random numbers: each text alone is right, and they are not independent."""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Decoder, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, verified
from draftproof.proof.zoo.stream import numbers, on


def round_on_one_stream(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    common = numbers(fixture)
    for text in texts:
        if not text.ended:
            decoder.commit(fixture, text, *verified(on(common), fixture, text))
            text.rounds += 1


MEMBER = Member(SOUND._replace(round=round_on_one_stream), mechanism="M9", reports=("vllm#6038",), fixtures="batch")
