"""What that project's test suite gains: its sampler is proven, not sampled."""

import my_sampler
import pytest

from draftproof.testing import assert_exact


def test_our_verifier_is_exact():
    assert_exact(my_sampler.verify)


def test_our_whole_loop_is_exact_on_short_texts():
    assert_exact(my_sampler.generate, families=["filter"])


def test_the_proof_would_notice():
    with pytest.raises(AssertionError, match="fallback_from_target"):
        assert_exact(my_sampler.verify_in_a_hurry, families=["position"])
