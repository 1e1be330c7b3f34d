"""Graphs of causal-learn as matrices."""

import numpy as np


def adjacency(marks):
    """marks[i, j] is the mark at i of the edge between i and j: −1 tail, 1 head.

    An edge without direction, or with two heads, counts half in either direction.
    """
    marks = np.asarray(marks)
    directed = (marks == -1) & (marks.T == 1)
    either = (marks != 0) & (marks == marks.T)
    return directed + 0.5 * either
