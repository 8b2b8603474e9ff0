"""Each text of a batch keeps as many drafts as the text beside it should."""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Decoder, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit, verified


def round_of_batch(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    running = [text for text in texts if not text.ended]
    blocks = [verified(decoder, fixture, text) for text in running]
    for place, (text, (proposal, rows, verdict)) in enumerate(zip(running, blocks, strict=True)):
        *_, beside = blocks[place - 1]
        commit(fixture, text, proposal, rows, verdict._replace(accepted=beside.accepted))
        text.rounds += 1


MEMBER = Member(SOUND._replace(round=round_of_batch), mechanism="M12", reports=("vllm#53017", "xllm#1939"), fixtures="batch")
