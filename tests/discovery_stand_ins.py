"""Stand-ins for lingam and causal-learn: what they are asked is kept, what they answer is given."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np


class ForeignGraph:
    """Answers like a graph of causal-learn."""

    def __init__(self, names, edges):
        self.names, self.edges = names, edges

    def get_nodes(self):
        return [SimpleNamespace(get_name=lambda name=name: name) for name in self.names]

    def get_graph_edges(self):
        nodes = dict(zip(self.names, self.get_nodes(), strict=True))
        return [
            SimpleNamespace(
                get_node1=lambda a=a: nodes[a],
                get_node2=lambda b=b: nodes[b],
                get_endpoint1=lambda left=left: SimpleNamespace(name=left),
                get_endpoint2=lambda right=right: SimpleNamespace(name=right),
            )
            for a, left, right, b in self.edges
        ]


def put_causallearn(monkeypatch, answer, asked):
    """Let pc, fci and ges return ``answer(values)``, a list of edges with marks.

    There the columns are A, B, ...; causal-learn calls them X1, X2, ...
    """

    def graph(values):
        names = {chr(ord("A") + number): f"X{number + 1}" for number in range(values.shape[1])}
        edges = [(names[a], left, right, names[b]) for a, left, right, b in answer(values)]
        return ForeignGraph(list(names.values()), edges)

    def pc(values, alpha, *, indep_test, show_progress):
        assert not show_progress
        asked.append(("pc", alpha, indep_test))
        return SimpleNamespace(G=graph(values))

    def fci(values, test, alpha, *, show_progress):
        assert not show_progress
        print("a library that prints")
        asked.append(("fci", alpha, test))
        return graph(values), []

    def ges(values, score):
        asked.append(("ges", score))
        return {"G": graph(values)}

    modules = {"ConstraintBased.PC": pc, "ConstraintBased.FCI": fci, "ScoreBased.GES": ges}
    for name in ("", ".search", ".search.ConstraintBased", ".search.ScoreBased"):
        monkeypatch.setitem(sys.modules, f"causallearn{name}", ModuleType(f"causallearn{name}"))
    for name, function in modules.items():
        module = ModuleType(f"causallearn.search.{name}")
        setattr(module, function.__name__, function)
        monkeypatch.setitem(sys.modules, module.__name__, module)


def put_lingam(monkeypatch, order, asked):
    """Let DirectLiNGAM find this order of columns, each causing all later ones."""

    class DirectLiNGAM:
        def __init__(self, *, random_state, prior_knowledge, measure):
            asked.append((random_state, prior_knowledge, measure))

        def fit(self, values):
            self.causal_order_ = list(order)
            rank = np.argsort(order)
            self.adjacency_matrix_ = np.where(rank[:, np.newaxis] > rank, 0.5, 0.0)

    def predict_adaptive_lasso(values, predictors, target):
        asked.append((list(predictors), target))
        return np.full(len(predictors), 0.5)

    lingam, utils = ModuleType("lingam"), ModuleType("lingam.utils")
    lingam.DirectLiNGAM, utils.predict_adaptive_lasso = DirectLiNGAM, predict_adaptive_lasso
    monkeypatch.setitem(sys.modules, "lingam", lingam)
    monkeypatch.setitem(sys.modules, "lingam.utils", utils)


def take_away(monkeypatch, package):
    """Make a package impossible to import."""

    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name == package:
                raise ModuleNotFoundError(name=name)

    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Blocker(), *sys.meta_path])
