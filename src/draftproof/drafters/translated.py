"""A draft model in the target's vocabulary, as far as the two share tokens.

It keeps its law, renormalised over the shared tokens, so `ModelDrafter` and every rule take it for what it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from draftproof.carriers import stack
from draftproof.drafters.model import Memory
from draftproof.drafters.reading import Encode, Read, Reading
from draftproof.errors import BadRequest, Unsupported
from draftproof.models.protocol import Block, Model
from draftproof.shapes import Array, Shaped
from draftproof.vocabulary import TokenMap, Vocabulary, first_difference, shared


@dataclass
class TranslatedCache:
    """The target's tokens, and the draft model's cache, which follows at the next pass.

    Attributes:
        memory: the draft model's cache and the tokens of its own that it holds.
        tokens: the target's tokens that are held.
    """

    memory: Memory
    tokens: list[int]

    @property
    def length(self) -> int:
        return len(self.tokens)

    def truncate(self, length: int) -> None:
        del self.tokens[length:]

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        if list(offsets) != list(range(len(offsets))):
            raise Unsupported(f"the cache of a translated model keeps chains only, not the entries {list(offsets)}; draft a chain")
        self.truncate(start + len(offsets))


@dataclass(frozen=True, eq=False)
class TranslatedModel:
    """A draft model in the target's vocabulary: a shared token keeps its logit, every other has -inf.

    What is sampled is then the model's law given that the token is a shared one, whatever the sampling rules. With a logit of
    0 a token that the model cannot say would be proposed, and read back as something else.

    Attributes:
        model: the draft model.
        tokens: which tokens are the same.
        read: how the model is told a text of the target's tokens.

    Raises:
        BadRequest: the map is of another vocabulary than the model's, or nothing of a text can be read.
        Unsupported: a block that branches.
    """

    model: Model
    tokens: TokenMap
    read: Read

    def __post_init__(self) -> None:
        if self.tokens.draft_vocab != self.model.vocab:
            raise BadRequest(f"the map is of a draft vocabulary of {self.tokens.draft_vocab}; the draft model's has {self.model.vocab}")

    @property
    def vocab(self) -> int:
        return self.tokens.target_vocab

    def start(self) -> TranslatedCache:
        return TranslatedCache(Memory(self.model.start()), [])

    def extend(self, caches: Sequence[TranslatedCache], blocks: Sequence[Block]) -> list[Shaped[Array, "position vocab"]]:
        """The rows of each block, one pass of the model a drafted token: a token more may change how the last ones are read."""
        for block in blocks:
            if not block.is_chain:
                raise Unsupported(f"a translated model reads chains only, not drafted tokens with parents {list(block.parents)}")
        rows: list[list[Array]] = [[] for _ in blocks]
        for depth in range(1 + max((len(block.drafted) for block in blocks), default=0)):
            live = [row for row, block in enumerate(blocks) if depth <= len(block.drafted)]
            for row in live:
                caches[row].tokens += blocks[row].drafted[depth - 1 : depth] if depth else blocks[row].tokens
            feeds = [Block(caches[row].memory.missing(self._read(caches[row].tokens))) for row in live]
            logits = self.model.extend([caches[row].memory.cache for row in live], feeds)
            for row, said in zip(live, logits, strict=True):
                rows[row].append(said[0])
        return [self._translated(stack(said, axis=0)) for said in rows]

    def _read(self, text: Sequence[int]) -> Sequence[int]:
        if ids := self.read(text):
            return ids
        raise BadRequest(f"the draft model can read nothing of a text of {len(text)} tokens; give `Reading` a token to begin with")

    def _translated(self, rows: Shaped[Array, "position draft_vocab"]) -> Shaped[Array, "position vocab"]:
        shape = (len(rows), self.vocab)
        translated = np.full(shape, -np.inf, rows.dtype) if isinstance(rows, np.ndarray) else rows.new_full(shape, -np.inf)
        translated[:, self.tokens.target_ids] = rows[:, self.tokens.draft_ids]
        return translated


def translated(model: Model, *, target: Vocabulary, draft: Vocabulary, encode: Encode | None = None, begin: tuple[int, ...] = ()) -> Model:
    """The draft model in the target's vocabulary; the model itself if the vocabularies are the same.

    Args:
        encode: the draft's tokenizer, see `by_characters`; by default the longest tokens that fit.
        begin: tokens of the draft that stand before every text.

    Raises:
        Unsupported: the vocabularies share no token.
        BadRequest: a draft vocabulary that is not the model's.
    """
    if first_difference(target, draft) is None and len(draft) == model.vocab:
        return model
    tokens = shared(target, draft)
    return TranslatedModel(model, tokens, Reading(target, tokens.to_draft, encode or draft.spell, begin))


def require_same(target: Vocabulary, draft: Vocabulary) -> None:
    """Return if a draft model may be used as it is.

    Raises:
        Unsupported: naming the first token that differs, with both strings.
    """
    if difference := first_difference(target, draft):
        raise Unsupported(f"the draft model has another vocabulary (second) than the target (first): {difference}; use `translated`")
