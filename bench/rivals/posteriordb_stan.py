"""Effective draws of Stan on posteriors of posteriordb, beside those of package nuts.

    python posteriordb_stan.py FOLDER NAME...

FOLDER is the posterior_database of a checkout of github.com/stan-dev/posteriordb, whose programs
and data are used as they are. Four chains of 1000 draws after 1000 of warm-up by PyStan, one after the
other, one line of JSON for each posterior: Stan's seconds of warm-up and draws, the same with
the processor seconds of compilation, the least bulk effective sample size of all parameters, and
the mean and standard deviation of each. Needs pystan, psutil and numpyro, whose estimate of
the effective sample size is used.
"""

import json
import os
import pathlib
import re
import sys
import tempfile
import zipfile

import numpy as np
import psutil
import stan
from numpyro.diagnostics import effective_sample_size

ELAPSED = re.compile(rb'"info: +(?:Elapsed Time: )?([0-9.e+-]+) seconds \((?:Warm-up|Sampling)\)')


def processor():
    """Seconds of this process, of its children and of those that have ended."""
    own = psutil.Process()
    return sum(sum(p.cpu_times()[:4]) for p in [own, *own.children(recursive=True)])


def read(folder, name):
    about = json.loads((folder / f"posteriors/{name}.json").read_text())
    program = (folder / f"models/stan/{about['model_name']}.stan").read_text()
    file = f"{about['data_name']}.json"
    with zipfile.ZipFile(folder / f"data/data/{file}.zip") as z:
        data = json.loads(z.read(file))
    return program, data, about["dimensions"]


def main():
    folder = pathlib.Path(sys.argv[1]).absolute()
    os.chdir(tempfile.mkdtemp())  # compilation leaves files behind
    for name in sys.argv[2:]:
        program, data, parameters = read(folder, name)
        begin = processor()
        stan.build(program, data=data, random_seed=1)
        compiled = processor() - begin
        seconds, gradients, chains = 0, 0, []
        for seed in range(1, 5):
            model = stan.build(program, data=data, random_seed=seed)  # not compiled again
            begin = processor()
            fit = model.sample(num_chains=1, num_warmup=1000, num_samples=1000)
            elapsed = sum(map(float, ELAPSED.findall(fit.stan_outputs[0])))
            seconds += min(elapsed, processor() - begin)  # a busy machine lengthens the first
            gradients += int(fit["n_leapfrog__"].sum())
            chains.append(np.concatenate([fit[p].reshape(-1, 1000) for p in parameters]))
        draws = np.stack(chains, 1)  # parameters x chains x draws
        effective = min(effective_sample_size(x) for x in draws if x.std() > 0)
        print(json.dumps({
            "posterior": name,
            "effective": round(float(effective)),
            "seconds": round(seconds, 3),
            "first": round(compiled + seconds, 1),
            "gradients": gradients,
            "moments": [[float(x.mean()), float(x.std())] for x in draws],
        }), flush=True)


main()
