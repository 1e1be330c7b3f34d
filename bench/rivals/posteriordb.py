"""Effective draws of numpyro on posteriors of posteriordb, beside those of package nuts.

    python posteriordb.py [NAME...]
    python posteriordb.py --device gpu --chains 256 [NAME...]

Four chains of 1000 draws after 1000 of warm-up, in double precision, one line of JSON for each
posterior: processor seconds of a second run, whose program is compiled, those of the first run,
and the least bulk effective sample size of all parameters. With a device, as many chains as it
says advance together, 100 draws after 200 of warm-up, and seconds are those of the clock.
"""

import argparse
import concurrent.futures
import gzip
import json
import pathlib
import time

import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro import deterministic, factor, sample
from numpyro.diagnostics import summary
from numpyro.infer import NUTS

FOLDER = pathlib.Path(__file__).parent / "../../internal/posteriordb/data"
REAL = dist.ImproperUniform(dist.constraints.real, (), ())


def read(name):
    name = name.split("-")[0]
    plain = FOLDER / f"{name}.json"
    text = plain.read_text() if plain.exists() else gzip.open(f"{plain}.gz", "rt").read()
    return {k: np.array(v, float) for k, v in json.loads(text).items()}


def vector(name, n):
    return sample(name, dist.ImproperUniform(dist.constraints.real, (), (n,)))


def positive(name):
    return sample(name, dist.ImproperUniform(dist.constraints.positive, (), ()))


def regress(sigma, y, columns):
    beta = vector("beta", 1 + len(columns))
    mu = beta[0]
    for i, x in enumerate(columns):
        mu = mu + beta[i + 1] * x
    sample("y", dist.Normal(mu, sigma), obs=y)


def regression(y, *columns):
    def model(d):
        regress(positive("sigma"), y(d), [c(d) for c in columns])

    return model


def half_cauchy(y, *columns):
    def model(d):
        regress(sample("sigma", dist.HalfCauchy(2.5)), y(d), [c(d) for c in columns])

    return model


def col(name):
    return lambda d: d[name]


def log(name):
    return lambda d: np.log(d[name])


def is_(name, value):
    return lambda d: (d[name] == value).astype(float)


def times(a, b):
    return lambda d: a(d) * b(d)


def standard(name, k):
    return lambda d: (d[name] - d[name].mean()) / (k * d[name].std(ddof=1))


def shift(name, by):
    return lambda d: d[name] - by


def centre(name):
    return lambda d: d[name] - d[name].mean()


volume = lambda d: np.log(d["diam1"] * d["diam2"] * d["canopy_height"])
area = lambda d: np.log(d["diam1"] * d["diam2"])
shape = lambda d: np.log(d["diam1"] / d["diam2"])


def diamonds(d):
    x = d["X"][:, 1:]
    b = sample("b", dist.Normal(0, 1).expand([24]))
    intercept = sample("Intercept", dist.StudentT(3, 8, 10))
    sigma = sample("sigma", dist.FoldedDistribution(dist.StudentT(3, 0, 10)))
    sample("y", dist.Normal(intercept + (x - x.mean(0)) @ b, sigma), obs=d["Y"])


def blr(d):
    beta = sample("beta", dist.Normal(0, 10).expand([5]))
    sigma = sample("sigma", dist.HalfNormal(10))
    sample("y", dist.Normal(d["X"] @ beta, sigma), obs=d["y"])


def kilpisjarvi(d):
    alpha = sample("alpha", dist.Normal(d["pmualpha"], d["psalpha"]))
    beta = sample("beta", dist.Normal(d["pmubeta"], d["psbeta"]))
    sample("y", dist.Normal(alpha + beta * d["x"], positive("sigma")), obs=d["y"])


def ark(d):
    y = d["y"]
    alpha = sample("alpha", dist.Normal(0, 10))
    beta = sample("beta", dist.Normal(0, 10).expand([5]))
    sigma = sample("sigma", dist.HalfCauchy(2.5))
    mu = alpha
    for k in range(5):
        mu = mu + beta[k] * y[4 - k : 199 - k]
    sample("y", dist.Normal(mu, sigma), obs=y[5:])


def arma(d):
    y = d["y"]
    mu, phi = sample("mu", dist.Normal(0, 10)), sample("phi", dist.Normal(0, 2))
    theta, sigma = sample("theta", dist.Normal(0, 2)), sample("sigma", dist.HalfCauchy(2.5))
    first = y[0] - (mu + phi * mu)
    plain = y[1:] - mu - phi * y[:-1]

    def step(e, x):
        now = x - theta * e
        return now, now

    _, rest = lax.scan(step, first, plain)
    factor("y", dist.Normal(0, sigma).log_prob(jnp.append(rest, first)).sum())


def garch(d):
    y, start = d["y"], d["sigma1"]
    mu, alpha0 = sample("mu", REAL), positive("alpha0")
    alpha1 = sample("alpha1", dist.Uniform(0, 1))
    share = sample("share", dist.Uniform(0, 1))
    beta1 = deterministic("beta1", share * (1 - alpha1))
    factor("jacobian", jnp.log1p(-alpha1))

    def step(v, x):
        now = x + beta1 * v
        return now, now

    _, v = lax.scan(step, start**2, alpha0 + alpha1 * (y[:-1] - mu) ** 2)
    sd = jnp.concatenate([jnp.array([start]), jnp.sqrt(v)])
    sample("y", dist.Normal(mu, sd), obs=y)


def forward(logs, theta1, theta2):
    step = jnp.log(jnp.stack([theta1, theta2]))

    def f(a, x):
        return jax.nn.logsumexp(a[:, None] + step, 0) + x, None

    last, _ = lax.scan(f, logs[0], logs[1:])
    factor("y", jax.nn.logsumexp(last))


def ordered(name, at, positive_=False):
    c = dist.constraints.positive_ordered_vector if positive_ else dist.constraints.ordered_vector
    x = sample(name, dist.ImproperUniform(c, (), (2,)))
    factor(name + "_prior", dist.Normal(jnp.array(at), 1).log_prob(x).sum())
    return x


def hmm_example(d):
    theta1 = sample("theta1", dist.Dirichlet(jnp.ones(2)))
    theta2 = sample("theta2", dist.Dirichlet(jnp.ones(2)))
    mu = ordered("mu", [3.0, 10.0], True)
    forward(dist.Normal(mu, 1).log_prob(d["y"][:, None]), theta1, theta2)


def drive(positive_, emission):
    def model(d):
        theta1 = sample("theta1", dist.Dirichlet(d["alpha"][0]))
        theta2 = sample("theta2", dist.Dirichlet(d["alpha"][1]))
        phi = ordered("phi", [0.0, 3.0], positive_)
        lam = ordered("lambda", [0.0, 3.0], positive_)
        u, v = d["u"][:, None], d["v"][:, None]
        logs = emission(phi, d.get("tau")).log_prob(u) + emission(lam, d.get("rho")).log_prob(v)
        forward(logs, theta1, theta2)

    return model


def schools(d):
    z = sample("t", dist.Normal(0, 1).expand([8]))
    mu, tau = sample("mu", dist.Normal(0, 5)), sample("tau", dist.HalfCauchy(5))
    theta = deterministic("theta", mu + tau * z)
    sample("y", dist.Normal(theta, d["sigma"]), obs=d["y"])


def gauss_mix(d):
    mu = sample("mu", dist.ImproperUniform(dist.constraints.ordered_vector, (), (2,)))
    factor("mu_prior", dist.Normal(0, 2).log_prob(mu).sum())
    sigma = sample("sigma", dist.HalfNormal(2).expand([2]))
    theta = sample("theta", dist.Beta(5, 5))
    mixing = dist.Categorical(jnp.array([theta, 1 - theta]))
    sample("y", dist.MixtureSameFamily(mixing, dist.Normal(mu, sigma)), obs=d["y"])


def kernel(x, alpha, rho, diagonal):
    square = (x[:, None] - x) ** 2
    return alpha**2 * jnp.exp(-0.5 * square / rho**2) + diagonal * jnp.eye(len(x))


def gp_pois(d):
    rho, alpha = sample("rho", dist.Gamma(25, 4)), sample("alpha", dist.HalfNormal(2))
    z = sample("f_tilde", dist.Normal(0, 1).expand([11]))
    f = deterministic("f", jnp.linalg.cholesky(kernel(d["x"], alpha, rho, 1e-10)) @ z)
    sample("k", dist.Poisson(jnp.exp(f)), obs=d["k"])


def gp_regr(d):
    rho, alpha = sample("rho", dist.Gamma(25, 4)), sample("alpha", dist.HalfNormal(2))
    sigma = sample("sigma", dist.HalfNormal(1))
    k = kernel(d["x"], alpha, rho, sigma)
    sample("y", dist.MultivariateNormal(jnp.zeros(11), k), obs=d["y"])


def accel(d):
    def process(name, n, x, w):
        half = dist.FoldedDistribution(dist.StudentT(3, 0, 36))
        sd = sample(f"sdgp{name}", half)
        length = sample(f"lscale{name}", dist.InverseGamma(1.124909, 0.0177))
        z = sample(f"zgp{name}", dist.Normal(0, 1).expand([n]))
        scale = sd * jnp.sqrt(jnp.sqrt(2 * jnp.pi) * length)
        return x @ (scale * jnp.exp(-0.25 * (length * w) ** 2) * z)

    mu = sample("Intercept", dist.StudentT(3, -13, 36))
    mu = mu + process("_1", 40, d["Xgp_1"], d["slambda_1"].reshape(-1))
    log_sd = sample("Intercept_sigma", dist.StudentT(3, 0, 10))
    log_sd += process("_sigma_1", 20, d["Xgp_sigma_1"], d["slambda_sigma_1"].reshape(-1))
    sample("y", dist.Normal(mu, jnp.exp(log_sd)), obs=d["Y"])


def lotka_volterra(d):
    low = dist.TruncatedNormal(
        jnp.array([1, 0.05, 1, 0.05]), jnp.array([0.5, 0.05, 0.5, 0.05]), low=0.0
    )
    a, b, c, e = sample("theta", low)
    z0 = sample("z_init", dist.LogNormal(jnp.log(10), 1).expand([2]))
    sigma = sample("sigma", dist.LogNormal(-1, 1).expand([2]))

    def rate(z):
        return jnp.array([(a - b * z[1]) * z[0], (e * z[0] - c) * z[1]])

    def small(z, _):
        h = 0.125
        k1 = rate(z)
        k2 = rate(z + h / 2 * k1)
        k3 = rate(z + h / 2 * k2)
        k4 = rate(z + h * k3)
        return z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    def year(z, _):
        z, _ = lax.scan(small, z, None, length=8)
        return z, z

    _, z = lax.scan(year, z0, None, length=20)
    sample("y_init", dist.LogNormal(jnp.log(z0), sigma), obs=d["y_init"])
    sample("y", dist.LogNormal(jnp.log(z), sigma), obs=d["y"])


def one_comp(d):
    ka, km, vm, sigma = (sample(n, dist.HalfCauchy(1)) for n in ("k_a", "K_m", "V_m", "sigma"))

    def rate(t, c):
        return d["D"] * ka / d["V"] * jnp.exp(-ka * t) - vm / d["V"] * c / (km + c)

    def small(c, t):
        h = 0.05
        k1 = rate(t, c)
        k2 = rate(t + h / 2, c + h / 2 * k1)
        k3 = rate(t + h / 2, c + h / 2 * k2)
        k4 = rate(t + h, c + h * k3)
        c = c + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return c, c

    _, c = lax.scan(small, 0.0, 0.05 * jnp.arange(200))
    sample("y", dist.LogNormal(jnp.log(c[9::10]), sigma), obs=d["C_hat"])


earn, height, male = log("earn"), col("height"), col("male")
score, hs, iq = col("kid_score"), col("mom_hs"), col("mom_iq")
weight = log("weight")
KIDS = "kidiq_with_mom_work-kidscore_"
MODELS = {
    "diamonds-diamonds": diamonds,
    "earnings-earn_height": regression(col("earn"), height),
    "earnings-log10earn_height": regression(lambda d: np.log10(d["earn"]), height),
    "earnings-logearn_height": regression(earn, height),
    "earnings-logearn_height_male": regression(earn, height, male),
    "earnings-logearn_interaction": regression(earn, height, male, times(height, male)),
    "earnings-logearn_interaction_z": regression(
        earn, standard("height", 1), male, times(standard("height", 1), male)
    ),
    "earnings-logearn_logheight_male": regression(earn, log("height"), male),
    "kidiq-kidscore_interaction": half_cauchy(score, hs, iq, times(hs, iq)),
    "kidiq-kidscore_momhs": half_cauchy(score, hs),
    "kidiq-kidscore_momhsiq": half_cauchy(score, hs, iq),
    "kidiq-kidscore_momiq": half_cauchy(score, iq),
    KIDS + "interaction_c": regression(
        score, centre("mom_hs"), centre("mom_iq"), times(centre("mom_hs"), centre("mom_iq"))
    ),
    KIDS + "interaction_c2": regression(
        score, shift("mom_hs", 0.5), shift("mom_iq", 100),
        times(shift("mom_hs", 0.5), shift("mom_iq", 100)),
    ),
    KIDS + "interaction_z": regression(
        score, standard("mom_hs", 2), standard("mom_iq", 2),
        times(standard("mom_hs", 2), standard("mom_iq", 2)),
    ),
    KIDS + "mom_work": regression(score, *(is_("mom_work", k) for k in (2, 3, 4))),
    "kilpisjarvi_mod-kilpisjarvi": kilpisjarvi,
    "mesquite-logmesquite": regression(
        weight, log("diam1"), log("diam2"), log("canopy_height"), log("total_height"),
        log("density"), col("group"),
    ),
    "mesquite-logmesquite_logva": regression(weight, volume, area, col("group")),
    "mesquite-logmesquite_logvas": regression(
        weight, volume, area, shape, log("total_height"), log("density"), col("group")
    ),
    "mesquite-logmesquite_logvash": regression(
        weight, volume, area, shape, log("total_height"), col("group")
    ),
    "mesquite-logmesquite_logvolume": regression(weight, volume),
    "mesquite-mesquite": regression(
        col("weight"), col("diam1"), col("diam2"), col("canopy_height"), col("total_height"),
        col("density"), col("group"),
    ),
    "sblrc-blr": blr,
    "sblri-blr": blr,
    "arK-arK": ark,
    "arma-arma11": arma,
    "garch-garch11": garch,
    "hmm_example-hmm_example": hmm_example,
    "bball_drive_event_0-hmm_drive_0": drive(True, lambda p, _: dist.Exponential(p)),
    "bball_drive_event_1-hmm_drive_1": drive(False, dist.Normal),
    "eight_schools-eight_schools_noncentered": schools,
    "low_dim_gauss_mix-low_dim_gauss_mix": gauss_mix,
    "gp_pois_regr-gp_pois_regr": gp_pois,
    "gp_pois_regr-gp_regr": gp_regr,
    "mcycle_gp-accel_gp": accel,
    "hudson_lynx_hare-lotka_volterra": lotka_volterra,
    "one_comp_mm_elim_abs-one_comp_mm_elim_abs": one_comp,
}
for year in (1972, 1976, 1980, 1984, 1988, 1992, 1996, 2000):
    MODELS[f"nes{year}-nes"] = regression(
        col("partyid7"), col("real_ideo"), col("race_adj"), is_("age_discrete", 2),
        is_("age_discrete", 3), is_("age_discrete", 4), col("educ1"), col("gender"),
        col("income"),
    )


def least(draws):
    rows = summary({k: np.asarray(v) for k, v in draws.items()}, group_by_chain=True)
    return round(min(float(np.min(v["n_eff"][np.isfinite(v["n_eff"])])) for v in rows.values()))


def together(names, chains, draws=100, warm=200):
    """All chains of a posterior in one program; the programs are compiled side by side."""

    def prepare(name):
        model, data = MODELS[name], read(name)
        kernel = NUTS(lambda: model(data))
        keys = jax.random.split(jax.random.PRNGKey(1), chains)
        states = kernel.init(keys, warm, None, (), {})

        def run(states):
            def step(s, _):
                s = kernel.sample(s, (), {})  # of all chains
                return s, (s.z, s.num_steps)

            states, (_, warmed) = lax.scan(step, states, None, length=warm)
            _, (z, steps) = lax.scan(step, states, None, length=draws)
            return z, steps.sum() + warmed.sum()

        return kernel, states, jax.jit(run).lower(states)

    def compiled(program):
        begin = time.perf_counter()
        return program.compile(), time.perf_counter() - begin

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        programs = [(name, *prepare(name)) for name in names]
        ready = list(pool.map(lambda p: compiled(p[3]), programs))
    for (name, kernel, states, _), (run, took) in zip(programs, ready):
        begin = time.perf_counter()
        z, steps = jax.block_until_ready(run(states))
        seconds = time.perf_counter() - begin
        z = jax.tree.map(lambda x: jnp.swapaxes(x, 0, 1), z)
        constrain = jax.jit(jax.vmap(jax.vmap(kernel.postprocess_fn((), {}))))
        print(json.dumps({
            "posterior": name,
            "chains": chains,
            "effective": least(constrain(z)),
            "seconds": round(seconds, 3),
            "compilation": round(took, 1),
            "gradients": int(steps),
        }), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--device", help="cpu, on all cores, or gpu: chains advance together")
    parser.add_argument("--chains", type=int, default=256, help="with --device")
    args = parser.parse_args()
    if args.device:
        jax.config.update("jax_platforms", "cuda" if args.device == "gpu" else "cpu")
        return together(args.names or list(MODELS), args.chains)
    for name in args.names or MODELS:
        model, data = MODELS[name], read(name)
        started = time.process_time()
        kernel = NUTS(lambda: model(data))
        keys = jax.random.split(jax.random.PRNGKey(1), 4)
        states = [kernel.init(k, 1000, None, (), {}) for k in keys]
        constrain = jax.jit(jax.vmap(kernel.postprocess_fn((), {})))

        @jax.jit
        def chain(state):
            def step(s, _):
                s = kernel.sample(s, (), {})
                return s, (s.z, s.num_steps)

            _, (z, steps) = lax.scan(step, state, None, length=2000)
            return jax.tree.map(lambda x: x[1000:], z), steps[1000:].sum()

        def run():
            z, steps = zip(*(jax.block_until_ready(chain(s)) for s in states))
            return jax.tree.map(lambda *x: jnp.stack(x), *z), sum(map(int, steps))

        seconds = []
        for _ in range(2):  # the second time compiled
            begin = time.process_time()
            z, steps = run()
            seconds.append(time.process_time() - begin)
        draws = jax.block_until_ready(jax.vmap(constrain)(z))
        total = time.process_time() - started - seconds[1]
        print(json.dumps({
            "posterior": name,
            "effective": least(draws),
            "seconds": round(seconds[1], 3),
            "first": round(total, 1),
            "gradients": steps,
        }), flush=True)


main()
