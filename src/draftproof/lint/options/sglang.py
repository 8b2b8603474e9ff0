"""Options of SGLang: those that begin with `--speculative-`, all of them, and those that touch the law or the counters."""

from draftproof.lint.settings import Kind, Option, Table

ALGORITHMS = ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE", "NGRAM", "DFLASH", "DSPARK", "FROZEN_KV_MTP", "UNO", "SUFFIX", "DECOUPLED_VERIFY")

_WHOLE = """
speculative-num-steps speculative-eagle-topk speculative-num-draft-tokens speculative-ngram-min-bfs-breadth
speculative-ngram-max-bfs-breadth speculative-ngram-max-trie-depth speculative-ngram-capacity speculative-ngram-min-match-window-size
speculative-ngram-max-match-window-size speculative-ngram-branch-length speculative-draft-window-size random-seed tp-size
"""
_NUMBER = "speculative-accept-threshold-single speculative-accept-threshold-acc mem-fraction-static"
_FLAG = """
speculative-use-rejection-sampling speculative-adaptive enable-multi-layer-eagle enable-deterministic-inference trust-remote-code
speculative-speed-study-metrics enable-metrics
"""
_TEXT = """
speculative-draft-model-path speculative-draft-model-revision speculative-draft-load-format speculative-token-map
speculative-draft-attention-backend speculative-moe-runner-backend speculative-moe-a2a-backend speculative-draft-model-quantization
speculative-adaptive-config speculative-adaptive-strategy speculative-ngram-external-corpus-path kv-cache-dtype quantization model-path
device dtype attention-backend host
"""

_SAMPLING = "temperature top_k top_p min_p repetition_penalty presence_penalty frequency_penalty logit_bias min_new_tokens"

TABLE = Table(
    options={
        **dict.fromkeys(_WHOLE.split(), Option(Kind.WHOLE)),
        **dict.fromkeys(_NUMBER.split(), Option(Kind.NUMBER)),
        **dict.fromkeys(_FLAG.split(), Option(Kind.FLAG)),
        **dict.fromkeys(_TEXT.split(), Option(Kind.TEXT)),
        **dict.fromkeys((f"sampling.{name}" for name in _SAMPLING.split()), Option()),
        "speculative-algorithm": Option(Kind.TEXT, ALGORITHMS),
        "speculative-attention-mode": Option(Kind.TEXT, ("prefill", "decode")),
        "speculative-ngram-match-type": Option(Kind.TEXT, ("BFS", "PROB")),
        "preferred-sampling-params": Option(),
        "sampling-defaults": Option(Kind.TEXT, ("openai", "model")),
        "port": Option(Kind.WHOLE),
    },
    families=("speculative",),
    aliases={
        "speculative-algo": "speculative-algorithm",
        "speculative-draft-model": "speculative-draft-model-path",
        "tensor-parallel-size": "tp-size",
        "tp": "tp-size",
        "model": "model-path",
    },
)
