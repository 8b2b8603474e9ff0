"""What every page has in common: one HTML file that stands alone, without network or script, for light, dark and paper.

Whatever a model, an engine or a user said passes one door, `_shown`, and is escaped behind it.
"""

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draftproof.errors import BadRequest, Unsupported
from draftproof.report.palette import DARK, LIGHT, PAPER
from draftproof.report.svg import Drawing
from draftproof.report.text import printable

if TYPE_CHECKING:
    from jinja2 import Template


def template(name: str) -> "Template":
    """The template of a page, from this folder.

    Raises:
        Unsupported: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise Unsupported("an HTML page needs the package jinja2: pip install jinja2") from error
    loader = FunctionLoader(_source)
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_shown, loader=loader
    )
    environment.globals.update(LIGHT=LIGHT, DARK=DARK, PAPER=PAPER)
    return environment.get_template(name)


def _source(name: str) -> str:
    return files("draftproof.report").joinpath(name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """Text with its control characters written out. Markup is ours already."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def marked(drawings: Sequence[Drawing]) -> list[dict[str, Any]]:
    """Drawings whose SVG, which we made and escaped, is markup to the template."""
    from markupsafe import Markup

    return [drawing._asdict() | {"svg": Markup(drawing.svg)} for drawing in drawings]


def write_text(file: Path, text: str) -> None:
    """Write a report to a file.

    Raises:
        BadRequest: it cannot be written.
    """
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {file}: {error.strerror}") from error
