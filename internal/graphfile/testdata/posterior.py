"""Reads with numpy, networkx and pgmpy what tobac fit --set results.formats wrote, and compares it with edges.csv.

    tobac fit data.csv --out run --set results.formats=graphml,bif,networkx,npz,txt
    python posterior.py run
"""
import csv, json, os, sys, warnings

warnings.filterwarnings("ignore")
import networkx as nx
import numpy as np
from pgmpy.readwrite import BIFReader

folder = sys.argv[1]
path = lambda name: os.path.join(folder, name)

z = np.load(path("posterior.npz"), allow_pickle=False)
names = z["names"].tolist()
d = len(names)
listed = np.zeros((d, d), bool)
for row in csv.DictReader(open(path("edges.csv"), encoding="utf-8", newline="")):
    i, j = names.index(row["source"]), names.index(row["target"])
    listed[i, j] = True
    assert z["probabilities"][i, j] == float(row["probability"]), row
    for key, array in ("weight_mean", "weights"), ("weight_sd", "weights_sd"):
        if row[key]:
            assert z[array][i, j] == float(row[key]), row
        else:
            assert array not in z or np.isnan(z[array][i, j]), row
p = z["probabilities"]
assert (p[~listed] == 0).all() and (z["probabilities_adjacent"] == np.minimum(1, p + p.T)).all()
print(f"posterior.npz: {sorted(z.files)}, {d} variables, {listed.sum()} probabilities as in edges.csv")

a, u = z["adjacency"], z["undirected"]
assert (u == u.T).all() and (a[u == 1] == 1).all()
want = {(names[i], names[j]) for i, j in zip(*np.nonzero(a))}
for what, g in [
    ("consensus.graphml", nx.read_graphml(path("consensus.graphml"))),
    ("consensus.json", nx.node_link_graph(json.load(open(path("consensus.json"), encoding="utf-8")), edges="edges")),
]:
    got = set(g.edges) if g.is_directed() else {e for x, y in g.edges for e in ((x, y), (y, x))}
    assert set(g.nodes) == set(names) and got == want, (what, got ^ want)
    for x, y, data in g.edges(data=True):
        i, j = names.index(x), names.index(y)
        if g.is_directed():
            assert bool(data.get("undirected")) == bool(u[i, j]), (what, x, y)
        if "probability" in data:
            assert data["probability"] in (p[i, j], *([] if not u[i, j] else [p[j, i]])), (what, x, y)
        assert data["adjacent"] == min(1, p[i, j] + p[j, i]), (what, x, y)
    print(f"{what}: {g.number_of_nodes()} vertices, {g.number_of_edges()} edges as in posterior.npz")
m = BIFReader(path("consensus.bif")).get_model()
assert m.check_model()
directed = {(names[i], names[j]) for i, j in zip(*np.nonzero(a * (1 - u)))}
assert set(m.edges) == directed and set(m.nodes) == set(names), set(m.edges) ^ directed
print(f"consensus.bif: {len(m.nodes)} variables, {len(m.edges)} directed edges as in posterior.npz")
