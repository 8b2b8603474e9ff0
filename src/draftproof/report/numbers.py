"""How exact numbers are written: as fractions, with a float beside them."""

from collections.abc import Iterable
from fractions import Fraction


def decimal(value: Fraction) -> str:
    """Four significant digits, for a reader."""
    return f"{float(value):.4g}"


def written(value: Fraction, *, longest: int = 40) -> str:
    """The fraction and its decimal, or the decimal alone if the fraction has more than `longest` characters."""
    if value.denominator == 1:
        return str(value)
    if len(str(value)) > longest:
        return f"about {decimal(value)}"
    return both(value)


def both(value: Fraction) -> str:
    """The fraction, however long, and its decimal; an equals sign stands only between equals."""
    rounded = decimal(value)
    if rounded == str(value):
        return rounded
    return f"{value} = {rounded}" if value == Fraction(rounded) else f"{value} (about {rounded})"


def fractions(values: Iterable[Fraction] | None) -> list[str] | None:
    """For JSON: the exact values as strings."""
    return None if values is None else [str(value) for value in values]


def floats(values: Iterable[Fraction] | None) -> list[float] | None:
    """For JSON: the nearest floats."""
    return None if values is None else [float(value) for value in values]


def number(value: Fraction) -> dict[str, str | float]:
    """For JSON: one number both ways."""
    return {"fraction": str(value), "float": float(value)}
