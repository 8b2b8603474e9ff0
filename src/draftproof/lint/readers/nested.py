"""Objects inside a configuration: `--speculative-config '{...}'` on a command line, or a member of a JSON file."""

from draftproof.errors import BadRequest
from draftproof.lint import json_places
from draftproof.lint.arguments import Options
from draftproof.lint.json_places import JsonObject
from draftproof.lint.settings import Setting


def expand(options: Options, name: str, prefix: str, *, engine: str) -> None:
    """Put in place of an option, if it was given, each member of the object that it holds, as PREFIX.NAME.

    A member in a quoted text stands where the text stands. What a shell has yet to fill in is left as it is.

    Raises:
        BadRequest: the option holds no JSON object.
    """
    setting = options.given.get(name)
    if setting is None or setting.value is None:
        return
    value = setting.value
    where = f"{setting.spelling} ({setting.place})"
    if isinstance(value, str) and "$" in value:
        return
    inline = isinstance(value, str)
    if inline:
        value = json_places.parse(value, where)
    if not isinstance(value, JsonObject):
        raise BadRequest(f"{where} is no JSON object; {engine} takes one in braces there")
    del options.given[name]
    for member in value.members:
        place = setting.place if inline else member.place
        options.add(f"{prefix}.{member.key}", Setting(member.key, json_places.plain(member.value), place))
