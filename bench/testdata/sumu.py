"""Edge frequencies of sumu's partition MCMC on shared sets, for TestChainsBesideSumu.

    python -m venv /tmp/sumu && /tmp/sumu/bin/pip install sumu==0.1.2
    cd bench && OMP_NUM_THREADS=1 taskset -c 1 /tmp/sumu/bin/python testdata/sumu.py

BGe of raw columns with its usual hyperparameters (prior mean 0, alpha_mu 1, alpha_w d + 2),
the fair prior, 12 candidates, 8 coupled chains, 20000 iterations after 5000.
"""

import json
import time

import numpy as np
import sumu

ITERATIONS = 20000
out = {"source": "sumu 0.1.2 from PyPI, python bench/testdata/sumu.py", "sets": []}
for run in range(3):
    name = f"linear-d20-e40-run{run}"
    x = np.loadtxt(f"../../shared/data/synthetic/{name}/train.csv", delimiter=",", skiprows=1)
    np.random.seed(1)
    start = time.process_time()
    gadget = sumu.Gadget(
        data=sumu.Data(x, discrete=False), scoref="bge", ess=10, max_id=-1, K=12, d=3,
        cp_algo="greedy-lite", cp_path=None, mc3_chains=8, burn_in=ITERATIONS // 4,
        iterations=ITERATIONS, thinning=5, tolerance=2**-32)
    dags, _ = gadget.sample()
    edges = np.zeros((x.shape[1], x.shape[1]))
    for dag in dags:
        for family in dag:
            for parent in family[1] if len(family) > 1 else ():
                edges[parent, family[0]] += 1 / len(dags)
    out["sets"].append({"name": name, "seconds": round(time.process_time() - start, 1),
                        "edges": [[round(v, 6) for v in row] for row in edges.tolist()]})
json.dump(out, open("testdata/sumu.json", "w"), separators=(",", ":"))
