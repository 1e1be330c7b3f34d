"""CAM, RESIT and NOTEARS-MLP, written from their papers with NumPy and SciPy, and DiBS.

Each takes a standardised table, n×d, and returns two d×d matrices, entry (i, j) for i → j: what it
found, and how strongly.

cam: Bühlmann, Peters, Ernest (2014). Greedy additions of the edge that gains most likelihood under
additive equations until the order is complete, then the smooth terms with p < .001.
resit: Peters, Mooij, Janzing, Schölkopf (2014). From the last variable to the first the one whose
residuals depend least on the others (HSIC, gamma approximation), then parents are left out as long
as the residuals are independent of all others before (p > .05). Additive equations, as in cam.
notears: Zheng, Dan, Aragam, Ravikumar, Xing (2020). One hidden layer of ten units for each
variable, λ₁ = λ₂ = .01, augmented Lagrangian by L-BFGS-B, edges above .3.
dibs: dibs-lib's JointDiBS, 20 particles, 1000 steps, linear equations or networks of one hidden
layer of five units, as told; frequencies over the acyclic particles.
"""

import numpy as np
from scipy import linalg, optimize, stats
from scipy.interpolate import BSpline

FUNCTIONS = 10  # of a smooth term, its straight line among them
PENALTIES = 10.0 ** np.arange(-4, 7)


class Term:
    """A cubic spline of a column: a straight line and functions orthogonal to it, whose penalties
    are the eigenvalues of the integrated second derivative, squared."""

    def __init__(self, x):
        n = len(x)
        inner = np.quantile(x, np.linspace(0, 1, FUNCTIONS - 2))
        inner = np.maximum.accumulate(inner + np.arange(len(inner)) * 1e-9 * max(np.ptp(x), 1e-9))
        knots = np.r_[[inner[0]] * 3, inner, [inner[-1]] * 3]
        k = len(knots) - 4
        basis = BSpline.design_matrix(np.clip(x, inner[0], inner[-1]), knots, 3).toarray()
        at = np.linspace(0, 1, 40, endpoint=False) + 0.0125
        grid = np.concatenate([a + (b - a) * at for a, b in zip(inner[:-1], inner[1:])])
        weight = np.repeat(np.diff(inner) / 40, 40)
        second = np.stack([BSpline(knots, row, 3).derivative(2)(grid) for row in np.eye(k)], axis=1)
        penalty = second.T @ (weight[:, None] * second)
        basis -= basis.mean(0)
        u, s, v = linalg.svd(basis, full_matrices=False)
        keep = s > 1e-8 * s[0]
        to = v[keep].T / s[keep]  # orthonormal columns
        values, vectors = linalg.eigh(to.T @ penalty @ to)
        values = np.maximum(values, 0)
        values[values < 1e-9 * values[-1]] = 0
        self.columns = basis @ to @ vectors * n**0.5
        self.penalties = values / max(values[values > 0].min(initial=1.0), 1e-300)


def smooth(terms, y):
    """Residuals, their effective degrees of freedom, and the p value of every term, of an additive
    equation with penalties by generalised cross-validation."""
    n = len(y)
    y = y - y.mean()
    if not terms:
        return y, 1.0, np.zeros(0)
    x = np.concatenate([t.columns for t in terms], axis=1)
    of = np.repeat(np.arange(len(terms)), [t.columns.shape[1] for t in terms])
    unit = np.concatenate([t.penalties for t in terms])
    gram, right, whole = x.T @ x, x.T @ y, y @ y

    def solve(some, scale):
        g, r = gram[np.ix_(some, some)], right[some]
        a = g + np.diag(scale[of[some]] * unit[some] + 1e-8 * n)
        factor = linalg.cho_factor(a)
        beta = linalg.cho_solve(factor, r)
        freedom = 1 + np.trace(linalg.cho_solve(factor, g))
        return beta, max(whole - 2 * beta @ r + beta @ g @ beta, 1e-12 * whole), freedom

    def gcv(scale):
        _, rss, freedom = solve(everything, scale)
        return n * rss / max(n - freedom, 1) ** 2

    everything = np.arange(x.shape[1])
    scale = np.full(len(terms), 10.0)
    for _ in range(2):
        for k in range(len(terms)):
            tried = [gcv(np.where(np.arange(len(terms)) == k, n / 200 * s, scale)) for s in PENALTIES]
            scale[k] = n / 200 * PENALTIES[int(np.argmin(tried))]
    beta, rss, freedom = solve(everything, scale)
    p = np.ones(len(terms))
    for k in range(len(terms)):
        _, without, fewer = solve(everything[of != k], scale) if len(terms) > 1 else (None, whole, 1.0)
        used = max(freedom - fewer, 0.5)
        p[k] = stats.f.sf(max(without - rss, 0) / used / (rss / (n - freedom)), used, n - freedom)
    return y - x @ beta, freedom, p


def cam(x):
    n, d = x.shape
    terms = [Term(c) for c in x.T]
    parents = [[] for _ in range(d)]
    spread = lambda j, of: 0.5 * np.log(np.mean(smooth([terms[i] for i in of], x[:, j])[0] ** 2))
    now = np.array([spread(j, []) for j in range(d)])
    gain = np.array([[-np.inf if i == j else now[j] - spread(j, [i]) for j in range(d)] for i in range(d)])
    before = np.eye(d, dtype=bool)  # before[i, j]: a path from i to j
    while np.isfinite(gain).any():
        i, j = np.unravel_index(np.argmax(gain), gain.shape)
        if gain[i, j] <= 0:
            break
        parents[j].append(int(i))
        now[j] -= gain[i, j]
        before |= np.outer(before[:, i], before[j])
        gain[before.T] = -np.inf
        gain[i, j] = -np.inf
        for k in np.flatnonzero(np.isfinite(gain[:, j])):
            gain[k, j] = now[j] - spread(j, [*parents[j], k])
    found, strength = np.zeros((d, d)), np.zeros((d, d))
    for j, of in enumerate(parents):
        for i, p in zip(of, smooth([terms[i] for i in of], x[:, j])[2]):
            found[i, j], strength[i, j] = p < 0.001, -np.log(max(p, 1e-300))
    return found, strength


def kernel(x):
    """The Gaussian kernel of rows, its width by the median distance, centred; and its off-diagonal mean."""
    square = np.sum(x * x, 1)
    distance = np.maximum(square[:, None] + square - 2 * x @ x.T, 0)
    some = distance[:500, :500]
    k = np.exp(-distance / np.median(some[some > 0]))
    n = len(k)
    mean = (k.sum() - n) / (n * (n - 1))
    rows = k.mean(0)
    return k - rows - rows[:, None] + rows.mean(), mean


def hsic(k, l):
    """The logarithm of the p value of independence of what has these kernels (Gretton and others 2008)."""
    (a, mean_a), (b, mean_b) = k, l
    n = len(a)
    product = a * b
    statistic = product.sum() / n
    variance = ((product**2).sum() - (np.diag(product) ** 2).sum()) / 36 / (n * (n - 1))
    variance *= 72 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3))
    mean = (1 + mean_a * mean_b - mean_a - mean_b) / n
    variance = max(variance, 1e-300)
    shape, scale = mean**2 / variance, variance * n / mean
    return stats.gamma.logsf(statistic, shape, scale=scale)


def resit(x):
    n, d = x.shape
    terms = [Term(c) for c in x.T]
    rest = lambda j, of: kernel(smooth([terms[i] for i in of], x[:, j])[0][:, None])
    left, parents = list(range(d)), [[] for _ in range(d)]
    while len(left) > 1:
        chance = []
        for j in left:
            others = [i for i in left if i != j]
            chance.append(hsic(rest(j, others), kernel(x[:, others])))
        j = left[int(np.argmax(chance))]
        left.remove(j)
        parents[j] = list(left)
    found = np.zeros((d, d))
    for j, before in enumerate(parents):
        kept, together = list(before), kernel(x[:, before]) if before else None
        for i in before:
            without = [k for k in kept if k != i]
            if hsic(rest(j, without), together) > np.log(0.05):
                kept = without
        found[kept, j] = 1
    return found, found


def notears(x, hidden=10, penalty=0.01, ridge=0.01, threshold=0.3, seed=1):
    n, d = x.shape
    rng = np.random.default_rng(seed)
    size = d * hidden * d  # first layer: of variable j, unit h, input i
    free = 1 - np.eye(d)[:, None, :]

    def parts(theta):
        first = (theta[:size] - theta[size : 2 * size]).reshape(d, hidden, d)
        bias, second, last = np.split(theta[2 * size :], [d * hidden, 2 * d * hidden])
        return first, bias.reshape(d, hidden), second.reshape(d, hidden), last

    def objective(theta, rho, alpha):
        first, bias, second, last = parts(theta)
        unit = 1 / (1 + np.exp(-(np.tensordot(x, first, (1, 2)) + bias)))  # n×d×hidden
        error = np.einsum("njh,jh->nj", unit, second) + last - x
        a = np.sum(first**2, 1).T  # a[i, j] of i → j
        e = linalg.expm(a)
        h = np.trace(e) - d
        value = 0.5 / n * np.sum(error**2) + 0.5 * rho * h * h + alpha * h
        value += 0.5 * ridge * (np.sum(first**2) + np.sum(second**2)) + penalty * np.sum(theta[: 2 * size])
        back = error / n
        inner = back[:, :, None] * second * unit * (1 - unit)
        gfirst = np.einsum("njh,ni->jhi", inner, x) + ridge * first
        gfirst += (rho * h + alpha) * 2 * first * e.reshape(d, 1, d)  # ∂h/∂a[i, j] = e[j, i]
        gfirst *= free
        gradient = np.concatenate(
            [
                (gfirst + penalty).ravel(),
                (-gfirst + penalty).ravel(),
                inner.sum(0).ravel(),
                (np.einsum("nj,njh->jh", back, unit) + ridge * second).ravel(),
                back.sum(0),
            ]
        )
        return value, gradient

    start = np.zeros(2 * size + 2 * d * hidden + d)
    start[: 2 * size] = np.tile(rng.uniform(0, 0.1, size), 2) * np.tile((free * np.ones((d, hidden, d))).ravel(), 2)
    start[size : 2 * size] *= rng.uniform(0.5, 1.5, size)
    start[2 * size : 2 * size + 2 * d * hidden] = rng.uniform(-1, 1, 2 * d * hidden) / hidden**0.5
    zero = (free * np.ones((d, hidden, d))).ravel() == 0
    bounds = [(0, 0) if z else (0, None) for z in np.tile(zero, 2)] + [(None, None)] * (len(start) - 2 * size)
    theta, rho, alpha, last = start, 1.0, 0.0, np.inf
    acyclic = lambda t: np.trace(linalg.expm(np.sum(parts(t)[0] ** 2, 1).T)) - d
    for _ in range(100):
        while True:
            new = optimize.minimize(objective, theta, (rho, alpha), "L-BFGS-B", True, bounds=bounds).x
            h = acyclic(new)
            if h <= 0.25 * last or rho >= 1e16:
                break
            rho *= 10
        theta, last, alpha = new, h, alpha + rho * h
        if h <= 1e-8 or rho >= 1e16:
            break
    strength = np.sqrt(np.sum(parts(theta)[0] ** 2, 1)).T
    return (strength > threshold).astype(float), strength


def dibs(x, linear, seed=1):
    import jax.numpy as jnp
    import jax.random as random
    from dibs.inference import JointDiBS
    from dibs.models import DenseNonlinearGaussian, ErdosReniDAGDistribution, LinearGaussian

    d = x.shape[1]
    model = LinearGaussian(n_vars=d) if linear else DenseNonlinearGaussian(n_vars=d, hidden_layers=(5,))
    method = JointDiBS(
        x=jnp.array(x), interv_mask=None, graph_model=ErdosReniDAGDistribution(d, n_edges_per_node=1), likelihood_model=model
    )
    graphs = np.array(method.sample(key=random.PRNGKey(seed), n_particles=20, steps=1000)[0], dtype=float)
    power = lambda g: np.trace(np.linalg.matrix_power(np.eye(d) + g / d, d))
    kept = [g for g in graphs if power(g) <= d + 1e-9]
    mean = np.mean(kept or list(graphs), axis=0)
    return mean, mean
