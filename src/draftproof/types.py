"""What passes between the parts of a decode: drafts, the law of a verdict, verdicts.

In formulas p is the target's law and q the draft's, at one prefix, after every sampling rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from draftproof.carriers import check_laws, indicator, normalise, one_hot, stack, to_numpy
from draftproof.errors import BadDraft, BadLaw, Unsupported
from draftproof.shapes import Array, Bool, Int, Shaped
from draftproof.tree import Siblings, Tree

NOTHING = -1
"""The token id of a node at which a row drafts nothing: rows of one batch may draft different numbers of tokens."""

ChildLaw = Callable[[np.ndarray, int], Array]
"""(tokens so far (batch, nodes), node) -> laws (batch, vocab) of the children of `node`; a row of zeros drafts none."""

Picker = Callable[[Array, int, int, np.ndarray], np.ndarray]
"""(laws (batch, vocab), node, depth, live (batch,)) -> tokens (batch,): one draw a live row; other entries are ignored."""


def among(pick: Picker, entries: Sequence[int], batch: int) -> Picker:
    """The picker of some entries of a batch: each draws as its own place in the whole batch draws."""
    entries = list(entries)
    place = np.zeros(batch, np.int64)
    place[entries] = np.arange(len(entries))

    def pick_some(laws: Array, node: int, depth: int, live: np.ndarray) -> np.ndarray:
        drawn = np.zeros(batch, bool)
        drawn[entries] = live
        return pick(laws[place], node, depth, drawn)[entries]  # the other entries, where nothing is drawn, may hold any law

    return pick_some


@dataclass(frozen=True, init=False, eq=False)
class Draft:
    """Drafted tokens and, with each, the law it was drawn from.

    There are two ways to make one. `Draft.sample` asks `pick` for every token, so the recorded law *is* the law that was
    handed to it (that a drafter passes the pick it was given on, `proof.assert_drafter` checks);
    `Draft.fixed` takes tokens chosen in any other way, each a point mass.

    Attributes:
        tokens: (batch, draft) token ids, `NOTHING` where a row drafts none.
        tree: the shape, common to the batch; for a chain node n is the n-th token.
        vocab: the size of the vocabulary.
        ends: (batch, draft) where a token ends its text; nothing is drafted below it. See `ending`.
    """

    tokens: np.ndarray
    tree: Tree
    vocab: int
    ends: np.ndarray
    _laws: Array | None

    def __init__(self, *loose: object, **arrays: object) -> None:
        raise BadDraft(
            "a Draft cannot be built from loose arrays, since its law would be a mere claim; "
            "use Draft.sample(child_law, tree, pick) for random tokens or Draft.fixed(tokens, vocab=...) for chosen ones"
        )

    @classmethod
    def _make(cls, tokens: np.ndarray, tree: Tree, vocab: int, laws: Array | None, ends: np.ndarray | None = None) -> "Draft":
        draft = object.__new__(cls)
        ends = np.zeros(tokens.shape, bool) if ends is None else ends
        for name, value in {"tokens": tokens, "tree": tree, "vocab": vocab, "ends": ends, "_laws": laws}.items():
            object.__setattr__(draft, name, value)
        return draft

    @classmethod
    def sample(cls, child_law: ChildLaw, tree: Tree, pick: Picker) -> "Draft":
        """Draw a tree of tokens, node by node, siblings together as `tree.siblings` says.

        `child_law(tokens, node)` is asked once for each node that has children, as soon as that node's own token is
        known. A row of zeros ends that row's draft there. It cannot see a token below, so no drawn token can be
        dropped for what it is.

        Raises:
            BadLaw: `child_law` returned a row that is neither a law nor zeros, or laws of differing vocabularies.
            BadDraft: the tree has no nodes (use `Draft.none`), or `pick` returned a token of probability 0.
        """
        if not tree.width:
            raise BadDraft("a draft of no tokens has no law; use Draft.none(batch, vocab=...)")
        columns: list[np.ndarray] = []
        laws: list[Array] = []
        asked: dict[int, Array] = {}
        for node, parent in enumerate(tree.parents, start=1):
            if parent not in asked:
                so_far = np.stack(columns, 1) if columns else np.empty((0, 0), np.int64)
                asked[parent] = child_law(so_far, parent) * 1  # a copy: the drafter may fill the same array again
                check_laws(asked[parent], f"draft law after node {parent}", blank_allowed=True)
                if asked[parent].shape != asked[0].shape:
                    raise BadLaw(
                        f"draft law after node {parent} has shape {tuple(asked[parent].shape)}, the first had {tuple(asked[0].shape)}"
                    )
            elders = [columns[elder - 1] for elder in tree.children[parent] if elder < node]
            law = _sibling_law(asked[parent], elders, tree.siblings, count=len(tree.children[parent]))
            if parent:
                law = law * indicator(columns[parent - 1] != NOTHING, law)[:, None]
            live = to_numpy((law != 0).any(-1))
            tokens = np.where(live, pick(law, node, len(tree.path(node)), live), NOTHING)
            drawn = to_numpy((law * one_hot(tokens, law.shape[-1], law)).sum(-1) > 0)
            if (live & ~drawn).any():
                row = int(np.argmax(live & ~drawn))
                raise BadDraft(f"draft row {row}, node {node}: token {tokens[row]} was drawn, but its law gives it probability 0")
            columns.append(tokens)
            laws.append(law)
        if (np.stack(columns) == NOTHING).all():
            return cls.none(len(columns[0]), vocab=law.shape[-1])
        return cls._make(np.stack(columns, 1), tree, law.shape[-1], stack(laws))

    @classmethod
    def fixed(cls, tokens: Sequence[Sequence[int]], *, vocab: int, tree: Tree | None = None) -> "Draft":
        """Tokens that were chosen, not drawn: each is a point mass. Short rows of a chain draft fewer tokens.

        Raises:
            BadDraft: a token outside the vocabulary, a row wider than the tree, or a child of `NOTHING`.
        """
        tree = Tree.chain(max(map(len, tokens), default=0)) if tree is None else tree
        table = np.full((len(tokens), tree.width), NOTHING, np.int64)
        for index, row in enumerate(tokens):
            if len(row) > tree.width:
                raise BadDraft(f"draft row {index} has {len(row)} tokens; the tree has room for {tree.width}")
            for node, token in enumerate(row, start=1):
                if not NOTHING <= token < vocab or token != int(token):
                    raise BadDraft(f"draft row {index}, node {node}: token {token} is outside the vocabulary of {vocab}")
                parent = tree.parents[node - 1]
                if token != NOTHING and parent and table[index, parent - 1] == NOTHING:
                    raise BadDraft(f"draft row {index}: node {node} holds token {token}, but its parent {parent} holds none")
                table[index, node - 1] = token
        return cls._make(table, tree, vocab, None)

    @classmethod
    def none(cls, batch: int, *, vocab: int) -> "Draft":
        """No tokens at all: K = 0 is an ordinary width."""
        return cls.fixed([()] * batch, vocab=vocab)

    def as_fixed(self) -> "Draft":
        """The same tokens, with the law they came from forgotten."""
        return self._make(self.tokens, self.tree, self.vocab, None, self.ends)

    def ending(self, ended: Callable[[int, Sequence[int]], bool]) -> "Draft":
        """The same draft without what hangs below the end of a text.

        `ended(row, path)` says whether the tokens of a path, after the row's context, end its text. Nothing can follow
        them, so what was drafted below is dropped: for what came before it, never for what it is.
        """
        tokens, ends = self.tokens.copy(), np.zeros(self.tokens.shape, bool)
        for row in range(len(tokens)):
            for node, parent in enumerate(self.tree.parents, start=1):
                if parent and (ends[row, parent - 1] or tokens[row, parent - 1] == NOTHING):
                    tokens[row, node - 1] = NOTHING
                elif tokens[row, node - 1] != NOTHING:
                    ends[row, node - 1] = ended(row, [int(tokens[row, n - 1]) for n in self.tree.path(node)])
        laws = self._laws
        if laws is not None and (tokens != self.tokens).any():
            laws = laws * indicator(tokens != NOTHING, laws)[:, :, None]
        return self._make(tokens, self.tree, self.vocab, laws, ends)

    def take(self, rows: Sequence[int] | Int[np.ndarray, " rows"]) -> "Draft":
        """Some batch entries, in the given order."""
        laws = None if self._laws is None else self._laws[list(rows)]
        return self._make(self.tokens[list(rows)], self.tree, self.vocab, laws, self.ends[list(rows)])

    @classmethod
    def gather(cls, parts: Sequence[tuple[Sequence[int], "Draft"]]) -> "Draft":
        """One draft for a batch, from drafts for some of its entries each: the chains of every part, in the entries named
        with it. It is fixed if all parts are; else the tokens of fixed parts are recorded as the point masses they are.

        Raises:
            BadDraft: the parts do not name every entry of the batch once, or differ in their vocabularies.
            Unsupported: a part is no chain.
        """
        batch, vocab = sum(len(entries) for entries, _ in parts), parts[0][1].vocab
        if sorted(entry for entries, _ in parts for entry in entries) != list(range(batch)) or any(
            len(entries) != len(draft.tokens) or draft.vocab != vocab for entries, draft in parts
        ):
            named = [(list(entries), tuple(draft.tokens.shape), draft.vocab) for entries, draft in parts]
            raise BadDraft(f"parts of a draft must cover the batch once, over one vocabulary; (entries, shape, vocabulary): {named}")
        widest = max((draft.tree for _, draft in parts), key=lambda tree: tree.width)
        for _, draft in parts:
            if not draft.tree.is_chain:
                raise Unsupported(f"a draft of shape {draft.tree.parents} cannot stand in a batch with others; draft a chain")
        tokens = np.full((batch, widest.width), NOTHING, np.int64)
        ends = np.zeros((batch, widest.width), bool)
        for entries, draft in parts:
            tokens[list(entries), : draft.tree.width] = draft.tokens
            ends[list(entries), : draft.tree.width] = draft.ends
        return cls._make(tokens, widest, vocab, _gathered_laws(parts, widest.width), ends)

    def laws(self, like: Array) -> Shaped[Array, "batch draft vocab"]:
        """The law each token was drawn from, zeros where none was; point masses are made on the carrier of `like`."""
        return one_hot(self.tokens, self.vocab, like) if self._laws is None else self._laws

    @property
    def is_fixed(self) -> bool:
        """True if every token is a point mass because the draft was made by `fixed`."""
        return self._laws is None

    def followed(self, row: int) -> list[int]:
        """The nodes after which this row's text may go on, in order: those where a token is drafted and does not end it."""
        return [int(node) for node in np.flatnonzero(self.present[row] & ~self.ends[row]) + 1]

    def branch(self, row: int) -> tuple[list[int], list[int]]:
        """The tokens and the parents of the `followed` nodes alone: parent 0 is the context, n the n-th of these tokens."""
        nodes = self.followed(row)
        place = {0: 0} | {node: n for n, node in enumerate(nodes, start=1)}
        return [int(self.tokens[row, node - 1]) for node in nodes], [place[self.tree.parents[node - 1]] for node in nodes]

    @property
    def present(self) -> Bool[np.ndarray, "batch draft"]:
        """Where a token was drafted."""
        return self.tokens != NOTHING


def _gathered_laws(parts: Sequence[tuple[Sequence[int], Draft]], width: int) -> Array | None:
    """(batch, width, vocab) on the carrier of the sampled parts; None if there are none."""
    like = next((draft.laws(draft.tokens) for _, draft in parts if not draft.is_fixed), None)
    if like is None:
        return None
    rows: dict[int, list[Array]] = {}
    for entries, draft in parts:
        for entry, laws in zip(entries, draft.laws(like), strict=True):
            rows[entry] = [*laws, *[like[0, 0] * 0] * (width - draft.tree.width)]
    return stack([stack(rows[entry], axis=0) for entry in range(len(rows))], axis=0)


def _sibling_law(law: Array, elders: list[np.ndarray], siblings: Siblings, *, count: int) -> Array:
    """The law of the next child of a node whose elder children are known. A row that runs out of tokens is zeros."""
    vocab = law.shape[-1]
    if siblings is Siblings.INDEPENDENT:
        return law
    if siblings is Siblings.TOP_PLUS_ONE:
        return _top_plus_one_law(law, rank=len(elders), count=count)
    for tokens in elders:
        law = law * (1 - one_hot(tokens, vocab, law))
    return normalise(law, otherwise=law) if elders else law


def _top_plus_one_law(law: Array, *, rank: int, count: int) -> Array:
    """Rank 0: the law off the `count - 1` likeliest tokens (ties to the lowest id). Rank r: the r-th of those, for sure."""
    for place in range(1, count):
        best = one_hot(to_numpy(law.argmax(-1)), law.shape[-1], law)
        if place == rank:
            return best * (law.sum(-1)[:, None] > 0)
        law = law * (1 - best)
    return normalise(law, otherwise=law)


class VerdictLaw(NamedTuple):
    """What a rule decides, as a law: nothing is sampled in a rule.

    Attributes:
        kept: (batch, draft + 1) the probability that the kept path ends at each node. On a chain node n means that
            exactly n tokens are accepted. A row is used up to a factor: its sum is 1 but for rounding.
        correction: from the node where the kept path ends, (batch,), to the law (batch, vocab) of the token that
            follows it: the *recovered* token if children of that node were refused, else the *bonus* token.
    """

    kept: Shaped[Array, "batch position"]
    correction: Callable[[np.ndarray], Array]


Rule = Callable[[Array, Draft], VerdictLaw]
"""(target_probs (batch, draft + 1, vocab), draft) -> the law of the verdict. Row n of target_probs is the target's law
after the path to node n. Arithmetic only: see `carriers`."""


RowLaw = Callable[[Array, Array], Array]
"""(target rows (..., vocab), draft rows (..., vocab)) -> laws (..., vocab) of the token emitted there. A draft row of zeros
means that nothing is drafted."""


class Verdict(NamedTuple):
    """One outcome of a round.

    Attributes:
        kept: (batch,) the node where the kept path ends.
        token: (batch,) the token that follows it.
    """

    kept: Int[np.ndarray, " batch"]
    token: Int[np.ndarray, " batch"]
