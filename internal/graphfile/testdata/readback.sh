#!/bin/sh
# Writes each graph here in every format and reads the files with other programs.
#   readback.sh TOBAC PYTHON
set -e
here=$(cd "$(dirname "$0")" && pwd)
for graph in acyclic mixed undirected cyclic; do
	folder=$(mktemp -d)
	cp "$here/$graph.csv" "$folder/graph.csv"
	formats="graph.graphml:graphml graph.json:networkx graph.npz:npz graph.npy:npy graph.dot:dot"
	[ $graph = cyclic ] || formats="$formats graph.bif:bif"
	for pair in $formats; do
		"$1" convert "$folder/graph.csv" "$folder/${pair%%:*}" --to "${pair##*:}" >/dev/null 2>&1 || { echo "$graph: ${pair##*:} failed"; exit 1; }
	done
	echo "== $graph"
	"$2" "$here/readback.py" "$folder"
	rm -r "$folder"
done
