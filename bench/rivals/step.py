"""Times of one SVGD step of TOBAC in JAX, for the set-ups of BenchmarkStep.

    python step.py OUT.json [--device gpu] [--particles 30,300] [--only TEXT]
    python step.py --golden FILE...     # compares one step with recorded ones

The published set-up: n = 100 rows, S = 128 samples, hard graphs for the parameters and soft ones for
the latent matrices, joint weights, an additive kernel, RMSProp; step 200 (α = 10). Twenty steps are
one compiled loop, so that calls cost nothing; seconds are those of the clock for one step, the
fastest of several loops, without compilation. Tables do not change what a step costs: they are
random numbers here.
"""

import argparse
import concurrent.futures
import json
import math
import time

import jax
import jax.numpy as jnp
import numpy as np

NOISE, STEPS = 0.1, 20


def log_normal(x):
    return -0.5 * (x * x + math.log(2 * math.pi))


def embed(cells):
    """Puts what stands on and above the diagonal into the strict upper triangle."""
    upper = jnp.triu(jnp.ones(cells.shape[-2:], cells.dtype)) * cells
    return jnp.pad(upper, [(0, 0)] * (cells.ndim - 2) + [(0, 1), (1, 0)])


def linear(graph, theta, data):
    root, rows = data
    weights = theta["weights"]
    e = root - root @ (graph * weights)
    constant = 0.5 * rows * root.shape[-1] * math.log(2 * math.pi * NOISE)
    return jnp.sum(graph * log_normal(weights)) - jnp.sum(e * e) / (2 * NOISE) - constant


def network(graph, theta, data):
    x, rows = data
    w1, b1, w2, b2 = theta["w1"], theta["b1"], theta["w2"][..., 0], theta["b2"][..., 0]
    hidden = jax.nn.relu(jnp.einsum("ni,jia->nja", x, graph.T[:, :, None] * w1) + b1)
    e = x - jnp.einsum("nja,ja->nj", hidden, w2) - b2
    constant = 0.5 * rows * x.shape[-1] * math.log(2 * math.pi * NOISE)
    prior = sum(jnp.sum(log_normal(a)) for a in (b1, w2, b2))
    prior += jnp.sum(graph.T[:, :, None] * log_normal(w1))
    return prior - jnp.sum(e * e) / (2 * NOISE) - constant


def root(x):
    return np.linalg.qr(x, mode="r")  # RᵀR = XᵀX


MODELS = {"linear": (linear, root), "network": (network, lambda x: x)}


def scores(z):
    return jnp.einsum("ikl,jkl->ijl", z[..., None, 0], z[..., None, 1])[..., 0]


def gradients(likelihood, data, log_odds, alpha, z, theta, noise, hard):
    """Those of one particle, from logistic noise and from graphs of zeros and ones."""
    joint = jax.vmap(lambda graph, theta: likelihood(graph, theta, data), in_axes=(0, None))

    def of_z(z):
        s = alpha * scores(z)
        soft = embed(jax.nn.sigmoid(noise + s))
        edges = jnp.sum(embed(jax.nn.sigmoid(s)))
        prior = edges * log_odds - 0.5 * z.shape[1] * jnp.sum(z * z)
        return jax.nn.logsumexp(joint(soft, theta)) + prior

    def of_theta(theta):
        return jax.nn.logsumexp(joint(hard, theta))

    return jax.grad(of_z)(z), jax.grad(of_theta)(theta)


def flat(tree):
    leaves = [jnp.reshape(a, (a.shape[0], -1)) for a in jax.tree.leaves(tree)]
    return jnp.concatenate(leaves, 1)


def directions(z, theta, grad_z, grad_theta):
    def kernel(x, bandwidth):
        x = flat(x)
        return jnp.exp(-jnp.sum((x[:, None] - x) ** 2, -1) / bandwidth)

    kz, kt = kernel(z, 5), kernel(theta, 500)
    m = len(kz)

    def one(x, grad, k, bandwidth):
        x2, g2 = x.reshape(m, -1), grad.reshape(m, -1)
        away = k @ x2 - jnp.sum(k, 1)[:, None] * x2
        return (((kz + kt) @ g2 - 2 / bandwidth * away) / m).reshape(x.shape)

    phi = jax.tree.map(lambda x, g: one(x, g, kt, 500), theta, grad_theta)
    return one(z, grad_z, kz, 5), phi


def rmsprop(x, square, phi):
    square = jax.tree.map(lambda a, p: 0.9 * a + 0.1 * p * p, square, phi)
    x = jax.tree.map(lambda x, a, p: x + 0.005 * p / jnp.sqrt(a + 1e-8), x, square, phi)
    return x, square


def steps(likelihood, data, log_odds, alpha, samples):
    batched = jax.vmap(lambda *a: gradients(likelihood, data, log_odds, alpha, *a))

    def step(_, state):
        key, z, theta, square = state
        key, soft, hard = jax.random.split(key, 3)
        shape = (len(z), samples, z.shape[1], z.shape[1])
        noise = jax.random.logistic(soft, shape, z.dtype)
        p = jax.nn.sigmoid(alpha * jax.vmap(scores)(z))[:, None]
        drawn = embed((jax.random.uniform(hard, shape, z.dtype) < p).astype(z.dtype))
        phi = directions(z, theta, *batched(z, theta, noise, drawn))
        (z, theta), square = rmsprop((z, theta), square, phi)
        return key, z, theta, square

    return lambda state: jax.lax.fori_loop(0, STEPS, step, state)


def initial(model, d, particles, dtype, hidden=5):
    r = np.random.default_rng(1)

    def normal(*shape):
        return jnp.asarray(r.normal(size=(particles, *shape)), dtype)

    z = normal(d - 1, d - 1, 2) / math.sqrt(d - 1)
    if model == "linear":
        w = normal(d, d)
        theta = {"weights": w + 0.5 * jnp.sign(w)}
    else:
        theta = {"w1": normal(d, d, hidden), "b1": normal(d, hidden),
                 "w2": normal(d, hidden, 1), "b2": normal(d, 1)}
    x = np.tril(r.normal(size=(d, d)), -1) * (r.uniform(size=(d, d)) < 4 / (d - 1))
    rows = r.normal(size=(100, d)) * math.sqrt(NOISE) @ np.linalg.inv(np.eye(d) - x / 2).T
    return z, theta, rows


def prepare_steps(model, d, particles, samples, dtype):
    likelihood, prepare = MODELS[model]
    z, theta, rows = initial(model, d, particles, dtype)
    p = 4 / (d - 1)
    run = steps(likelihood, (jnp.asarray(prepare(rows), dtype), len(rows)),
                math.log(p / (1 - p)), 10.0, samples)
    state = (jax.random.key(1), z, theta, jax.tree.map(jnp.zeros_like, (z, theta)))
    return jax.jit(run).lower(state), state


def measure(run, state):
    end = jax.block_until_ready(run(state))
    fastest, begun = math.inf, time.perf_counter()
    while time.perf_counter() < begun + 1:
        start = time.perf_counter()
        jax.block_until_ready(run(state))
        fastest = min(fastest, time.perf_counter() - start)
    finite = all(bool(jnp.all(jnp.isfinite(a))) for a in jax.tree.leaves(end[1:]))
    return {"seconds": fastest / STEPS, "finite": finite}


def golden(path):
    """The largest differences of gradients and of one step, relative to the largest number."""
    with open(path) as f:
        record = json.load(f)
    order = np.array(record["order"])
    rows = np.array(record["x"])[:, order]
    model = "network" if record["hidden"] else "linear"
    likelihood, prepare = MODELS[model]
    data = (jnp.asarray(prepare(rows)), len(rows))
    p = record["graph_prior"]["edge_probability"]
    batched = jax.vmap(lambda *a: gradients(likelihood, data, math.log(p / (1 - p)), *a),
                       in_axes=(None, 0, 0, 0, 0))

    def canonical(tree):
        def one(name, a):
            a = np.array(a)
            a = a[:, order]
            return jnp.asarray(a[:, :, order] if name in ("weights", "w1") else a)

        return {name: one(name, a) for name, a in tree.items()}

    square, worst = None, 0.0
    for s in record["steps"]:
        z, theta = jnp.asarray(s["z"]), canonical(s["theta"])
        hard = jnp.asarray(np.array(s["hard_graphs_theta"], float)[:, :, order][..., order])
        alpha = record["alpha_linear"] * s["t"]
        gz, gt = batched(alpha, z, theta, jnp.asarray(s["logistic_noise"]), hard)
        phi = directions(z, theta, gz, gt)
        square = square or jax.tree.map(jnp.zeros_like, (z, theta))
        want = np.array(s["grad_z_log_likelihood"]) + np.array(s["grad_z_log_prior"])
        pairs = [(gz, want), (phi[0], s["phi_z"])]
        pairs += [(gt[k], v) for k, v in canonical(s["grad_theta"]).items()]
        pairs += [(phi[1][k], v) for k, v in canonical(s["phi_theta"]).items()]
        for got, want in pairs:
            got, want = np.asarray(got), np.asarray(want)
            worst = max(worst, float(np.abs(got - want).max() / np.abs(want).max()))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", nargs="?")
    parser.add_argument("--device", default="cpu", help="cpu, on all cores, or gpu")
    parser.add_argument("--particles", default="30")
    parser.add_argument("--only", default="", help="set-ups whose name contains this")
    parser.add_argument("--golden", nargs="+", default=[], help="recorded steps to compare with")
    args = parser.parse_args()
    jax.config.update("jax_platforms", "cuda" if args.device == "gpu" else "cpu")
    jax.config.update("jax_enable_x64", True)
    for path in args.golden:
        print(path, golden(path))
    if args.golden:
        return
    points = [(f"model={model}/d={d}/M={m}/{dtype}", model, d, m, dtype)
              for m in map(int, args.particles.split(","))
              for model, d in [("linear", 10), ("linear", 20), ("linear", 50), ("network", 20)]
              for dtype in ("float64", "float32")]
    points = [p for p in points if args.only in p[0]]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        programs = [prepare_steps(model, d, m, 128, dtype) for _, model, d, m, dtype in points]
        compiled = list(pool.map(lambda p: p[0].compile(), programs))
    for (key, *_), run, (_, state) in zip(points, compiled, programs):
        results[key] = measure(run, state)
        print(key, results[key], flush=True)
        with open(args.out, "w") as f:
            json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
