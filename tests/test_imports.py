"""Who may import whom: the contracts of pyproject.toml hold, and each of them can fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

HEAVY = ["torch", "transformers", "openvino", "llguidance", "gguf", "safetensors"]
"""Optional libraries: a module of the package imports one when a function needs it, never when it is itself imported."""

SLOW = ["scipy", "rich", "typer", "ray", *HEAVY]
"""Libraries that would more than double the time of `import draftproof`."""


def broken_contracts(root: Path) -> list[str]:
    """The names of the contracts that the package under `root` breaks."""
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src"), "NO_COLOR": "1", "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Contracts: " in run.stdout, run.stdout + run.stderr
    return [name for name, broken, _ in (line.partition(" BROKEN") for line in run.stdout.splitlines()) if broken]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package and its contracts, to be spoilt."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_package_keeps_every_contract() -> None:
    assert broken_contracts(ROOT) == []


@pytest.mark.parametrize(
    ("module", "statement", "contract"),
    [
        ("rules/rejection.py", "import draftproof.draws", "Each layer"),
        ("rules/rejection.py", "import draftproof.sampling.protocol", "Each layer"),
        ("carriers.py", "import draftproof.tree", "Each layer"),
        ("models/table.py", "import draftproof.drafters.model", "Each layer"),
        ("session.py", "import draftproof.proof", "Each layer"),
        ("proof/__init__.py", "import draftproof.cli", "Each layer"),
        ("decode.py", "import draftproof.models.table", "A decode knows"),
        ("verify.py", "def late():\n    import draftproof.models.table", "A decode knows"),
        ("decode.py", "import draftproof.drafters.model", "A decode knows"),
        ("rules/block.py", "import scipy.stats", "Rules are arithmetic"),
        ("carriers.py", "def late():\n    import torch", "Rules are arithmetic"),
        ("utils.py", "", "Each layer"),
    ],
)
def test_a_planted_import_breaks_its_contract(copy: Path, module: str, statement: str, contract: str) -> None:
    with (copy / "src/draftproof" / module).open("a") as file:
        file.write(f"\n{statement}\n")
    broken = broken_contracts(copy)
    assert any(name.startswith(contract) for name in broken), f"broken: {broken}"


def modules() -> list[str]:
    """Every module of the package by its full name."""
    files = sorted((ROOT / "src/draftproof").rglob("*.py"))
    names = [".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__") for file in files]
    return [name for name in names if not name.endswith("__main__")]


def loaded_after(*names: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after importing `names`."""
    program = f"import sys, importlib\nfor name in {names}: importlib.import_module(name)\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return {name.partition(".")[0] for name in run.stdout.split()}


def test_no_module_imports_an_optional_library_when_it_is_imported() -> None:
    names = modules()
    assert {"draftproof.decode", "draftproof.rules.block", "draftproof.models.table"} <= set(names)
    assert loaded_after(*names).isdisjoint(HEAVY)


def test_importing_the_package_stays_quick() -> None:
    assert loaded_after("draftproof").isdisjoint(SLOW)


def test_a_loaded_library_would_be_seen() -> None:
    assert "scipy" in loaded_after("scipy.stats")
