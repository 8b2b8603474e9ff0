"""Random models small enough for tests: the same one in both files, and two that are as alike as is asked for."""

import json
from pathlib import Path

import numpy as np
import pytest

from draftproof.errors import BadRequest
from draftproof.models.language import LanguageModel
from draftproof.models.protocol import Block
from draftproof.models.tiny import Near, write_tiny_folder
from draftproof.models.tiny_model import TOKENS, Weights
from draftproof.models.weights import load
from draftproof.sampling.transform import softmax
from draftproof.shapes import Shaped
from draftproof.vocabulary import first_difference

TEXT = "the inner <|im_end|> o\u00e9\U0001f600 hero"
TOKENS_OF_A_TEXT = np.random.default_rng(0).integers(0, 256, 60).tolist()


def laws(language: LanguageModel) -> Shaped[np.ndarray, "tokens vocab"]:
    first, *others = TOKENS_OF_A_TEXT
    rows = language.model.extend([language.model.start()], [Block([first], others, range(len(others)))])[0]
    return softmax(rows.astype(float))


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Mean total variation."""
    return float(abs(one - other).sum(-1).mean() / 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return load(str(write_tiny_folder(tmp_path_factory.mktemp("tiny") / "folder")))


class TestTheFolder:
    """It is the model of the GGUF file, on a backend that turns queries and keys the other way."""

    def test_has_the_laws_of_the_file(self, folder: LanguageModel, tiny: LanguageModel) -> None:
        assert apart(laws(folder), laws(tiny)) < 2e-4

    def test_has_exactly_the_weights_that_transformers_reads_from_the_file(self, folder: LanguageModel, tiny_gguf: Path) -> None:
        assert (laws(folder) == laws(load(str(tiny_gguf), backend="hf"))).all()

    def test_another_seed_is_another_model(self, folder: LanguageModel, tmp_path: Path) -> None:
        assert apart(laws(folder), laws(load(str(write_tiny_folder(tmp_path, seed=1))))) > 0.4

    def test_has_the_tokenizer_of_the_file(self, folder: LanguageModel, tiny: LanguageModel) -> None:
        ours, theirs = folder.tokenizer, tiny.tokenizer
        assert first_difference(ours.vocabulary, theirs.vocabulary) is None
        assert ours.encode(TEXT) == theirs.encode(TEXT)
        assert ours.end_tokens == theirs.end_tokens == {258}
        assert ours.chat("hi") == theirs.chat("hi")
        assert "hi" in str(ours.chat("hi"))

    def test_says_its_layers_and_the_length_of_its_texts(self, tmp_path: Path) -> None:
        config = json.loads((write_tiny_folder(tmp_path, layers=1, context_length=32) / "config.json").read_text())
        assert (config["num_hidden_layers"], config["max_position_embeddings"], config["vocab_size"]) == (1, 32, len(TOKENS))


class TestNear:
    """How alike two models are, and how sure."""

    def test_a_share_of_1_is_the_other_model(self) -> None:
        same = zip(Weights(seed=1, near=Near(0, 1.0)).tensors(), Weights(seed=0).tensors(), strict=True)
        assert all(name == other and (values == theirs).all() for (name, values), (other, theirs) in same)

    def test_every_share_keeps_the_size_of_the_weights(self) -> None:
        for share in (0.0, 0.5, 0.98):
            sizes = [
                values.std() * values.shape[1] ** 0.5
                for name, values in Weights(1, near=Near(0, share)).tensors()
                if "ffn" in name and values.ndim > 1
            ]
            assert sizes == pytest.approx([1.0] * 6, rel=0.05)

    def test_a_larger_share_overlaps_more(self, tmp_path: Path) -> None:
        target = laws(load(str(write_tiny_folder(tmp_path / "target", sharpness=3.0))))
        overlaps = []
        for share in (0.0, 0.9, 0.98):
            draft = load(str(write_tiny_folder(tmp_path / f"{share}", seed=1, near=Near(0, share), sharpness=3.0)))
            overlaps.append(1 - apart(target, laws(draft)))
        assert overlaps[0] < 0.1 < 0.3 < overlaps[1] < 0.5 < overlaps[2] < 0.8

    def test_sharper_laws_have_less_entropy(self, folder: LanguageModel, tmp_path: Path) -> None:
        sharp = laws(load(str(write_tiny_folder(tmp_path, sharpness=3.0))))
        entropies = [-(each * np.log(each)).sum(-1).mean() for each in (laws(folder), sharp)]
        assert entropies == pytest.approx([5.1, 2.6], abs=0.15)

    @pytest.mark.parametrize("share", [-0.1, 1.1])
    def test_a_share_is_a_share(self, share: float) -> None:
        with pytest.raises(BadRequest, match=f"share is {share}; it must lie between 0 and 1"):
            Near(0, share)
