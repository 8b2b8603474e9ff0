"""From logits to the law that is sampled: parameters, the chain a dialect makes of them, and what it remembers.

Start with `SamplingParams`. `params.start(prompt)` is the memory of a prompt, `params.law(logits, prefix)` the law of the next
token, `params.laws(...)` those of a whole block, each row after its own prefix.
"""

from draftproof.sampling.chain import Chain, Prefix
from draftproof.sampling.dialects import DIALECTS
from draftproof.sampling.explain import Effect, explain
from draftproof.sampling.grammar import Grammar
from draftproof.sampling.logprobs import LogProbs, log_probs
from draftproof.sampling.params import SamplingParams

__all__ = ["DIALECTS", "Chain", "Effect", "Grammar", "LogProbs", "Prefix", "SamplingParams", "explain", "log_probs"]
