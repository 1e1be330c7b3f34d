"""Times of JAX on the growing densities and the seventeen models of bench/internal/densities.

    python growth.py OUT.json [--seventeen] [--only TEXT] [--limit SECONDS]
    python growth.py OUT.json --device gpu [--particles 1,32,1024]

For every size with one particle, and for every number of particles at one size (of the models
of the review one size, with 1 and 32 particles): the fastest call, in seconds of the processor, of
the compiled log density and gradient of all particles, in float64 on one thread, with the sum of
the log densities and the norm of the gradients, which `go test ./bench -run TestGrowingDensities`
compares. The data are those of densities.Weyl, so that no file is read. A point that takes longer
than the limit to compile is left out.

With a device the seventeen models and the twelve densities at one size have the given numbers of
particles, and seconds are those of the clock; `go test ./bench -run TestClockTimes` is beside them.
"""

import argparse
import concurrent.futures
import json
import os
import sys
import time

ONE_THREAD = not any(a.startswith("--device") for a in sys.argv)
if ONE_THREAD:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # threads that wait would count
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ.setdefault("XLA_FLAGS", flags)

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np

jax.config.update("jax_enable_x64", True)

FEATURES, RESPONSES, PLACES = 1.7320508075688772, 1.4142135623730951, 2.2360679774997898


def weyl(n, alpha):
    return 2 * np.fmod(np.arange(1, n + 1) * alpha, 1) - 1


def half(x):
    return -0.5 * jnp.sum(x * x)


def linear(n, d=20):
    features, y = weyl(n * d, FEATURES).reshape(n, d), weyl(n, RESPONSES)
    return d, lambda x, f, y: half(y - f @ x) + half(x), (features, y)


def logistic(n, d=20):
    features, y = weyl(n * d, FEATURES).reshape(n, d), np.floor(1 + 0.5 * weyl(n, RESPONSES))

    def logp(x, f, y):
        eta = f @ x
        return jnp.sum(y * eta - jax.nn.softplus(eta)) + half(x)

    return d, logp, (features, y)


def mixture(n):
    def logp(x, y):
        z = (y - x[:3, None]) / jnp.exp(x[3:6, None])
        terms = -0.5 * z * z - x[3:6, None] + jax.nn.log_softmax(x[6:9])[:, None]
        return jnp.sum(jsp.special.logsumexp(terms, axis=0)) + half(x)

    return 9, logp, (weyl(n, RESPONSES)[None, :],)


def counts(n, d=5):
    y = np.floor(3 + 3 * weyl(n, RESPONSES))
    features = weyl(n * d, FEATURES).reshape(n, d)

    def logp(x, f, y):
        phi, eta = jnp.exp(x[d + 1]), f @ x[:d] + x[d]
        total = jnp.log(jnp.exp(eta) + phi)
        gamma = jsp.special.gammaln(y + phi) - jsp.special.gammaln(phi)
        return jnp.sum(gamma + phi * (jnp.log(phi) - total) + y * (eta - total)) + half(x)

    return d + 2, logp, (features, y)


def network(h, rows=300, k=8):
    features, y = weyl(rows * k, FEATURES).reshape(rows, k), weyl(rows, RESPONSES)

    def logp(x, f, y):
        w, b, v = x[: k * h].reshape(k, h), x[k * h : (k + 1) * h], x[(k + 1) * h : (k + 2) * h]
        e = y - (jnp.tanh(f @ w + b) @ v + x[(k + 2) * h])
        return -5 * jnp.sum(e * e) + half(x)

    return (k + 2) * h + 1, logp, (features, y)


def process(n):
    i = np.arange(n)
    squares = 0.01 * (i[:, None] - i[None, :]) ** 2.0

    def logp(x, s, y):
        amplitude, precision, noise = jnp.exp(2 * x[0]), jnp.exp(-2 * x[1]), jnp.exp(2 * x[2])
        k = jnp.exp(-0.5 * precision * s) * amplitude + noise * jnp.eye(n)
        l = jnp.linalg.cholesky(k)
        z = jsp.linalg.solve_triangular(l, y, lower=True)
        return half(z) - jnp.sum(jnp.log(jnp.diagonal(l))) + half(x)

    return 3, logp, (squares, weyl(n, RESPONSES))


def determinant(d):
    return d * d, lambda x: jnp.linalg.slogdet(jnp.eye(d) - x.reshape(d, d) ** 2 / d)[1] + half(x), ()


def exponential(d):
    return d * d, lambda x: -jnp.trace(jsp.linalg.expm(x.reshape(d, d) ** 2)) + half(x), ()


def recurrent(n, h=10):
    def logp(x, inputs, outputs):
        w, u, b = x[: h * h].reshape(h, h), x[h * h : h * h + h], x[h * h + h :]

        def step(state, row):
            state = jnp.tanh(w @ state + u * row[0] + b)
            return state, (jnp.mean(state) - row[1]) ** 2

        return -0.5 * jnp.sum(jax.lax.scan(step, jnp.zeros(h), (inputs, outputs))[1]) + half(x)

    return h * h + 2 * h, logp, (weyl(n, FEATURES), weyl(n, RESPONSES))


def autoregression(n):
    def logp(x, y):
        phi, gain = jnp.tanh(x[0]), jax.nn.sigmoid(x[1])

        def step(mean, y):
            return phi * mean + gain * (y - mean), y - mean

        errors = jax.lax.scan(step, 0.0, y)[1]
        return half(errors / jnp.exp(x[2])) - n * x[2] + half(x)

    return 3, logp, (weyl(n, RESPONSES),)


def chain(n):
    def logp(x, factors):
        return jax.lax.scan(lambda y, c: (c * jnp.sin(y), None), x[0], factors)[0]

    return 1, logp, (0.9 + 1e-6 * np.arange(n // 2),)


DENSITIES = [
    ("linear regression", "rows", [1_000, 10_000, 100_000, 1_000_000], 10_000, linear),
    ("logistic regression", "rows", [1_000, 10_000, 100_000, 1_000_000], 10_000, logistic),
    ("mixture of 3", "rows", [1_000, 10_000, 100_000], 10_000, mixture),
    ("negative binomial", "rows", [500, 5_000, 50_000], 5_000, counts),
    ("logistic regression", "columns", [10, 100, 1_000], 100, lambda d: logistic(1000, d)),
    ("network", "units", [10, 30, 100, 300], 30, network),
    ("Gaussian process", "points", [25, 50, 100, 200], 100, process),
    ("log determinant", "variables", [10, 20, 50, 100], 50, determinant),
    ("matrix exponential", "variables", [10, 20, 50, 100], 20, exponential),
    ("recurrent network", "steps", [100, 500, 2_000], 500, recurrent),
    ("autoregression", "steps", [100, 1_000, 10_000], 1_000, autoregression),
    ("chain", "nodes", [1_000, 10_000, 100_000], 10_000, chain),
]


def half_cauchy(l, s):
    return jnp.sum(l - jnp.log1p((jnp.exp(l) / s) ** 2))


def schools(n, centred):
    y, sd = 10 + 15 * weyl(n, RESPONSES), 12 + 4 * weyl(n, FEATURES)

    def logp(x, y, sd):
        mu, tau, z = x[0], x[1], x[2:]
        if centred:
            theta, prior = z, half((z - mu) / jnp.exp(tau)) - n * tau
        else:
            theta, prior = z * jnp.exp(tau) + mu, half(z)
        return half((y - theta) / sd) + prior + half(mu * 0.2) + half_cauchy(tau, 5)

    return n + 2, logp, (y, sd)


def correlated(n, d=5):
    pairs = d * (d - 1) // 2

    def logp(x, y):
        z, scales = jnp.tanh(x[:pairs]), x[pairs:]
        l = jnp.zeros((d, d)).at[jnp.tril_indices(d, -1)].set(z)
        rest = jnp.cumprod(jnp.concatenate([jnp.ones((d, 1)), 1 - jnp.tril(l, -1)[:, :-1] ** 2], 1), 1)
        l = (jnp.tril(l, -1) + jnp.eye(d)) * jnp.sqrt(rest) * jnp.exp(scales)[:, None]
        rows = jsp.linalg.solve_triangular(l, y.T, lower=True)
        prior = 3 * jnp.sum(jnp.log(1 - z * z))
        return half(rows) - n * jnp.sum(jnp.log(jnp.diagonal(l))) + prior + half(scales)

    return pairs + d, logp, (weyl(n * d, FEATURES).reshape(n, d),)


def filtered(n):
    def logp(x, y):
        phi, q, r, mu = jnp.tanh(x[0]), jnp.exp(x[1]), jnp.exp(x[2]), x[3]

        def step(carry, y):
            mean, variance = phi * carry[0], phi * phi * carry[1] + q
            total, err = variance + r, y - mu - mean
            gain = variance / total
            return (mean + gain * err, variance * (1 - gain)), jnp.log(total) + err * err / total

        return -0.5 * jnp.sum(jax.lax.scan(step, (0.0, 1.0), y)[1]) + half(x)

    return 4, logp, (weyl(n, RESPONSES),)


def soft_graph(logits, weights, d=5):
    return jnp.zeros((d, d)).at[jnp.triu_indices(d, 1)].set(jax.nn.sigmoid(logits) * weights)


def soft_student(n, d=5):
    def logp(x, rows):
        w = soft_graph(x[:10], x[10:].reshape(d, d)[jnp.triu_indices(d, 1)])
        e = rows - rows @ w
        return -2.5 * jnp.sum(jnp.log1p(0.25 * e * e)) + half(x)

    return 10 + d * d, logp, (weyl(n * d, FEATURES).reshape(n, d),)


def soft_counts(n, d=5):
    counts = np.floor(2 + 2 * weyl(n * d, RESPONSES)).reshape(n, d)

    def logp(x, counts, logs):
        eta = logs @ soft_graph(x[:10], x[10:20]) + x[20:25]
        zero = x[25:]
        poisson = counts * eta - jnp.exp(eta) + jax.nn.log_sigmoid(-zero)
        inflated = jnp.logaddexp(jax.nn.log_sigmoid(zero), poisson)
        return jnp.sum(jnp.where(counts == 0, inflated, poisson)) + half(x)

    return 20 + 2 * d, logp, (counts, np.log1p(counts))


def horseshoe(n, d=20):
    def logp(x, f, y):
        z, local, tau, sigma = x[:d], x[d : 2 * d], x[2 * d], x[2 * d + 1]
        e = y - f @ (z * jnp.exp(local) * jnp.exp(tau))
        likelihood = half(e / jnp.exp(sigma)) - n * sigma
        return likelihood + half(z) + half_cauchy(local, 1) + half_cauchy(tau, 1) + half(sigma)

    return 2 * d + 2, logp, (weyl(n * d, FEATURES).reshape(n, d), weyl(n, RESPONSES))


def predator(n, h=0.05):
    def logp(x, y, w):
        rate = jnp.exp(x)
        a, b, c, d = rate[:4]

        def slope(s):
            u, v = s
            return jnp.stack([a * u - b * u * v, d * u * v - c * v])

        def step(s, _):
            k1 = slope(s)
            k2 = slope(s + h / 2 * k1)
            k3 = slope(s + h / 2 * k2)
            k4 = slope(s + h * k3)
            s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            return s, s

        states = jax.lax.scan(step, rate[4:6], None, length=n)[1]
        eu, ev = (y - jnp.log(states[:, 0])) / rate[6], (w - jnp.log(states[:, 1])) / rate[7]
        return half(eu) + half(ev) - n * (x[6] + x[7]) + half(x)

    return 8, logp, (weyl(n, RESPONSES), weyl(n, FEATURES))


def volatile(n):
    def logp(x, y):
        omega, alpha, beta = jnp.exp(x[1]), 0.5 * jax.nn.sigmoid(x[2]), 0.5 * jax.nn.sigmoid(x[3])
        e = y - x[0]
        v = jax.lax.scan(lambda s, q: (omega + alpha * q + beta * s, s), omega, e * e)[1]
        return -0.5 * jnp.sum(jnp.log(v) + e * e / v) + half(x)

    return 4, logp, (weyl(n, RESPONSES),)


def hidden(n):
    def logp(x, y):
        stay, leave = jax.nn.log_sigmoid(x[2:]), jax.nn.log_sigmoid(-x[2:])
        move = jnp.array([[stay[0], leave[0]], [leave[1], stay[1]]])
        emission = -0.5 * (y[:, None] - x[:2]) ** 2

        def step(s, e):
            return jsp.special.logsumexp(s[:, None] + move, axis=0) + e, None

        last = jax.lax.scan(step, jnp.full(2, -np.log(2.0)), emission)[0]
        return jsp.special.logsumexp(last) + half(x)

    return 4, logp, (weyl(n, RESPONSES),)


# The models with which the library was reviewed, each of one size.
SEVENTEEN = [
    ("eight schools, centred", "schools", 8, lambda n: schools(n, True)),
    ("eight schools, non-centred", "schools", 8, lambda n: schools(n, False)),
    ("logistic regression of 10 columns", "rows", 500, lambda n: logistic(n, 10)),
    ("negative binomial", "rows", 500, counts),
    ("Gaussian process", "points", 50, process),
    ("normal with LKJ prior, 5 variables", "rows", 50, correlated),
    ("state space by Kalman's filter", "steps", 200, filtered),
    ("mixture of 3", "rows", 500, mixture),
    ("network of 8 inputs", "units", 20, network),
    ("Student-t equations, soft graph of 5", "rows", 100, soft_student),
    ("zero-inflated counts, soft graph of 5", "rows", 100, soft_counts),
    ("matrix exponential", "variables", 20, exponential),
    ("log determinant", "variables", 20, determinant),
    ("horseshoe of 20 columns", "rows", 100, horseshoe),
    ("Lotka–Volterra by Runge and Kutta", "steps", 100, predator),
    ("GARCH(1,1)", "steps", 200, volatile),
    ("hidden Markov of 2 states", "steps", 100, hidden),
]


def prepare(make, n, particles):
    """The function of all particles and its arguments."""
    params, logp, data = make(n)
    x = jnp.asarray(0.2 * weyl(particles * params, PLACES).reshape(particles, params))
    data = [jnp.asarray(a) for a in data]
    # data are arguments, since XLA folds constants of this size for minutes
    f = jax.jit(jax.vmap(jax.value_and_grad(logp), in_axes=(0,) + (None,) * len(data)))
    return f, (x, *data)


def compiled(make, n, particles):
    f, args = prepare(make, n, particles)
    start = time.perf_counter()
    return f.lower(*args).compile(), args, time.perf_counter() - start


def time_of(f, args, clock, window, budget):
    value, grad = jax.block_until_ready(f(*args))
    fastest, spent = float("inf"), 0.0
    while spent < budget:
        start, calls, took = clock(), 0, 0.0
        while took < window:
            jax.block_until_ready(f(*args))
            calls, took = calls + 1, clock() - start
        fastest, spent = min(fastest, took / calls), spent + took
    return {"seconds": fastest, "value": float(jnp.sum(value)), "gradient": float(jnp.linalg.norm(grad))}


def measure(make, n, particles, limit):
    f, args, took = compiled(make, n, particles)
    return time_of(f, args, time.process_time, 0.01, 0.25) if took <= limit else None


def on_device(table, write):
    """Compiles all points side by side, then times one after the other."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        waiting = [(key, pool.submit(compiled, make, n, m)) for key, make, n, m in table]
        ready = [(key, *w.result()) for key, w in waiting]
    for key, f, args, took in ready:
        found = time_of(f, args, time.perf_counter, 0.005, 0.15)
        write(key, found | {"compilation": took})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--only", default="", help="densities whose name contains this")
    parser.add_argument("--seventeen", action="store_true", help="the models of the review instead")
    parser.add_argument("--limit", type=float, default=120, help="seconds of a compilation")
    parser.add_argument("--device", help="cpu, on all cores, or gpu: seconds of the clock")
    parser.add_argument("--particles", default="1,32,1024", help="of --device")
    args = parser.parse_args()
    table = [(name, size, [(n, 1) for n in values] + [(base, m) for m in (8, 16, 17, 32, 100)], make)
             for name, size, values, base, make in DENSITIES]
    if args.device:
        jax.config.update("jax_platforms", "cuda" if args.device == "gpu" else "cpu")
        many = [int(m) for m in args.particles.split(",")]
        table = [(name, size, [(n, m) for m in many], make) for name, size, n, make in SEVENTEEN]
        table += [(name, size, [(base, m) for m in many], make)
                  for name, size, _, base, make in DENSITIES]
    elif args.seventeen:
        table = [(name, size, [(n, 1), (n, 32)], make) for name, size, n, make in SEVENTEEN]
    points = [(f"density={name}/{size}={n}/M={m}", make, n, m)
              for name, size, points, make in table for n, m in points]
    points = [p for p in points if args.only in p[0]]
    results = {}

    def write(key, found):
        results[key] = found
        m = int(key.rsplit("=", 1)[1])
        print(f"{key:60} {found['seconds'] / m * 1e6:12.1f} µs", flush=True)
        with open(args.out, "w") as f:
            json.dump(results, f, indent=1)
            f.write("\n")

    if args.device:
        for start in range(0, len(points), 3 * len(SEVENTEEN)):  # what is done stays
            on_device(points[start : start + 3 * len(SEVENTEEN)], write)
        return
    for key, make, n, m in points:
        found = measure(make, n, m, args.limit)
        if found is not None:
            write(key, found)


if __name__ == "__main__":
    sys.exit(main())
