"""The exact law of one round of a rule, over every draft it can meet.

A whole batch is one proof: every pair of tables times every assignment of tokens to the nodes. `Draft.sample` draws the
tokens, as in production, only with its picks told what to draw; the rule runs once on all of it; and the law of what
is emitted is summed. What follows the round is given the law it should have, so that texts of different lengths
compare: the law of the first depth + 1 tokens must be the target's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from draftproof.carriers import at, indicator
from draftproof.catalogue import target_law
from draftproof.errors import NotExact, Unsupported
from draftproof.proof.fixtures import Pair
from draftproof.shapes import Array
from draftproof.tree import Tree
from draftproof.types import Draft, RowLaw, Rule, VerdictLaw


@dataclass(frozen=True)
class RoundLaw:
    """The law of one round for each of a list of pairs.

    Attributes:
        observed, expected: (pairs, vocab, ..., vocab) of fractions: the law of the first depth + 1 tokens.
        accepted: (pairs,) the expected number of drafted tokens kept.
        drafts: how many drafts were met, of all pairs together.
        none_kept, some_kept, all_kept: in how many of them it was possible to keep none, a part and all of a path.
    """

    observed: np.ndarray
    expected: np.ndarray
    accepted: np.ndarray
    drafts: int
    none_kept: int
    some_kept: int
    all_kept: int

    @property
    def distances(self) -> np.ndarray:
        """(pairs,) the total variation between what is emitted and what should be."""
        gaps = abs(self.observed - self.expected)
        return gaps.reshape(len(gaps), -1).sum(-1) / 2

    @property
    def vacuous(self) -> bool:
        """True if no draft could be refused at once, or none kept whole."""
        return not (self.none_kept and self.all_kept)

    def counterexample(self, tree: Tree) -> str:
        """The text whose probability is furthest from what it should be."""
        gaps = abs(self.observed - self.expected)
        place = np.unravel_index(int(gaps.argmax()), gaps.shape)
        pair, text = int(place[0]), tuple(int(token) for token in place[1:])
        return (
            f"pair {pair}, draft shape {tree.parents}: text {text} has probability {self.observed[place]}, "
            f"it should be {self.expected[place]}"
        )


def round_law(rule: Rule, pairs: Sequence[Pair], tree: Tree, *, follows: RowLaw = target_law, ragged: bool = False) -> RoundLaw:
    """The law of one round on drafts that are drawn from the draft tables.

    Args:
        ragged: a draft ends after every odd token, so that the rows of the batch draft different numbers of tokens.
    """
    drafts = _Drafts.drawn(pairs, tree, ragged=ragged)
    return _sum_up(rule, drafts, follows)


def fixed_round_law(rule: Rule, pairs: Sequence[Pair], tree: Tree, *, follows: RowLaw = target_law) -> RoundLaw:
    """The law of one round given each fixed draft there is: every assignment of tokens to nodes counts as a pair of its own.

    A rule that is exact here is exact for a drafter of any origin, an adversary included.
    """
    return _sum_up(rule, _Drafts.fixed(pairs, tree), follows)


@dataclass(frozen=True)
class _Drafts:
    """A batch of drafts: the group whose law each adds to, its weight there, and the tables of its group."""

    draft: Draft
    group: np.ndarray
    weight: np.ndarray
    targets: np.ndarray
    drafts: np.ndarray

    @classmethod
    def drawn(cls, pairs: Sequence[Pair], tree: Tree, *, ragged: bool) -> "_Drafts":
        vocab, assignments = pairs[0][0].vocab, _assignments(pairs, tree)
        targets, drafts = _tables(pairs)
        group, wanted = np.repeat(np.arange(len(pairs)), len(assignments)), np.tile(assignments, (len(pairs), 1))
        weight = np.full(len(group), Fraction(1), object)

        def child_law(tokens: np.ndarray, node: int) -> Array:
            before, last = _last_two(tokens, tree.path(node), len(group))
            laws = drafts[group, before, last]
            return laws * indicator(last % 2 == 0, laws)[:, None] if ragged else laws

        def pick(laws: Array, node: int, depth: int, live: np.ndarray) -> np.ndarray:
            told = wanted[:, node - 1]
            chance = at(laws[:, None], told[:, None])[:, 0]
            weight[:] = weight * np.where(live, chance, indicator(told == 0, laws))
            return np.where(chance > 0, told, laws.argmax(-1))

        draft = Draft.sample(child_law, tree, pick) if tree.width else Draft.none(len(group), vocab=vocab)
        met = np.flatnonzero(weight)
        return cls(draft.take(met), group[met], weight[met], targets, drafts)

    @classmethod
    def fixed(cls, pairs: Sequence[Pair], tree: Tree) -> "_Drafts":
        assignments = _assignments(pairs, tree)
        targets, drafts = (np.repeat(tables, len(assignments), axis=0) for tables in _tables(pairs))
        tokens = np.tile(assignments, (len(pairs), 1))
        draft = Draft.fixed(tokens.tolist(), vocab=pairs[0][0].vocab, tree=tree)
        return cls(draft, np.arange(len(tokens)), np.full(len(tokens), Fraction(1), object), targets, drafts)


def _assignments(pairs: Sequence[Pair], tree: Tree) -> np.ndarray:
    return np.array(list(product(range(pairs[0][0].vocab), repeat=tree.width)), np.int64).reshape(
        pairs[0][0].vocab ** tree.width, tree.width
    )


def _tables(pairs: Sequence[Pair]) -> tuple[np.ndarray, np.ndarray]:
    return np.stack([target.table for target, _ in pairs]), np.stack([draft.table for _, draft in pairs])


def _last_two(tokens: np.ndarray, path: Sequence[int], batch: int) -> tuple[np.ndarray, np.ndarray]:
    """The last two tokens after a path from the context 0, 0."""
    columns = [np.zeros(batch, np.int64)] * 2 + [tokens[:, node - 1] for node in path]
    return columns[-2], columns[-1]


def _sum_up(rule: Rule, met: _Drafts, follows: RowLaw) -> RoundLaw:
    draft, tree, batch = met.draft, met.draft.tree, len(met.group)
    paths = [tree.path(node) for node in range(tree.width + 1)]
    deepest = max(map(len, paths))
    there = np.concatenate([np.ones((batch, 1), bool), draft.present], axis=1)
    rows = [met.targets[met.group, *_last_two(draft.tokens, path, batch)] * there[:, [node]] for node, path in enumerate(paths)]
    verdict = rule(np.stack(rows, 1), draft)
    corrections = _check_verdict(verdict, batch, len(paths), draft.vocab)

    groups, vocab = len(met.targets), draft.vocab
    emitted = [np.full((groups, *[vocab] * length), Fraction(0), object) for length in range(deepest + 2)]
    accepted = np.full(groups, Fraction(0), object)
    none_kept, some_kept, all_kept = (np.zeros(batch, bool) for _ in range(3))
    for node, path in enumerate(paths):
        kept = verdict.kept[:, node] * met.weight
        place = (met.group, *(draft.tokens[:, n - 1] for n in path))
        np.add.at(emitted[len(path) + 1], place, kept[:, None] * corrections[node])
        np.add.at(accepted, met.group, kept * len(path))
        refused = np.any([np.zeros(batch, bool), *(there[:, child] for child in tree.children[node])], axis=0)
        none_kept |= (kept > 0) & (node == 0) & refused
        some_kept |= (kept > 0) & (node > 0) & refused
        all_kept |= (kept > 0) & (node > 0) & ~refused
    observed, expected = emitted[0], emitted[0] + 1
    for length in range(1, deepest + 2):
        row = _expected_rows(met, follows, length, drafted=length <= deepest)
        observed = observed[..., None] * row + emitted[length]
        expected = expected[..., None] * row
    return RoundLaw(observed, expected, accepted, batch, int(none_kept.sum()), int(some_kept.sum()), int(all_kept.sum()))


def _check_verdict(verdict: VerdictLaw, batch: int, nodes: int, vocab: int) -> list[np.ndarray]:
    """The corrections of every node, if the verdict is made of exact laws, and a row of a correction depends on its own node alone.

    A sum over signed weights could come out right where no decode that draws from them would.
    """
    if not isinstance(verdict, VerdictLaw) or np.shape(verdict.kept) != (batch, nodes):
        shape = f" of shape {np.shape(verdict.kept)}" if isinstance(verdict, VerdictLaw) else ""
        wanted = f"VerdictLaw(kept, correction), kept of shape {(batch, nodes)}"
        raise Unsupported(f"a rule returns {wanted}; this one gave {type(verdict).__name__}{shape}")
    rows = [verdict.correction(np.full(batch, node)) for node in range(nodes)]
    for row in rows:
        if np.shape(row) != (batch, vocab):
            raise Unsupported(f"correction returns laws of shape {(batch, vocab)}; this one gave shape {np.shape(row)}")
    if any(isinstance(value, float) for values in (verdict.kept, *rows) for value in values.flat):
        raise Unsupported(
            "the rule turned fractions into floats, so its law is not exact; use only the operations of draftproof.carriers, "
            "and `number(1/2, like)` for constants: what `clip` returns is an integer, and dividing that by another gives a float"
        )
    bad = (verdict.kept < 0).any(-1) | (verdict.kept.sum(-1) != 1)
    if bad.any():
        shown = [str(value) for value in verdict.kept[int(np.argmax(bad))]]
        raise NotExact(f"kept is not a law: {shown} has a negative entry or does not sum to 1")
    for node, row in enumerate(rows):
        if ((verdict.kept[:, node] > 0) & ((row < 0).any(-1) | (row.sum(-1) != 1))).any():
            raise NotExact(f"correction after node {node} is not a law where the path can end there: negative, or not summing to 1")
    mixed = np.arange(batch) % nodes
    if (verdict.correction(mixed) != np.stack(rows, 1)[np.arange(batch), mixed]).any():
        raise NotExact("correction gives a row another law when other rows ask about other nodes; a row may depend on its own node alone")
    return rows


def _expected_rows(met: _Drafts, follows: RowLaw, length: int, *, drafted: bool) -> np.ndarray:
    """(groups, vocab, ..., vocab): the law of token number `length` after every text of length - 1 tokens."""
    vocab = met.draft.vocab
    text = np.indices([vocab] * (length - 1)) if length > 1 else np.empty((0,), int)
    before, last = [np.zeros([vocab] * (length - 1), int), np.zeros([vocab] * (length - 1), int), *text][-2:]
    targets, drafts = met.targets[:, before, last], met.drafts[:, before, last]
    return follows(targets, drafts if drafted else drafts * 0)
