"""Reading a model: safetensors and GGUF alone, a sentence for anything else, and no trace left behind."""

import contextlib
import importlib.util
import json
import os
import pickle
import shutil
import warnings

import huggingface_hub.utils
import numpy as np
import pytest
import torch
import transformers
from transformers.utils import logging

from draftproof.errors import BadRequest, Unsupported
from draftproof.models import hf_load
from draftproof.models.hf import HfModel
from draftproof.models.protocol import Block

LLAMA = {
    "vocab_size": 31,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 64,
}
TEXT = [3, 20, 7, 11, 9]

needs_accelerate = pytest.mark.skipif(importlib.util.find_spec("accelerate") is None, reason="transformers reads GGUF with accelerate")


class Trap:
    """What runs if a pickle is read."""

    def __reduce__(self):
        return os.abort, ()


@pytest.fixture(scope="module")
def torch_model():
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA))


@pytest.fixture(scope="module")
def saved(torch_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hf") / "tiny-llama"
    with hf_load.quiet():
        torch_model.save_pretrained(folder)
    return folder


@pytest.fixture
def folder(saved, tmp_path):
    """A copy, to be spoilt."""
    return shutil.copytree(saved, tmp_path / "model")


def row(model):
    return model.extend([model.start()], [Block(TEXT)])[0]


def refusal(error, *args, **kwargs):
    with pytest.raises(error) as caught:
        HfModel.load(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestSafetensors:
    def test_of_a_folder_are_the_model_that_was_saved(self, torch_model, saved):
        model = HfModel.load(saved)
        assert model.name == "tiny-llama"
        assert model.torch_model.dtype == torch.float32
        assert (row(model) == row(HfModel(torch_model))).all()

    def test_may_lie_in_several_files(self, torch_model, tmp_path):
        with hf_load.quiet():
            torch_model.save_pretrained(tmp_path / "shards", max_shard_size="5KB")
        assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
        assert row(HfModel.load(str(tmp_path / "shards"))) == pytest.approx(row(HfModel(torch_model)), abs=1e-6)  # weights lie elsewhere

    @pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
    def test_come_in_the_precision_that_is_asked_for(self, torch_model, saved, dtype):
        model = HfModel.load(saved, dtype=dtype)
        assert model.torch_model.dtype == getattr(torch, dtype)
        assert row(model).dtype == np.float32
        assert abs(row(model) - row(HfModel(torch_model))).max() < 0.02

    @pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
    def test_that_are_cut_short_are_damaged(self, folder, share):
        file = folder / "model.safetensors"
        file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
        assert refusal(BadRequest, folder).startswith(f"{file} is damaged: ")

    def test_that_are_something_else_are_damaged(self, folder):
        (folder / "model.safetensors").write_bytes(b"\xff" * 1000)
        assert refusal(BadRequest, folder).startswith(f"{folder / 'model.safetensors'} is damaged: ")

    def test_must_hold_every_weight(self, folder):
        from safetensors.torch import load_file, save_file

        weights = load_file(folder / "model.safetensors")
        del weights["model.norm.weight"], weights["model.layers.1.mlp.up_proj.weight"]
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        expected = "lacks 2 weights of its LlamaForCausalLM, the first of them model.layers.1.mlp.up_proj.weight"
        assert refusal(BadRequest, folder) == f"{folder} {expected}"

    def test_of_a_shard_that_is_missing(self, torch_model, tmp_path):
        with hf_load.quiet():
            torch_model.save_pretrained(tmp_path / "shards", max_shard_size="5KB")
        next((tmp_path / "shards").glob("model-00002*")).unlink()
        assert refusal(BadRequest, tmp_path / "shards").startswith(f"{tmp_path / 'shards'} cannot be read: ")


class TestFolder:
    def test_without_configuration(self, tmp_path):
        assert refusal(BadRequest, tmp_path) == f"{tmp_path} holds no config.json, so it is not the folder of a model"

    @pytest.mark.parametrize("text", ["{", "[]", "{}", '"llama"'])
    def test_with_a_broken_configuration(self, folder, text):
        (folder / "config.json").write_text(text)
        assert refusal(BadRequest, folder).startswith(f"{folder / 'config.json'} is not the configuration of a model: ")

    def test_without_weights(self, folder):
        (folder / "model.safetensors").unlink()
        assert refusal(BadRequest, folder) == f"{folder} holds no weights: neither model.safetensors nor model.safetensors.index.json"

    @pytest.mark.parametrize("name", ["pytorch_model.bin", "consolidated.00.pth", "weights.pkl"])
    def test_of_pickle_is_refused_unread(self, folder, name):
        (folder / "model.safetensors").unlink()
        (folder / name).write_bytes(pickle.dumps(Trap()))
        expected = f"holds its weights as pickle ({name}), which can run code when read; save safetensors instead"
        assert refusal(Unsupported, folder) == f"{folder} {expected}"

    def test_of_both_is_read_without_the_pickle(self, folder, torch_model):
        (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Trap()))
        assert (row(HfModel.load(folder)) == row(HfModel(torch_model))).all()

    def test_with_an_adapter_or_weights_elsewhere(self, folder):
        config = json.loads((folder / "config.json").read_text())
        (folder / "adapter_config.json").write_text("{}")
        expected = f"{folder} holds an adapter or names its weights elsewhere; merge everything into model.safetensors"
        assert refusal(Unsupported, folder) == expected
        (folder / "adapter_config.json").unlink()
        (folder / "config.json").write_text(json.dumps(config | {"transformers_weights": "adapter_model.bin"}))
        assert refusal(Unsupported, folder) == expected

    def test_with_code_of_its_own_runs_none_of_it(self, folder):
        config = json.loads((folder / "config.json").read_text())
        code = {"model_type": "trapped", "auto_map": {"AutoConfig": "trap.Config", "AutoModelForCausalLM": "trap.Model"}}
        (folder / "config.json").write_text(json.dumps(config | code))
        (folder / "trap.py").write_text("import os\nos.abort()\n")
        assert refusal(Unsupported, folder).startswith(f"{folder} cannot be read: ")

    def test_of_an_encoder_and_a_decoder(self, tmp_path):
        config = transformers.T5Config(vocab_size=31, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
        with hf_load.quiet():
            transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path / "t5")
        assert refusal(Unsupported, tmp_path / "t5") == (
            f"{tmp_path / 't5'} holds an encoder and a decoder (t5); give a model that is one decoder"
        )

    def test_of_a_recurrent_model(self, tmp_path):
        config = transformers.Mamba2Config(
            vocab_size=31, hidden_size=16, num_hidden_layers=1, state_size=4, num_heads=4, head_dim=8, n_groups=1
        )
        with hf_load.quiet():
            transformers.Mamba2ForCausalLM(config).save_pretrained(tmp_path / "mamba")
        assert refusal(Unsupported, tmp_path / "mamba").startswith("Mamba2ForCausalLM cannot take a refused draft back: ")


@needs_accelerate
class TestGguf:
    def test_gives_the_dequantised_weights(self, tiny_gguf):
        from gguf import GGUFReader

        model = HfModel.load(tiny_gguf)
        assert model.name == tiny_gguf.name
        assert model.torch_model.dtype == torch.float32
        tensors = {tensor.name: tensor.data for tensor in GGUFReader(tiny_gguf).tensors}
        embedding = model.torch_model.get_input_embeddings().weight.detach().numpy()
        assert (embedding == tensors["token_embd.weight"].astype(np.float32)).all()
        assert np.isfinite(row(model)).all()

    def test_is_the_model_that_another_engine_reads_in_it(self, tiny_gguf, tiny):
        """OpenVINO loads the same half-precision weights by code of its own."""
        other = row(HfModel.load(tiny_gguf)), tiny.model.extend([tiny.model.start()], [Block(TEXT)])[0]
        assert abs(other[0] - other[1]).max() < 1e-3 * np.ptp(other[0])

    def test_is_read_from_its_own_folder_whatever_lies_in_the_working_directory(self, tiny_gguf, tmp_path, monkeypatch):
        expected = row(HfModel.load(tiny_gguf))
        (tmp_path / tiny_gguf.name).write_bytes(b"GGUF of another kind")
        monkeypatch.chdir(tmp_path)
        assert (row(HfModel.load(tiny_gguf)) == expected).all()

    @pytest.mark.parametrize("share", [0.0001, 0.01, 0.3, 0.9, 0.9999])
    def test_that_is_cut_short_is_damaged(self, tiny_gguf, tmp_path, share):
        file = tmp_path / "short.gguf"
        file.write_bytes(tiny_gguf.read_bytes()[: max(int(tiny_gguf.stat().st_size * share), 8)])
        assert refusal(BadRequest, file).startswith(f"{file} cannot be read: ")

    def test_of_another_architecture(self, tiny_gguf, tmp_path):
        file = tmp_path / "other.gguf"
        file.write_bytes(tiny_gguf.read_bytes().replace(b"llama", b"lamma"))
        assert refusal(BadRequest, file) == f"{file} cannot be read: GGUF model with architecture lamma is not supported yet."


class TestFile:
    def test_that_is_no_gguf(self, tmp_path):
        file = tmp_path / "model.gguf"
        file.write_bytes(b"PK\x03\x04 and so on")
        assert refusal(BadRequest, file) == (
            f"{file} is not a GGUF file: it begins with b'PK\\x03\\x04'; give a folder of safetensors or a GGUF file"
        )

    def test_of_pickle_is_refused_unread(self, tmp_path):
        file = tmp_path / "pytorch_model.bin"
        file.write_bytes(pickle.dumps(Trap()))
        expected = "is pickle by its name, which can run code when read; give a folder of safetensors or a GGUF file"
        assert refusal(Unsupported, file) == f"{file} {expected}"

    @pytest.mark.parametrize("package", ["accelerate", "gguf"])
    def test_needs_the_packages_that_read_it(self, tmp_path, monkeypatch, package):
        file = tmp_path / "model.gguf"
        file.write_bytes(b"GGUF")
        monkeypatch.setattr(hf_load, "find_spec", lambda name: None if name == package else True)
        expected = f"this model needs the package {package}: pip install torch=="
        assert refusal(Unsupported, file).startswith(expected)


class TestHub:
    def test_is_not_asked_unless_that_is_allowed(self, monkeypatch):
        monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", lambda **given: pytest.fail("asked"))
        assert refusal(BadRequest, "someone/some-model") == (
            "someone/some-model is neither a folder nor a file here; "
            "if it is on the hub, allow the download (allow_download=True, --allow-download)"
        )

    @pytest.mark.parametrize("source", ["/nowhere/model", "./model", "a/b/c", "models/tiny.gguf", "tiny.gguf", "~/model"])
    def test_is_not_asked_for_a_path(self, monkeypatch, source):
        monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", lambda **given: pytest.fail("asked"))
        assert refusal(BadRequest, source, allow_download=True) == f"{source} does not exist; give a folder of safetensors or a GGUF file"

    def test_is_asked_for_safetensors_without_code(self, monkeypatch, torch_model):
        asked = {}

        def from_pretrained(**given):
            asked.update(given, converted=os.environ.get("DISABLE_SAFETENSORS_CONVERSION"))
            return torch_model, {"missing_keys": set(), "mismatched_keys": set()}

        monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", from_pretrained)
        monkeypatch.delenv("DISABLE_SAFETENSORS_CONVERSION", raising=False)
        model = HfModel.load("someone/some-model", allow_download=True)
        assert model.name == "some-model"
        assert asked["pretrained_model_name_or_path"] == "someone/some-model"
        assert asked["trust_remote_code"] is False
        assert asked["use_safetensors"] is True
        assert asked["converted"] == "1"
        assert "DISABLE_SAFETENSORS_CONVERSION" not in os.environ

    def test_that_does_not_answer(self, monkeypatch):
        def from_pretrained(**given):
            raise OSError("We couldn't connect to the hub.\nCheck your connection.")

        monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", from_pretrained)
        assert refusal(BadRequest, "a/b", allow_download=True) == "a/b cannot be read: We couldn't connect to the hub."


class TestArguments:
    def test_an_unknown_dtype(self, saved):
        assert refusal(BadRequest, saved, dtype="int8") == "dtype is 'int8'; give one of float32, bfloat16, float16, float64"

    @pytest.mark.parametrize("device", ["cuda:77", "nonsense"])
    def test_a_device_that_is_not_there(self, saved, device):
        assert refusal(BadRequest, saved, device=device).startswith(f"device '{device}' cannot be used: ")


class TestQuiet:
    def settings(self):
        return (
            logging.get_verbosity(),
            logging.is_progress_bar_enabled(),
            huggingface_hub.utils.are_progress_bars_disabled(),
            os.environ.get("DISABLE_SAFETENSORS_CONVERSION"),
            warnings.filters[:],
        )

    def test_nothing_is_printed_and_every_setting_is_as_it_was(self, saved, capfd, monkeypatch):
        monkeypatch.setenv("DISABLE_SAFETENSORS_CONVERSION", "0")
        before = self.settings()
        HfModel.load(saved)
        assert capfd.readouterr() == ("", "")
        assert self.settings() == before

    @needs_accelerate
    def test_nothing_is_printed_over_a_gguf(self, tiny_gguf, capfd):
        HfModel.load(tiny_gguf)
        assert capfd.readouterr() == ("", "")

    def test_without_it_something_would_be(self, saved, capfd, monkeypatch):
        monkeypatch.setattr(hf_load, "quiet", contextlib.nullcontext)
        HfModel.load(saved)
        assert capfd.readouterr().err

    def test_settings_are_as_they_were_after_a_refusal(self, folder):
        (folder / "model.safetensors").write_bytes(b"")
        before = self.settings()
        refusal(BadRequest, folder)
        assert self.settings() == before

    @pytest.mark.parametrize("shown", [True, False])
    def test_progress_bars_stay_as_their_owner_wants_them(self, shown):
        was = logging.is_progress_bar_enabled()
        try:
            (logging.enable_progress_bar if shown else logging.disable_progress_bar)()
            with hf_load.quiet():
                assert not logging.is_progress_bar_enabled()
            assert logging.is_progress_bar_enabled() == shown
            assert huggingface_hub.utils.are_progress_bars_disabled() != shown
        finally:
            (logging.enable_progress_bar if was else logging.disable_progress_bar)()
