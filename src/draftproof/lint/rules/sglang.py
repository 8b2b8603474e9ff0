"""Rules for SGLang."""

from draftproof.lint.conditions import absent, below, either, given, has, no, once, one_of, other_than, while_
from draftproof.lint.finding import Level
from draftproof.lint.rule import Hit, Rule
from draftproof.lint.settings import Settings

NEWEST = "0.5.19"

ALGORITHM = "speculative-algorithm"
DRAFT = "speculative-draft-model-path"
THRESHOLDS = ("speculative-accept-threshold-single", "speculative-accept-threshold-acc")
LENGTHS = ("speculative-num-steps", "speculative-eagle-topk", "speculative-num-draft-tokens")
EAGLE = ("EAGLE", "EAGLE3", "NEXTN")

_ON = given(ALGORITHM)
_REJECTION = given("speculative-use-rejection-sampling")


def speculative_option(settings: Settings) -> list[Hit]:
    """The first option that begins with `--speculative-` and does not switch speculation on."""
    names = [name for name, setting in settings.options.items() if name.startswith("speculative-") and setting.value is not False]
    return [Hit(name) for name in names if name != ALGORITHM][:1]


def uneven_chain(settings: Settings) -> list[Hit]:
    """The number of draft tokens, if drafts are chains and it is not the number of steps and one."""
    steps, width, tokens = (settings.value(name) for name in LENGTHS)
    numbers = isinstance(steps, int) and isinstance(tokens, int)
    return [Hit(LENGTHS[2])] if numbers and width == 1 and tokens != steps + 1 else []


RULES = (
    Rule(
        "sglang-threshold-acceptance",
        Level.ERROR,
        "drafts are accepted above a threshold",
        while_(below(1, *THRESHOLDS), _ON),
        "{option} {value} keeps drafted tokens more often than the target draws them, so the text does not follow the target's law.",
        "Leave it at 1, the default, or state the loss beside every result.",
        reports=("sglang#7702",),
    ),
    Rule(
        "sglang-threshold-refused",
        Level.ERROR,
        "thresholds together with rejection sampling",
        while_(other_than(1, *THRESHOLDS), _REJECTION),
        "{option} is of the other way to verify, and SGLang refuses it together with --speculative-use-rejection-sampling.",
        "Remove the threshold.",
    ),
    Rule(
        "sglang-no-algorithm",
        Level.WARNING,
        "speculation is configured and not switched on",
        while_(speculative_option, absent(ALGORITHM)),
        "{option} is given without --speculative-algorithm, so nothing is drafted.",
        "Give --speculative-algorithm, such as EAGLE3, STANDALONE or NGRAM.",
    ),
    Rule(
        "sglang-no-draft",
        Level.ERROR,
        "an algorithm without its draft model",
        while_(one_of(ALGORITHM, "EAGLE3", "STANDALONE", "DFLASH"), absent(DRAFT)),
        "{option} {value} needs a draft model, and none is given.",
        "Give --speculative-draft-model-path.",
    ),
    Rule(
        "sglang-draft-unused",
        Level.WARNING,
        "a draft model that n-grams do not use",
        while_(given(DRAFT), one_of(ALGORITHM, "NGRAM", "SUFFIX")),
        "{option} is not used: the algorithm drafts from the text alone.",
        "Remove it, or choose STANDALONE or EAGLE3.",
    ),
    Rule(
        "sglang-incomplete-lengths",
        Level.ERROR,
        "some of three numbers that belong together",
        once(while_(given(*LENGTHS[1:]), absent(LENGTHS[0]), one_of(ALGORITHM, *EAGLE, "STANDALONE"))),
        "{option} is given without --speculative-num-steps, and SGLang chooses all three of steps, width and draft tokens or none.",
        "Give --speculative-num-steps, --speculative-eagle-topk and --speculative-num-draft-tokens, or none of them.",
    ),
    Rule(
        "sglang-chain-length",
        Level.WARNING,
        "a number of draft tokens that is changed silently",
        while_(uneven_chain, one_of(ALGORITHM, *EAGLE, "STANDALONE")),
        "{option} {value} is not the number of steps and one, which it is for drafts without branches, and SGLang changes it.",
        "Give the number of steps and one, or a width of more than 1.",
    ),
    Rule(
        "sglang-nothing-drafted",
        Level.WARNING,
        "no tokens are drafted",
        while_(below(1, *LENGTHS), _ON),
        "{option} is {value}, so nothing is drafted.",
        "Give at least 1, or leave speculation out.",
    ),
    Rule(
        "sglang-rejection-unsupported",
        Level.ERROR,
        "rejection sampling for drafts that have no law",
        while_(_REJECTION, _ON, no(one_of(ALGORITHM, *EAGLE))),
        "{option} is for EAGLE, EAGLE3 and NEXTN, and SGLang refuses it for other algorithms.",
        "Remove it; those algorithms verify with the target's probabilities alone.",
        since="0.5.19",
    ),
    Rule(
        "sglang-sampling-not-applied",
        Level.WARNING,
        "sampling parameters that may not reach drafted tokens",
        while_(
            either(
                other_than(0, "sampling.min_p", "sampling.presence_penalty", "sampling.frequency_penalty", "sampling.min_new_tokens"),
                other_than(1, "sampling.repetition_penalty"),
                given("sampling.logit_bias"),
            ),
            _ON,
        ),
        "{option} was reported to be left out, or held fixed for a whole block, where drafted tokens are verified.",
        "Leave it out, or audit the engine with this very parameter.",
        reports=("sglang#36173", "sglang#26330", "sglang#28242"),
    ),
    Rule(
        "sglang-greedy-verification",
        Level.WARNING,
        "verification that was greedy for want of a kernel",
        while_(has(lambda value: value.partition(":")[0] in ("cpu", "xpu", "npu", "hpu", "mps", "musa"), "device"), _ON),
        "Off CUDA, here {option} {value}, verification by sampling was reported to fall back to greedy, whatever the temperature.",
        "Audit it at temperature 1 before it is trusted; 40 tokens show it.",
        reports=("sglang#31214", "sglang#32922", "sglang#39253"),
    ),
    Rule(
        "sglang-dummy-draft",
        Level.WARNING,
        "a draft model with random weights",
        while_(one_of("speculative-draft-load-format", "dummy"), _ON),
        "{option} {value} gives the draft random weights, so acceptance and speed say nothing about the draft.",
        "Remove it, or label every figure measured so.",
    ),
    Rule(
        "sglang-greedy-drafts",
        Level.NOTE,
        "drafts are the draft model's likeliest tokens",
        while_(one_of(ALGORITHM, *EAGLE, "STANDALONE"), no(_REJECTION)),
        "Drafts are the draft model's likeliest tokens, which is the default and exact; such a token is kept as often as the target "
        "draws it, not as often as the two laws overlap.",
        "Compare acceptance with that in mind, or give --speculative-use-rejection-sampling where the algorithm has it.",
        since="0.5.19",
        reports=("sglang#10308",),
    ),
    Rule(
        "sglang-quantised",
        Level.NOTE,
        "quantisation makes rows depend on the batch",
        once(
            while_(
                either(has(lambda value: value.startswith(("fp8", "fp4", "int8", "int4")), "kv-cache-dtype"), given("quantization")), _ON
            )
        ),
        "With {option} {value} a row of the target depends on how many tokens are verified at once, so texts at temperature 0 may differ "
        "from those without speculation where two tokens are nearly tied.",
        "Judge such a difference by the gap of the two logits, not by the text.",
    ),
)
