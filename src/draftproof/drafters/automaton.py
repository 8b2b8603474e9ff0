"""How often, and where last, each short sequence occurred in a text that grows.

A suffix automaton (Blumer et al. 1985), built one token at a time: a state is a set of sequences that end at the same
places, one the other's suffix, and its link leads to the longest suffix that ends at more places. Counts are kept for
sequences of up to `order` tokens only: a token then raises at most `order` counts, however repetitive the text is.
"""

from dataclasses import dataclass, field

SEPARATOR = -1
"""Stands between two texts. It is no token, so nothing is ever found across it."""


@dataclass
class Automaton:
    """A text and the number of times that each of its sequences of up to `order` tokens occurs in it.

    Attributes:
        order: the length of the longest sequence that is counted.
        nexts: for each state, the state of its sequences followed by a token. State 0 holds the empty sequence.
        links, lengths: its link, and its longest sequence.
        counts, recent: of its sequences of up to `order` tokens, how many times they occur and where the last ends.
        size: tokens read.
        end: the state of the whole text.
        tail, tail_length: the state of the longest counted suffix of the text, and the length of that suffix.
    """

    order: int
    nexts: list[dict[int, int]] = field(default_factory=lambda: [{}])
    links: list[int] = field(default_factory=lambda: [-1])
    lengths: list[int] = field(default_factory=lambda: [0])
    counts: list[int] = field(default_factory=lambda: [0])
    recent: list[int] = field(default_factory=lambda: [0])
    size: int = 0
    end: int = 0
    tail: int = 0
    tail_length: int = 0

    def append(self, token: int) -> None:
        """One more token at the end of the text."""
        new = self._state(self.lengths[self.end] + 1)
        at = self.end
        while at >= 0 and token not in self.nexts[at]:
            self.nexts[at][token] = new
            at = self.links[at]
        self.links[new] = 0 if at < 0 else self._suffix_state(at, token)
        self.end = new
        self._count(token)

    def followers(self, state: int) -> dict[int, int]:
        """The tokens that follow the sequences of a state, and the states they lead to."""
        nexts = self.nexts[state]
        return {token: child for token, child in nexts.items() if token != SEPARATOR} if SEPARATOR in nexts else nexts

    def shortened(self, state: int, length: int) -> int:
        """The state of the last `length` tokens of a sequence of `state`; of the sequence itself if it is no longer."""
        while state and self.lengths[self.links[state]] >= length:
            state = self.links[state]
        return state

    def _state(self, length: int) -> int:
        self.nexts.append({})
        self.lengths.append(length)
        for values in (self.links, self.counts, self.recent):
            values.append(0)
        return len(self.lengths) - 1

    def _suffix_state(self, at: int, token: int) -> int:
        """The state whose longest sequence is that of `at` followed by `token`, split off if it was part of a longer one."""
        child, length = self.nexts[at][token], self.lengths[at] + 1
        if self.lengths[child] == length:
            return child
        split = self._state(length)
        self.nexts[split], self.links[split], self.counts[split] = dict(self.nexts[child]), self.links[child], self.counts[child]
        self.links[child] = split
        while at >= 0 and self.nexts[at].get(token) == child:
            self.nexts[at][token] = split
            at = self.links[at]
        return split

    def _count(self, token: int) -> None:
        """Raise the count of every suffix of up to `order` tokens."""
        self.size += 1
        self.tail_length = min(self.tail_length + 1, self.order)
        self.tail = state = self.shortened(self.nexts[self.tail][token], self.tail_length)
        while state:
            self.counts[state] += 1
            self.recent[state] = self.size
            state = self.links[state]
