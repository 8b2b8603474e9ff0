"""The whole loop under every sampling rule, alone and in pairs, equals one token at a time under the same rules.

The laws of the rules are floats; as fractions (`Exactly`) they let the loop be proved without tolerance. Only mirostat,
whose state is itself a float that the rounding to fractions can move by a bit, is held to 1e-12.
"""

import re
from itertools import combinations

import numpy as np
import pytest

from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.errors import EmptyLaw
from draftproof.models.table import TableModel
from draftproof.proof.exact import Exactly
from draftproof.proof.fixtures import pairs
from draftproof.proof.laws import compare
from draftproof.proof.loop import Engagement, loop_law, plain_law
from draftproof.rules.block import block
from draftproof.rules.rejection import rejection
from draftproof.rules.traversal import traversal
from draftproof.sampling.chain import Chain
from draftproof.sampling.dialects import DIALECTS
from draftproof.sampling.grammar import Grammar, spelled
from draftproof.sampling.params import SamplingParams
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.verify import Coupled, Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


class LogitTable(TableModel):
    """A table model that answers with logits."""

    def extend(self, caches, blocks):
        with np.errstate(divide="ignore"):
            return [np.log(rows.astype(float)) for rows in super().extend(caches, blocks)]


def without_one_token(table):
    """The draft lacks a token after half the contexts, so that fewer drafts are to be met and residuals have many tokens."""
    masked = table.copy()
    for before, last in np.ndindex(3, 3):
        masked[before, last, (before + 2 * last) % 3] *= (before + last) % 2
    return masked / masked.sum(-1)[..., None]


_TARGET, _DRAFT = pairs(1, 3, seed=21)[0]
TARGET, DRAFT, ANY = LogitTable(_TARGET.table), LogitTable(without_one_token(_DRAFT.table)), LogitTable(_DRAFT.table)
END = 2
PROMPT = (0, 1)
LANGUAGE = r"(a|b)*(ab)?"


def wants_no_repeats(tokens, scores):
    """A user's rule: the last two tokens are half as likely as they would be."""
    scores = scores.copy()
    scores[tokens[-2:]] -= np.log(2)
    return scores


RULES = {
    "temperature": {"temperature": 0.7},
    "greedy": {"temperature": 0},
    "top_k": {"top_k": 2},
    "top_p": {"top_p": 0.7},
    "min_p": {"min_p": 0.4},
    "typical_p": {"typical_p": 0.6},
    "epsilon_cutoff": {"epsilon_cutoff": 0.2},
    "eta_cutoff": {"eta_cutoff": 0.3},
    "top_n_sigma": {"top_n_sigma": 1.0},
    "repetition_penalty": {"repetition_penalty": 1.7},
    "frequency_penalty": {"frequency_penalty": 0.8},
    "presence_penalty": {"presence_penalty": -0.9},
    "no_repeat_ngram_size": {"no_repeat_ngram_size": 2},
    "bad_words_ids": {"bad_words_ids": [[0, 0], [1, 0, 1]]},
    "logit_bias": {"logit_bias": {0: 0.5, 2: -1.0}},
    "allowed_token_ids": {"allowed_token_ids": [1, 2]},
    "min_new_tokens": {"min_new_tokens": 2, "eos_token_id": END},
    "forced_tokens": {"forced_tokens": {1: 0}},
    "xtc_probability": {"xtc_probability": 0.5, "xtc_threshold": 0.2},
    "dry_multiplier": {"dry_multiplier": 0.9, "dry_allowed_length": 1},
    "mirostat": {"mirostat": 2, "mirostat_tau": 1.2, "mirostat_eta": 0.3},
    "logits_processor": {"logits_processor": wants_no_repeats},
}
"""One setting of every rule, strong enough to move the laws of three tokens."""

DIALECT = {
    "top_n_sigma": "llamacpp", "xtc_probability": "llamacpp", "dry_multiplier": "llamacpp", "mirostat": "llamacpp",
    "frequency_penalty": "vllm", "presence_penalty": "vllm",
}  # fmt: skip


def chain_of(name):
    """The chain of one rule, in a dialect that has it."""
    return SamplingParams(dialect=DIALECT.get(name, "transformers"), **RULES[name]).chain


def gap_of(params, verification, tree, *, length, draft=DRAFT, prompt=PROMPT):
    """How far the loop is from one token at a time, and what the proof met."""
    limits, rules = Limits(length, frozenset({END})), Exactly(params)
    found = loop_law(Decoder(TARGET, ModelDrafter(draft, tree), verification), prompt, params=rules, limits=limits)
    return compare(found.law, plain_law(TARGET, prompt, params=rules, limits=limits)).total_variation, found.engagement


def tolerance(*names):
    return 1e-12 if "mirostat" in names else 0


@pytest.mark.parametrize("name", RULES)
def test_every_rule_alone(name):
    met = Engagement()
    for verification, tree in [
        (Independent(rejection), Tree.chain(2)),
        (Independent(traversal), Tree((0, 0))),
        (Coupled(), Tree.chain(2)),
    ]:
        gap, engagement = gap_of(chain_of(name), verification, tree, length=3)
        assert gap <= tolerance(name)
        met.add(engagement)
    assert met.all_kept
    assert met.rounds > 1 or name == "greedy"


@pytest.mark.parametrize("name", RULES)
def test_every_rule_moves_the_law_so_that_leaving_it_out_would_show(name):
    limits = Limits(3, frozenset({END}))
    with_rule = plain_law(TARGET, PROMPT, params=Exactly(chain_of(name)), limits=limits)
    without = plain_law(TARGET, PROMPT, params=Exactly(Chain(())), limits=limits)
    assert compare(with_rule, without).total_variation > 0.01


PAIRS = list(combinations(RULES, 2))


@pytest.mark.parametrize("part", range(8))
def test_all_pairs_of_rules_one_after_the_other(part):
    """Two rules in a chain. A pair that leaves no token where the text can get to raises, and so does plain decoding."""
    proved = 0
    for first, second in PAIRS[part::8]:
        chain = Chain((*chain_of(first).transforms, *chain_of(second).transforms))
        try:
            gap, _ = gap_of(chain, Independent(rejection), Tree.chain(2), length=3)
        except EmptyLaw:
            with pytest.raises(EmptyLaw, match="no token is left after"):
                plain_law(TARGET, PROMPT, params=Exactly(chain), limits=Limits(3, frozenset({END})))
            continue
        assert gap <= tolerance(first, second), (first, second)
        proved += 1
    assert proved > len(PAIRS) / 8 * 0.8


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_that_a_dialect_has_at_once(dialect):
    settings = {
        "temperature": 0.8, "top_p": 0.9, "frequency_penalty": 0.4, "presence_penalty": 0.3, "repetition_penalty": 1.2,
        "top_k": 2, "min_p": 0.05, "logit_bias": {1: 0.4}, "min_new_tokens": 1, "eos_token_id": END,
    }  # fmt: skip
    known = set(DIALECTS[dialect].order) | {"eos_token_id"}
    params = SamplingParams(dialect=dialect, **{name: value for name, value in settings.items() if name in known})
    for verification in (Independent(block), Coupled()):
        gap, engagement = gap_of(params, verification, Tree.chain(2), length=3)
        assert gap == 0
        assert engagement.rounds > 1


class ForgetsToFold(Chain):
    """The commonest fault: every row of a block gets the rules of the row at its beginning."""

    def laws(self, logits, prefix, drafted, parents):
        laws = [super(ForgetsToFold, self).laws(row[None], prefix, (), ())[0][0] for row in logits]
        _, prefixes = super().laws(logits, prefix, drafted, parents)
        return np.stack(laws), prefixes


class CountsRefusedTokens(Chain):
    """A refused token leaves a trace: the memory after the first row has seen the first drafted token."""

    def laws(self, logits, prefix, drafted, parents):
        laws, prefixes = super().laws(logits, prefix, drafted, parents)
        return laws, [self.fold(prefixes[0], drafted[0], laws[0]), *prefixes[1:]] if drafted else prefixes


STALE = ["repetition_penalty", "frequency_penalty", "min_new_tokens", "no_repeat_ngram_size", "dry_multiplier"]


@pytest.mark.parametrize("name", STALE)
def test_rules_that_are_stale_inside_a_block_are_caught(name):
    gap, _ = gap_of(ForgetsToFold(chain_of(name).transforms), Independent(rejection), Tree.chain(2), length=3, prompt=(1,), draft=ANY)
    assert gap > 0.001


@pytest.mark.parametrize("name", STALE[1:])
def test_rules_that_keep_a_trace_of_a_refused_token_are_caught(name):
    gap, _ = gap_of(CountsRefusedTokens(chain_of(name).transforms), Independent(rejection), Tree.chain(1), length=3, prompt=(1,))
    assert gap > 0.001


def test_penalties_see_the_drafted_tokens_of_their_own_row_only():
    chain = chain_of("presence_penalty")
    laws, _ = chain.laws(np.zeros((4, 3)), chain.start([0]), [1, 2, 0], [0, 0, 1])
    for row, seen in enumerate([(), (1,), (2,), (1, 0)]):
        expected = np.exp([0.9 * (token in seen) for token in range(3)])
        assert laws[row] == pytest.approx(expected / expected.sum())


def test_an_end_of_text_held_back_is_held_back_at_every_row_of_the_block():
    params = SamplingParams(min_new_tokens=3, eos_token_id=END)
    laws, _ = params.laws(np.zeros((5, 3)), params.start([0]), [0, 1, 0, 1], range(4))
    assert [law[END] > 0 for law in laws] == [False, False, False, True, True]


# ---------------------------------------------------------------- a grammar inside the loop

SPELLINGS = [b"a", b"b", b""]
MODES = r"a*(bb*)?"
"""Before the first b both may come, after it a may not: the mode switches at the b, wherever it stands in a block."""


@pytest.fixture(scope="module")
def modes():
    return SamplingParams(grammar=Grammar.regex(MODES, spelled(SPELLINGS, END)))


@pytest.mark.parametrize("verification", [Independent(rejection), Independent(block), Coupled()], ids=["rejection", "block", "coupled"])
def test_a_grammar_that_switches_mode_inside_a_block(modes, verification):
    gap, engagement = gap_of(modes, verification, Tree.chain(3), length=4)
    assert gap == 0
    assert not engagement.vacuous
    found = loop_law(
        Decoder(TARGET, ModelDrafter(DRAFT, Tree.chain(3)), verification), PROMPT, params=Exactly(modes), limits=Limits(4, frozenset({END}))
    )
    texts = ["".join("ab"[token] for token in text if token != END) for text in found.law]
    assert all(re.fullmatch(MODES, text) for text in texts), "no illegal token, ever"
    assert {text.find("b") for text in texts} >= {-1, 0, 1, 2, 3}, "the mode switched at every offset"


def test_the_masked_law_is_the_target_renormalised_on_the_legal_tokens(modes):
    found = plain_law(TARGET, PROMPT, params=Exactly(modes), limits=Limits(2, frozenset({END})))
    law = TARGET.table[1, 1].astype(float)  # after the prompt 0, 1 and the text b
    start = TARGET.table[0, 1].astype(float)
    assert float(found[1, 1]) == pytest.approx(start[1] * law[1] / (law[1] + law[END]))
