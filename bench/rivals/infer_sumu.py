"""sumu: partition MCMC. BGe of raw columns with its usual hyperparameters (prior mean 0,
alpha_mu 1, alpha_w d + 2), the fair prior, 12 candidates, 8 coupled chains, 20000 iterations
after 5000.
"""

import numpy as np
import sumu

import rival

ITERATIONS = 20000


def infer(x, args, rng):
    np.random.seed(args.seed)
    d = x.shape[1]
    gadget = sumu.Gadget(
        data=sumu.Data(x, discrete=False), scoref="bge", ess=10, max_id=-1, K=min(12, d - 1), d=3,
        cp_algo="greedy-lite", cp_path=None, mc3_chains=8, burn_in=ITERATIONS // 4,
        iterations=ITERATIONS, thinning=5, tolerance=2**-32)
    dags, _ = gadget.sample()
    edges = np.zeros((d, d))
    for dag in dags:
        for family in dag:
            for parent in family[1] if len(family) > 1 else ():
                edges[parent, family[0]] += 1 / len(dags)
    return edges


rival.main(infer)
