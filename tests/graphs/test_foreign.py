"""Graphs of libraries that need not be installed: fakes with the same attributes, then they."""

from enum import Enum
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from causalaug.exceptions import GraphFormatError
from causalaug.graphs import ADMG, read_graph

MIXED = ADMG(["B", "A", "C"], directed=[("A", "B")], bidirected=[("B", "C")])


class Endpoint(Enum):
    TAIL = -1
    ARROW = 1
    CIRCLE = 2
    STAR = 3


class CausalLearnGraph:
    """The methods of causal-learn's GeneralGraph that are used."""

    def __init__(self, names, edges, latent=()):
        kinds = {
            name: SimpleNamespace(name="LATENT" if name in latent else "MEASURED") for name in names
        }
        self._nodes = {
            name: SimpleNamespace(get_name=lambda n=name: n, get_node_type=lambda n=name: kinds[n])
            for name in names
        }
        self._edges = edges
        self.graph = np.zeros((len(names), len(names)))

    def get_nodes(self):
        return list(self._nodes.values())

    def get_graph_edges(self):
        return [
            SimpleNamespace(
                get_node1=lambda a=a: self._nodes[a],
                get_node2=lambda b=b: self._nodes[b],
                get_endpoint1=lambda e=left: Endpoint[e],
                get_endpoint2=lambda e=right: Endpoint[e],
            )
            for a, left, right, b in self._edges
        ]


CAUSAL_LEARN = CausalLearnGraph(
    ["B", "A", "C"], [("B", "ARROW", "TAIL", "A"), ("B", "ARROW", "ARROW", "C")]
)


class PywhyGraph:
    """The attributes of a mixed-edge graph of pywhy-graphs that are used."""

    def __init__(self, **networks):
        self.edge_types = list(networks)
        self.nodes = ["B", "A", "C"]
        self.graph = {}
        self._networks = networks

    def get_graphs(self):
        return self._networks


ANANKE = SimpleNamespace(
    vertices={"B": object(), "A": object(), "C": object()},
    di_edges={("A", "B")},
    bi_edges={("C", "B"), ("C", "C")},
    ud_edges=set(),
)
PYWHY = PywhyGraph(directed=nx.DiGraph([("A", "B")]), bidirected=nx.Graph([("B", "C")]))


@pytest.mark.parametrize(
    "source",
    [
        CAUSAL_LEARN,
        SimpleNamespace(G=CAUSAL_LEARN),
        (CAUSAL_LEARN, []),
        {"G": CAUSAL_LEARN, "score": 1.0},
        ANANKE,
        PYWHY,
    ],
    ids=[
        "causal-learn",
        "causal-learn pc",
        "causal-learn fci",
        "causal-learn ges",
        "ananke",
        "pywhy",
    ],
)
def test_mixed_graphs_are_known_by_their_methods(source):
    assert read_graph(source) == MIXED


def test_a_latent_node_of_causal_learn_is_projected_out():
    edges = [("U", "TAIL", "ARROW", "A"), ("U", "TAIL", "ARROW", "B")]
    graph = read_graph(CausalLearnGraph(["U", "A", "B"], edges, latent=["U"]))
    assert graph == ADMG(["A", "B"], bidirected=[("A", "B")])


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ("TAIL", "TAIL", "causal-learn graph: .*Found A -- B: it has no direction"),
        ("CIRCLE", "ARROW", "Found A o-> B: a circle"),
        ("ARROW", "CIRCLE", "Found A <-o B: a circle"),
        ("TAIL", "CIRCLE", "Found A -o B: a circle"),
        ("STAR", "ARROW", r"Found A \*-> B: it is no arrow"),
    ],
)
def test_open_marks_of_causal_learn_are_refused(left, right, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(CausalLearnGraph(["A", "B"], [("A", left, right, "B")]))


def test_undirected_edges_of_ananke_are_refused():
    source = SimpleNamespace(vertices={"A": 0, "B": 0}, di_edges=set(), ud_edges={("A", "B")})
    with pytest.raises(GraphFormatError, match="ananke graph: .*Found A -- B"):
        read_graph(source)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("undirected", "pywhy-graphs graph: .*it has no direction"),
        ("circle", "a circle"),
        ("lagged", "Found A lagged B: it is no arrow"),
    ],
)
def test_open_edges_of_pywhy_are_refused(kind, message):
    with pytest.raises(GraphFormatError, match=message):
        read_graph(PywhyGraph(**{kind: nx.DiGraph([("A", "B")])}))


def test_a_fitted_lingam_model_needs_only_names():
    model = SimpleNamespace(adjacency_matrix_=np.array([[0, 0.5], [0, 0]]))
    expected = ADMG(["A", "B"], directed=[("B", "A")])
    assert read_graph(model, names=["A", "B"]) == expected
    assert read_graph(model, names=["A", "B"], format="lingam") == expected
    with pytest.raises(GraphFormatError, match="needs names for its 2 nodes"):
        read_graph(model)


def test_models_of_dowhy_hold_a_network():
    graph = nx.DiGraph([("U", "A"), ("U", "B")])
    graph.nodes["U"]["observed"] = "no"
    expected = ADMG(["A", "B"], bidirected=[("A", "B")])
    causal_graph = SimpleNamespace(_graph=graph)
    assert read_graph(causal_graph) == expected
    assert read_graph(SimpleNamespace(_graph=causal_graph)) == expected
    assert read_graph(SimpleNamespace(graph=graph)) == expected


def test_latents_of_pgmpy_are_projected_out():
    graph = nx.DiGraph([("U", "A"), ("U", "B")])
    graph.latents = {"U"}
    assert read_graph(graph) == ADMG(["A", "B"], bidirected=[("A", "B")])


@pytest.mark.filterwarnings("ignore")
class TestRealLibraries:
    """The same with the libraries themselves, where they are installed."""

    def test_lingam(self):
        lingam = pytest.importorskip("lingam", exc_type=ImportError)
        rng = np.random.default_rng(0)
        cause = rng.uniform(size=500)
        rows = np.column_stack([2 * cause + 0.1 * rng.uniform(size=500), cause])
        model = lingam.DirectLiNGAM()
        model.fit(rows)
        assert read_graph(model, names=["E", "C"]) == ADMG(["E", "C"], directed=[("C", "E")])

    def test_causal_learn(self):
        module = pytest.importorskip("causallearn.graph.GeneralGraph", exc_type=ImportError)
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint as Mark
        from causallearn.graph.GraphNode import GraphNode

        b, a, c = (GraphNode(name) for name in ("B", "A", "C"))
        graph = module.GeneralGraph([b, a, c])
        graph.add_edge(Edge(a, b, Mark.TAIL, Mark.ARROW))
        graph.add_edge(Edge(b, c, Mark.ARROW, Mark.ARROW))
        assert read_graph(graph) == MIXED
        graph.add_edge(Edge(a, c, Mark.CIRCLE, Mark.ARROW))
        with pytest.raises(GraphFormatError, match="Found A o-> C"):
            read_graph(graph)

    def test_ananke(self):
        graphs = pytest.importorskip("ananke.graphs", exc_type=ImportError)
        graph = graphs.ADMG(["B", "A", "C"], di_edges=[("A", "B")], bi_edges=[("B", "C")])
        assert read_graph(graph) == MIXED
        assert read_graph(graphs.DAG(["A", "B"], [("A", "B")])) == ADMG(["A", "B"], [("A", "B")])

    def test_pywhy_graphs(self):
        pywhy = pytest.importorskip("pywhy_graphs", exc_type=ImportError)
        graph = pywhy.ADMG()
        graph.add_nodes_from(["B", "A", "C"])
        graph.add_edge("A", "B", graph.directed_edge_name)
        graph.add_edge("B", "C", graph.bidirected_edge_name)
        assert read_graph(graph) == MIXED
        pag = pywhy.PAG()
        pag.add_edge("A", "B", pag.circle_edge_name)
        with pytest.raises(GraphFormatError, match="a circle"):
            read_graph(pag)

    def test_pgmpy(self):
        base = pytest.importorskip("pgmpy.base", exc_type=ImportError)
        dag = base.DAG([("U", "A"), ("U", "B")], latents={"U"})
        assert read_graph(dag) == ADMG(["A", "B"], bidirected=[("A", "B")])
        if not hasattr(base, "ADMG"):
            pytest.skip("this version of pgmpy has no ADMG")
        admg = base.ADMG(directed_ebunch=[("A", "B")], bidirected_ebunch=[("B", "C")])
        assert read_graph(admg, names=["B", "A", "C"]) == MIXED
        pdag = base.PDAG(directed_ebunch=[("A", "B")], undirected_ebunch=[("B", "C")])
        with pytest.raises(GraphFormatError, match="Found both B -> C and C -> B"):
            read_graph(pdag)

    def test_dowhy(self):
        dowhy = pytest.importorskip("dowhy", exc_type=ImportError)
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"A": [0.0, 1.0, 2.0], "B": [1.0, 0.0, 2.0]})
        text = 'digraph { U [observed="no"]; U -> A; U -> B; A -> B }'
        model = dowhy.CausalModel(frame, treatment="A", outcome="B", graph=text)
        assert read_graph(model, names=["A", "B"]) == read_graph(text)
        scm = dowhy.gcm.StructuralCausalModel(nx.DiGraph([("A", "B")]))
        assert read_graph(scm) == ADMG(["A", "B"], directed=[("A", "B")])
