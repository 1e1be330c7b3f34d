"""lingam: DirectLiNGAM with its default settings."""

import lingam

import rival


def estimate(x):
    model = lingam.DirectLiNGAM()
    model.fit(x)
    return (abs(model.adjacency_matrix_.T) > 1e-9).astype(float)  # lingam's rows are effects


rival.point(estimate)
