"""What a stranger runs on a part of their own, in two lines. Each returns in silence or says exactly what is wrong.

from draftproof.proof import assert_exact
assert_exact(my_rule)
"""

from collections.abc import Sequence

from draftproof.carriers import is_exact
from draftproof.catalogue import target_law
from draftproof.decode import Decoder, draft_picker, draft_requests
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest, NotExact, Unsupported
from draftproof.proof.fixtures import ROWS, constant_pair, pairs
from draftproof.proof.laws import compare
from draftproof.proof.loop import TOGETHER, loop_law, plain_law
from draftproof.proof.rule import fixed_round_law, round_law
from draftproof.sampling.protocol import Sampling
from draftproof.session import Limits
from draftproof.target import TargetLaws
from draftproof.tree import Tree
from draftproof.types import RowLaw, Rule

SHAPES = (Tree.chain(1), Tree.chain(2), Tree.chain(3))
"""The drafts a rule is asked about unless it says otherwise: it must verify a chain."""


def assert_exact(
    rule: Rule, *, shapes: Sequence[Tree] = SHAPES, any_draft: bool = False, follows: RowLaw = target_law, count: int = 40, seed: int = 0
) -> None:
    """Return if the rule emits the law it should follow on every pair of laws that is tried, as an equality of fractions.

    This is for a `Rule` of this package, which returns a law and draws nothing. A function that draws its own random numbers,
    in any library, is for `draftproof.testing.assert_exact`.

    The rule is run on the named rows of `fixtures`, and on `count` random pairs of tables of two and of three tokens
    with zeros, ties, point masses, disjoint supports and p = q, on every draft that can be drawn from them.

    Args:
        rule: (target_probs, draft) -> VerdictLaw, using only the operations of `carriers`.
        shapes: the drafts it is run on.
        any_draft: also require it to be exact given each fixed draft: true of rules that do not use q.
        follows: the law it should follow, if not the target's.

    Raises:
        NotExact: with the pair, the draft's shape, the text, and both probabilities; or if no draft was both kept and refused.
        Unsupported: the rule left exact arithmetic, or returned something else than a VerdictLaw.
        BadRequest: there is nothing to try.
    """
    if not shapes or count < 1:
        raise BadRequest(f"{len(shapes)} shapes and {count} pairs of tables prove nothing; give at least one of each")
    named = [[constant_pair(*rows)] for rows in ROWS.values()]
    groups = [*named, pairs(count, 2, seed=seed), pairs(count, 3, seed=seed)]
    for tree in shapes:
        # Three drafted tokens over four or five are a thousand drafts a pair; the tables of two and three tokens suffice.
        laws = [round_law(rule, group, tree, follows=follows) for group in (groups if tree.width < 3 else groups[-2:])]
        laws += [round_law(rule, groups[-1], tree, follows=follows, ragged=True)]
        if any_draft:
            laws += [fixed_round_law(rule, group, tree, follows=follows) for group in groups[-2:]]
        for law in laws:
            if law.distances.any():
                raise NotExact(
                    f"{getattr(rule, '__name__', rule)} is not exact: {law.counterexample(tree)}; total variation {law.distances.max()}"
                )
        if all(law.vacuous for law in laws):
            raise NotExact(
                f"{getattr(rule, '__name__', rule)} on draft shape {tree.parents} never both kept and refused a draft: nothing was tested"
            )


def assert_decodes_exactly(decoder: Decoder, prompt: Sequence[int], *, params: Sampling, limits: Limits, together: int = TOGETHER) -> None:
    """Return if the whole decode loop emits what the target gives one token at a time, as an equality of fractions.

    Args:
        together: runs to a batch; 1 if what is drafted for a row depends on the rows beside it, as with `BestOf`.

    Raises:
        NotExact: with the text and both probabilities; or if no draft was both kept and refused over several rounds.
        Unsupported: target or drafter give laws in floats, whose rounding would pass for a fault.
    """
    _require_fractions(decoder, prompt, params, limits)
    found = loop_law(decoder, prompt, params=params, limits=limits, together=together)
    gap = compare(found.law, plain_law(decoder.target, prompt, params=params, limits=limits))
    if gap.total_variation:
        raise NotExact(
            f"the decode is not exact: text {gap.worst} has probability {gap.observed}, {gap.expected} without a draft; "
            f"total variation {float(gap.total_variation):.4g} over {found.engagement.replays} rounds"
        )
    if found.engagement.vacuous:
        raise NotExact(f"nothing was tested: no draft was both kept and refused over several rounds ({found.engagement})")


def _require_fractions(decoder: Decoder, prompt: Sequence[int], params: Sampling, limits: Limits) -> None:
    session = decoder.open(prompt, params=params, limits=limits, draws=SeededDraws(0))
    draft = decoder.drafter.propose(draft_requests([session]), draft_picker([session], decoder.verification))
    laws = TargetLaws([session], decoder.target, draft).all()
    for name, rows in (("target", laws), ("drafter", draft.laws(laws))):
        if not is_exact(rows):
            raise Unsupported(f"the laws of the {name} are floats, which round; use tables of fractions, or wrap params in proof.Exactly")
