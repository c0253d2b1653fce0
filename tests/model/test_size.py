import numpy as np
import pandas as pd
import pytest

from causalaug import (
    BeamExpansion,
    BudgetExpansion,
    KernelConditional,
    PrunedExpansion,
    ResidualConditional,
    SampledExpansion,
    augment,
    fit_model,
)
from causalaug.engine import augment_to_parquet
from causalaug.exceptions import ParameterError, TreeTooLargeError
from causalaug.model._size import n_paths

COLUMNS = list("abcde")
GRAPH = "a -> b -> c -> d -> e"


@pytest.fixture
def rows():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(40, 5)), columns=COLUMNS)


@pytest.fixture
def nothing_grows(monkeypatch):
    """Fail where the work begins: a refusal must come before it."""

    def refuse(*args, **options):
        raise AssertionError("the tree was grown")

    for name in ("_beam", "_budget", "_pruned", "_sampled"):
        monkeypatch.setattr(f"causalaug.expansion.{name}.describe_tree", refuse)


@pytest.mark.usefixtures("nothing_grows")
@pytest.mark.parametrize("conditional", [KernelConditional(), ResidualConditional()])
@pytest.mark.parametrize(
    ("expansion", "text"),
    [
        (
            SampledExpansion(10**9),
            r"max_rows=50,000,000 rows.*SampledExpansion, which would make 1,000,000,000 rows: "
            r"about 120 GB of memory and 50.0 minutes.*raise max_rows.*augment_to_parquet`\.$",
        ),
        (BudgetExpansion(10**8), r"100,000,000 rows: about 12 GB of memory and 1.2 minutes"),
        (BeamExpansion(10**8), r"100,000,000 rows: .*augment_to_parquet`, with BudgetExpansion"),
        (
            PrunedExpansion(0),
            r"max_rows=10,000,000 rows; at threshold=0 it has 102,400,000 rows: about 12 GB .*"
            r"Raise max_rows.*augment_to_parquet",
        ),
        (PrunedExpansion(0, merge_equal=False), "it has 102,400,000 rows"),
    ],
)
def test_jobs_that_are_too_large_are_refused_before_the_work(rows, conditional, expansion, text):
    with pytest.raises(TreeTooLargeError, match=text):
        augment(rows, GRAPH, conditional, expansion)


@pytest.mark.parametrize("kind", [SampledExpansion, BudgetExpansion, BeamExpansion])
def test_the_limit_can_be_moved(rows, kind):
    with pytest.raises(TreeTooLargeError, match="max_rows=99 rows"):
        augment(rows, GRAPH, expansion=kind(100, max_rows=99))
    assert len(augment(rows, GRAPH, expansion=kind(100, max_rows=100), random_state=0)) == 100
    with pytest.raises(ParameterError, match="`max_rows` must be an integer of at least 1"):
        kind(100, max_rows=0)


@pytest.mark.parametrize("kind", [BudgetExpansion, BeamExpansion])
def test_a_small_tree_is_made_however_many_rows_are_asked_for(rows, kind):
    few = rows.iloc[:3, :2]
    assert len(augment(few, "a -> b", expansion=kind(10**9))) == 9


def test_what_is_written_in_blocks_may_be_larger(rows, tmp_path):
    expansion = SampledExpansion(100, max_rows=60)
    written = augment_to_parquet(
        rows, GRAPH, tmp_path / "fits", expansion=expansion, block_rows=50, random_state=0
    )
    assert len(written) == 100
    with pytest.raises(TreeTooLargeError, match="max_rows=60 rows"):
        augment_to_parquet(rows, GRAPH, tmp_path / "not", expansion=expansion, block_rows=100)
    assert not (tmp_path / "not").exists()


@pytest.mark.parametrize("conditional", [KernelConditional(), ResidualConditional()])
@pytest.mark.parametrize("merge_equal", [True, False])
def test_the_number_of_paths_is_that_of_the_whole_tree(conditional, merge_equal):
    few = pd.DataFrame({"a": [1.5, 1.5, 2.0], "b": [0.3, 0.1, 0.1]})
    model = fit_model(few, "a -> b", conditional)
    whole = model.expand(PrunedExpansion(0, merge_equal=merge_equal))
    assert len(whole) == n_paths(model, merge_equal=merge_equal)


def test_a_wide_tree_is_refused_in_words():
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 400)))
    wide.columns = [f"v{number}" for number in range(400)]
    with pytest.raises(TreeTooLargeError, match="it has about 1e400 rows: more than about"):
        augment(wide, {name: [] for name in wide}, expansion=PrunedExpansion(0))
