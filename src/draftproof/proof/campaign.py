"""Prove the rules of the catalogue: each alone, over every draft, and each inside the whole decode loop."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from draftproof.catalogue import Entry, target_law
from draftproof.decode import Decoder
from draftproof.drafters.function import FunctionDrafter
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.protocol import Drafter
from draftproof.errors import BadRequest
from draftproof.models.table import TableModel
from draftproof.proof.fixtures import Pair, pairs
from draftproof.proof.laws import compare
from draftproof.proof.loop import Engagement, loop_law, plain_law
from draftproof.proof.rule import RoundLaw, fixed_round_law, round_law
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.verify import Independent


class Word(StrEnum):
    """The words a report may use for a check."""

    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    SKIPPED = "SKIPPED"
    ERROR = "ERROR"


class Check(NamedTuple):
    """One thing that was proved or refuted.

    Attributes:
        rule: the name of the rule.
        subject: what was proved: "one round", "every fixed draft", "the whole loop", "differs from the target".
        word: PASS only if the laws are equal as fractions *and* drafts were both kept and refused.
        distance: the largest total variation that was met, exact.
        paths: drafts or rounds that were enumerated.
        seconds: wall-clock time.
        detail: what was covered, or the counterexample.
    """

    rule: str
    subject: str
    word: Word
    distance: Fraction
    paths: int
    seconds: float
    detail: str


MOST_DRAFTS = 10**6
"""Drafts of one round that are enumerated together: minutes, and some gigabytes of fractions."""


@dataclass(frozen=True)
class Settings:
    """How much is enumerated.

    Attributes:
        vocabulary: tokens of the toy models, at least 2.
        width: drafted tokens on a chain, and children of a branching node, at least 1.
        pairs: random pairs of tables for one round.
        loop_pairs: random pairs of tables for the whole loop.
        length: the longest text of the whole loop, tokens.
        seed: of the random tables.

    Raises:
        BadRequest: a number below its least value.
    """

    vocabulary: int = 3
    width: int = 2
    pairs: int = 60
    loop_pairs: int = 2
    length: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in {"vocabulary": 2, "width": 1, "pairs": 1, "loop_pairs": 1, "length": 2}.items():
            if getattr(self, name) < least:
                raise BadRequest(f"{name} is {getattr(self, name)}; it must be at least {least}")
        if (drafts := self.vocabulary**self.width * self.pairs) > MOST_DRAFTS:
            asked = f"vocabulary {self.vocabulary}, width {self.width} and {self.pairs} pairs"
            raise BadRequest(f"{asked} make {drafts:.2g} drafts; at most {MOST_DRAFTS:.2g} are enumerated")


def trees(entry: Entry, width: int) -> list[Tree]:
    """The shapes on which a rule is proved: a chain, and for a rule of trees also siblings and both together."""
    if entry.siblings is None:
        return [Tree.chain(width)]
    parents = [tuple(range(width)), (0,) * max(width, 2), (0, 0, 1)]
    return [Tree(shape, entry.siblings) for shape in dict.fromkeys(parents)]


def prove(entry: Entry, settings: Settings) -> Iterator[Check]:
    """Everything there is to prove of one rule, check by check."""
    tables = pairs(settings.pairs, settings.vocabulary, seed=settings.seed)
    if isinstance(entry.verification, Independent):
        rule = entry.verification.rule
        yield _one_round(entry, "one round", tables, settings, lambda tree: round_law(rule, tables, tree, follows=entry.law_of_rows))
        if not entry.needs_draft_law:
            yield _one_round(
                entry, "every fixed draft", tables, settings, lambda tree: fixed_round_law(rule, tables, tree, follows=entry.law_of_rows)
            )
    if entry.exact:
        yield _whole_loop(entry, settings)
    else:
        yield _drift(entry, tables, settings)


def _one_round(entry: Entry, subject: str, tables: Sequence[Pair], settings: Settings, law: Callable[[Tree], RoundLaw]) -> Check:
    started, laws = time.perf_counter(), {tree: law(tree) for tree in trees(entry, settings.width)}
    distance = max(Fraction(found.distances.max()) for found in laws.values())
    drafts = sum(found.drafts for found in laws.values())
    vacuous = all(found.vacuous for found in laws.values())
    worst = max(laws, key=lambda tree: laws[tree].distances.max())
    covered = f"{plural(len(tables), 'pair')} of tables on {plural(len(laws), 'shape')} of draft"
    detail = laws[worst].counterexample(worst) if distance else covered
    return Check(entry.name, subject, _word(distance, vacuous), distance, drafts, time.perf_counter() - started, detail)


def _whole_loop(entry: Entry, settings: Settings) -> Check:
    """On a chain every token in turn ends the text, on a tree one a pair; a rule that needs no q meets a fixed drafter too."""
    started, engagement, distance, detail = time.perf_counter(), Engagement(), Fraction(0), ""
    for index, pair in enumerate(pairs(settings.loop_pairs, settings.vocabulary, seed=settings.seed + 1)):
        for target, drafter, tree in _loops(entry, pair, settings.width):
            for end in range(settings.vocabulary) if tree.is_chain else [index % settings.vocabulary]:
                limits = Limits(settings.length, frozenset({end}))
                found = loop_law(Decoder(target, drafter, entry.verification), [0], params=Verbatim(), limits=limits)
                engagement.add(found.engagement)
                # A rule of another law than p follows it at every row, so the reference decodes the table of that law.
                followed = TableModel(entry.law_of_rows(target.table, target.table * 0))
                gap = compare(found.law, plain_law(followed, [0], params=Verbatim(), limits=limits))
                if gap.total_variation > distance:
                    distance = gap.total_variation
                    detail = (
                        f"pair {index}, draft shape {tree.parents}, end of text {end}: text {gap.worst} has probability {gap.observed}, "
                        f"{gap.expected} without a draft"
                    )
    detail = detail or (
        f"{plural(settings.loop_pairs, 'pair')} of tables, up to {settings.length} tokens, every token as end of text, "
        f"{plural(engagement.rounds, 'round')}"
    )
    return Check(
        entry.name,
        "the whole loop",
        _word(distance, engagement.vacuous),
        distance,
        engagement.replays,
        time.perf_counter() - started,
        detail,
    )


def _loops(entry: Entry, pair: Pair, width: int) -> Iterator[tuple[TableModel, Drafter, Tree]]:
    target, draft = pair
    for tree in trees(entry, width):
        if len(set(tree.parents)) > 1:  # siblings alone are part of the last shape
            yield target, ModelDrafter(draft, tree), tree
    if not entry.needs_draft_law:
        # The likeliest next tokens of the draft table, as a lookup would propose them.
        table = draft.table.argmax(-1)

        def look_up(context: Sequence[int]) -> list[int]:
            seen = [0, *context]
            for _ in range(width):
                seen.append(int(table[seen[-2], seen[-1]]))
            return seen[-width:]

        yield target, FunctionDrafter(look_up, target.vocab), Tree.chain(width)


def _drift(entry: Entry, tables: Sequence[Pair], settings: Settings) -> Check:
    """A lossy rule must differ from the target somewhere: the check that would notice if it did not passes only then."""
    started = time.perf_counter()
    assert isinstance(entry.verification, Independent)
    law = round_law(entry.verification.rule, tables, trees(entry, settings.width)[0], follows=target_law)
    distance = Fraction(law.distances.max())
    detail = f"up to {float(distance):.3g} over the first {settings.width + 1} tokens; the declared law is what it follows"
    word = Word.PASS if distance else Word.FAIL
    return Check(entry.name, "differs from the target", word, distance, law.drafts, time.perf_counter() - started, detail)


def _word(distance: Fraction, vacuous: bool) -> Word:
    if distance:
        return Word.FAIL
    return Word.INCONCLUSIVE if vacuous else Word.PASS


def plural(count: int, noun: str) -> str:
    """`1 pair`, `2 pairs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
