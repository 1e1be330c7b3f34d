"""Writes foreign/ with the programs that README.md names: the same five graphs by each that can hold them.

    python write.py foreign
"""
import json, os, sys, warnings

warnings.filterwarnings("ignore")
import igraph
import networkx as nx
import numpy as np
import pandas as pd
from pgmpy.base import DAG
from pgmpy.factors.discrete import TabularCPD
from pgmpy.models import DiscreteBayesianNetwork
from pgmpy.readwrite import BIFWriter

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
path = lambda name: os.path.join(out, name)

# a -> b (1.5), a -> "c d" (-0.25), b -> "c d" (2e-07), and é alone.
names = ["a", "b", "c d", "é"]
edges = [("a", "b", 1.5), ("a", "c d", -0.25), ("b", "c d", 2e-07)]
g = nx.DiGraph()
g.add_nodes_from(names)
g.add_weighted_edges_from(edges)
nx.write_graphml(g, path("networkx.graphml"))
for key in ("edges", "links"):
    json.dump(nx.node_link_data(g, edges=key), open(path(f"node_link_{key}.json"), "w"), indent=1)
nx.drawing.nx_pydot.write_dot(g, path("pydot.dot"))
numbered = nx.convert_node_labels_to_integers(g, label_attribute="name")
json.dump(nx.node_link_data(numbered, edges="edges"), open(path("numbered.json"), "w"))
nx.write_graphml(numbered, path("numbered.graphml"))

u = nx.Graph()
u.add_nodes_from(names)
u.add_weighted_edges_from(edges)
nx.write_graphml(u, path("undirected.graphml"))
json.dump(nx.node_link_data(u, edges="edges"), open(path("undirected.json"), "w"))

i = igraph.Graph(n=4, edges=[(0, 1), (0, 2), (1, 2)], directed=True)
i.vs["name"] = names
i.es["weight"] = [w for _, _, w in edges]
i.write_graphml(path("igraph.graphml"))
i.write_dot(path("igraph.dot"))

w = nx.to_numpy_array(g, nodelist=names)
np.save(path("weights.npy"), w)
np.save(path("fortran.npy"), np.asfortranarray(w))
np.save(path("adjacency_int64.npy"), (w != 0).astype(np.int64))
np.save(path("adjacency_bool.npy"), w != 0)
np.save(path("big_endian.npy"), w.astype(">f4"))
np.savez(path("named.npz"), names=np.array(names), weights=w)
np.savez_compressed(path("compressed.npz"), names=np.array(names, dtype="<U40"), adjacency=(w != 0))
np.savez(path("single.npz"), w)
pd.DataFrame(w, index=names, columns=names).to_csv(path("pandas_matrix.csv"))
pd.DataFrame(w, columns=names).to_csv(path("pandas_header.csv"), index=False)
pd.DataFrame(edges, columns=["Cause", "Effect", "weight"]).to_csv(path("pandas_edges.csv"))
pd.DataFrame(edges, columns=["parent", "child", "weight"]).to_csv(path("pandas_edges.tsv"), sep="\t", index=False)

b = DiscreteBayesianNetwork([("a", "b"), ("a", "c_d"), ("b", "c_d")])
b.add_node("e")
half = [[0.5], [0.5]]
b.add_cpds(
    TabularCPD("a", 2, half),
    TabularCPD("e", 2, half),
    TabularCPD("b", 2, half * np.ones((2, 2)), ["a"], [2]),
    TabularCPD("c_d", 3, np.full((3, 4), 1 / 3), ["a", "b"], [2, 2]),
)
BIFWriter(b).write(path("pgmpy.bif"))
d = DAG([("a", "b"), ("a", "c_d"), ("b", "c_d")])
d.add_node("e")
open(path("pgmpy_dagitty.txt"), "w").write(d.to_dagitty())
