"""Draft with a model of any vocabulary: it writes text, and the text is proposed in the target's tokens.

The tokens are point masses, which every exact rule takes.
"""

import codecs
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from draftproof.drafters.model import Memory
from draftproof.drafters.protocol import Request
from draftproof.drafters.reading import Encode, Read, Reading
from draftproof.errors import BadRequest
from draftproof.models.protocol import Block, Model
from draftproof.types import Draft, Picker
from draftproof.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TextDrafter:
    """A deterministic drafter: the model goes on with the text, its likeliest token each time, and the target's tokens of
    what it wrote are proposed.

    Attributes:
        model: the draft model. It need share no token with the target.
        target, draft: the vocabularies.
        read: how the model is told a text of the target's tokens.
        encode: the target's tokenizer. What was written is encoded by itself, since the ids before it stand.
        length: how many tokens the model writes a round.
        unsettled: how many of the last of the target's tokens are left out, since text written after them might change them; none if
            the model ended the text.

    Raises:
        BadRequest: a length below 1, `unsettled` below 0, or a draft vocabulary that is not the model's.
    """

    model: Model
    target: Vocabulary
    draft: Vocabulary
    read: Read
    encode: Encode
    length: int
    unsettled: int = 1

    def __post_init__(self) -> None:
        if self.length < 1 or self.unsettled < 0:
            raise BadRequest(f"length is {self.length} and unsettled {self.unsettled}; they must be at least 1 and 0")
        if len(self.draft) != self.model.vocab:
            raise BadRequest(f"the draft vocabulary has {len(self.draft)} tokens; the draft model's has {self.model.vocab}")

    def start(self) -> Memory:
        return Memory(self.model.start())

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        written = self._write(requests)
        proposals = [self._proposal(ids)[: request.width] for ids, request in zip(written, requests, strict=True)]
        return Draft.fixed(proposals, vocab=len(self.target))

    def _write(self, requests: Sequence[Request]) -> list[list[int]]:
        texts = [self.read(request.context) if request.width else [] for request in requests]
        written: list[list[int]] = [[] for _ in requests]
        room = int(getattr(self.model, "context_length", sys.maxsize)) - self.length
        live = [row for row, text in enumerate(texts) if 0 < len(text) <= room]
        for _ in range(self.length):
            feeds = [Block(requests[row].memory.missing([*texts[row], *written[row]])) for row in live]
            logits = self.model.extend([requests[row].memory.cache for row in live], feeds) if live else []
            for row, said in zip(live, logits, strict=True):
                written[row].append(int(said[0].argmax(-1)))
            live = [row for row in live if written[row][-1] not in self.draft.controls]
        return written

    def _proposal(self, written: Sequence[int]) -> Sequence[int]:
        text = self.draft.bytes_of(written)
        _, whole = codecs.utf_8_decode(text, "replace", False)
        ids = self.encode(text[:whole])
        ended = written and written[-1] in self.draft.controls
        return ids if ended else ids[: max(0, len(ids) - self.unsettled)]


def text_drafter(
    model: Model,
    *,
    target: Vocabulary,
    draft: Vocabulary,
    draft_encode: Encode,
    target_encode: Encode,
    length: int,
    begin: tuple[int, ...] = (),
) -> TextDrafter:
    """A drafter that writes text. Of the context, control tokens are read by name and all else by its text.

    Args:
        draft_encode, target_encode: the tokenizers, see `by_characters`.
        length, begin: see `TextDrafter` and `Reading`.
    """
    names = {draft.controls[token]: token for token in sorted(draft.controls, reverse=True)}
    controls = {token: names[name] for token, name in target.controls.items() if name in names}
    return TextDrafter(model, target, draft, Reading(target, controls, draft_encode, begin), target_encode, length)
