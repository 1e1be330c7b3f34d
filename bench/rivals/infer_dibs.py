"""dibs-lib: JointDiBS for linear Gaussian networks, 30 particles, 1000 steps, Erdős–Rényi
prior with two edges per variable, the other settings as they come. Frequencies over the
acyclic particles, or over all if none is.
"""

import sys

import jax.numpy as jnp
import jax.random as random
import numpy as np
from dibs.inference import JointDiBS
from dibs.models import ErdosReniDAGDistribution, LinearGaussian

import rival


def acyclic(g):
    m = np.eye(len(g)) + g / len(g)
    return np.trace(np.linalg.matrix_power(m, len(g))) <= len(g) + 1e-9


def infer(x, args, rng):
    d = x.shape[1]
    key, sub = random.split(random.PRNGKey(args.seed))
    prior = ErdosReniDAGDistribution(d, n_edges_per_node=2)
    dibs = JointDiBS(x=jnp.array(x), interv_mask=None, graph_model=prior, likelihood_model=LinearGaussian(n_vars=d))
    graphs, _ = dibs.sample(key=sub, n_particles=30, steps=1000)
    graphs = np.array(graphs, dtype=float)
    kept = [g for g in graphs if acyclic(g)]
    print(f"{len(graphs) - len(kept)} of {len(graphs)} particles have a cycle", file=sys.stderr)
    return np.mean(kept or list(graphs), axis=0)


rival.main(infer)
