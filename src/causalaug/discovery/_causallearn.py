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
        found = module.pc(sample.values, alpha, indep_test=_test(sample), show_progress=False)
    return _renamed(PAG.from_causallearn(found), sample)


def fci(sample: Sample, alpha: float) -> PAG:
    """Return the class of graphs with hidden causes that FCI finds by tests of independence."""
    module = load(f"{_PACKAGE}.ConstraintBased.FCI", "fci")
    with foreign_work("fci"):
        found, _ = module.fci(sample.values, _test(sample), alpha, show_progress=False)
    return _renamed(PAG.from_causallearn(found, two_tails="o-o"), sample)


def ges(sample: Sample) -> PAG:
    """Return the class of DAGs that greedy search by a score finds."""
    module = load(f"{_PACKAGE}.ScoreBased.GES", "ges")
    score = "local_score_BDeu" if sample.is_discrete else "local_score_BIC"
    with foreign_work("ges"):
        found = module.ges(sample.values, score)
    return _renamed(PAG.from_causallearn(found["G"]), sample)


def _test(sample: Sample) -> str:
    return "gsq" if sample.is_discrete else "fisherz"


def _renamed(found: PAG, sample: Sample) -> PAG:
    """Return the class with the names of the columns.

    Nodes are in the order of the columns. They are not matched by name, for not every version
    of every method takes names.
    """
    name = dict(zip(found.nodes, sample.columns, strict=True))
    return PAG(sample.columns, [(name[a], drawn, name[b]) for a, drawn, b in found.edges])
