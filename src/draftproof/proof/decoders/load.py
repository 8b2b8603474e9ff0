"""A function named as `module:function` on a command line."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from draftproof.errors import BadRequest


def load(name: str) -> Callable[..., Any]:
    """The function; the module may also lie in the current directory. A name with dots after the colon is looked up step by step.

    Raises:
        BadRequest: there is no such module or function, or importing it fails.
    """
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise BadRequest(f"expected MODULE:FUNCTION, such as my_package.sampling:verify; got {name!r}")
    if module_name.endswith(".py"):
        stem = Path(module_name).stem
        raise BadRequest(f"{module_name!r} is a path; expected MODULE:FUNCTION: from the folder that holds it, {stem}:{path}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = import_module(module_name)
    except (Exception, SystemExit) as error:  # whatever a module does when it is imported
        raise BadRequest(f"cannot import {module_name!r}: {type(error).__name__}: {error}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise BadRequest(f"{name!r} was not found: {getattr(found, '__name__', found)!r} has no {part!r}")
        found = getattr(found, part)
    if not callable(found):
        raise BadRequest(f"{name!r} is a {type(found).__name__}; expected a function")
    check_is_function(found)
    return found


def check_is_function(function: Any) -> None:
    """Return if it can be called to verify or to decode.

    Raises:
        BadRequest: it is a class, and calling it makes an instance.
    """
    if isinstance(function, type):
        raise BadRequest(f"{function.__module__}:{function.__qualname__} is a class; give a function, or a bound method of an instance")
