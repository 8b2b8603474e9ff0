"""How a verifier of each signature is called, and how what it returns is read."""

import inspect
from collections.abc import Callable
from typing import Any

from draftproof.proof.decoders.kinds import Kind
from draftproof.proof.decoders.returned import called, refuse, tokens_of, whole_number
from draftproof.proof.decoders.verifiers import Checked, Round, Verifier
from draftproof.proof.zoo.specimen import sample

# ---------------------------------------------------------------- one text at a time


def of_probs(function: Callable[..., Any], kind: Kind) -> Verifier:
    """f(target_probs (K+1, vocab), draft_probs (K, vocab), draft_tokens (K,)) -> the tokens to emit, or (accepted, token)."""

    def check(each: Round, vocab: int) -> Checked:
        target, draft, tokens = _arrays(each, vocab, kind)
        return _emitted(called(function, target, draft, tokens), each, vocab)

    return _each(check)


def of_logits(function: Callable[..., Any], kind: Kind) -> Verifier:
    """The same with the logarithms of the rows."""

    def check(each: Round, vocab: int) -> Checked:
        target, draft, tokens = _arrays(each, vocab, kind)
        return _emitted(called(function, kind.log(target), kind.log(draft), tokens), each, vocab)

    return _each(check)


def of_row(function: Callable[..., Any], kind: Kind) -> Verifier:
    """f(p (vocab,), q (vocab,), x) -> the token to emit at this position: x if it is kept."""

    def check(each: Round, vocab: int) -> Checked:
        ((p, _), (tokens, (q,))) = each.rows, each.proposal
        returned = called(function, kind.numbers(p, (vocab,)), kind.numbers(q, (vocab,)), tokens[0])
        (token,) = tokens_of([returned], vocab, least=1, most=1)
        return Checked(int(token == tokens[0]), [token])

    return _each(check)


def of_transformers(function: Callable[..., Any], kind: Kind) -> Verifier:
    """f(candidate_input_ids, candidate_logits, candidate_length, new_logits) -> (valid_tokens, n_matches), a batch of one.

    Older releases take `is_done_candidate` too: whether the draft ended the text, which none of these do.
    """
    more = {"is_done_candidate": False} if "is_done_candidate" in inspect.signature(function).parameters else {}

    def check(each: Round, vocab: int) -> Checked:
        target, draft, _ = _arrays(each, vocab, kind)
        width = len(each.proposal.tokens)
        text = [*each.context, *each.proposal.tokens]
        returned = called(function, kind.tokens([text], (1, len(text))), kind.log(draft)[None], width, kind.log(target)[None], **more)
        return _emitted(returned, each, vocab)

    return _each(check)


def _each(check: Callable[[Round, int], Checked]) -> Verifier:
    return lambda rounds, vocab: [check(each, vocab) for each in rounds]


def _arrays(each: Round, vocab: int, kind: Kind) -> tuple[Any, Any, Any]:
    width = len(each.proposal.tokens)
    return (
        kind.numbers(each.rows, (width + 1, vocab)),
        kind.numbers(each.proposal.laws, (width, vocab)),
        kind.tokens(each.proposal.tokens, (width,)),
    )


def _emitted(returned: Any, each: Round, vocab: int) -> Checked:
    """Tokens to emit as a list or an array; a pair is (accepted, token) or (tokens to emit, accepted)."""
    drafted = each.proposal.tokens
    if not isinstance(returned, tuple):
        tokens = tokens_of(returned, vocab, least=1, most=len(drafted) + 1)
        return Checked(len(tokens) - 1, tokens)
    if len(returned) != 2:
        refuse(returned, "a tuple is read as (accepted, token); return the tokens to emit as a list or an array")
    first, second = returned
    if _is_number(first):
        accepted = whole_number(first, returned)
        if not 0 <= accepted <= len(drafted):
            refuse(returned, f"{accepted} tokens of a draft of {len(drafted)} cannot be accepted")
        return Checked(accepted, [*drafted[:accepted], *tokens_of([second], vocab, least=1, most=1)])
    tokens, accepted = tokens_of(first, vocab, least=1, most=len(drafted) + 1), whole_number(second, returned)
    if accepted != len(tokens) - 1:
        refuse(returned, f"{len(tokens)} tokens to emit do not fit {accepted} accepted ones")
    return Checked(accepted, tokens)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) or getattr(value, "shape", None) == ()


# ---------------------------------------------------------------- all texts at once


def of_vllm(function: Callable[..., Any], kind: Kind) -> Verifier:
    """f(target_probs (B, K, vocab), bonus_token_ids (B, 1), draft_probs (B, K, vocab), draft_token_ids (B, K)) -> (B, K+1), -1 as padding.

    All texts that have not ended are one batch. The bonus token is drawn here, from the target's last row.
    """

    def check(rounds: list[Round], vocab: int) -> list[Checked]:
        batch, width = len(rounds), len(rounds[0].proposal.tokens)
        returned = called(
            function,
            kind.numbers([each.rows[:-1] for each in rounds], (batch, width, vocab)),
            kind.tokens([[sample(each.rows[-1])] for each in rounds], (batch, 1)),
            kind.numbers([each.proposal.laws for each in rounds], (batch, width, vocab)),
            kind.tokens([each.proposal.tokens for each in rounds], (batch, width)),
        )
        if (shape := tuple(getattr(returned, "shape", (len(returned),)))) not in ((batch, width + 1), (batch,)):
            refuse(returned, f"expected shape {(batch, width + 1)}, not {shape}")
        done = []
        for row in returned:
            tokens = row.tolist() if hasattr(row, "tolist") else list(row)
            while tokens and tokens[-1] == -1:
                tokens.pop()
            tokens = tokens_of(tokens, vocab, least=1, most=width + 1)
            done.append(Checked(len(tokens) - 1, tokens))
        return done

    return check
