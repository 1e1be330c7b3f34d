"""Edge probabilities over graphs by the Python package sumu, for sumu.json.

    python3 -m venv /tmp/sumu && /tmp/sumu/bin/pip install sumu==0.1.2
    mkdir /tmp/tables && go test ./exact -run TestSumu -tables /tmp/tables
    /tmp/sumu/bin/python exact/testdata/edges.py /tmp/tables > exact/testdata/sumu.json

A file NAME.f64 holds d rows of 2^(d-1) log scores with priors; bit k of an index
stands for the k-th of the other variables. sumu.aps gives ln P(A are the parents)
in the same layout.
"""

import json
import pathlib
import sys
import time

import numpy as np
import sumu

result = {"source": "sumu 0.1.2 of PyPI, sumu.aps(W, normalize=True), Python %d.%d" % sys.version_info[:2], "edges": {}}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.f64")):
    flat = np.fromfile(path)
    d = next(d for d in range(1, 30) if d << (d - 1) == len(flat))
    start = time.time()
    prob = np.exp(sumu.aps(flat.reshape(d, -1), normalize=True))
    print(path.stem, "%.2f s" % (time.time() - start), file=sys.stderr)
    sets = np.arange(1 << (d - 1))
    edges = [[0.0] * d for _ in range(d)]
    for j in range(d):
        for k in range(d - 1):
            edges[k + (k >= j)][j] = float(prob[j, (sets >> k & 1) == 1].sum())
    result["edges"][path.stem] = [[float("%.12g" % p) for p in row] for row in edges]
print(json.dumps(result, indent=1).replace(",\n    ", ", ").replace("[\n    ", "[").replace("\n   ]", "]"))
