"""Random small programs against their laws on a grid: `python benchmarks/proof/random_programs.py COUNT [SEED]`.

Prints the statements that the programs were made of, every program whose law is another on the grid, and what the proof
refused. Fails if a law differs or one program in ten is refused.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from time import monotonic

import hypothesis
import torch

sys.path.append(str(Path(__file__).parents[2] / "tests" / "proof" / "foreign"))

from programs.judged import judged
from programs.statements import Program, every, programs

MOST_REFUSED = 0.1


def main(count: int, seed: int) -> int:
    torch.set_num_threads(1)
    kinds: Counter[str] = Counter()
    libraries: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    seen: set[Program] = set()
    wrong: list[Program] = []
    paths, exact, start = 0, 0, monotonic()

    @hypothesis.seed(seed)
    @hypothesis.settings(max_examples=count, database=None, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(program=programs)
    def check(program: Program) -> None:
        nonlocal paths, exact
        if program in seen:
            return
        verdict = judged(program)
        seen.add(program)
        kinds.update(step[0] for step in every(program.steps))
        libraries[program.library] += 1
        paths, exact = paths + verdict.paths, exact + (not verdict.refusal and not verdict.allowed)
        if verdict.refusal:
            refused[re.sub(r"-?\d+(\.\d+)?", "N", verdict.refusal.partition(", at ")[0])] += 1
        elif not verdict.agrees:
            wrong.append(program)
            print(f"{float(verdict.distance):.3g} apart: {program}")

    check()
    print(f"programs {len(seen)}: {dict(libraries)}")
    print(f"statements {sum(kinds.values())}: {dict(kinds.most_common())}")
    print(f"agree {len(seen) - len(wrong) - sum(refused.values())}, {exact} of them as fractions; {paths} paths")
    print(f"refused {sum(refused.values())}: {dict(refused.most_common())}")
    print(f"disagree {len(wrong)}; {monotonic() - start:.0f} seconds")
    return int(bool(wrong) or sum(refused.values()) > MOST_REFUSED * len(seen))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
