"""Writes tables of function values for the tests of tobac/internal/vector.

    pip install mpmath==1.3.0
    python3 tables.py . 160

writes NAME.txt to the folder, with as many lines per range of arguments. A line has
the arguments and the value as an unevaluated sum of two numbers, in hexadecimal.
"""
import random
import sys

from mpmath import mp, mpf

mp.dps = 80


def softplus(x):
    return mp.log1p(mp.exp(x))


def logndtr(x):
    if x > 0:
        return mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)
    a = -x / mp.sqrt(2)
    if a < 40:
        return mp.log(mp.erfc(a) / 2)
    series, term, k = mpf(1), mpf(1), 0  # asymptotic: its terms fall to 1e-60 here
    while k < 200 and abs(term) > mpf(10) ** -60:
        term *= -(2 * k + 1) / (2 * a * a)
        series += term
        k += 1
    return -a * a + mp.log(series / (2 * a * mp.sqrt(mp.pi)))


def ndtrinv(u):
    if u > mpf(1) / 2:
        return -ndtrinv(1 - u)
    if u == mpf(1) / 2:
        return mpf(0)
    # Newton steps on ln Φ, which is concave, from the left.
    goal = mp.log(u)
    x = -mp.sqrt(-2 * goal)
    for _ in range(200):
        log = logndtr(x)
        step = (log - goal) * mp.exp(log + x * x / 2) * mp.sqrt(2 * mp.pi)
        x -= step
        if abs(step) < abs(x) * mpf(10) ** -50:
            return x
    raise ValueError(u)


def linear(a, b):
    return lambda: random.uniform(a, b)


def log(a, b, signs=(1,)):
    return lambda: random.choice(signs) * 2.0 ** random.uniform(a, b)


def near(a, scale=20):
    return lambda: a + random.choice((-1, 1)) * 2.0 ** -random.uniform(1, scale)


both = (-1, 1)
one = {
    "exp": (mp.exp, linear(-2, 2), linear(-708, 709.78), log(-60, 0, both)),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), linear(-4, 4), linear(-40, 40), linear(-708, -40), log(-60, 0, both)),
    "log": (mp.log, linear(0.5, 2), near(1, 50), log(-1074, 1024)),
    "log1p": (mp.log1p, linear(-1, 2), log(-1074, 0, both), log(0, 1023), lambda: -1 + 2.0 ** -random.uniform(1, 50)),
    "expm1": (mp.expm1, linear(-2, 2), log(-1074, 0, both), linear(-40, 709.78)),
    "softplus": (softplus, linear(-3, 3), linear(-700, -3), linear(3, 50), log(-60, 0, both)),
    "tanh": (mp.tanh, linear(-1, 1), linear(-25, 25), log(-1074, 0, both)),
    "sinh": (mp.sinh, linear(-1, 1), linear(-30, 30), linear(-709, 709), log(-1074, 0, both)),
    "cosh": (mp.cosh, linear(-1, 1), linear(-30, 30), linear(-709, 709), log(-60, 0, both)),
    "asinh": (mp.asinh, linear(-2, 2), log(-1074, 0, both), log(0, 1023, both)),
    "sin": (mp.sin, linear(-4, 4), linear(-1e5, 1e5), log(-1074, 29, both)),
    "cos": (mp.cos, linear(-4, 4), linear(-1e5, 1e5), log(-1074, 29, both)),
    "erf": (mp.erf, linear(-2, 2), linear(-6, 6), log(-1000, 0, both)),
    "erfc": (mp.erfc, linear(-2, 2), linear(-6, 6), log(-60, 0, both), linear(5, 26)),
    "logndtr": (logndtr, linear(-3, 3), linear(-40, 10), log(-60, 26, (-1,)), linear(-1e8, 0)),
    "ndtrinv": (ndtrinv, linear(0, 1), near(0.5, 40), log(-1000, -1), lambda: 1 - 2.0 ** -random.uniform(1, 50)),
    "loggamma": (mp.loggamma, linear(0, 4), near(1, 30), near(2, 30), log(-1000, 0), log(0, 60), linear(2, 20)),
    "digamma": (mp.digamma, linear(0, 4), near(1.4616321449683622, 30), log(-1000, 0), log(0, 60), linear(2, 20)),
}


def powers():
    x = 2.0 ** random.uniform(-20, 20)
    return x, random.uniform(-30, 30)


def extremes():
    x = 2.0 ** random.uniform(-3, 3)
    return x, random.choice(both) * random.uniform(0, 1000) / max(abs(float(mp.log(x, 2))), 1e-9)


def small():
    return 10 * random.random(), random.choice((-3.0, -1.5, -2.0, 1.5, 2.0, 2.5, 3.0, 4.0, 10.0, -0.25))


def odd():
    return random.choice(both) * 2.0 ** random.uniform(-20, 20), float(random.randint(-40, 40))


two = {"pow": (lambda x, y: x**y, powers, extremes, small, odd)}


def line(out, args, value):
    high = float(value)
    if high == 0 or abs(high) < 2.0**-1022 or high in (float("inf"), float("-inf")):
        return
    low = float(value - mpf(high))
    print(*(float(v).hex() for v in (*args, high, low)), file=out)


def main(folder, count):
    for name, (f, *ranges) in {**one, **two}.items():
        random.seed(name)
        with open(f"{folder}/{name}.txt", "w") as out:
            for draw in ranges:
                for _ in range(count):
                    args = draw()
                    args = args if isinstance(args, tuple) else (args,)
                    mp.dps = 400 if name in ("sin", "cos") else 80
                    line(out, args, f(*(mpf(a) for a in args)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
