"""How long the law of a row takes: ours, the obvious full sort, and transformers' own warpers, on the same rows in one run.

    python -m pytest benchmarks/sampling -o python_files='bench_*.py' -o python_functions='bench_*' --benchmark-enable

Times are for one core. Compare medians of one run; numbers from two runs on a shared machine say little.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from transformers.generation.logits_process import (
    LogitsProcessorList,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from draftproof.sampling import SamplingParams

VOCAB, PROMPT_TOKENS = 49_152, 500
SETTINGS: dict[str, dict[str, float]] = {
    "all four": {"repetition_penalty": 1.1, "temperature": 0.7, "top_k": 50, "top_p": 0.95},
    "top-p alone": {"temperature": 0.7, "top_p": 0.95},
}
SPREADS = {"peaked": 3.0, "flat": 1.0}
"""Standard deviation of the logits: at 3 a nucleus of 0.95 holds some hundred tokens after the temperature, at 1 it holds 19,000."""

torch.set_num_threads(1)
rng = np.random.default_rng(0)
PROMPT = rng.integers(0, VOCAB, size=PROMPT_TOKENS).tolist()
ROWS = {name: rng.normal(scale=spread, size=(9, VOCAB)).astype(np.float32) for name, spread in SPREADS.items()}


def ours(rows: np.ndarray, settings: dict[str, float]) -> Callable[[], np.ndarray]:
    params = SamplingParams(**settings)
    prefix = params.start(PROMPT)
    drafted = list(range(len(rows) - 1))
    return lambda: params.laws(rows, prefix, drafted, drafted)[0]


def full_sort(rows: np.ndarray, settings: dict[str, float]) -> Callable[[], np.ndarray]:
    """Every rule as one would write it first, a row at a time, with one argsort of the row."""
    seen = np.unique(PROMPT)

    def law(row: np.ndarray) -> np.ndarray:
        row = row.copy()
        penalty = settings.get("repetition_penalty", 1)
        row[seen] = np.where(row[seen] < 0, row[seen] * penalty, row[seen] / penalty)
        row /= settings["temperature"]
        order = np.argsort(-row)[: settings.get("top_k", len(row))]
        law = np.exp(row[order] - row[order[0]])
        law /= law.sum()
        law[np.cumsum(law) - law >= settings["top_p"]] = 0
        full = np.zeros_like(row)
        full[order] = law / law.sum()
        return full

    return lambda: np.stack([law(row) for row in rows])


def warpers(rows: np.ndarray, settings: dict[str, float]) -> Callable[[], torch.Tensor]:
    steps = LogitsProcessorList([TemperatureLogitsWarper(settings["temperature"])])
    if "repetition_penalty" in settings:
        steps.insert(0, RepetitionPenaltyLogitsProcessor(settings["repetition_penalty"]))
        steps.append(TopKLogitsWarper(int(settings["top_k"])))
    steps.append(TopPLogitsWarper(settings["top_p"]))
    scores, text = torch.tensor(rows), torch.tensor([PROMPT] * len(rows))
    return lambda: steps(text, scores).softmax(-1)


WAYS = {"ours": ours, "full sort": full_sort, "transformers": warpers}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("settings", SETTINGS)
def bench_law(benchmark: Callable, way: str, rows: int, spread: str, settings: str) -> None:
    block = ROWS[spread][:rows]
    law = WAYS[way](block, SETTINGS[settings])
    assert (np.asarray(law()[0] > 0) == np.asarray(ours(block, SETTINGS[settings])()[0] > 0)).mean() > 0.999
    benchmark.group = f"{settings}, {spread}, {rows} rows"
    benchmark.pedantic(law, rounds=40, warmup_rounds=3)
