"""What a plan replays is what a user can ask for."""

from draftproof.bench.ways import every_way
from draftproof.models.language import LanguageModel


class TestEveryWay:
    def test_is_each_drafter_at_each_width_and_at_that_which_it_chooses(self, tiny: LanguageModel):
        ways = every_way(tiny, widths=(1, 11))
        names = [(way.name, way.width, way.model) for way in ways]
        assert names == [(name, width, False) for name in ("lookup", "suffix", "best_of") for width in (1, 11, "auto")]

    def test_has_those_of_a_draft_model_as_deep_as_it_goes(self, tiny: LanguageModel):
        names = [(way.name, way.width) for way in every_way(tiny, tiny, widths=(1, 11)) if way.model]
        assert names == [("model", 1), ("model", "auto"), ("best_of", 1), ("best_of", "auto")]
