"""Writes a folder with the flow cytometry data as the paper uses them.

    python3 bench/rivals/sachs.py OBSERVATIONAL.csv CONSENSUS_EDGES.csv FOLDER

All 853 rows, every column standardised by its population standard deviation.
"""

import csv
import os
import statistics
import sys

if len(sys.argv) != 4:
    sys.exit(__doc__)
observational, edges, folder = sys.argv[1:]
with open(observational, newline=None) as f:  # lines end with a bare carriage return
    rows = list(csv.reader(f))
columns = [[float(v) for v in column] for column in zip(*rows[1:])]
scaled = [[(v - statistics.fmean(c)) / statistics.pstdev(c) for v in c] for c in columns]
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "train.csv"), "w", newline="") as f:
    out = csv.writer(f)
    out.writerow(rows[0])
    out.writerows(zip(*scaled))
with open(edges, newline=None) as f:
    truth = f.read()
with open(os.path.join(folder, "graph.csv"), "w") as f:
    f.write(truth)
