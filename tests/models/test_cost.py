"""The cost of a pass is what was measured, made a staircase that never falls; measuring disturbs nothing."""

import pytest

from draftproof.errors import BadRequest
from draftproof.models.cost import WIDTHS, PassCost, filled, measure
from draftproof.models.table import TableModel
from draftproof.proof.fixtures import pairs

TARGET, _ = pairs(1, 3, seed=3)[0]


class Clocked(TableModel):
    """A model whose passes take known times on a clock of its own."""

    def timed(self, milliseconds, disturbed=()):
        self.__dict__.update(now=0.0, milliseconds=milliseconds, disturbed=dict(disturbed), passes=[], caches=[])
        return self

    def clock(self):
        return self.now / 1000

    def start(self):
        self.caches.append(super().start())
        return self.caches[-1]

    def extend(self, caches, blocks):
        (rows,) = (len(block.tokens) + len(block.drafted) for block in blocks)
        if self.passes:
            assert caches[0].length == self.passes[0], "the cache was rolled back"
        self.now += self.milliseconds(rows) + self.disturbed.get(len(self.passes), 0.0)
        self.passes.append(rows)
        return super().extend(caches, blocks)


class AtLeastTwo(Clocked):
    least_rows = 2


class Filled(AtLeastTwo):
    """A model that fills its passes, and takes 5 ms longer when it is asked for another number of rows than before."""

    row_steps = (4, 8)

    def extend(self, caches, blocks):
        (rows,) = (len(block.tokens) + len(block.drafted) for block in blocks)
        self.now += 5.0 * (not self.passes or rows != self.passes[-1])
        return super().extend(caches, blocks)


class ShortContext(Filled):
    """A model that fills its passes and whose context ends soon."""

    def reading(self, tokens):
        self.__dict__.update(context_length=tokens)
        return self.timed(lambda rows: 1.0 * rows)

    def extend(self, caches, blocks):
        (length,) = (cache.length + len(block.tokens) + len(block.drafted) for cache, block in zip(caches, blocks, strict=True))
        assert length <= self.context_length
        return super().extend(caches, blocks)


class Reading(Filled):
    """One that takes a millisecond more for each row that is read."""

    def extend(self, caches, blocks):
        self.now += sum(1 + len(block.drafted) for block in blocks)
        return super().extend(caches, blocks)


class TestPassCost:
    STAIRS = PassCost(((1, 10.0), (2, 16.0), (4, 14.0), (8, 24.0)))

    def test_is_what_was_measured_and_a_line_between(self):
        assert self.STAIRS.ms([1]) == 10
        assert self.STAIRS.ms([2]) == 16
        assert self.STAIRS.ms([8]) == 24
        assert self.STAIRS.ms([6]) == 20

    def test_never_falls_where_the_clock_says_so(self):
        assert self.STAIRS.ms([4]) == 16
        assert [self.STAIRS.total_ms(rows) for rows in range(1, 30)] == sorted(self.STAIRS.total_ms(rows) for rows in range(1, 30))

    def test_goes_on_beyond_the_last_as_it_rose_on_the_whole(self):
        assert self.STAIRS.ms([15]) == 24 + 7 * (24 - 10) / 7

    def test_of_a_batch_is_that_of_its_rows(self):
        assert self.STAIRS.ms([2, 1, 3]) == self.STAIRS.ms([6])

    def test_a_sequence_takes_at_least_the_rows_that_the_model_runs(self):
        cost = PassCost(((2, 10.0), (4, 20.0)), least_rows=2)
        assert cost.ms([1]) == cost.ms([2]) == 10
        assert cost.ms([1, 1]) == cost.ms([2, 2]) == 20

    @pytest.mark.parametrize(
        "measured", [(), ((1, 2.0),), ((2, 1.0), (1, 2.0)), ((1, 1.0), (1, 2.0)), ((0, 1.0), (1, 2.0)), ((1, 0.0), (2, 1.0))], ids=str
    )
    def test_that_was_not_measured_is_refused(self, measured):
        with pytest.raises(BadRequest, match=r"give \(rows, milliseconds\) at two or more rising numbers of rows, all positive"):
            PassCost(measured)

    def test_of_no_rows_is_refused(self):
        with pytest.raises(BadRequest, match="least_rows is 0; a pass has at least one row a sequence"):
            PassCost(((1, 1.0), (2, 2.0)), least_rows=0)


class TestFilling:
    COST = PassCost(((2, 10.0), (4, 10.0), (5, 20.0), (8, 20.0)), least_rows=2, steps=(4, 8), change_ms=3.0)

    def test_goes_up_to_the_next_step_and_nowhere_beyond_the_last(self):
        assert [filled(rows, (4, 8)) for rows in (1, 4, 5, 8, 9)] == [4, 4, 8, 8, 9]
        assert filled(3, ()) == 3

    def test_of_a_cost_are_those_that_were_measured(self):
        assert [self.COST.step(rows) for rows in (0, 2, 4, 7, 8, 9, 100)] == [4, 4, 4, 8, 8, 9, 100]
        assert PassCost(((1, 1.0), (2, 2.0))).step(1) == 1


class TestMeasuring:
    def test_of_a_model_that_fills_its_passes_tells_the_step_and_the_change(self):
        model = Filled(TARGET.table).timed(lambda rows: 1.0 * rows, disturbed={9: 1000.0})
        cost = measure(model, widths=(1, 2, 5, 16), context_tokens=7, repeats=3, clock=model.clock)
        assert model.passes == [7, 4, 4, 8, 8, 16, 16, *[4, 4, 8, 8, 16, 16, 16] * 3]
        assert cost.measured == tuple((rows, pytest.approx(ms)) for rows, ms in ((2, 4), (4, 4), (5, 8), (8, 8), (9, 16), (16, 16)))
        assert cost.steps == (4, 8)
        assert cost.change_ms == pytest.approx(5.0)
        assert cost.read_share == pytest.approx(0.0)

    def test_of_a_model_that_fills_its_passes_tells_how_much_of_them_is_for_rows_that_are_read(self):
        model = Reading(TARGET.table).timed(lambda rows: 1.0 * rows)
        cost = measure(model, widths=(4, 8, 16), clock=model.clock)
        assert cost.total_ms(16) == pytest.approx(32.0)
        assert cost.total_ms(16, 1) == pytest.approx(17.0)
        assert cost.total_ms(16, 4) == cost.total_ms(16, 1), "rows that are read are steps, too"
        assert cost.ms([1] * 8) == pytest.approx(32.0 - cost.read_share * 16)

    def test_goes_by_default_to_every_step(self):
        model = Filled(TARGET.table).timed(lambda rows: 1.0 * rows)
        assert [rows for rows, _ in measure(model, clock=model.clock).measured] == [2, 4, 5, 8]

    def test_of_a_model_that_does_not_knows_no_change(self):
        model = Clocked(TARGET.table).timed(lambda rows: 1.0 * rows)
        assert measure(model, clock=model.clock).change_ms == 0

    def test_finds_the_times_of_the_model(self):
        model = Clocked(TARGET.table).timed(lambda rows: 5.0 + rows)
        cost = measure(model, clock=model.clock)
        assert cost.measured == tuple((rows, pytest.approx(5.0 + rows)) for rows in WIDTHS)
        assert cost.least_rows == 1

    def test_takes_turns_after_a_round_that_does_not_count(self):
        model = Clocked(TARGET.table).timed(lambda rows: 1.0 * rows, disturbed={1: 1000.0, 2: 1000.0})
        cost = measure(model, widths=(1, 3), context_tokens=7, repeats=1, clock=model.clock)
        assert model.passes == [7, 1, 3, 1, 3]
        assert cost.measured == ((1, pytest.approx(1.0)), (3, pytest.approx(3.0)))

    def test_takes_the_median(self):
        model = Clocked(TARGET.table).timed(lambda rows: 1.0 * rows, disturbed={4: 1000.0, 8: 50.0})
        cost = measure(model, widths=(1, 2), repeats=5, clock=model.clock)
        assert cost.measured == ((1, pytest.approx(1.0)), (2, pytest.approx(2.0)))

    def test_uses_a_cache_of_its_own_and_rolls_it_back(self):
        model = Clocked(TARGET.table).timed(lambda rows: 1.0 * rows)
        measure(model, context_tokens=9, clock=model.clock)
        assert [cache.length for cache in model.caches] == [9]

    def test_asks_no_pass_of_fewer_rows_than_the_model_runs(self):
        model = AtLeastTwo(TARGET.table).timed(lambda rows: 3.0 * rows)
        cost = measure(model, widths=(1, 2, 4), clock=model.clock)
        assert cost.measured == ((2, pytest.approx(6.0)), (4, pytest.approx(12.0)))
        assert cost.least_rows == 2
        assert cost.ms([1]) == cost.ms([2])

    @pytest.mark.parametrize(("tokens", "timed"), [(9, {4, 8}), (16, {4, 8}), (17, {4, 8, 16}), (100, {4, 8, 16})])
    def test_leaves_out_what_filled_up_does_not_fit_into_the_context(self, tokens, timed):
        model = ShortContext(TARGET.table).reading(tokens)
        cost = measure(model, widths=(1, 2, 5, 16), repeats=1, clock=model.clock)
        assert set(model.passes[1:]) == timed
        assert cost.measured[-1][0] == max(timed)

    @pytest.mark.parametrize("tokens", range(1, 9))
    def test_of_a_context_too_short_for_two_widths_is_refused(self, tokens):
        model = ShortContext(TARGET.table).reading(tokens)
        with pytest.raises(BadRequest, match=f"the model's context of {tokens} tokens is too short to measure passes"):
            measure(model, widths=(1, 2, 5, 16), clock=model.clock)
        assert model.caches == []

    def test_of_one_width_is_enough_where_it_is_filled_up(self):
        model = ShortContext(TARGET.table).reading(9)
        assert measure(model, widths=(1, 2), repeats=1, clock=model.clock).measured == ((2, pytest.approx(4.0)), (4, pytest.approx(4.0)))
        with pytest.raises(BadRequest, match="too short to measure passes"):
            measure(ShortContext(TARGET.table).reading(4), widths=(1, 2), clock=model.clock)
