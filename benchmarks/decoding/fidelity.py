"""Laws of the CPU backend against transformers in float32 on the same file: `python benchmarks/decoding/fidelity.py`."""

import numpy as np
from prompts import shipped

from draftproof.models.protocol import Block
from draftproof.models.weights import load
from draftproof.sampling.transform import softmax

POSITIONS = 256


def main() -> None:
    laws = []
    for backend, precision in (("hf", "float32"), ("openvino", "float32"), ("openvino", "bfloat16")):
        target = load("smollm2", backend=backend, precision=precision)
        text = target.tokenizer.encode("\n".join(shipped("copy")))[: POSITIONS + 1]
        rows = target.model.extend([target.model.start()], [Block(text[:1], text[1:POSITIONS], range(POSITIONS - 1))])[0]
        laws.append(softmax(rows.astype(np.float64)))
        apart = abs(laws[-1] - laws[0]).sum(-1) / 2
        print(f"{backend} {precision}: mean total variation {apart.mean():.2g}, largest {apart.max():.2g}, over {len(rows)} positions")


if __name__ == "__main__":
    main()
