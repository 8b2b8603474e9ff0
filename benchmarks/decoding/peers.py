"""Tokens a second of engines on the same file and prompts: `python benchmarks/decoding/peers.py [tokens] [prompts] [out.json]`.

Each engine decodes each prompt in turn. Tokens are those that the engine emitted; all stop where they like, at `tokens` at most.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prompts import shipped

from draftproof.engine import Engine
from draftproof.models.imported import imported
from draftproof.models.weights import load, packaged

LOOKUP = 5
FLOAT32 = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}

Run = Callable[[str, float, int], int]
"""(prompt, temperature, tokens) -> tokens emitted"""


def ours(precision: str, **how: Any) -> Run:
    engine = Engine(load("smollm2", precision=precision), **how)
    return lambda prompt, temperature, tokens: len(
        engine.generate(prompt, {"temperature": temperature}, seed=1, max_tokens=tokens)[0].tokens
    )


def genai(folder: Path, *, lookup: bool, **config: str) -> Run:
    import openvino_genai

    pipeline = openvino_genai.LLMPipeline(str(folder), "CPU", **({"prompt_lookup": True} if lookup else {}), **config)

    def run(prompt: str, temperature: float, tokens: int) -> int:
        wanted = openvino_genai.GenerationConfig()
        wanted.max_new_tokens, wanted.do_sample = tokens, temperature > 0
        if temperature:
            wanted.temperature = temperature
        if lookup:
            wanted.num_assistant_tokens, wanted.max_ngram_size = LOOKUP, 3
        return pipeline.generate([prompt], wanted).perf_metrics.get_num_generated_tokens()

    return run


def transformers(*, lookup: bool) -> Run:
    import torch

    target = load("smollm2", backend="hf")
    model = target.model.torch_model

    def run(prompt: str, temperature: float, tokens: int) -> int:
        ids = torch.tensor([target.read(prompt)])
        rules = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0} if temperature else {"do_sample": False}
        more = {"prompt_lookup_num_tokens": LOOKUP} if lookup else {}
        text = model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=tokens, eos_token_id=2, pad_token_id=2, **rules, **more
        )
        return text.shape[1] - ids.shape[1]

    return run


def main(tokens: int = 48, count: int = 10, out: str = "") -> None:
    folder = imported(packaged("smollm2"))
    engines = {
        "draftproof float32": ours("float32"),
        "draftproof float32, no draft": ours("float32", drafter="none"),
        "draftproof bfloat16": ours("bfloat16"),
        "openvino_genai as it comes": genai(folder, lookup=False),
        "openvino_genai as it comes, prompt lookup": genai(folder, lookup=True),
        "openvino_genai float32": genai(folder, lookup=False, **FLOAT32),
        "openvino_genai float32, prompt lookup": genai(folder, lookup=True, **FLOAT32),
        "transformers float32": transformers(lookup=False),
        "transformers float32, prompt lookup": transformers(lookup=True),
    }
    results: dict[str, dict[str, float]] = {}
    for kind in ("copy", "open"):
        for temperature in (0.0, 0.8):
            title = f"{kind}, temperature {temperature}"
            totals = {name: [0, 0.0] for name in engines}
            for place, prompt in enumerate(shipped(kind)[:count]):
                names = list(engines)
                turn = place % len(names)
                for name in names[turn:] + names[:turn]:
                    began = time.perf_counter()
                    totals[name][0] += engines[name](prompt, temperature, tokens)
                    totals[name][1] += time.perf_counter() - began
            results[title] = {name: emitted / seconds for name, (emitted, seconds) in totals.items()}
            print(f"\n{title}")
            for name, rate in results[title].items():
                print(f"  {name:44} {rate:6.1f} tokens/s", flush=True)
    if out:
        Path(out).write_text(json.dumps({"tokens": tokens, "prompts": count, "tokens_per_second": results}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
