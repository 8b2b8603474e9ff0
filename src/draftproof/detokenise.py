"""From token ids to text as they come, and the strings at which a text stops.

A token may hold a part of a character, and a stop string may begin in one token and end in another. So text is the bytes of
the tokens: a character is given out when it is whole, and a stop string is looked for in bytes.
"""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from draftproof.errors import BadRequest
from draftproof.vocabulary import Vocabulary


@dataclass(frozen=True)
class StopStrings:
    """Strings that end a text. The token that completes one belongs to the text; `Detokeniser` cuts the string off.

    Attributes:
        strings: each looked for in the bytes that tokens write, wherever tokens begin and end.
        vocabulary: that of the tokens.

    Raises:
        BadRequest: an empty string, or one that cannot be written in UTF-8.
    """

    strings: tuple[str, ...]
    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        for place, string in enumerate(self.strings):
            if not string:
                raise BadRequest(f"stop string {place} is empty and would end every text at once; remove it")
            try:
                string.encode()
            except UnicodeEncodeError as error:
                raise BadRequest(f"stop string {place} is {string!r}, which is no text: {error.reason}") from error

    @cached_property
    def encoded(self) -> tuple[bytes, ...]:
        return tuple(string.encode() for string in self.strings)

    def found(self, text: Sequence[int], new: Sequence[int] = ()) -> bool:
        """True if `text` followed by `new`, complete as it stands, has come to contain a stop string with its last token.

        Only as many of the last tokens are read as the longest string has bytes, and those among them that write nothing.
        """
        if not self.strings:
            return False
        newest_first = chain(reversed(new), reversed(text))
        last = self.vocabulary.bytes_of([next(newest_first)])
        before = b""
        reach = max(map(len, self.encoded)) - 1
        while last and len(before) < reach and (token := next(newest_first, None)) is not None:
            before = self.vocabulary.bytes_of([token]) + before
        return self._completed(before, last)

    def _completed(self, before: bytes, last: bytes) -> bool:
        """True if a stop string ends in `last`: what is read with it is too short to hold one alone."""
        return any(string in before[max(0, len(before) + 1 - len(string)) :] + last for string in self.encoded)

    def start_in(self, text: bytes) -> int | None:
        """Where the stop string begins that begins first; None if there is none."""
        return min((start for string in self.encoded if (start := text.find(string)) >= 0), default=None)

    def undecided(self, text: bytes) -> int:
        """How many of the last bytes may be the beginning of a stop string."""
        sizes = range(min(len(text), max(map(len, self.encoded), default=1) - 1), 0, -1)
        return next((size for size in sizes if any(string.startswith(text[-size:]) for string in self.encoded)), 0)


class Detokeniser:
    """Text of tokens as they come: whole characters, and nothing that may be, or follows, a stop string.

    What was given out, joined, is what decoding all bytes at once would give, U+FFFD for bytes that are no text included;
    with stop strings, all bytes in front of the one that begins first, in the text up to the token that completes one.

    Attributes:
        stopped: True when a stop string was completed. Nothing is given out any more.
    """

    def __init__(self, vocabulary: Vocabulary, stop: Sequence[str] = ()) -> None:
        self.stopped = False
        self._stop = StopStrings(tuple(stop), vocabulary)
        self._characters = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = b""

    def feed(self, tokens: Sequence[int]) -> str:
        """The text that is certain now and was not before."""
        return "".join([self._feed(token) for token in tokens if not self.stopped])

    def flush(self) -> str:
        """The rest of the text, which goes on no further."""
        held, self._held = self._held, b""
        return self._characters.decode(held, final=True)

    def _feed(self, token: int) -> str:
        self._held += self._stop.vocabulary.bytes_of([token])
        start = self._stop.start_in(self._held)
        if start is not None:
            self.stopped, self._held = True, self._held[:start]
            return self.flush()
        certain = len(self._held) - self._stop.undecided(self._held)
        ready, self._held = self._held[:certain], self._held[certain:]
        return self._characters.decode(ready)


def text_of(tokens: Sequence[int], vocabulary: Vocabulary) -> str:
    """The text of all tokens at once."""
    return vocabulary.bytes_of(tokens).decode(errors="replace")


def text_before_stop(tokens: Sequence[int], stop: StopStrings) -> str:
    """The text in front of the earliest stop string; all of it, if none is completed."""
    stream = Detokeniser(stop.vocabulary, stop.strings)
    return stream.feed(tokens) + stream.flush()
