"""The recorded sittings under docs/benchmarks: `python benchmarks/speed/recorded.py [record] [NAME ...]`.

With `record` it measures, which wants an idle machine, and keeps the raw runs as docs/benchmarks/NAME/runs.jsonl. Always it makes the
figures and the document of each sitting again, and the tables of the pages that show them, from the raw runs alone.
"""

import os
import shlex
import shutil
import sys
from pathlib import Path

from recorded_page import PAGES, filled

from draftproof.cli import main as draftproof

HERE = Path("docs") / "benchmarks"

SHORT = "--first 6 --repeats 3 --max-tokens 32"

SITTINGS = {
    "peers": f"--engine ours --engine genai:lookup {SHORT}",
    "others": "--engine ours --engine hf:lookup --engine llamacpp:lookup,precision=float16 --workload chat,code_edit "
    "--first 3 --repeats 2 --max-tokens 32",
    "widths": f"{' '.join(f'--engine ours:suffix,width={width}' for width in (1, 3, 7, 15))} --engine ours "
    f"--workload code_edit,summarise,extract --temperature 0 {SHORT}",
    "service": "--table service --workload chat,code_edit --temperature 0.8 --repeats 3 --max-tokens 24",
}
"""What is asked of each, of SmolLM2-135M-Instruct."""


def main(*words: str) -> None:
    os.chdir(Path(__file__).parents[2])  # so that no path of this machine is recorded
    for name in [word for word in words if word != "record"] or SITTINGS:
        folder = HERE / name
        if "record" in words:
            shutil.rmtree(folder, ignore_errors=True)  # the history of the repository keeps the sitting before
            run(f"bench smollm2 {SITTINGS[name]} --out {folder}")
        run(f"bench --from {folder}/runs.jsonl --out {folder} --quiet")
        (folder / "report.html").unlink()  # large, and made again by the same command
    for page in PAGES:
        page.write_text(filled(page.read_text(), HERE))


def run(command: str) -> None:
    sys.argv = ["draftproof", *shlex.split(command)]  # as it is recorded
    print(shlex.join(sys.argv), flush=True)
    draftproof()


if __name__ == "__main__":
    main(*sys.argv[1:])
