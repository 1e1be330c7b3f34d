"""dagma: linear DAGMA with squared loss, lambda1 0.02, the other settings as they come."""

from dagma.linear import DagmaLinear

import rival


def estimate(x):
    w = DagmaLinear(loss_type="l2", verbose=False).fit(x, lambda1=0.02)
    return (w != 0).astype(float)


rival.point(estimate)
