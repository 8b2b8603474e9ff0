"""Shape annotations, checked when tests run and free otherwise.

jaxtyping is a development dependency. Without it the annotations are still readable, and mean nothing at run time.
Axis words: batch, draft (K nodes), position (K + 1 rows), vocab.
"""

from typing import TYPE_CHECKING, Any

Array = Any
"""A numpy array (of floats, or of `Fraction` objects) or a torch tensor: see `carriers`."""

if TYPE_CHECKING:
    from jaxtyping import Bool, Int, Shaped
else:
    try:
        from jaxtyping import Bool, Int, Shaped
    except ModuleNotFoundError:

        class Shaped:
            """Stands in for jaxtyping's annotation of the same name."""

            def __class_getitem__(cls, item: object) -> Any:
                return Any

        Bool = Int = Shaped

__all__ = ["Array", "Bool", "Int", "Shaped"]
