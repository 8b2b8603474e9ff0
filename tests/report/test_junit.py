"""The JUnit document: counted, escaped, and nothing that did not pass looks as if it had."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from draftproof.errors import BadRequest
from draftproof.proof.campaign import Word
from draftproof.report.junit import Case, junit, write

WORDS = [Case(word.value, word, 0.5, f"message of {word}", "line one\nline two") for word in Word]


def read(text: str) -> ElementTree.Element:
    (suite,) = ElementTree.fromstring(text)
    return suite


def test_words_are_counted_and_keep_their_meaning() -> None:
    suite = read(junit("suite", WORDS))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("5", "2", "1", "1")
    assert suite.get("time") == "2.500"
    children = {case.get("name"): [child.tag for child in case] for case in suite}
    assert children == {"PASS": [], "FAIL": ["failure"], "INCONCLUSIVE": ["failure"], "SKIPPED": ["skipped"], "ERROR": ["error"]}
    failure = suite.find("testcase[@name='INCONCLUSIVE']/failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message"), failure.text) == ("INCONCLUSIVE", "message of INCONCLUSIVE", "line one\nline two")


def test_text_of_others_cannot_break_it() -> None:
    nasty = "<&>\"'\x00\x1b[31m]]>"
    suite = read(junit(nasty, [Case(nasty, Word.FAIL, 0, nasty, nasty)]))
    (case,) = suite
    assert case.get("name") == case[0].get("message") == case[0].text == "<&>\"'\\x00\\x1b[31m]]>"


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    write(tmp_path / "out.xml", "suite", WORDS)
    assert len(read((tmp_path / "out.xml").read_text())) == 5
    with pytest.raises(BadRequest, match=r"cannot write .*: Is a directory"):
        write(tmp_path, "suite", WORDS)
