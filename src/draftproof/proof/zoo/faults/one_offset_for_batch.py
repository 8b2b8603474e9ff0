"""Every cache of a batch is cut to the length that the text with the fewest kept drafts needs."""

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.zoo.decoder import Decoder, Text
from draftproof.proof.zoo.member import Member
from draftproof.proof.zoo.specimen import SOUND, commit, verified


def round_of_batch(decoder: Decoder, fixture: Fixture, texts: list[Text]) -> None:
    running = [text for text in texts if not text.ended]
    blocks = [verified(decoder, fixture, text) for text in running]
    fewest = min(verdict.accepted for _, _, verdict in blocks)
    for text, (proposal, rows, verdict) in zip(running, blocks, strict=True):
        commit(fixture, text, proposal, rows, verdict)
        del text.cache[len(text.cache) - (verdict.accepted - fewest) :]
        text.rounds += 1


MEMBER = Member(SOUND._replace(round=round_of_batch), mechanism="M12", reports=("mlx-vlm#1144", "mlx-vlm#1155"), fixtures="batch")
