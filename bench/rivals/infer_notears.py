"""gcastle: linear NOTEARS with its default settings."""

import numpy as np
from castle.algorithms import Notears

import rival


def estimate(x):
    model = Notears()
    model.learn(x)
    return np.array(model.causal_matrix, dtype=float)


rival.point(estimate)
