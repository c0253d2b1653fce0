"""PC, GES and FCI by the package causal-learn.

Background knowledge is not handed over: causal-learn turns an edge that must not run one way
into one that runs the other way, which is wrong if a hidden cause is possible. What is known
chooses among the graphs of the class instead.
"""

from causalaug.discovery._foreign import foreign_work, load
from causalaug.discovery._pag import PAG
from causalaug.discovery._sample import Sample

_PACKAGE = "causallearn.search"


def pc(sample: Sample, alpha: float) -> PAG:
    """Return the class of DAGs that the PC algorithm finds by tests of independence."""
    module = load(f"{_PACKAGE}.ConstraintBased.PC", "pc")
    with foreign_work("pc"):
        found = module.pc(
            sample.values,
            alpha,
            indep_test=_test(sample),
            show_progress=False,
            node_names=list(sample.columns),
        )
    return PAG.from_causallearn(found)


def fci(sample: Sample, alpha: float) -> PAG:
    """Return the class of graphs with hidden causes that FCI finds by tests of independence."""
    module = load(f"{_PACKAGE}.ConstraintBased.FCI", "fci")
    with foreign_work("fci"):
        found, _ = module.fci(
            sample.values,
            _test(sample),
            alpha,
            show_progress=False,
            node_names=list(sample.columns),
        )
    return PAG.from_causallearn(found, two_tails="o-o")


def ges(sample: Sample) -> PAG:
    """Return the class of DAGs that greedy search by a score finds."""
    module = load(f"{_PACKAGE}.ScoreBased.GES", "ges")
    score = "local_score_BDeu" if sample.is_discrete else "local_score_BIC"
    with foreign_work("ges"):
        found = module.ges(sample.values, score, node_names=list(sample.columns))
    return PAG.from_causallearn(found["G"])


def _test(sample: Sample) -> str:
    return "gsq" if sample.is_discrete else "fisherz"
