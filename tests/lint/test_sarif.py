"""The SARIF document: what the standard asks of it, and what a viewer shows."""

import json
from pathlib import Path

from draftproof.lint import RULES
from draftproof.lint.sarif import sarif

from .cases import CASES, findings


def test_a_finding_has_its_rule_level_message_and_place() -> None:
    (finding,) = findings("transformers", '{\n "do_sampel": true}')
    document = sarif([finding], file="conf/generation config.json", version="1.2")
    assert (document["version"], document["$schema"].rpartition("/")[2]) == ("2.1.0", "sarif-2.1.0.json")
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"], [rule["id"] for rule in driver["rules"]]) == ("draftproof", "1.2", ["unknown-option"])
    (result,) = run["results"]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("unknown-option", 0, "warning")
    assert result["message"]["text"] == "do_sampel is not an option of transformers 5.24. Did you mean do_sample?"
    (location,) = result["locations"]
    assert location == {
        "physicalLocation": {
            "artifactLocation": {"uri": "conf/generation%20config.json"},
            "region": {"startLine": 2, "startColumn": 2},
        }
    }


def test_an_absolute_path_is_a_uri_and_what_has_no_place_stands_at_the_beginning() -> None:
    (finding,) = findings("transformers", "{}", "none")
    (result,) = sarif([finding], file=str(Path("/a b/c.json")), version="1")["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "file:///a%20b/c.json"},
        "region": {"startLine": 1, "startColumn": 1},
    }


def test_an_argument_has_a_logical_place() -> None:
    (finding,) = findings("llamacpp", "llama-server -md d.gguf")
    (result,) = sarif([finding], file="", version="1")["runs"][0]["results"]
    assert result["locations"] == [{"logicalLocations": [{"name": "argument 2"}]}]


def test_every_rule_can_be_written_and_indexed() -> None:
    found = []
    for name, case in CASES.items():
        engine = name.partition("-")[0]
        if engine in ("vllm", "sglang", "llamacpp", "transformers"):
            found += findings(engine, case.applies, case.version)
    document = json.loads(json.dumps(sarif(found, file="c.json", version="1")))
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} <= {rule.name for rule in RULES}
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
