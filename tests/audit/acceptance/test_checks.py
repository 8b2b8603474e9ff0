"""Acceptance: faults that keep too much are above what any exact rule can keep; exact rules, odd ones too, are below and as predicted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from draftproof.audit.acceptance.checks import acceptance_checks
from draftproof.audit.acceptance.drafting import Drafting
from draftproof.audit.check import Check, Kind
from draftproof.audit.engines.own import Own
from draftproof.audit.engines.protocol import Answer, Ask
from draftproof.audit.law.rows import Reference
from draftproof.carriers import at, ratio
from draftproof.catalogue import find
from draftproof.decode import Decoder
from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.protocol import Drafter, Request
from draftproof.models.table import TableModel
from draftproof.proof.campaign import Word
from draftproof.rules.chains import chain_laws, first_rejection
from draftproof.rules.rejection import rejection
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim
from draftproof.shapes import Array
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft, Picker, VerdictLaw
from draftproof.verify import Independent, Verification

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

VOCAB, WIDTH, LENGTH = 6, 3, 24
SHARE = 0.7
CEILING = "ceiling of acceptance"


@cache
def tables() -> tuple[TableModel, TableModel, TableModel]:
    """A target, a draft, and the same draft cut to its two likeliest tokens, which hold the same share of every row."""
    random = np.random.default_rng(3)
    raw = np.array([0.4, 0.3, 0.1, 0.08, 0.07, 0.05])
    draft = np.array([[random.permutation(raw) for _ in range(VOCAB)] for _ in range(VOCAB)])
    target = 0.5 * draft + 0.5 * random.dirichlet(np.ones(VOCAB), size=(VOCAB, VOCAB))
    cut = np.where(draft >= 0.3, draft / SHARE, 0.0)
    first, second, third = (TableModel(part / part.sum(-1, keepdims=True)) for part in (target, draft, cut))
    return first, second, third


def sampled(model: TableModel | None = None) -> Drafter:
    return ModelDrafter(model or tables()[1], Tree.chain(WIDTH))


@cache
def likeliest() -> Drafter:
    def written(context: Sequence[int]) -> list[int]:
        text = list(context)
        for _ in range(WIDTH):
            text.append(int(tables()[1].law(text).argmax()))
        return text[len(context) :]

    return FunctionDrafter(written, VOCAB)


@dataclass(frozen=True)
class Polluted:
    """A draft model that sees a token which is not there."""

    inner: Drafter

    def start(self) -> object:
        return self.inner.start()

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        return self.inner.propose([each._replace(context=(*each.context[:-1], (each.context[-1] + 1) % VOCAB)) for each in requests], pick)


@cache
def asked(verification: Verification | str, drafter: Drafter, *, answers: int = 50) -> list[tuple[Ask, Answer]]:
    """What an engine with these parts answers."""
    if isinstance(verification, str):
        verification = find([verification])[0].verification
    asks = [Ask(number, (number % VOCAB, 1), SamplingParams(), LENGTH, seed=number) for number in range(answers)]
    engine = Own(Decoder(tables()[0], drafter, verification), drafts="some", params=Verbatim(), together=answers)
    return list(zip(asks, engine.answers(asks), strict=True))


def reference(draft: TableModel | None = None) -> Reference:
    return Reference(tables()[0], Verbatim(), draft or tables()[1])


def checks(found: list[tuple[Ask, Answer]], drafting: Drafting, draft: TableModel | None = None) -> dict[str, Check]:
    return {check.name: check for check in acceptance_checks(found, reference(draft), drafting)}


def totals(found: list[tuple[Ask, Answer]]) -> list[tuple[Ask, Answer]]:
    """The same from an engine that tells no rounds."""
    return [(ask, replace(answer, rounds=None)) for ask, answer in found]


@pytest.mark.parametrize("rule", ["rejection", "coupled", "match"])
def test_an_exact_rule_keeps_what_is_predicted_and_no_more_than_can_be(rule: str) -> None:
    found = checks(asked(rule, sampled()), Drafting(WIDTH, rule))
    assert [(check.word, check.kind) for check in found.values()] == [(Word.PASS, Kind.ACCEPTANCE)] * 3, found
    values = found[f"acceptance of {rule}"].values
    assert values["position"] == [1, 2, 3]
    assert values["observed"][0] == pytest.approx(values["predicted"][0], abs=0.08)
    assert values["drafts"][0] > values["drafts"][1] > values["drafts"][2] > 0
    assert len(values["histogram"]) == WIDTH + 1
    assert sum(values["histogram"]) > 150


@pytest.mark.parametrize("rule", ["rejection", "match", "point_mass", "coupled"])
def test_a_draft_of_likeliest_tokens_is_kept_as_often_as_the_target_has_them(rule: str) -> None:
    found = checks(asked(rule, likeliest()), Drafting(WIDTH, rule, likeliest=True))
    assert {check.word for check in found.values()} == {Word.PASS}, found


@pytest.mark.parametrize("rule", ["block", "recursive", "traversal"])
def test_exact_rules_of_other_kinds_are_under_the_ceiling(rule: str) -> None:
    found = checks(asked(rule, sampled()), Drafting(WIDTH))
    assert {check.word for check in found.values()} == {Word.PASS}
    assert "predicted" not in found[CEILING].values


def test_a_polluted_draft_is_exact_and_keeps_less_than_predicted() -> None:
    found = checks(asked("rejection", Polluted(sampled())), Drafting(WIDTH, "rejection"))
    assert found[CEILING].word is Word.PASS
    assert found["acceptance of rejection"].word is Word.INCONCLUSIVE
    assert found["acceptance of rejection"].sentence.startswith("fewer drafted tokens")
    assert "stale cache of the draft" in found["acceptance of rejection"].details[0]


def test_a_rule_that_is_not_the_one_named_is_seen() -> None:
    found = checks(asked("match", sampled()), Drafting(WIDTH, "rejection"))
    assert found["acceptance of rejection"].word is Word.INCONCLUSIVE
    assert found[CEILING].word is Word.PASS


def first_unverified(target_probs: Array, draft: Draft) -> VerdictLaw:
    q, x = chain_laws(target_probs, draft, rule="first unverified")
    accept = ratio(at(target_probs, x), at(q, x)).clip(max=1)
    accept[:, 0] = x[:, 0] != NOTHING
    return VerdictLaw(first_rejection(accept), rejection(target_probs, draft).correction)


def before_its_cut(target_probs: Array, draft: Draft) -> VerdictLaw:
    """Rejection by the draft's law before it was cut: the ratio is too large by one over the mass that the cut keeps."""
    q, x = chain_laws(target_probs, draft, rule="before its cut")
    return VerdictLaw(first_rejection(ratio(at(target_probs, x), SHARE * at(q, x)).clip(max=1)), rejection(target_probs, draft).correction)


@pytest.mark.parametrize(
    ("verification", "draft"),
    [(Independent(first_unverified), 1), ("lenience", 1), (Independent(before_its_cut), 2)],
    ids=["first unverified", "lenience", "q before its cut"],
)
def test_faults_that_keep_too_much_are_above_the_ceiling(verification: Verification | str, draft: int) -> None:
    model = tables()[draft]
    found = checks(asked(verification, sampled(model)), Drafting(WIDTH), model)
    assert found[CEILING].word is Word.FAIL
    assert found[CEILING].sentence.startswith("more drafted tokens are kept than any exact rule can keep")
    assert found[CEILING].values["kept"] > found[CEILING].values["most"]


def test_few_rounds_refute_nothing_and_say_so() -> None:
    [(ask, _)] = asked("rejection", sampled(), answers=1)
    found = checks([(ask, Answer(0, (1,), drafted=1, accepted=1, rounds=((1, 1),)))], Drafting(WIDTH))
    assert found[CEILING].word is Word.INCONCLUSIVE
    assert "cannot refute anything" in found[CEILING].sentence


def test_totals_are_predicted_along_the_texts() -> None:
    for rule, drafter, drafting in (
        ("rejection", sampled(), Drafting(WIDTH, "rejection")),
        ("match", sampled(), Drafting(WIDTH, "match")),
        ("match", likeliest(), Drafting(WIDTH, "match", likeliest=True)),
    ):
        found = checks(totals(asked(rule, drafter)), drafting)
        assert {check.word for check in found.values()} == {Word.PASS}, found
        assert found[f"acceptance of {rule}"].values["accepted"] > 0


def test_other_totals_than_predicted_could_be_another_rule() -> None:
    found = checks(totals(asked("match", sampled())), Drafting(WIDTH, "rejection"))
    assert found["acceptance of rejection"].word is Word.INCONCLUSIVE
    assert found[CEILING].word is Word.PASS


def test_totals_above_all_ceilings_are_a_fault() -> None:
    found = checks(totals(asked("lenience", sampled())), Drafting(WIDTH, "rejection"))
    assert found[CEILING].word is Word.FAIL


def test_totals_of_an_unknown_rule_have_a_ceiling_only_for_single_tokens() -> None:
    found = totals(asked("block", sampled(), answers=4))
    assert checks(found, Drafting(WIDTH))[CEILING].word is Word.SKIPPED
    one = ModelDrafter(tables()[1], Tree.chain(1))
    assert list(checks(totals(asked("block", one)), Drafting(1))) == ["counters", CEILING]
    assert checks(totals(asked("block", one)), Drafting(1))[CEILING].word is Word.PASS


def test_nothing_drafted_is_skipped() -> None:
    found = asked("rejection", no_drafter(VOCAB), answers=2)
    for each in (found, totals(found)):
        assert checks(each, Drafting(WIDTH, "rejection"))[CEILING].word is Word.SKIPPED


def reasons() -> Iterator[tuple[list[tuple[Ask, Answer]], Reference | None, Drafting | None, str]]:
    ask = Ask(0, (1,), SamplingParams(), 2)
    answer, drafting = Answer(0, (1, 2), drafted=1, accepted=1, rounds=((1, 1),)), Drafting(1)
    yield [], reference(), drafting, "no whole answer"
    yield [(ask, replace(answer, lost="dropped"))], reference(), drafting, "no whole answer"
    yield [(ask, Answer(0, (1, 2)))], reference(), drafting, "does not tell"
    yield [(ask, answer)], None, drafting, "no trusted copy of the draft"
    yield [(ask, answer)], replace(reference(), draft=None), drafting, "no trusted copy of the draft"
    yield [(ask, answer)], reference(), None, "how the engine drafts"


@pytest.mark.parametrize(("found", "trusted", "drafting", "reason"), list(reasons()))
def test_what_cannot_be_known_is_skipped_with_its_reason(
    found: list[tuple[Ask, Answer]], trusted: Reference | None, drafting: Drafting | None, reason: str
) -> None:
    last = list(acceptance_checks(found, trusted, drafting))[-1]
    assert last.word is Word.SKIPPED
    assert reason in last.sentence


def test_counters_that_contradict_the_output_fail() -> None:
    [(ask, answer)] = asked("rejection", sampled(), answers=1)
    assert answer.accepted is not None
    found = list(acceptance_checks([(ask, replace(answer, accepted=answer.accepted + 1))], reference(), Drafting(WIDTH)))
    assert found[0].word is Word.FAIL
    assert "in its rounds together" in found[0].sentence
