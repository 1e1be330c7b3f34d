"""gcastle: GOLEM (equal variances) with its default settings but for 5000 iterations."""

import numpy as np
from castle.algorithms import GOLEM

import rival


def estimate(x):
    model = GOLEM(num_iter=5000, device_type="cpu")
    model.learn(x)
    return np.array(model.causal_matrix, dtype=float)


rival.point(estimate)
