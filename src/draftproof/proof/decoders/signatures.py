"""How to call code that knows nothing of us: the shapes in which people write a verifier or a decode loop."""

import inspect
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from types import ModuleType
from typing import Any, NamedTuple

from draftproof.errors import BadRequest
from draftproof.proof.decoders import callers, loops, verifiers
from draftproof.proof.decoders.engagement import Engagement
from draftproof.proof.decoders.judge import Subject
from draftproof.proof.decoders.kinds import KINDS, kind_of
from draftproof.proof.decoders.load import check_is_function
from draftproof.proof.decoders.returned import name_of
from draftproof.proof.decoders.standard import FAMILIES
from draftproof.proof.decoders.verifiers import Verifier
from draftproof.proof.zoo.subject import subject as decoder_subject


class Signature(NamedTuple):
    """One shape of function.

    Attributes:
        parameters: their names, in the order in which they are given; a function with these names is taken for one of these.
        returns: what it returns.
        families: of fixtures on which it is proven unless others are asked for.
        possible: all families that ask something of it.
        verifier: makes a part of the sound loop of it; None for a whole decode loop.
    """

    parameters: tuple[str, ...]
    returns: str
    families: tuple[str, ...]
    possible: tuple[str, ...]
    verifier: Callable[..., Verifier] | None = None


_LOOPS = ("position", "loop", "schedule", "penalty", "filter", "grammar", "ends")

SIGNATURES: dict[str, Signature] = {
    "probs": Signature(
        ("target_probs", "draft_probs", "draft_tokens"),
        "the tokens to emit, or (accepted, token)",
        ("position", "loop"),
        (*_LOOPS, "batch"),
        callers.of_probs,
    ),
    "logits": Signature(
        ("target_logits", "draft_logits", "draft_tokens"),
        "the tokens to emit, or (accepted, token)",
        ("position", "loop"),
        (*_LOOPS, "batch"),
        callers.of_logits,
    ),
    "row": Signature(("p", "q", "x"), "the token to emit", ("position", "single"), ("position", "single"), callers.of_row),
    "transformers": Signature(
        ("candidate_input_ids", "candidate_logits", "candidate_length", "new_logits"),
        "(valid_tokens, n_matches)",
        ("position", "loop"),
        (*_LOOPS, "batch"),
        callers.of_transformers,
    ),
    "vllm": Signature(
        ("target_probs", "bonus_token_ids", "draft_probs", "draft_token_ids"),
        "the tokens to emit (B, K+1), -1 as padding",
        ("position", "loop", "batch"),
        (*_LOOPS, "batch"),
        callers.of_vllm,
    ),
    "decode": Signature(("target", "draft", "prompt", "length"), "the emitted tokens", ("loop", "filter"), _LOOPS),
}
"""Every signature by name. What the arrays are, and what a function of each is given, stands with its adapter."""


class Adapted(NamedTuple):
    """A stranger's function as a subject of proof.

    Attributes:
        signature, arrays: as asked for, or as inferred.
        families: on which it is proven unless others are asked for.
        defaults: its further parameters with their values, as "name=value".
    """

    subject: Subject
    signature: str
    arrays: str
    families: tuple[str, ...]
    defaults: tuple[str, ...] = ()


def adapt(function: Callable[..., Any], *, signature: str | None = None, arrays: str | None = None) -> Adapted:
    """The function as a subject of proof.

    Args:
        signature: one of `SIGNATURES`; inferred from the names of its parameters if they are those of one.
        arrays: one of `KINDS`; inferred from the library that its module imports.

    Raises:
        BadRequest: one of them is unknown, or cannot be inferred, or the function cannot be called so; the message says what
            to do.
    """
    check_is_function(function)
    signature = signature or _signature_of(function)
    if signature not in SIGNATURES:
        raise BadRequest(f"there is no signature {signature!r}; there are {', '.join(SIGNATURES)}")
    defaults = _further_defaults(function, signature)
    arrays = arrays or _arrays_of(function, signature)
    kind, shape, name = kind_of(arrays), SIGNATURES[signature], name_of(function)
    engagement = Engagement()
    families = shape.families
    if shape.verifier:
        inner = decoder_subject(name, verifiers.decoder(shape.verifier(function, kind), engagement))
        explore = inner.explore
    else:
        explore = loops.explorer(function, kind, engagement)
        families = (*families, "ends") if "ends" in (_parameters(function) or {}) else families
    return Adapted(Subject(name, explore, kind.bits, engagement), signature, arrays, families, defaults)


def check_families(signature: str, names: tuple[str, ...]) -> None:
    """Return if every family asks something of a function of this signature.

    Raises:
        BadRequest: one does not, or does not exist.
    """
    possible = SIGNATURES[signature].possible
    for name in names:
        if name not in FAMILIES:
            raise BadRequest(f"no fixtures are called {name!r}; there are {', '.join(FAMILIES)}")
        if name not in possible:
            raise BadRequest(f"the fixtures {name!r} ask nothing of a function of signature {signature!r}; choose of {', '.join(possible)}")


GIVEN_BY_NAME = ("ends", "is_done_candidate")
"""Parameters that are given, by name, to a function that has them."""


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter] | None:
    """None if they cannot be read, as of some functions in C."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None


def _signature_of(function: Callable[..., Any]) -> str:
    parameters = _parameters(function)
    if parameters is None:
        raise BadRequest(f"the parameters of {name_of(function)} cannot be read; name its signature, one of {', '.join(SIGNATURES)}")
    names = [name for name, parameter in parameters.items() if parameter.default is parameter.empty and name != "ends"]
    if names[:1] == ["self"]:
        raise BadRequest(f"{name_of(function)} lacks its instance; give an instance's bound method, as in verify = Sampler().verify")
    for name, signature in SIGNATURES.items():
        if names[: len(signature.parameters)] == list(signature.parameters):
            return name
    _check_order(function, names)
    nearest = max(SIGNATURES, key=lambda name: _likeness(names, SIGNATURES[name].parameters))
    raise BadRequest(
        f"{name_of(function)}({', '.join(names)}) has no known signature; the nearest is {nearest!r}, "
        f"({', '.join(SIGNATURES[nearest].parameters)}): {_differences(names, SIGNATURES[nearest].parameters)}. If it is called so, say "
        f"--signature {nearest}, in Python signature={nearest!r}; others are {', '.join(name for name in SIGNATURES if name != nearest)}"
    )


def _check_order(function: Callable[..., Any], names: list[str]) -> None:
    """Return if the names are not those of a signature in another order."""
    for name, signature in SIGNATURES.items():
        if set(names) == set(signature.parameters):
            raise BadRequest(
                f"{name_of(function)}({', '.join(names)}) has the parameters of signature {name!r} in another order; they are given as "
                f"({', '.join(signature.parameters)}), so wrap it in a function of these"
            )


def _likeness(names: list[str], expected: tuple[str, ...]) -> tuple[int, int, float]:
    """How near names come: equal ones, then how many there are, then alike ones in the same place."""
    alike = sum(SequenceMatcher(None, one, other).ratio() for one, other in zip(names, expected, strict=False))
    return len(set(names) & set(expected)), -abs(len(names) - len(expected)), alike


def _differences(names: list[str], expected: tuple[str, ...]) -> str:
    """Which names differ."""
    pairs = [f"{one} stands for {other}" for one, other in zip(names, expected, strict=False) if one != other]
    missing = [f"{name} is missing" for name in expected[len(names) :]]
    return ", ".join([*pairs, *missing])


def _further_defaults(function: Callable[..., Any], signature: str) -> tuple[str, ...]:
    """The parameters that are not given, with their values.

    Raises:
        BadRequest: one has none, or the function takes fewer than it is given.
    """
    parameters, given = _parameters(function), SIGNATURES[signature].parameters
    if parameters is None:
        return ()
    named = {name: None for name in GIVEN_BY_NAME if name in parameters}
    try:
        bound = inspect.signature(function).bind(*given, **named)
    except TypeError as error:
        raise BadRequest(
            f"{name_of(function)} cannot be called with {', '.join((*given, *named))}: {error}; give values to further parameters with "
            "functools.partial, or wrap it in a function of these"
        ) from error
    left = [parameter for name, parameter in parameters.items() if name not in bound.arguments]
    return tuple(f"{one.name}={one.default!r:.40}" for one in left if one.default is not one.empty)


def _arrays_of(function: Callable[..., Any], signature: str) -> str:
    if signature in ("transformers", "vllm"):
        return "torch32"
    inner = inspect.unwrap(getattr(function, "func", function))
    space = getattr(inner, "__globals__", None) or getattr(type(inner).__call__, "__globals__", {})
    libraries = {value.__name__.partition(".")[0] for value in space.values() if isinstance(value, ModuleType)}
    used = libraries & {"torch", "numpy"}
    if len(used) > 1:
        raise BadRequest(f"{name_of(function)} may take torch or numpy arrays; say which: arrays is one of {', '.join(KINDS)}")
    return {"torch": "torch32", "numpy": "numpy"}[used.pop()] if used else "floats"
