"""Log densities, distribution and survival functions far out in the tails: tails.csv.

    python tails.py > tails.csv

By mpmath with 60 digits and more; where SciPy differs by more than 1e-9 a line on standard error says so.
"""

import sys

import numpy as np
import scipy.stats as st
from mpmath import mp, mpf, inf, nan

mp.dps = 60
log, exp, pi, sqrt, gamma = mp.log, mp.exp, mp.pi, mp.sqrt, mp.gamma
lgamma, lbeta = mp.loggamma, lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def ncdf(z):
    return mp.erfc(-z / sqrt(2)) / 2


def lower(a, x):  # regularised incomplete gamma function, and what is above
    if x < a:
        p = mp.gammainc(a, 0, x, regularized=True)
        return p, 1 - p
    q = mp.gammainc(a, x, inf, regularized=True)
    return 1 - q, q


def ibeta(a, b, x, y):
    if x < a / (a + b):
        p = mp.betainc(a, b, 0, x, regularized=True)
        return p, 1 - p
    q = mp.betainc(b, a, 0, y, regularized=True)
    return 1 - q, q


def student(z, v):
    x, y = v / (v + z * z), z * z / (v + z * z)
    tail = ibeta(v / 2, mpf(1) / 2, x, y)[0] / 2
    return (1 - tail, tail) if z > 0 else (tail, 1 - tail)


def located(pdf, both):
    def f(x, m, s, *more):
        z = (x - m) / s
        return (log(pdf(z, *more)) - log(s), *both(z, *more))
    return f


def halved(f):
    def g(x, *p):
        with mp.workdps(350):  # for b − a
            l, b, a = f(x, mpf(0), *p)
            return l + log(2), b - a, 2 * a
    return g


def tpdf(z, v):
    return exp(lgamma((v + 1) / 2) - lgamma(v / 2)) / sqrt(v * pi) * (1 + z * z / v) ** (-(v + 1) / 2)


normal = located(lambda z: exp(-z * z / 2) / sqrt(2 * pi), lambda z: (ncdf(z), ncdf(-z)))
angle = lambda z: mp.atan2(1, -z) / pi
cauchy = located(lambda z: 1 / (pi * (1 + z * z)), lambda z: (angle(z), angle(-z)))
studentt = located(tpdf, student)


def gammas(x, a, b):
    return (a * log(b) - lgamma(a) + (a - 1) * log(x) - b * x, *lower(a, b * x))


def invgamma(x, a, b):
    p, q = lower(a, b / x)
    return a * log(b) - lgamma(a) - (a + 1) * log(x) - b / x, q, p


def truncated(x, m, s, low, high):
    up = lambda v: ncdf((m - v) / s)
    mass = up(low) - up(high)
    z = (x - m) / s
    return -z * z / 2 - log(s * sqrt(2 * pi)) - log(mass), nan, nan


def choose(n, k):
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def xlog(x, y):
    return mpf(0) if x == 0 else x * log(y)


ROWS = {  # function, SciPy's, parameters, values
    "normal": (normal, lambda m, s: st.norm(m, s), [(0.3, 1.7), (0, 1e-8), (1e8, 1)],
               [-1e8, -40, -1e-9, 0.3, 8.5, 37, 40, 1e8]),
    "half-normal": (halved(normal), lambda s: st.halfnorm(0, s), [(1.7,), (1e-8,)], [1e-150, 1e-20, 1e-9, 1, 40, 1e8]),
    "cauchy": (cauchy, lambda m, s: st.cauchy(m, s), [(0.3, 1.7)], [-1e150, -1e9, -1e-9, 0.3, 1e9, 1e150]),
    "half-cauchy": (halved(cauchy), lambda s: st.halfcauchy(0, s), [(1.7,)], [1e-150, 1e-20, 1e-9, 1, 1e9, 1e150]),
    "student t": (studentt, lambda m, s, v: st.t(v, m, s), [(0.3, 0.6, 1.7), (0, 1, 1e4), (0, 1, 0.01)],
                  [-1e9, -1e3, -1, 1e-9, 5, 30, 1e9]),
    "half-student t": (halved(studentt), lambda s, v: None, [(0.6, 3)], [1e-150, 1e-20, 1e-9, 1, 1e9, 1e150]),
    "laplace": (located(lambda z: exp(-abs(z)) / 2, lambda z: (exp(z) / 2, 1 - exp(z) / 2) if z < 0 else (1 - exp(-z) / 2, exp(-z) / 2)),
                lambda m, s: st.laplace(m, s), [(0.3, 1.7)], [-1e9, -60, 0.3, 60, 1e9]),
    "logistic": (located(lambda z: exp(-abs(z)) / (1 + exp(-abs(z))) ** 2, lambda z: (1 / (1 + exp(-z)), 1 / (1 + exp(z)))),
                 lambda m, s: st.logistic(m, s), [(0.3, 1.7)], [-1e4, -60, 0.3, 60, 1e4]),
    "gumbel": (lambda x, m, b: (-(x - m) / b - exp(-(x - m) / b) - log(b), exp(-exp(-(x - m) / b)), -mp.expm1(-exp(-(x - m) / b))),
               lambda m, b: st.gumbel_r(m, b), [(0.3, 1.7)], [-12, -3, 60, 500, 1000]),
    "gamma": (gammas, lambda a, b: st.gamma(a, scale=1 / b), [(0.3, 1.7), (1e-3, 1), (300, 2)],
              [1e-300, 1e-12, 1, 90, 900]),
    "chi squared": (lambda x, k: gammas(x, k / 2, mpf(1) / 2), lambda k: st.chi2(k), [(1,), (1000,)], [1e-300, 1e-9, 1, 600, 2000]),
    "inverse gamma": (invgamma, lambda a, b: st.invgamma(a, scale=b), [(0.3, 1.7), (50, 1)], [1e-3, 0.1, 1, 1e9, 1e150]),
    "exponential": (lambda x, r: (log(r) - r * x, -mp.expm1(-r * x), exp(-r * x)), lambda r: st.expon(scale=1 / r),
                    [(1.7,)], [1e-300, 1e-18, 1, 1e5]),
    "weibull": (lambda x, k, l: (log(k / l) + (k - 1) * log(x / l) - (x / l) ** k, -mp.expm1(-(x / l) ** k), exp(-(x / l) ** k)),
                lambda k, l: st.weibull_min(k, scale=l), [(0.8, 1.7), (30, 2)], [1e-200, 1e-9, 1, 2.5, 1e3]),
    "lognormal": (lambda x, m, s: (normal(log(x), m, s)[0] - log(x), *normal(log(x), m, s)[1:]),
                  lambda m, s: st.lognorm(s, scale=np.exp(m)), [(0.3, 1.7)], [1e-300, 1e-9, 1, 1e9, 1e300]),
    "pareto": (lambda x, m, a: (log(a) + a * log(m) - (a + 1) * log(x), 1 - (m / x) ** a, (m / x) ** a),
               lambda m, a: st.pareto(a, scale=m), [(0.3, 1.7)], [0.3000001, 1, 1e9, 1e300]),
    "beta": (lambda x, a, b: ((a - 1) * log(x) + (b - 1) * log(1 - x) - lbeta(a, b), *ibeta(a, b, x, 1 - x)),
             lambda a, b: st.beta(a, b), [(0.3, 1.7), (400, 200), (1e-3, 1e-3)], [1e-300, 1e-9, 0.3, 0.7, 0.999]),
    "uniform": (lambda x, l, h: (-log(h - l), (x - l) / (h - l), (h - x) / (h - l)), lambda l, h: st.uniform(l, h - l),
                [(-0.3, 1.7)], [-0.2999999, 1, 1.6999999]),
    "von mises": (lambda x, m, k: (k * mp.cos(x - m) - log(2 * pi * mp.besseli(0, k)), nan, nan), lambda m, k: st.vonmises(k, m),
                  [(0.3, 1e-9), (0.3, 1.7), (0.3, 1e4)], [-3.1, 0.3, 0.301, 2]),
    "truncated normal": (truncated, lambda m, s, l, h: st.truncnorm((l - m) / s, (h - m) / s, m, s),
                         [(0.3, 1.7, -0.5, 2), (0, 1, 30, 31), (0, 0.01, 1, 3)], None),
    "bernoulli, logit": (lambda x, l: (x * l - mp.log1p(exp(l)), nan, nan), lambda l: st.bernoulli(1 / (1 + np.exp(-l))),
                         [(-800,), (40,), (800,)], [0, 1]),
    "binomial": (lambda x, n, p: (choose(n, x) + xlog(x, p) + xlog(n - x, 1 - p), nan, nan), lambda n, p: st.binom(n, p),
                 [(1e6, 1e-9), (7, 0.3), (1e6, 0.3)], [0, 3, 7]),
    "binomial, logit": (lambda x, n, l: (choose(n, x) + x * l - n * mp.log1p(exp(l)), nan, nan),
                        lambda n, l: st.binom(n, 1 / (1 + np.exp(-l))), [(7, -800), (1e6, 2)], [0, 3, 7]),
    "beta-binomial": (lambda x, n, a, b: (choose(n, x) + lbeta(x + a, n - x + b) - lbeta(a, b), nan, nan),
                      lambda n, a, b: st.betabinom(n, a, b), [(7, 0.01, 5), (7, 1e8, 1e8), (1e6, 2, 3)], [0, 3, 7]),
    "poisson": (lambda x, l: (xlog(x, l) - l - lgamma(x + 1), nan, nan), lambda l: st.poisson(l), [(1e-9,), (1e6,)], [0, 3, 1e6]),
    "poisson, log": (lambda x, l: (x * l - exp(l) - lgamma(x + 1), nan, nan), lambda l: st.poisson(np.exp(l)), [(-40,), (14,)], [0, 3, 1e6]),
    "negative binomial": (lambda x, m, c: (lgamma(x + c) - lgamma(x + 1) - lgamma(c) + xlog(x, m / (m + c)) + c * log(c / (m + c)), nan, nan),
                          lambda m, c: st.nbinom(c, c / (m + c)), [(2.5, 0.01), (2.5, 1e8), (2.5, 1e14), (1e6, 3)], [0, 3, 1000]),
}
INSIDE = {(0.3, 1.7, -0.5, 2): [-0.4999, 1, 1.9999], (0, 1, 30, 31): [30.0001, 30.1, 30.9999], (0, 0.01, 1, 3): [1.001, 1.1, 2.5]}


def text(v):
    if v != v:
        return "-"
    return "-Inf" if v == -inf else "%.17g" % float(v)


def main():
    print("distribution,parameters,value,density,below,above")
    for name, (f, other, params, values) in ROWS.items():
        for p in params:
            for x in values or INSIDE[p]:
                v = f(mpf(x), *map(mpf, p))
                logs = [v[0]] + [nan if w != w else log(w) if w > 0 else -inf for w in v[1:]]
                print(name.replace(",", ""), ";".join(map(repr, p)), repr(x), *map(text, logs), sep=",")
                s = other(*p)
                if s is None:
                    continue
                pair = [("pdf", (s.logpmf if hasattr(s.dist, "pmf") else s.logpdf)(x), logs[0])]
                if logs[1] == logs[1]:
                    pair += [("cdf", s.logcdf(x), logs[1]), ("survival", s.logsf(x), logs[2])]
                for what, got, want in pair:
                    want = float(want)
                    if not (got == want or abs(got - want) <= 1e-9 * max(1e-300, abs(want))):
                        print(name, p, x, what, got, want, file=sys.stderr)


main()
