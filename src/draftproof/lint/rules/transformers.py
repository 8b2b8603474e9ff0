"""Rules for transformers. Deviations of 5.24 are proved ones: `draftproof prove transformers` shows them."""

from draftproof.lint.conditions import absent, below, either, given, has, in_call, no, once, one_of, other_than, while_
from draftproof.lint.finding import Level
from draftproof.lint.options.transformers import CALL
from draftproof.lint.rule import Hit, Rule
from draftproof.lint.settings import Settings

NEWEST = "5.24"

DRAFTERS = ("assistant_model", "prompt_lookup_num_tokens", "assistant_early_exit", "use_mtp")
"""Each of them switches assisted decoding on; in a call with several, the assistant comes last."""

SAVED = (5, 20)
"""Defaults of `num_assistant_tokens` that versions of the library wrote into every file."""

_ON = given(*DRAFTERS)


def argument_in_file(settings: Settings) -> list[Hit]:
    """Each argument of `generate` that stands in the file."""
    return [Hit(name) for name in settings.options if name in CALL and settings.options[name].place.line]


def _synthid(value: object) -> bool:
    return isinstance(value, dict) and bool({"keys", "ngram_len"} & value.keys())


RULES = (
    Rule(
        "transformers-ensemble",
        Level.ERROR,
        "drafts are accepted against a mixture",
        given("assistant_ensemble_weight"),
        "{option} {value} verifies against a mixture of target and draft, so the text does not follow the target's law.",
        "Remove it, or state the mixture beside every result.",
    ),
    Rule(
        "transformers-ensemble-refused",
        Level.ERROR,
        "a mixture with a draft that has no law",
        while_(given("assistant_ensemble_weight"), given("prompt_lookup_num_tokens")),
        "{option} needs the probabilities of the draft, a lookup in the prompt has none, and generate raises.",
        "Remove one of them.",
    ),
    Rule(
        "transformers-no-assistant",
        Level.WARNING,
        "drafting is configured and not switched on",
        once(
            while_(
                given("num_assistant_tokens", "num_assistant_tokens_schedule", "assistant_confidence_threshold", "assistant_tokenizer"),
                in_call,
                no(_ON),
            )
        ),
        "{option} is given, but the call has neither an assistant_model nor prompt_lookup_num_tokens, so nothing is drafted.",
        "Give generate an assistant_model, or prompt_lookup_num_tokens.",
    ),
    Rule(
        "transformers-assistant-in-call",
        Level.NOTE,
        "drafting depends on the call",
        while_(has(lambda value: value not in SAVED and value > 0, "num_assistant_tokens"), no(in_call), no(_ON)),
        "{option} alone switches nothing on: whether anything is drafted depends on the call.",
        "Give the arguments of the call after --, such as assistant_model=draft do_sample=True.",
    ),
    Rule(
        "transformers-argument-in-file",
        Level.ERROR,
        "arguments of generate in the file",
        argument_in_file,
        "{option} is an argument of generate, and a configuration that holds it is refused.",
        "Give it to generate.",
    ),
    Rule(
        "transformers-two-drafts",
        Level.WARNING,
        "two ways to draft, of which one is used",
        while_(given("assistant_model"), given("prompt_lookup_num_tokens", "assistant_early_exit", "use_mtp")),
        "{option} is not used, because prompt_lookup_num_tokens, assistant_early_exit or use_mtp comes before it.",
        "Keep the one that you mean; look for the other in generation_config.json.",
    ),
    Rule(
        "transformers-nothing-drafted",
        Level.WARNING,
        "no tokens are drafted",
        below(1, "num_assistant_tokens", "prompt_lookup_num_tokens"),
        "{option} is {value}, so nothing is drafted.",
        "Give at least 1, or leave it out.",
    ),
    Rule(
        "transformers-beams",
        Level.WARNING,
        "drafts with beams",
        while_(has(lambda value: value is not True and value > 1, "num_beams"), _ON),
        "{option} is {value}, and with beams nothing is drafted; generate only logs that flags are ignored.",
        "Set num_beams to 1, or leave the draft out.",
    ),
    Rule(
        "transformers-no-cache",
        Level.ERROR,
        "drafts without a cache",
        while_(has(lambda value: value is False, "use_cache"), _ON),
        "{option} is {value}, and with a draft generate needs its cache and raises.",
        "Remove it.",
    ),
    Rule(
        "transformers-several-texts",
        Level.ERROR,
        "drafts with several texts of one prompt",
        while_(has(lambda value: value is not True and value > 1, "num_return_sequences"), _ON),
        "{option} is {value}, and with a draft generate gives one text a call and raises.",
        "Call it once for each text.",
    ),
    Rule(
        "transformers-sampling-while-greedy",
        Level.WARNING,
        "sampling parameters without sampling",
        while_(
            either(
                other_than(1, "temperature", "top_p", "typical_p"),
                other_than(50, "top_k"),
                other_than(0, "epsilon_cutoff", "eta_cutoff"),
                given("min_p", "top_h"),
            ),
            absent("do_sample"),
        ),
        "{option} {value} has no effect, because do_sample is not true and the likeliest token is taken.",
        "Set do_sample to true, or remove it.",
    ),
    Rule(
        "transformers-guidance",
        Level.ERROR,
        "guidance with a draft",
        while_(has(lambda value: value is not True and value > 1, "guidance_scale"), _ON),
        "With {option} {value} and a draft the text does not follow the target's law: guidance keeps a text of its own, from which refused "
        "tokens are not taken back.",
        "Leave the draft out.",
        since="5.24",
    ),
    Rule(
        "transformers-stop-strings",
        Level.ERROR,
        "stop strings with a draft",
        while_(given("stop_strings", "stopping_criteria"), _ON),
        "With {option} and a draft the text may run on after its stop: criteria are asked once a block, when all of it is kept.",
        "Leave the draft out, or cut the text yourself at the first stop.",
        since="5.24",
        reports=("transformers#47912",),
    ),
    Rule(
        "transformers-watermark",
        Level.ERROR,
        "a SynthID watermark with a draft",
        while_(has(_synthid, "watermarking_config"), _ON),
        "With a SynthID watermark and a draft the text does not follow the law of the plain call: the watermark moves on by a token at "
        "every verified row.",
        "Leave the draft out.",
        since="5.24",
    ),
    Rule(
        "transformers-quantised-cache",
        Level.NOTE,
        "a quantised cache makes rows depend on the batch",
        while_(one_of("cache_implementation", "quantized"), _ON),
        "With {option} {value} a row of the target depends on how many tokens are verified at once, so texts at temperature 0 may differ "
        "from those without a draft where two tokens are nearly tied.",
        "Judge such a difference by the gap of the two logits, not by the text.",
        reports=("transformers#39421",),
    ),
)
