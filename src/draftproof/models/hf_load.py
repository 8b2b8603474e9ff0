"""Reading a transformers model: a folder of safetensors, a GGUF file, or a name on the hub if that is allowed."""

import json
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from draftproof.errors import BadRequest, Unsupported

DTYPES = ("float32", "bfloat16", "float16", "float64")
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
HUB_NAME = re.compile(r"\w[\w.-]*(/[\w.-]+)?(?<!\.gguf)")


def load(source: str | os.PathLike[str], *, dtype: str, device: str, allow_download: bool) -> Any:
    """The torch model, on its device, every weight of it read from `source`.

    Raises:
        BadRequest: there is nothing to read, or it is damaged; or an unknown dtype or device.
        Unsupported: a package is missing, or what is there is no causal language model, or is pickle.
    """
    _need("torch", "transformers")
    if dtype not in DTYPES:
        raise BadRequest(f"dtype is {dtype!r}; give one of {', '.join(DTYPES)}")
    _check_device(device)
    with quiet():
        given = _located(source, allow_download)
        return _read(source, given, dtype).to(device)


def _need(*packages: str) -> None:
    for package in packages:
        if find_spec(package) is None:
            raise Unsupported(
                f"this model needs the package {package}: pip install torch==2.13.0, or your build of it, then 'draftproof[hf]'"
            )


def _check_device(device: str) -> None:
    import torch

    try:
        torch.empty(0, device=device)
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        raise BadRequest(f"device {device!r} cannot be used: {_first_line(error)}") from error


def _located(source: str | os.PathLike[str], allow_download: bool) -> dict[str, Any]:
    """What `from_pretrained` must be given, once it is sure that nothing else will be read."""
    path = Path(source)
    if path.is_dir():
        _check_folder(path)
        return {"pretrained_model_name_or_path": str(path), "local_files_only": True}
    if path.is_file():
        return _gguf(path)
    if isinstance(source, str) and HUB_NAME.fullmatch(source):
        if allow_download:
            return {"pretrained_model_name_or_path": source}
        raise BadRequest(
            f"{source} is neither a folder nor a file here; if it is on the hub, allow the download (allow_download=True, --allow-download)"
        )
    raise BadRequest(f"{source} does not exist; give a folder of safetensors or a GGUF file")


def _check_folder(path: Path) -> None:
    from safetensors import SafetensorError, safe_open

    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8"))
        model_type = config["model_type"]
    except FileNotFoundError as error:
        raise BadRequest(f"{path} holds no config.json, so it is not the folder of a model") from error
    except (KeyError, TypeError, ValueError) as error:
        raise BadRequest(f"{path / 'config.json'} is not the configuration of a model: {_first_line(error)}") from error
    if config.get("is_encoder_decoder"):
        raise Unsupported(f"{path} holds an encoder and a decoder ({model_type}); give a model that is one decoder")
    if "transformers_weights" in config or (path / "adapter_config.json").exists():
        raise Unsupported(f"{path} holds an adapter or names its weights elsewhere; merge everything into {WEIGHTS[0]}")
    if not any((path / name).is_file() for name in WEIGHTS):
        pickles = sorted(file.name for file in path.iterdir() if file.suffix in PICKLES)
        if pickles:
            raise Unsupported(f"{path} holds its weights as pickle ({pickles[0]}), which can run code when read; save safetensors instead")
        raise BadRequest(f"{path} holds no weights: neither {WEIGHTS[0]} nor {WEIGHTS[1]}")
    for file in sorted(path.glob("*.safetensors")):
        try:
            with safe_open(file, "pt"):
                pass
        except SafetensorError as error:
            raise BadRequest(f"{file} is damaged: {_first_line(error)}") from error


def _gguf(path: Path) -> dict[str, Any]:
    from transformers import GgufConfig

    if path.suffix in PICKLES:
        raise Unsupported(f"{path} is pickle by its name, which can run code when read; give a folder of safetensors or a GGUF file")
    with path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise BadRequest(f"{path} is not a GGUF file: it begins with {magic!r}; give a folder of safetensors or a GGUF file")
    _need("gguf", "accelerate")
    # transformers looks for the file in the working directory before it looks in the folder, so it is named in full.
    whole = path.resolve()
    return {
        "pretrained_model_name_or_path": str(whole.parent),
        "gguf_file": str(whole),
        "quantization_config": GgufConfig(dequantize=True),
        "local_files_only": True,
    }


def _read(source: str | os.PathLike[str], given: dict[str, Any], dtype: str) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    safe = {"trust_remote_code": False, "use_safetensors": True, "output_loading_info": True}
    try:
        model, found = AutoModelForCausalLM.from_pretrained(**given, **safe, dtype=getattr(torch, dtype))
    except MemoryError:
        raise
    except Exception as error:  # whatever the readers of a hundred formats raise at what they find
        damaged = isinstance(error, OSError) or ("gguf_file" in given and not isinstance(error, ImportError))
        refusal = BadRequest if damaged else Unsupported
        raise refusal(f"{source} cannot be read: {_first_line(error)}") from error
    missing = sorted(found["missing_keys"]) or sorted(map(str, found["mismatched_keys"]))
    if missing:
        raise BadRequest(f"{source} lacks {len(missing)} weights of its {type(model).__name__}, the first of them {missing[0]}")
    return model


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def quiet() -> Iterator[None]:
    """Inside, transformers prints nothing and asks no service for a conversion; afterwards its settings are as they were."""
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars
    from transformers import modeling_gguf_pytorch_utils as gguf_reader
    from transformers.utils import logging

    verbosity, shown, hub_hidden = logging.get_verbosity(), logging.is_progress_bar_enabled(), are_progress_bars_disabled()
    bar, conversion = gguf_reader.tqdm, os.environ.get("DISABLE_SAFETENSORS_CONVERSION")
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    gguf_reader.tqdm = lambda rows, **_: rows
    os.environ["DISABLE_SAFETENSORS_CONVERSION"] = "1"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()
        if hub_hidden:
            disable_progress_bars()
        gguf_reader.tqdm = bar
        if conversion is None:
            del os.environ["DISABLE_SAFETENSORS_CONVERSION"]
        else:
            os.environ["DISABLE_SAFETENSORS_CONVERSION"] = conversion
