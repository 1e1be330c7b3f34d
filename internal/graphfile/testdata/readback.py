"""Reads with networkx, igraph, numpy, pgmpy and pydot what tobac wrote, and compares it with the edge list that it was written from.

    python readback.py FOLDER

FOLDER holds graph.csv, and graph.graphml, .json, .npz, .npy, .dot and .bif that tobac convert
made of it. Files that are not there are skipped, and said to be.
"""
import csv, html, json, os, re, sys, warnings
from urllib.parse import unquote_plus

warnings.filterwarnings("ignore")
import igraph
import networkx as nx
import numpy as np
import pgmpy
import pydot
from pgmpy.readwrite import BIFReader

folder = sys.argv[1]
path = lambda name: os.path.join(folder, name)
NUMBERS = ["probability", "adjacent", "weight", "weight_sd"]

names, edges, undirected = [], {}, {}
for row in csv.DictReader(open(path("graph.csv"), encoding="utf-8", newline="")):
    ends = (row["source"], row["target"])
    for end in ends:
        if end and end not in names:
            names.append(end)
    if ends[1]:
        kind = undirected if row.get("type") == "undirected" else edges
        kind[ends] = {k: float(row[k]) for k in NUMBERS if row.get(k)}
alone = not edges  # undirected edges only


def expected(back=True):
    """Edges as a graph with one kind of edges has them."""
    want = dict(edges)
    for (a, b), numbers in undirected.items():
        if alone:
            want[(a, b)] = numbers
            continue
        want[(a, b)] = {**numbers, "undirected": 1}
        want[(b, a)] = {**{k: v for k, v in numbers.items() if k == "adjacent"}, "undirected": 1}
    return want


def same(what, got_names, got_edges, want=None):
    want = expected() if want is None else want
    assert set(got_names) == set(names), (what, set(got_names) ^ set(names))
    if alone:
        got_edges = {tuple(sorted(e)): v for e, v in got_edges.items()}
        want = {tuple(sorted(e)): v for e, v in want.items()}
    assert set(got_edges) == set(want), (what, set(got_edges) ^ set(want))
    for e, numbers in want.items():
        assert got_edges[e] == numbers, (what, e, got_edges[e], numbers)
    print(f"{what}: {len(got_names)} vertices, {len(got_edges)} edges as written")


def networkx_edges(g):
    return {(a, b): {k: v for k, v in d.items()} for a, b, d in g.edges(data=True)}


def check(name):
    if os.path.exists(path(name)):
        return True
    print(f"{name}: not there")


print("networkx", nx.__version__, "igraph", igraph.__version__, "numpy", np.__version__, "pgmpy", pgmpy.__version__, "pydot", pydot.__version__)
if check("graph.graphml"):
    g = nx.read_graphml(path("graph.graphml"))
    assert all(g.nodes[v]["name"] == v for v in g)
    same("networkx.read_graphml", g.nodes, networkx_edges(g))
    i = igraph.Graph.Read_GraphML(path("graph.graphml"))
    attributes = lambda e: {k: v for k, v in e.attributes().items() if v == v and v is not None and not (k == "undirected" and not v)}
    same("igraph.Read_GraphML", i.vs["name"], {(i.vs[e.source]["name"], i.vs[e.target]["name"]): attributes(e) for e in i.es})
if check("graph.json"):
    g = nx.node_link_graph(json.load(open(path("graph.json"), encoding="utf-8")), edges="edges")
    same("networkx.node_link_graph", g.nodes, networkx_edges(g))
if check("graph.npz"):
    z = np.load(path("graph.npz"), allow_pickle=False)
    assert sorted(z["names"].tolist()) == sorted(names), "names of the archive"
    at = {v: k for k, v in enumerate(z["names"].tolist())}
    a, u = z["adjacency"], z["undirected"]
    for (x, y), numbers in {**edges, **undirected}.items():
        i, j = at[x], at[y]
        both = (x, y) in undirected
        assert a[i, j] == 1 and u[i, j] == both and u[j, i] == both and (not both or a[j, i] == 1), (x, y)
        for k, array in zip(NUMBERS, ["probabilities", "probabilities_adjacent", "weights", "weights_sd"]):
            assert z[array][i, j] == numbers[k] if k in numbers else array not in z or np.isnan(z[array][i, j]), (x, y, k)
    assert a.sum() == len(edges) + 2 * len(undirected)
    print(f"numpy.load of npz: {len(at)} vertices, {int(a.sum())} entries as written")
if check("graph.npy"):
    m = np.load(path("graph.npy"), allow_pickle=False)
    assert m.shape == (len(names), len(names)) and m.sum() == len(edges) + 2 * len(undirected)
    print(f"numpy.load of npy: {m.shape}, {int(m.sum())} entries as written")
if check("graph.dot"):
    (dot,) = pydot.graph_from_dot_file(path("graph.dot"), encoding="utf-8")
    text = lambda quoted: html.unescape(re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r"}.get(m[1], m[1]), quoted.strip()[1:-1]))
    got = {}
    for e in dot.get_edges():
        a = {text(k) if k.startswith('"') else k: text(v) for k, v in e.get_attributes().items()}
        numbers = {k: float(a[k if k != "weight" else "weight_mean"]) for k in NUMBERS if (k if k != "weight" else "weight_mean") in a}
        got[text(e.get_source()), text(e.get_destination())] = {**numbers, **({"undirected": 1} if a.get("dir") == "none" else {})}
    same("pydot", [text(n.get_name()) for n in dot.get_nodes()], got, {**edges, **{e: {**v, "undirected": 1} for e, v in undirected.items()}})
if check("graph.bif"):
    for properties in (False, True):
        r = BIFReader(path("graph.bif"), include_properties=properties)
        m = r.get_model()
        assert m.check_model()
    original = {v: unquote_plus(m.nodes[v].get("name", v)) for v in m.nodes}
    same("pgmpy.BIFReader", original.values(), {(original[a], original[b]): {} for a, b in m.edges}, {e: {} for e in edges})
