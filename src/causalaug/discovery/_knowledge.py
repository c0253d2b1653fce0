"""What is known of a graph before the data are seen."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

from causalaug._validation import some, typing_slips
from causalaug.exceptions import CyclicGraphError, ParameterError
from causalaug.graphs import ADMG

Edge = tuple[str, str]


@dataclass(frozen=True)
class Knowledge:
    """Edges that must be, edges that cannot be, and what comes before what.

    Parameters
    ----------
    required : iterable of (str, str), optional
        Pairs (cause, effect) that a directed edge joins.
    forbidden : iterable of (str, str), optional
        Pairs (cause, effect) that no directed edge joins. The edge may run the other way, and
        a hidden common cause may join them.
    tiers : iterable of iterables of str, optional
        Groups of variables, the earliest first. Nothing causes what is in an earlier group,
        neither directly nor through others. Variables in no group are free.

    Examples
    --------
    >>> from causalaug import ADMG
    >>> known = Knowledge(forbidden=[("gene", "age")], tiers=[["age", "gene"], ["illness"]])
    >>> known.allows(ADMG(["age", "gene", "illness"], directed=[("gene", "illness")]))
    True

    A variable outside all tiers is no way around them:

    >>> known.allows(ADMG(["x", "age", "illness"], [("illness", "x"), ("x", "age")]))
    False

    What contradicts itself is refused at once:

    >>> Knowledge(required=[("illness", "age")], tiers=[["age"], ["illness"]])
    Traceback (most recent call last):
    causalaug.exceptions.ParameterError: The knowledge must not contradict itself. ...
    """

    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()

    def __init__(
        self,
        required: Iterable[Edge] = (),
        forbidden: Iterable[Edge] = (),
        tiers: Iterable[Iterable[str]] = (),
    ) -> None:
        for name, values in (("required", required), ("forbidden", forbidden), ("tiers", tiers)):
            object.__setattr__(self, name, _checked(name, values))
        self._check_harmony()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All variables that are mentioned."""
        pairs = (name for pair in (*self.required, *self.forbidden) for name in pair)
        tiered = (name for tier in self.tiers for name in tier)
        return tuple(dict.fromkeys((*pairs, *tiered)))

    def permits(self, cause: str, effect: str) -> bool:
        """Return whether a directed edge may run from `cause` to `effect`.

        Examples
        --------
        >>> Knowledge(tiers=[["age"], ["illness"]]).permits("illness", "age")
        False
        """
        against = (cause, effect) in self._forbidden or (effect, cause) in self._required
        return not against and not self._is_later(cause, effect)

    def requires(self, one: str, other: str) -> bool:
        """Return whether a directed edge must join the two, in whichever direction."""
        return (one, other) in self._required or (other, one) in self._required

    def allows(self, graph: ADMG) -> bool:
        """Return whether a graph has all that is required and nothing that is ruled out."""
        edges = set(graph.directed)
        if not self._required <= edges or not all(self.permits(*edge) for edge in edges):
            return False
        known = [name for name in self._tier if name in graph.nodes]
        return not any(
            self._is_later(cause, name) for name in known for cause in graph.ancestors(name)
        )

    def check_names(self, names: Collection[str]) -> None:
        """Raise unless all variables that are mentioned exist."""
        unknown = [name for name in self.names if name not in names]
        if unknown:
            raise ParameterError(
                f"`knowledge` must name variables of the data or graph. Found {some(unknown)}. "
                + typing_slips(unknown, names)
                + f"The variables are {some(names)}."
            )

    @cached_property
    def _required(self) -> frozenset[Edge]:
        return frozenset(self.required)

    @cached_property
    def _forbidden(self) -> frozenset[Edge]:
        return frozenset(self.forbidden)

    @cached_property
    def _tier(self) -> dict[str, int]:
        return {name: number for number, tier in enumerate(self.tiers) for name in tier}

    def _is_later(self, one: str, other: str) -> bool:
        tier = self._tier
        return one in tier and other in tier and tier[one] > tier[other]

    def _check_harmony(self) -> None:
        """Raise if no graph can have all that is required."""
        torn = [edge for edge in self.required if edge in self._forbidden]
        if torn:
            cause, effect = torn[0]
            raise ParameterError(
                "The knowledge must not contradict itself. "
                f"Found {cause} -> {effect} both required and forbidden. Remove one."
            )
        order = [
            edge for early, late in combinations(self.tiers, 2) for edge in product(early, late)
        ]
        try:
            if self.names:
                ADMG(self.names, directed=[*self.required, *order])
        except CyclicGraphError as error:
            found = str(error).partition("Found ")[2].partition(". ")[0]
            raise ParameterError(
                "The knowledge must not contradict itself. What is required, and the order of "
                f"the tiers, form a cycle: {found}. Remove an edge or move a variable."
            ) from None


def check_knowledge(knowledge: object) -> Knowledge:
    """Return the knowledge, by default none, or raise if it is something else."""
    if knowledge is None:
        return Knowledge()
    if not isinstance(knowledge, Knowledge):
        raise ParameterError(
            "`knowledge` must be a Knowledge, such as "
            f"Knowledge(tiers=[['age'], ['illness']]). Found {knowledge!r}."
        )
    return knowledge


def _checked(name: str, values: object) -> tuple[tuple[str, ...], ...]:
    """Return pairs, each once, or tiers that share no name; or raise."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ParameterError(f"`{name}` must be a list. Found {values!r}.")
    groups: list[tuple[str, ...]] = []
    for value in values:
        group = () if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
        are_names = bool(group) and all(isinstance(each, str) and each for each in group)
        if name != "tiers" and (len(group) != 2 or not are_names or group[0] == group[1]):
            raise ParameterError(
                f"`{name}` must hold pairs (cause, effect) of two different names. "
                f"Found {value!r}. Write {name}=[('A', 'B')]."
            )
        if not are_names:
            raise ParameterError(
                "`tiers` must hold groups of names, the earliest first. "
                f"Found {value!r}. Write tiers=[['age', 'sex'], ['illness']]."
            )
        groups.append(group)
    if name != "tiers":
        return tuple(dict.fromkeys(groups))
    count = Counter(each for group in groups for each in group)
    repeated = sorted(each for each in count if count[each] > 1)
    if repeated:
        raise ParameterError(
            f"A variable must be in one of the `tiers` only. Found more than once: {repeated}."
        )
    return tuple(groups)
