"""The blend: several learners, weighed by how they do on held-out observed rows.

A gate that takes one setting must be sure before it leaves the plain learner, and so throws away
half of what it guards. A blend need not be sure: each candidate gets as much weight as held-out
rows speak for it. Some candidates trust the graph, others a model of the target given all else, the
control, which needs no causal knowledge: a wrong graph leaves that, not nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from causalaug._validation import check_bool, check_integer
from causalaug.estimators._candidates import Candidate, default_candidates
from causalaug.estimators._folds import check_splitter
from causalaug.exceptions import ParameterError

if TYPE_CHECKING:
    from causalaug.estimators._cross_fit import CrossFit
    from causalaug.typing import FloatArray


@dataclass(frozen=True)
class Blend:
    """How several learners are weighed by held-out rows; what ``augmented_share="auto"`` means.

    The candidates are the plain learner; a model that needs no causal knowledge, the control (of
    the complete graph with the target last), and the learner with its new rows at a share of .5;
    the graph's model, and the learner with its new rows at a share of .9. New rows have expected
    targets if the learner's loss allows that, and drawn ones otherwise. All are judged by what they
    predict for observed rows that were held out, with new rows made from the training rows of every
    fold, and get the weights under which their mean would have predicted these rows best: stacking.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds.
    n_repeats : int, default=1
        How often the rows are split anew; predictions of a row are averaged.
    cv : splitter, optional
        Any splitter of scikit-learn, such as ``GroupKFold(5)``, instead of the two numbers.
    model : bool, default=True
        Whether models are candidates by themselves. Without them only the learner predicts.
    held_out_rows : int or None, default=2,000
        How many held-out rows suffice for a judgement: of the folds of a table, so many are used
        that these are reached, and the rest is left out. Below it, with a splitter of your own, and
        with None all folds are used. (With 5,000 fits to 4,000 and 5,000 rows took 1.3 to 2.2 times
        as long, and test errors differed by 0.2% at most.)
    more_candidates : tuple of Candidate, default=()
        Candidates of your own (`causalaug.estimators.Candidate`), weighed beside the others.

    Examples
    --------
    >>> from causalaug import AugmentedRegressor, Blend
    >>> AugmentedRegressor(augmented_share=Blend(n_repeats=3)).augmented_share
    Blend(n_splits=5, n_repeats=3, cv=None, model=True, held_out_rows=2000)
    """

    n_splits: int = 5
    n_repeats: int = 1
    cv: Any = None
    model: bool = True
    held_out_rows: int | None = 2_000
    more_candidates: tuple[Candidate, ...] = field(default=(), repr=False)

    averages: ClassVar[bool] = True
    """A blend averages several candidates; a gate takes one."""

    def __post_init__(self) -> None:
        """Refuse too few folds, and what is no splitter."""
        check_integer("n_splits", self.n_splits, at_least=2)
        check_integer("n_repeats", self.n_repeats, at_least=1)
        check_splitter(self.cv)
        check_bool("model", self.model)
        if self.held_out_rows is not None:
            check_integer("held_out_rows", self.held_out_rows, at_least=1)
        object.__setattr__(self, "more_candidates", _checked(self.more_candidates))
        if self.cv is not None and self.n_repeats > 1:
            raise ParameterError(
                "`n_repeats` must be 1 with a splitter, which says itself how often it "
                f"splits the rows. Found n_repeats={self.n_repeats} and cv={self.cv!r}. "
                "Use RepeatedKFold or a splitter of your own as `cv`."
            )

    def candidates(self, new_targets: str, learner: Any) -> tuple[Candidate, ...]:
        """Return what is weighed, the plain learner first."""
        own = default_candidates(new_targets, learner, models=self.model)
        return (*own, *self.more_candidates)

    def weigh(self, judged: CrossFit) -> FloatArray:
        """Return the weight of each candidate, by what they predicted for held-out rows."""
        return judged.weights()


def _checked(candidates: Any) -> tuple[Candidate, ...]:
    """Return candidates as a tuple; raise if one is none, or if two have one name."""
    found = tuple(candidates) if isinstance(candidates, Iterable) else (candidates,)
    for each in found:
        if not isinstance(each, Candidate):
            raise ParameterError(
                "`more_candidates` must hold objects of a subclass of "
                f"`causalaug.estimators.Candidate`. Found {each!r}. Write its `name` and `fit`."
            )
    names = [each.name for each in found]
    if len(set(names)) < len(names):
        raise ParameterError(
            f"`more_candidates` must have different names. Found {names}. Rename one."
        )
    return found
