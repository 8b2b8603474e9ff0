"""Options of llama-server and llama-cli: those that begin with `--spec-` or `--draft`, all of them, and those that touch the law."""

from draftproof.lint.settings import Kind, Option, Table

_TYPES = "none draft-simple draft-eagle3 draft-mtp draft-dflash draft-dspark ngram-simple ngram-map-k ngram-map-k4v ngram-mod ngram-cache"
TYPES = tuple(_TYPES.split())
"""What `--spec-type` takes, several with commas."""

CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "iq4_nl", "q5_0", "q5_1")

_WHOLE = """
spec-draft-n-max spec-draft-n-min spec-draft-n-cpu-moe spec-draft-threads spec-draft-threads-batch spec-draft-prio spec-draft-prio-batch
spec-draft-poll spec-draft-poll-batch spec-draft-cpu-strict spec-draft-cpu-strict-batch spec-ngram-map-k-min-hits
spec-ngram-map-k-size-m spec-ngram-map-k-size-n spec-ngram-map-k4v-min-hits spec-ngram-map-k4v-size-m spec-ngram-map-k4v-size-n
spec-ngram-mod-n-match spec-ngram-mod-n-max spec-ngram-mod-n-min spec-ngram-simple-min-hits spec-ngram-simple-size-m
spec-ngram-simple-size-n draft-max draft-min top-k mirostat repeat-last-n ctx-size parallel seed port batch-size ubatch-size threads
dry-allowed-length dry-penalty-last-n n-predict
"""
_NUMBER = """
spec-draft-p-min spec-draft-p-split spec-synth-len temp top-p min-p typical top-n-sigma xtc-probability xtc-threshold repeat-penalty
presence-penalty frequency-penalty mirostat-lr mirostat-ent dynatemp-range dynatemp-exp dry-multiplier dry-base
"""
_FLAG = """
fim-qwen-7b-spec fim-qwen-14b-spec spec-default spec-draft-backend-sampling spec-draft-cpu-moe
jinja metrics cont-batching ignore-eos embedding verbose kv-unified
"""
_TEXT = """
spec-draft-model spec-draft-hf spec-draft-device spec-draft-cpu-mask spec-draft-cpu-mask-batch spec-draft-cpu-range
spec-draft-cpu-range-batch spec-draft-override-tensor spec-synth-rates model hf-repo hf-file samplers sampler-seq grammar host alias
"""
_ANY = """
spec-draft-ngl spec-ngram-size-n spec-ngram-size-m spec-ngram-min-hits n-gpu-layers flash-attn prompt lookup-cache-static
lookup-cache-dynamic
"""

REMOVED = {
    "draft-max": "--spec-draft-n-max",
    "draft-min": "--spec-draft-n-min",
    "spec-ngram-size-n": "--spec-ngram-simple-size-n, or the same of another n-gram type",
    "spec-ngram-size-m": "--spec-ngram-simple-size-m, or the same of another n-gram type",
    "spec-ngram-min-hits": "--spec-ngram-simple-min-hits, or the same of another n-gram type",
}
"""Options that are no longer there, and what took their place."""

ENVIRONMENT = {
    "LLAMA_ARG_SPEC_TYPE": "spec-type",
    "LLAMA_ARG_SPEC_DRAFT_MODEL": "spec-draft-model",
    "LLAMA_ARG_SPEC_DRAFT_HF_REPO": "spec-draft-hf",
    "LLAMA_ARG_SPEC_DRAFT_N_MAX": "spec-draft-n-max",
    "LLAMA_ARG_SPEC_DRAFT_N_MIN": "spec-draft-n-min",
    "LLAMA_ARG_SPEC_DRAFT_P_MIN": "spec-draft-p-min",
    "LLAMA_ARG_SPEC_DRAFT_P_SPLIT": "spec-draft-p-split",
    "LLAMA_ARG_SPEC_DRAFT_SAMPLING": "spec-draft-sampling",
    "LLAMA_ARG_SPEC_DRAFT_BACKEND_SAMPLING": "spec-draft-backend-sampling",
    "LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K": "spec-draft-type-k",
    "LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_V": "spec-draft-type-v",
    "LLAMA_ARG_SPEC_DRAFT_CPU_MOE": "spec-draft-cpu-moe",
    "LLAMA_ARG_SPEC_DRAFT_N_CPU_MOE": "spec-draft-n-cpu-moe",
    "LLAMA_ARG_SPEC_SYNTH_LEN": "spec-synth-len",
    "LLAMA_ARG_SPEC_SYNTH_RATES": "spec-synth-rates",
    "LLAMA_ARG_DRAFT_MAX": "draft-max",
    "LLAMA_ARG_DRAFT_MIN": "draft-min",
    "LLAMA_ARG_N_GPU_LAYERS_DRAFT": "spec-draft-ngl",
    "LLAMA_ARG_CACHE_TYPE_K": "cache-type-k",
    "LLAMA_ARG_CACHE_TYPE_V": "cache-type-v",
    "LLAMA_ARG_TEMPERATURE": "temp",
    "LLAMA_ARG_TOP_K": "top-k",
    "LLAMA_ARG_TOP_P": "top-p",
    "LLAMA_ARG_MIN_P": "min-p",
    "LLAMA_ARG_REPEAT_PENALTY": "repeat-penalty",
    "LLAMA_ARG_PRESENCE_PENALTY": "presence-penalty",
    "LLAMA_ARG_FREQUENCY_PENALTY": "frequency-penalty",
    "LLAMA_ARG_MODEL": "model",
}
"""Variables of the environment that mean the same."""

TABLE = Table(
    options={
        **dict.fromkeys(_WHOLE.split(), Option(Kind.WHOLE)),
        **dict.fromkeys(_NUMBER.split(), Option(Kind.NUMBER)),
        **dict.fromkeys(_FLAG.split(), Option(Kind.FLAG)),
        **dict.fromkeys(_TEXT.split(), Option(Kind.TEXT)),
        **dict.fromkeys(_ANY.split(), Option()),
        **dict.fromkeys(("cache-type-k", "cache-type-v", "spec-draft-type-k", "spec-draft-type-v"), Option(Kind.TEXT, CACHE_TYPES)),
        "spec-type": Option(Kind.TEXT, TYPES),
        "spec-draft-sampling": Option(Kind.TEXT, ("greedy", "probabilistic")),
    },
    families=("spec", "draft", "LLAMA_ARG_SPEC", "LLAMA_ARG_DRAFT"),
    aliases={
        **ENVIRONMENT,
        "md": "spec-draft-model",
        "model-draft": "spec-draft-model",
        "hfd": "spec-draft-hf",
        "hfrd": "spec-draft-hf",
        "hf-repo-draft": "spec-draft-hf",
        "draft": "draft-max",
        "draft-n": "draft-max",
        "draft-n-min": "draft-min",
        "draft-p-min": "spec-draft-p-min",
        "draft-p-split": "spec-draft-p-split",
        "ngld": "spec-draft-ngl",
        "gpu-layers-draft": "spec-draft-ngl",
        "n-gpu-layers-draft": "spec-draft-ngl",
        "spec-draft-ncmoe": "spec-draft-n-cpu-moe",
        "ctk": "cache-type-k",
        "ctv": "cache-type-v",
        "ctkd": "spec-draft-type-k",
        "cache-type-k-draft": "spec-draft-type-k",
        "ctvd": "spec-draft-type-v",
        "cache-type-v-draft": "spec-draft-type-v",
        "temperature": "temp",
        "typical-p": "typical",
        "top-nsigma": "top-n-sigma",
        "m": "model",
        "c": "ctx-size",
        "n": "n-predict",
        "predict": "n-predict",
        "np": "parallel",
        "s": "seed",
        "ngl": "n-gpu-layers",
        "gpu-layers": "n-gpu-layers",
        "fa": "flash-attn",
        "p": "prompt",
        "a": "alias",
        "b": "batch-size",
        "ub": "ubatch-size",
        "t": "threads",
        "hf": "hf-repo",
        "hfr": "hf-repo",
        "hff": "hf-file",
        "v": "verbose",
    },
)
