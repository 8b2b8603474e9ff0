"""Rules for vLLM. Boundaries of versions are the oldest ones in which a change was seen; what lies between counts as older."""

from draftproof.lint.conditions import absent, below, either, given, greater, has, no, once, one_of, other_than, while_
from draftproof.lint.finding import Level
from draftproof.lint.options.vllm import REMOVED_ARGUMENTS, REMOVED_FIELDS
from draftproof.lint.rule import Hit, Rule
from draftproof.lint.settings import Settings

NEWEST = "0.32"

METHOD = "speculative.rejection_sample_method"
GUESSERS = ("ngram", "ngram_gpu", "suffix", "custom_class", "extract_hidden_states")
"""Methods whose drafts are drawn from no model, so that how they are drawn is no question."""


def speculation(settings: Settings) -> list[Hit]:
    """The first option of speculation, if there is one that switches it on."""
    return [Hit(name) for name, setting in settings.options.items() if name.startswith("speculative.") and setting.value is not None][:1]


_DRAFT_MODEL = no(one_of("speculative.method", *GUESSERS))
_QUANTISED = has(lambda value: value.startswith(("fp8", "fp4", "int8", "int4", "nvfp4", "turboquant")), "kv_cache_dtype")

RULES = (
    Rule(
        "vllm-lossy-acceptance",
        Level.ERROR,
        "drafts are accepted by a rule that is not exact",
        one_of(METHOD, "fly", "relaxed", "typical", "typical_acceptance_sampler"),
        "{option} {value} keeps drafted tokens that an exact rule refuses, so the text does not follow the target's law.",
        "Use standard or block, or state the loss beside every result.",
        reports=("vllm#50808", "vllm#53987"),
    ),
    Rule(
        "vllm-typical-acceptance",
        Level.ERROR,
        "typical acceptance, of the first engine core",
        either(
            one_of("speculative.acceptance_method", "typical_acceptance_sampler"),
            one_of("spec_decoding_acceptance_method", "typical_acceptance_sampler"),
        ),
        "{option} {value} keeps every drafted token that the target finds likely enough, so the text does not follow the target's law.",
        "Use rejection_sampler.",
        until="0.10",
        reports=("vllm#5015", "vllm#5131"),
    ),
    Rule(
        "vllm-threshold-unused",
        Level.WARNING,
        "thresholds of a rule that is not chosen",
        while_(
            given("speculative.posterior_threshold", "speculative.posterior_alpha"),
            no(one_of("speculative.acceptance_method", "typical_acceptance_sampler")),
        ),
        "{option} belongs to typical acceptance, which is not switched on, and has no effect.",
        "Remove it.",
        until="0.10",
    ),
    Rule(
        "vllm-removed-field",
        Level.ERROR,
        "fields of speculative_config that are no more",
        given(*(f"speculative.{name}" for name in REMOVED_FIELDS)),
        "{option} went with the first engine core, and vLLM {version} refuses it.",
        "Remove it; the rule of acceptance is rejection_sample_method now.",
        since="0.10",
    ),
    Rule(
        "vllm-removed-argument",
        Level.ERROR,
        "arguments from before --speculative-config",
        given(*REMOVED_ARGUMENTS),
        "{option} is from before --speculative-config, and vLLM {version} does not know it.",
        "Put it into the JSON of --speculative-config.",
        since="0.10",
    ),
    Rule(
        "vllm-renamed-rule",
        Level.ERROR,
        "names of rules that were changed",
        one_of(METHOD, "strict", "probabilistic"),
        "{option} {value} is a name of earlier versions, and vLLM {version} refuses it.",
        "Use standard, and say how drafts are drawn with draft_sample_method: greedy for strict, probabilistic for probabilistic.",
        since="0.28",
    ),
    Rule(
        "vllm-synthetic-acceptance",
        Level.ERROR,
        "drafts are accepted at a rate that was chosen",
        one_of(METHOD, "synthetic"),
        "{option} {value} accepts drafted tokens at a rate that was chosen, whatever they are; the text is not the target's, "
        "and throughput measured so says nothing about this draft.",
        "Use standard, and label every figure measured so as synthetic.",
    ),
    Rule(
        "vllm-synthetic-unused",
        Level.WARNING,
        "rates of synthetic acceptance without it",
        while_(
            given("speculative.synthetic_acceptance_rates", "speculative.synthetic_acceptance_length"),
            no(one_of(METHOD, "synthetic")),
        ),
        "{option} is for synthetic acceptance alone, which is not switched on.",
        "Remove it.",
    ),
    Rule(
        "vllm-nothing-drafted",
        Level.ERROR,
        "no tokens are drafted",
        below(1, "speculative.num_speculative_tokens"),
        "{option} is {value}, and vLLM drafts at least 1 token or refuses to start.",
        "Give the number of drafted tokens a round, or leave speculation out.",
    ),
    Rule(
        "vllm-no-draft-length",
        Level.WARNING,
        "how many tokens are drafted is not said",
        while_(speculation, absent("speculative.num_speculative_tokens")),
        "num_speculative_tokens is not given, so it is taken from the configuration of the draft model; if that has none, vLLM "
        "refuses to start.",
        "Give num_speculative_tokens.",
    ),
    Rule(
        "vllm-no-method",
        Level.ERROR,
        "neither a method nor a draft model",
        while_(speculation, absent("speculative.method", "speculative.model")),
        "There is neither a method nor a model in speculative_config, so nothing can draft.",
        "Give a method such as ngram or mtp, or the draft model.",
    ),
    Rule(
        "vllm-lookup-window",
        Level.ERROR,
        "an n-gram window that is empty",
        greater("speculative.prompt_lookup_min", "speculative.prompt_lookup_max"),
        "{option} is {value}, which is more than prompt_lookup_max.",
        "Give a smallest n-gram that is no longer than the longest.",
    ),
    Rule(
        "vllm-draft-parallelism",
        Level.WARNING,
        "tensor_parallel_size in place of draft_tensor_parallel_size",
        given("speculative.tensor_parallel_size"),
        "{option} in speculative_config is there only to be warned of.",
        "Write draft_tensor_parallel_size.",
    ),
    Rule(
        "vllm-sampling-not-applied",
        Level.WARNING,
        "sampling parameters that do not reach drafted tokens",
        while_(either(other_than(0, "sampling.min_p"), given("sampling.logit_bias")), speculation),
        "{option} is not applied to drafted tokens: by version, vLLM refuses such a request, serves it without drafts, or leaves the "
        "parameter out.",
        "Leave it out, or serve such requests without speculation.",
        since="0.8",
        reports=("vllm#42744", "vllm#38202"),
    ),
    Rule(
        "vllm-request-without-speculation",
        Level.WARNING,
        "parameters that switch speculation off for their request",
        while_(
            either(
                other_than(0, "sampling.presence_penalty", "sampling.frequency_penalty"),
                other_than(1, "sampling.repetition_penalty"),
                given("sampling.logprobs"),
            ),
            speculation,
        ),
        "{option} as a default means that requests are served without drafts, and nothing says so.",
        "Leave it out, or compare speeds with that in mind; read the engine's counters of drafted tokens.",
        since="0.8",
        until="0.14",
        reports=("vllm#34497",),
    ),
    Rule(
        "vllm-greedy-drafts",
        Level.NOTE,
        "drafts are the draft model's likeliest tokens",
        while_(speculation, _DRAFT_MODEL, no(one_of("speculative.draft_sample_method", "probabilistic"))),
        "Drafts are the draft model's likeliest tokens, which is the default and exact; such a token is kept as often as the target "
        "draws it, not as often as the two laws overlap.",
        "Compare acceptance with that in mind, or set draft_sample_method to probabilistic.",
        since="0.28",
        reports=("vllm#40149",),
    ),
    Rule(
        "vllm-raw-logprobs",
        Level.NOTE,
        "log-probabilities are not of the law that is sampled",
        either(
            one_of("logprobs_mode", "raw_logprobs", "raw_logits"),
            while_(given("max_logprobs", "sampling.logprobs"), absent("logprobs_mode")),
        ),
        "Log-probabilities are raw, from before penalties, temperature and truncation, and so not those of the law that is sampled.",
        "Set logprobs_mode to processed_logprobs if they are compared with the text, as in training on rollouts.",
        reports=("vllm#53488", "vllm#34497"),
    ),
    Rule(
        "vllm-quantised",
        Level.NOTE,
        "quantisation makes rows depend on the batch",
        once(while_(either(_QUANTISED, given("quantization")), speculation)),
        "With {option} {value} a row of the target depends on how many tokens are verified at once, so texts at temperature 0 may differ "
        "from those without speculation where two tokens are nearly tied.",
        "Judge such a difference by the gap of the two logits, not by the text.",
        reports=("vllm#7627",),
    ),
)
