"""`module:function`: what is found, and what is one sentence."""

import random
import sys

import pytest

from draftproof.errors import BadRequest
from draftproof.proof.decoders.load import load


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current directory, with a module of its own."""
    (tmp_path / "stranger_here.py").write_text("LIMIT = 3\nclass Sampler:\n    @staticmethod\n    def verify(): return 7\n")
    (tmp_path / "stranger_broken.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("stranger_here", None)


@pytest.mark.usefixtures("here")
def test_it_finds_modules_in_the_current_directory_and_functions_in_classes():
    assert load("stranger_here:Sampler.verify")() == 7
    assert load("random:choice") is random.choice


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("verify", "expected MODULE:FUNCTION, such as"),
        (":verify", "expected MODULE:FUNCTION"),
        ("stranger_here:", "expected MODULE:FUNCTION"),
        ("some/stranger_here.py:verify", "is a path; expected MODULE:FUNCTION: from the folder that holds it, stranger_here:verify"),
        ("stranger_here:Sampler", "stranger_here:Sampler is a class; give a function"),
        ("no_such_module:verify", "cannot import 'no_such_module': ModuleNotFoundError: No module named 'no_such_module'"),
        ("stranger_broken:verify", "cannot import 'stranger_broken': ModuleNotFoundError: No module named 'no_such_library'"),
        ("stranger_here:verify", "'stranger_here:verify' was not found: 'stranger_here' has no 'verify'"),
        ("stranger_here:Sampler.other", "'Sampler' has no 'other'"),
        ("stranger_here:LIMIT", "'stranger_here:LIMIT' is a int; expected a function"),
    ],
)
def test_what_cannot_be_loaded_is_one_sentence(name, message):
    with pytest.raises(BadRequest, match=message):
        load(name)
