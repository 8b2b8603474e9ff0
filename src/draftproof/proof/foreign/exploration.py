"""The exploration of a program whose paths meet: each node is explored once, and probability flows from the start to all ends.

What a program can do is a graph. A run leads from a node to the next, or to an outcome. Probability flows from node to
node, one layer of runs after another, and with it the number of paths and the likeliest of them.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from time import monotonic

from draftproof.errors import BadRequest, NotReproducible
from draftproof.proof.explore import Decision, Path, Script, paths, side_by_side
from draftproof.proof.foreign.flow import CERTAIN, Ahead, Flow, Found
from draftproof.proof.foreign.report import Budget, ProgramLaw, Progress
from draftproof.proof.foreign.run import Run
from draftproof.proof.foreign.stage import Stage

START = "the start of the program"
"""The node before anything ran."""

TOLD_EVERY_S = 0.05
"""Time between two reports of progress. Each takes the stage down and up again, which costs as much as a few runs."""

Play = Callable[[Hashable, Path], tuple[Found, Run]]
"""One run from a node, on a path that begins with the decisions that lead to it."""


class Exploration:
    """The graph of one program, as far as it is known."""

    def __init__(
        self,
        stage: Stage,
        play: Play,
        budget: Budget,
        progress: Callable[[Progress], None] | None,
        beginning: Callable[[Hashable], Sequence[Decision]] = lambda node: (),
    ) -> None:
        """
        Args:
            beginning: the decisions that lead from where a run starts to a node, if it lies in the middle of a run.

        Raises:
            BadRequest: the budget is empty.
        """
        budget.check()
        self._stage, self._play, self._budget, self._progress, self._beginning = stage, play, budget, progress, beginning
        self._known: dict[Hashable, Ahead] = {}
        self._ends: dict[Hashable, Flow] = {}
        self._samples: list[tuple[Hashable, Sequence[Decision], Found]] = []
        self._replays, self._explored, self._rounding = 0, Fraction(0), Fraction(0)
        self._began = self._told = monotonic()

    def run(self, check: Callable[[], None] | None = None) -> ProgramLaw:
        """Explore from the start.

        Args:
            check: called at the end, while the stage still stands, for checks that make runs of their own.

        Raises:
            BadRequest: rounds lead back to a node that they came from.
            NotReproducible: a run that was made again led elsewhere.
            Untracked: a generator was drawn from behind the stage.
        """
        with self._stage:
            self._flow()
            self._check_repeats()
            if check:
                check()
        self._stage.check_untouched()
        done = self._now(sum(flow.paths for flow in self._ends.values()), self._explored)
        if self._progress:
            self._progress(done)
        law = {place: flow.probability for place, flow in self._ends.items()}
        likeliest = {place: flow.way.flat() for place, flow in self._ends.items()}
        return ProgramLaw(law, done, max((flow.decisions for flow in self._ends.values()), default=0), self._rounding, likeliest)

    def ahead(self, node: Hashable) -> Ahead:
        """All that lies ahead of a node, explored whatever the budget."""
        ahead, beginning = Ahead(), self._beginning(node)
        for path in paths(beginning):
            found, run = self._played(node, path)
            ahead.add(found, path, run.rounding, len(beginning))
        return ahead

    def is_known(self, node: Hashable) -> bool:
        """Whether all that lies ahead of a node was explored."""
        return node in self._known and sum(flow.probability for flow in self._known[node].flows.values()) == 1

    def known(self, node: Hashable) -> Ahead:
        """What was explored ahead of a node."""
        return self._known[node]

    def _flow(self) -> None:
        layer: dict[Hashable, Flow] = {START: CERTAIN}
        layers = 0
        while layer:
            if layers > len(self._known):  # a path through that many nodes met one of them twice
                raise BadRequest(
                    "the state or key between rounds does not tell the rounds apart: a round led back to where an earlier one began, so "
                    "they could go on for ever; count the rounds in it"
                )
            following: dict[Hashable, Flow] = {}
            for node, flow in layer.items():
                if node not in self._known:
                    self._known[node] = self._within_budget(node, flow)
                self._rounding += flow.probability * self._known[node].rounding
                for found, step in self._known[node].flows.items():
                    places, arriving = self._ends if found.ends else following, flow.then(step)
                    places[found.place] = places[found.place].beside(arriving) if found.place in places else arriving
                    if found.ends:
                        self._explored += arriving.probability
            layer, layers = following, layers + 1

    def _within_budget(self, node: Hashable, flow: Flow) -> Ahead:
        """What lies ahead of a node, as far as the budget goes."""
        ahead, beginning, ended, explored = Ahead(), self._beginning(node), 0, Fraction(0)
        if self._is_spent():
            return ahead
        for path in paths(beginning):
            found, run = self._played(node, path)
            ahead.add(found, path, run.rounding, len(beginning))
            if self._replays & (self._replays - 1) == 0:
                self._samples.append((node, path.taken, found))
            if self._replays == 1:
                self._stage.check_untouched()
            if self._progress:
                ended, explored = (ended + 1, explored + path.probability) if found.ends else (ended, explored)
                self._tell(flow, ended, explored)
            if self._is_spent():
                break
        return ahead

    def _played(self, node: Hashable, path: Path) -> tuple[Found, Run]:
        self._replays += 1
        found, run = self._play(node, path)
        path.check_ended()
        return found, run

    def _check_repeats(self) -> None:
        """Make the 1st, 2nd, 4th, 8th run and so on again, so that state that built up in between is seen in where they lead."""
        for node, decisions, found in self._samples:
            path = Path(Script(decisions))
            again, _ = self._played(node, path)
            if again != found or path.taken != decisions:
                raise NotReproducible(
                    f"the same draws led to {found.place!r:.200} first and to {again.place!r:.200} later; the program must be a function "
                    "of its randomness, keep no state from one run to the next, and draw from nothing that is not watched, such as "
                    "os.urandom, the clock, or a generator held out of reach" + side_by_side(decisions, path.taken)
                )

    def _is_spent(self) -> bool:
        return self._replays >= self._budget.replays or monotonic() - self._began > self._budget.seconds

    def _tell(self, flow: Flow, ended: int, explored: Fraction) -> None:
        if monotonic() - self._told >= TOLD_EVERY_S:
            whole = sum(end.paths for end in self._ends.values()) + flow.paths * ended
            with self._stage.aside():
                self._progress(self._now(whole, self._explored + flow.probability * explored))  # type: ignore[misc]
            self._told = monotonic()

    def _now(self, whole_paths: int, explored: Fraction) -> Progress:
        return Progress(self._replays, whole_paths, explored, monotonic() - self._began)
