"""The README and the pages say what the code does: every example is run, and its output is the one that is shown."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from draftproof.cli import main
from draftproof.proof.zoo.member import controls, faults

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLE = re.compile(r"```python\n(?!>>>)(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"```console\n\$ draftproof (.*?)\n(.*?)```", re.DOTALL)
ZOO = ("faults", "controls")
COUNT = re.compile(r"^\| (src/\S+\.py) \| (\d+) \|", re.MULTILINE)


def found(pattern: re.Pattern[str]) -> list[object]:
    """Every match in every page, named by page and place."""
    return [
        pytest.param(*match.groups(), id=f"{page.relative_to(ROOT)}:{number}")
        for page in PAGES
        for number, match in enumerate(pattern.finditer(page.read_text()), start=1)
    ]


@pytest.mark.usefixtures("unchecked_shapes")  # as a reader runs it; a proof of random code must not meet a random check
@pytest.mark.parametrize(("code", "output"), found(EXAMPLE))
def test_an_example_prints_what_is_shown(code: str, output: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    assert printed.getvalue() == output


@pytest.mark.parametrize(("arguments", "output"), found(COMMAND))
def test_a_command_prints_what_is_shown(arguments: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(arguments)) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    shown = output.splitlines()
    if shown[-1] == "...":
        shown = shown[:-1]
        lines = lines[: len(shown)]
    assert lines == shown


def test_every_python_block_is_an_example_with_its_output() -> None:
    for page in PAGES:
        text = page.read_text()
        assert text.count("```python\n") == len(EXAMPLE.findall(text)) + text.count("```python\n>>>"), page


def test_the_map_counts_lines_within_a_tenth_and_misses_no_file() -> None:
    counts = {path: int(lines) for path, lines in COUNT.findall((ROOT / "docs" / "map.md").read_text())}
    files = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in (ROOT / "src").rglob("*.py")}
    files = {path: lines for path, lines in files.items() if lines and Path(path).parent.name not in ZOO}
    assert counts.keys() == files.keys()
    for path, lines in files.items():
        assert abs(counts[path] - lines) <= max(lines / 10, 3), f"docs/map.md says {counts[path]} lines for {path}; it has {lines}"


def test_the_map_counts_the_members_of_the_zoo() -> None:
    for folder, members in zip(ZOO, (faults(), controls()), strict=True):
        assert f"| src/draftproof/proof/zoo/{folder} | {len(members)} files |" in (ROOT / "docs" / "map.md").read_text()


def test_every_link_to_a_file_leads_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page}: {link}"
