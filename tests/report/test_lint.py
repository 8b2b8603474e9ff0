"""Findings of a configuration for a reader and for a program."""

from io import StringIO

from rich.console import Console

from draftproof.lint import Finding, Given, Level, Place, check, find
from draftproof.report.lint import finding_lines, lint_content, summary


def written(finding: Finding, source: str = "c.json") -> list[str]:
    """The lines as they stand in a file."""
    console = Console(file=StringIO(), color_system=None, width=200)
    for line in finding_lines(finding, source):
        console.print(line, soft_wrap=True)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def test_a_finding_is_its_place_and_rule_what_is_so_and_what_to_do() -> None:
    assert written(Finding("a-rule", Level.ERROR, "It is so.", "Do that.", Place(3, 5), ("p#1", "p#2"))) == [
        "error    c.json:3:5  a-rule",
        "    It is so.",
        "    Do that.",
        "    reported as p#1, p#2",
    ]
    assert written(Finding("a-rule", Level.NOTE, "It is so.", "Do that."))[0] == "note     c.json  a-rule"
    assert written(Finding("a-rule", Level.WARNING, "It is so.", "Do that.", Place(argument=2)))[0] == "warning  argument 2  a-rule"


def test_what_a_configuration_holds_cannot_change_the_terminal() -> None:
    settings = find("transformers").settings(Given("\x1b[2J.json", '{"do_sampl\\u001b[31m": 1}'), "5.24")
    (finding,) = check(settings)
    assert "\x1b" not in "".join(written(finding, "\x1b[2J.json"))


def test_the_summary_counts_by_level_and_says_as_what_it_was_judged() -> None:
    settings = find("transformers").settings(Given("c.json", '{"do_sampel": 1, "top_k": "x", "top_p": "x"}'))
    assert str(summary(check(settings), settings)) == "2 errors, 3 warnings, 1 note; 3 options, judged as transformers 5.24"
    clean = find("transformers").settings(Given("c.json", "{}"), "5.1")
    assert str(summary(check(clean), clean)) == "nothing found; 0 options, judged as transformers 5.1"


def test_a_program_reads_the_same() -> None:
    settings = find("llamacpp").settings(Given("", "", ("llama-server", "-md", "d")))
    content = lint_content(check(settings), settings, "arguments")
    assert (content["engine"], content["version"], content["judged_as"], content["options"]) == ("llamacpp", None, "b11549", 1)
    assert content["findings"][0] == {
        "rule": "llamacpp-draft-not-used",
        "level": "warning",
        "what": "-md loads a draft model, but the type of speculation is none, the default; unless its file names a type, which builds "
        "since August 2026 look for, it is never used.",
        "do": "Give --spec-type draft-simple, or the type that the draft model is made for.",
        "line": None,
        "column": None,
        "argument": 2,
        "reports": ["llama.cpp#25345", "llama.cpp#26814"],
    }
