"""The generator starts anew in every round, so each round of a text uses the same random numbers."""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Decoder, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, verified
from draftproof.proof.zoo.stream import numbers, on


def rounds_on_the_same(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    """Every round of a text at once, since no random number outlives a round."""
    text, same = next(text for text in texts if not text.ended), numbers(fixture)
    while not text.ended:
        decoder.commit(fixture, text, *verified(on(same), fixture, text))
        text.rounds += 1


MEMBER = Member(SOUND._replace(round=rounds_on_the_same), mechanism="M9", reports=("vllm#10863", "FastDeploy#5568"), fixtures="loop")
