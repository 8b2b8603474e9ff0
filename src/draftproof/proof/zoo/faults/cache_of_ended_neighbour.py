"""When a text of a batch has ended, the one that moves up to its row reads the cache that is still there."""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Decoder, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, round_of_first


def round_of_batch(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    first, *others = texts
    for text in others if first.ended else ():
        if not text.notes.get("moved"):
            text.cache = list(first.cache)
            text.notes["moved"] = True
    for text in texts:
        if not text.ended:
            round_of_first(decoder, fixture, [text])


MEMBER = Member(SOUND._replace(round=round_of_batch), mechanism="M12", reports=("1Cat-vLLM#656", "sglang#36749"), fixtures="batch")
