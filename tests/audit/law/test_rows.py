"""The laws along a text are those of a decode token by token, however many texts are read at once."""

import numpy as np
import pytest

from draftproof.audit.law import rows as rows_module
from draftproof.audit.law.rows import Reference, Rows, Text, forced, laws_along
from draftproof.carriers import to_float64
from draftproof.models.language import LanguageModel
from draftproof.models.protocol import Block, Model
from draftproof.models.table import TableModel
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim

VOCAB = 5
TEXTS = [Text((1, 2), (3, 0, 4, 4)), Text((0,), (2,)), Text((4,), ()), Text((3, 3, 3), (1, 1, 0))]


def table(seed: int) -> TableModel:
    return TableModel(np.random.default_rng(seed).dirichlet(np.ones(VOCAB), size=(VOCAB, VOCAB)))


def one_by_one(model: Model, text: Text) -> np.ndarray:
    """The rows of a decode without drafts."""
    cache = model.start()
    return np.array([to_float64(model.extend([cache], [Block(fed)])[0])[-1] for fed in (text.prompt, *([one] for one in text.tokens[:-1]))])


def test_a_forced_text_has_the_rows_of_its_decode() -> None:
    for text, rows in zip(TEXTS, forced(table(0), TEXTS), strict=True):
        assert rows.shape == (len(text.tokens), VOCAB)
        if text.tokens:
            np.testing.assert_array_equal(rows, one_by_one(table(0), text))


def test_so_it_has_on_a_real_model(tiny: LanguageModel) -> None:
    texts = [Text((5, 6, 7), (8, 9, 10, 11)), Text((5,), (100, 101))]
    for text, rows in zip(texts, forced(tiny.model, texts), strict=True):
        np.testing.assert_allclose(to_float64(rows), one_by_one(tiny.model, text), atol=1e-4)


def test_another_text_has_other_rows() -> None:
    """The comparisons above can fail."""
    (rows,) = forced(table(0), [Text((1, 2), (0, 3, 4, 4))])
    assert not np.array_equal(rows, one_by_one(table(0), TEXTS[0]))


def test_texts_are_read_in_passes_that_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = forced(table(0), TEXTS)
    monkeypatch.setattr(rows_module, "ROWS_AT_ONCE", 1)
    for one, other in zip(forced(table(0), TEXTS), at_once, strict=True):
        np.testing.assert_array_equal(one, other)


def test_sampling_rules_see_the_prefix_of_each_place() -> None:
    params = SamplingParams(temperature=0.7, repetition_penalty=1.5, top_k=3)
    logits = np.random.default_rng(0).standard_normal((4, VOCAB))
    found = laws_along(params, TEXTS[0], logits)
    prefix = params.start(TEXTS[0].prompt)
    for place, token in enumerate(TEXTS[0].tokens):
        law = params.laws(logits[place : place + 1], prefix, [], [])[0][0]
        np.testing.assert_allclose(found[place], law, atol=1e-12)
        prefix = params.fold(prefix, token, law)
    np.testing.assert_allclose(found.sum(-1), 1)
    assert (found == 0).any()


def test_a_reference_knows_the_draft_and_what_other_rules_would_give() -> None:
    logits = np.log(table(0).table)
    sharp, plain = SamplingParams(temperature=0.5), SamplingParams()
    target = _Logits(logits)
    reference = Reference(target, sharp, _Logits(np.log(table(1).table)), altered=(("without temperature", plain),))
    for text, rows in zip(TEXTS, reference.rows(TEXTS), strict=True):
        assert rows.draft is not None
        plainly = np.array([table(0).law([*text.prompt, *text.tokens[:place]]) for place in range(len(text.tokens))]).reshape(-1, VOCAB)
        np.testing.assert_allclose(rows.altered["without temperature"], plainly)
        np.testing.assert_allclose(rows.target, plainly**2 / (plainly**2).sum(-1, keepdims=True))
        np.testing.assert_allclose(rows.probabilities, rows.target[np.arange(len(text.tokens)), list(text.tokens)])
        assert rows.draft.shape == rows.target.shape


def test_a_draft_has_the_rules_of_the_target_unless_it_has_its_own() -> None:
    reference = Reference(table(0), Verbatim(), table(1))
    (found,) = reference.rows(TEXTS[:1])
    np.testing.assert_array_equal(found.draft, one_by_one(table(1), TEXTS[0]))
    (own,) = Reference(table(0), Verbatim(), _Logits(np.log(table(1).table)), SamplingParams(temperature=0.5)).rows(TEXTS[:1])
    assert found.draft is not None
    np.testing.assert_allclose(own.draft, found.draft**2 / (found.draft**2).sum(-1, keepdims=True))


def test_without_a_draft_there_are_no_rows_of_it() -> None:
    assert Reference(table(0), Verbatim()).rows(TEXTS)[0].draft is None
    assert Rows(np.array([0]), np.array([[1.0]])).altered == {}


class _Logits:
    """A table of logits as a model."""

    def __init__(self, logits: np.ndarray) -> None:
        self._model = TableModel(np.full_like(logits, 1 / VOCAB))
        object.__setattr__(self._model, "table", logits)
        self.vocab, self.start, self.extend = VOCAB, self._model.start, self._model.extend


def test_a_row_in_which_rounding_decides_what_is_cut_is_not_settled() -> None:
    """Of two tokens whose logits are a hair apart either may be the likeliest; of others it is sure."""
    logits = {0: [2.0, 1.999, 0.0, -1.0], 1: [2.0, 1.5, 0.0, -1.0]}

    class Two:
        vocab = 4

        def start(self) -> list[int]:
            return []

        def extend(self, caches: object, blocks: list[Block]) -> list[np.ndarray]:
            return [np.array([logits[token] for token in (block.tokens[-1], *block.drafted)]) for block in blocks]

    def settled(**rules: float) -> list[bool]:
        reference = Reference(Two(), SamplingParams(**rules), tolerance=0.01)
        [found] = reference.rows([Text([0], [1, 1])])
        return [True, True] if found.settled is None else found.settled.tolist()

    assert settled(temperature=0) == [False, True]
    assert settled(top_k=1) == [False, True]
    assert settled(top_k=2) == [True, True]
    assert settled(min_p=0.9985) == [False, True]
    assert settled() == [True, True]
