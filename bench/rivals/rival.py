"""What every rival's script shares: the table in, edge probabilities out.

    python infer_NAME.py FOLDER OUT.csv [--seed N] [--resamples B]

FOLDER has the file train.csv, as `tobac simulate` writes it. OUT.csv gets the d×d matrix of
edge probabilities, entry (i, j) for i → j, which `tobac eval` reads. The true graph is not
looked at. The last line of standard output is the processor time in seconds that the inference
took, all cores together, without the imports.
"""

import argparse
import csv
import os
import resource

import numpy as np


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resamples", type=int, default=20)
    return parser.parse_args()


def read(folder):
    """Names of the columns, and the n×d table."""
    with open(os.path.join(folder, "train.csv"), newline="") as f:
        rows = list(csv.reader(f))
    return rows[0], np.array([[float(v) for v in row] for row in rows[1:]])


def write(path, names, probabilities):
    p = np.asarray(probabilities, dtype=float)
    if p.shape != (len(names), len(names)) or not np.all((p >= 0) & (p <= 1 + 1e-9)):
        raise SystemExit(f"{path}: got a {p.shape} matrix from {p.min()} to {p.max()}, want probabilities of {len(names)} variables")
    np.fill_diagonal(p, 0)
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow([""] + names)
        for name, row in zip(names, p):
            out.writerow([name] + [f"{min(1, v):.6f}" for v in row])


def bootstrap(estimate, x, resamples, rng):
    """Frequencies of edges over resamples of the rows, for methods that find one graph.

    estimate(x) is a d×d matrix: 1 for i → j, 1/2 in both places for an edge without direction.
    """
    total = np.zeros((x.shape[1], x.shape[1]))
    for _ in range(resamples):
        total += estimate(x[rng.integers(0, len(x), len(x))])
    return total / resamples


def processor_time():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main(infer):
    """Runs infer(x, args, rng), which returns edge probabilities."""
    args = arguments()
    names, x = read(args.folder)
    start = processor_time()
    p = infer(x, args, np.random.default_rng(args.seed))
    seconds = processor_time() - start
    write(args.out, names, p)
    print(f"{seconds:.1f}")


def point(estimate):
    """The script of a method that finds one graph."""
    main(lambda x, args, rng: bootstrap(estimate, x, args.resamples, rng))
