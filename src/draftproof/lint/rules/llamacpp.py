"""Rules for llama.cpp, whose versions are numbers of builds. b9596 is the oldest build in which the change of options was seen."""

from draftproof.lint.conditions import absent, below, either, given, greater, has, no, once, one_of, other_than, while_
from draftproof.lint.finding import Level
from draftproof.lint.options.llamacpp import REMOVED
from draftproof.lint.rule import Condition, Hit, Rule
from draftproof.lint.settings import Settings

NEWEST = "b11549"
RENAMED = "b9596"

TYPE = "spec-type"
DRAFT = ("spec-draft-model", "spec-draft-hf")
PRESETS = ("spec-default", "fim-qwen-7b-spec", "fim-qwen-14b-spec")
"""Options that choose a type of speculation, and a draft model where it needs one."""
TRUNCATIONS = ("top-k", "top-p", "min-p", "typical", "top-n-sigma", "xtc-probability")


def types(settings: Settings) -> list[str]:
    """The types of speculation that are switched on."""
    value = settings.value(TYPE)
    named = [part.strip() for part in value.split(",")] if isinstance(value, str) else []
    return [name for name in named if name not in ("", "none")]


def speculation(settings: Settings) -> list[Hit]:
    """What switches speculation on, if anything does."""
    return [Hit(TYPE)] if types(settings) else list(given(*PRESETS)(settings))[:1]


def drafts_by(*names: str) -> Condition:
    """The type of speculation, if it is one of these."""

    def hits(settings: Settings) -> list[Hit]:
        return [Hit(TYPE)] if not set(names).isdisjoint(types(settings)) else []

    return hits


def removed(settings: Settings) -> list[Hit]:
    """Each option that is no more, with what took its place."""
    return [Hit(name, words={"instead": instead}) for name, instead in REMOVED.items() if name in settings.options]


def idle_option(settings: Settings) -> list[Hit]:
    """The first option of drafting beside the draft model itself."""
    names = [name for name in settings.options if name.startswith("spec-") and name in settings.table.options]
    return [Hit(name) for name in names if name not in (TYPE, *PRESETS, *DRAFT, *REMOVED)][:1]


_QUANTISED = has(lambda value: value.startswith(("q", "iq")), "cache-type-k", "cache-type-v")
_MODELS = ("draft-simple", "draft-eagle3", "draft-mtp", "draft-dflash", "draft-dspark")

RULES = (
    Rule(
        "llamacpp-draft-not-used",
        Level.WARNING,
        "a draft model is loaded and never used",
        while_(given("spec-draft-model"), no(speculation)),
        "{option} loads a draft model, but the type of speculation is none, the default; unless its file names a type, which builds since "
        "August 2026 look for, it is never used.",
        "Give --spec-type draft-simple, or the type that the draft model is made for.",
        since=RENAMED,
        reports=("llama.cpp#25345", "llama.cpp#26814"),
    ),
    Rule(
        "llamacpp-not-switched-on",
        Level.WARNING,
        "speculation is configured and not switched on",
        while_(idle_option, no(speculation), absent(*DRAFT)),
        "{option} is given, but the type of speculation is none, the default, so nothing is drafted.",
        "Give --spec-type, such as ngram-mod, or a draft model and its type.",
        since=RENAMED,
    ),
    Rule(
        "llamacpp-no-draft",
        Level.WARNING,
        "a type of speculation without its draft model",
        while_(drafts_by("draft-simple", "draft-eagle3", "draft-dflash", "draft-dspark"), absent(*DRAFT)),
        "{option} {value} needs a draft model, and none is given.",
        "Give --spec-draft-model.",
        since=RENAMED,
    ),
    Rule(
        "llamacpp-removed-option",
        Level.ERROR,
        "options that are no more",
        removed,
        "{option} was removed, and llama.cpp {version} stops at it.",
        "Use {instead}.",
        since=RENAMED,
    ),
    Rule(
        "llamacpp-synthetic-acceptance",
        Level.ERROR,
        "drafts are accepted at a rate that was chosen",
        either(given("spec-synth-rates"), has(lambda value: value >= 0, "spec-synth-len")),
        "{option} accepts drafted tokens at a rate that was chosen, whatever they are; the text is not the target's, and throughput "
        "measured so says nothing about this draft.",
        "Remove it, and label every figure measured so as synthetic.",
    ),
    Rule(
        "llamacpp-nothing-drafted",
        Level.WARNING,
        "no tokens are drafted",
        while_(below(1, "spec-draft-n-max"), speculation),
        "{option} is {value}, so nothing is drafted.",
        "Give at least 1, or leave speculation out.",
    ),
    Rule(
        "llamacpp-draft-range",
        Level.WARNING,
        "the fewest drafted tokens are more than the most",
        greater("spec-draft-n-min", "spec-draft-n-max"),
        "{option} is {value}, which is more than --spec-draft-n-max, so no draft is ever long enough.",
        "Give a smaller --spec-draft-n-min.",
    ),
    Rule(
        "llamacpp-mirostat",
        Level.WARNING,
        "sampling rules that mirostat replaces",
        while_(
            given(*TRUNCATIONS, "repeat-penalty", "presence-penalty", "frequency-penalty", "dry-multiplier"),
            below(3, "mirostat"),
            other_than(0, "mirostat"),
        ),
        "{option} has no effect: mirostat takes the place of every sampling rule but temperature.",
        "Remove it, or mirostat.",
    ),
    Rule(
        "llamacpp-sampling-while-greedy",
        Level.WARNING,
        "sampling rules at temperature 0",
        while_(given(*TRUNCATIONS), has(lambda value: value is not False and value <= 0, "temp")),
        "{option} has no effect at temperature 0, where the likeliest token is taken.",
        "Remove it, or give a temperature.",
    ),
    Rule(
        "llamacpp-greedy-drafts",
        Level.NOTE,
        "drafts are the draft model's likeliest tokens",
        while_(drafts_by(*_MODELS), no(one_of("spec-draft-sampling", "probabilistic"))),
        "Drafts are the draft model's likeliest tokens, which is the default and exact; such a token is kept as often as the target "
        "draws it, not as often as the two laws overlap.",
        "Compare acceptance with that in mind, or give --spec-draft-sampling probabilistic.",
        since=RENAMED,
    ),
    Rule(
        "llamacpp-quantised-cache",
        Level.NOTE,
        "a quantised cache makes rows depend on the batch",
        once(while_(_QUANTISED, speculation)),
        "With {option} {value} a row of the target depends on how many tokens are verified at once, so texts at temperature 0 may differ "
        "from those without speculation where two tokens are nearly tied.",
        "Judge such a difference by the gap of the two logits, not by the text.",
        reports=("llama.cpp#25618",),
    ),
)
