"""Paths grown level by level, for the expansions that keep a bounded number of them."""

from dataclasses import dataclass, field, replace

import numpy as np

from causalaug.expansion._paths import Paths
from causalaug.expansion._pillows import Pillows, PillowWeights
from causalaug.expansion._tree import Level, ProbabilityTree
from causalaug.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Children:
    """One step on: the path each child continues, its choice, and its log-weight."""

    parent: IntArray
    choice: IntArray
    log_weights: FloatArray

    def at(self, positions: IntArray) -> "Children":
        """Return the children at some positions."""
        return Children(self.parent[positions], self.choice[positions], self.log_weights[positions])


@dataclass(frozen=True, eq=False)
class _Step:
    """What one level added to the paths: rows, and values where these are shifted."""

    column: int
    parent: IntArray
    rows: IntArray
    values: FloatArray | None

    def at(self, positions: IntArray) -> "_Step":
        """Return what was added to some of the paths."""
        values = None if self.values is None else self.values[positions]
        return replace(
            self, parent=self.parent[positions], rows=self.rows[positions], values=values
        )


@dataclass(eq=False)
class Frontier:
    """The paths so far. Only what later pillows need is carried along; the rest is history.

    Values that are shifted on their way are not known before: the tree's own values of that
    variable are replaced by those that the paths hold.
    """

    tree: ProbabilityTree
    log_weights: FloatArray = field(default_factory=lambda: np.zeros(1))
    codes: dict[int, IntArray] = field(default_factory=dict)
    _history: list[_Step] = field(default_factory=list)
    _latest: "_LatestPillows | None" = None

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.log_weights)

    def pillows(self, level: Level) -> Pillows:
        """Return the paths grouped by pillow tuple."""
        latest = self._latest
        if latest is None or latest.columns != level.pillow:
            groups, query = self.tree.group_pillows(level, self.codes, len(self))
            pillows = Pillows(groups, np.arange(len(query)), self._weights(level, query))
        elif latest.pillows.weights.weigher is not level.conditional:
            weights = self._weights(level, latest.pillows.query)
            pillows = replace(latest.current(), weights=weights)
        else:
            pillows = latest.current()
        self._latest = _LatestPillows(level.pillow, pillows)
        return pillows

    def grow(self, level: Level, children: Children) -> None:
        """Replace the paths by their children."""
        variable = self.tree.variables[level.column]
        rows = variable.row_of_choice[children.choice]
        values = self._shifted(level, children.parent, rows)
        codes = {c: self.codes[c][children.parent] for c in level.live if c != level.column}
        if level.is_live:
            codes[level.column] = variable.code_of_choice[children.choice]
        if level.is_live and values is not None:
            distinct, codes[level.column] = np.unique(values, return_inverse=True)
            self.tree = self.tree.with_values(level.column, distinct)
        step = _Step(level.column, children.parent.astype(np.int32), rows, values)
        self._history.append(step)
        following = self.tree.following(level)
        if self._latest and following and following.pillow == self._latest.columns:
            self._latest = self._latest.at(children.parent)
        else:
            self._latest = None
        self.codes, self.log_weights = codes, children.log_weights

    def at(self, positions: IntArray, log_weights: FloatArray) -> "Frontier":
        """Return some of the paths, with other weights, as a frontier of their own."""
        codes = {column: code[positions] for column, code in self.codes.items()}
        history = [*self._history[:-1], *(step.at(positions) for step in self._history[-1:])]
        return Frontier(self.tree, log_weights, codes, history)

    def paths(self) -> Paths:
        """Trace each path back to the root."""
        stacked = np.empty((len(self._history), len(self)), dtype=np.int32)
        shifted: dict[int, FloatArray] = {}
        position: IntArray = np.arange(len(self))
        for step in reversed(self._history):
            np.take(step.rows, position, out=stacked[step.column], mode="clip")
            if step.values is not None:
                shifted[step.column] = step.values[position]
            position = step.parent[position]
        return Paths(stacked.T, self.log_weights, shifted)

    def _shifted(self, level: Level, parent: IntArray, rows: IntArray) -> FloatArray | None:
        """Return the values that the children hold, if they are not those of the rows."""
        if level.shift is None:
            return None
        pillows = self.pillows(level)
        return level.shift.values(pillows.query, pillows.of(parent), rows)

    def _weights(self, level: Level, query: FloatArray) -> PillowWeights:
        following = self.tree.following(level)
        keep = following is not None and following.conditional is level.conditional
        return PillowWeights(level.conditional, query, keep=keep)


@dataclass(frozen=True, eq=False)
class _LatestPillows:
    """The pillows that were last asked for, and which of their paths are left since."""

    columns: tuple[int, ...]
    pillows: Pillows
    paths: IntArray | None = None

    def at(self, paths: IntArray) -> "_LatestPillows":
        """Note which paths are left, or what they descend from; nothing is grouped yet."""
        return replace(self, paths=paths if self.paths is None else self.paths[paths])

    def current(self) -> Pillows:
        """Return the paths that are left, grouped."""
        n_paths = len(self.pillows.groups.ranks)
        if self.paths is None or np.array_equal(self.paths, np.arange(n_paths)):
            return self.pillows
        return self.pillows.at(self.paths)
