"""Prints the coefficients of the polynomials in this program, constant term first, and
the bound of their error: interpolation at Chebyshev points with 60 digits.

    pip install mpmath==1.3.0
    python3 coefficients.py
"""
from mpmath import mp, mpf

mp.dps = 60
tiny = mpf(10) ** -15


def fit(name, f, a, b, count):
    coefficients, error = mp.chebyfit(f, [a, b], count, error=True)
    print(f"{name}: error 2^{mp.nstr(mp.log(error, 2), 4)}")
    print("\t" + ", ".join(repr(float(c)) for c in reversed(coefficients)))


def pair(name, value):
    high = float(value)
    print(f"{name}: {high!r} + {float(value - mpf(high))!r}")


def artanh(z):  # (2 artanh(s)/s − 2)/s² at s = √z
    if z < tiny:
        return mpf(2) / 3 + 2 * z / 5
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) / s - 2) / z


def erfcx(a):
    if a < 5:
        return mp.exp(a * a) * mp.erfc(a)
    tail = mpf(0)
    for n in range(400, 0, -1):
        tail = mpf(n) / 2 / (a + tail)
    return 1 / (a + tail) / mp.sqrt(mp.pi)


def erfcx_mapped(t):  # (1+2a)·erfcx(a) at t = (a−4)/(a+4)
    if t > 1 - mpf(10) ** -12:
        return 2 / mp.sqrt(mp.pi)
    a = 4 * (1 + t) / (1 - t)
    return (1 + 2 * a) * erfcx(a)


def stirling(z):
    y = 1 / mp.sqrt(z) if z > tiny else None
    return (mp.loggamma(y) - (y - 0.5) * mp.log(y) + y - mp.log(2 * mp.pi) / 2) * y if y else mpf(1) / 12


def digamma_tail(z):
    y = 1 / mp.sqrt(z) if z > tiny else None
    return (mp.log(y) - 1 / (2 * y) - mp.digamma(y)) / z if y else mpf(1) / 12


half = mp.log(2) / 2 * mpf("1.0001")
ratio = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
quarter = (mp.pi / 4 * mpf("1.001")) ** 2
zero = mp.findroot(mp.digamma, 1.4616321449683622)
root = 2 / mp.sqrt(mp.pi)

fit("exp", lambda r: (mp.expm1(r) - r) / r**2 if abs(r) > tiny else mpf(1) / 2, -half, half, 11)
fit("log", artanh, 0, ratio, 7)
fit("log2", artanh, 0, mpf(1) / 9 * mpf("1.0001"), 11)
fit("pow", lambda z: (artanh(z) - mpf(2) / 3) / z if z > tiny else mpf(2) / 5, 0, ratio, 8)
pair("2/3", mpf(2) / 3)
fit("sin", lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z if z > tiny else -mpf(1) / 6, 0, quarter, 7)
fit("cos", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2 if z > tiny else mpf(1) / 24, 0, quarter, 6)
pair("pi/2", mp.pi / 2)
fit("erf", lambda z: (mp.erf(mp.sqrt(z)) / mp.sqrt(z) - root) / z if z > tiny else -root / 3, 0, 1, 12)
pair("2/sqrt(pi)", root)
fit("erfcx", erfcx_mapped, -1, 1, 25)
fit("gamma", lambda w: mp.loggamma(2 + w) / w if abs(w) > tiny else 1 - mp.euler, -0.5, 0.5, 19)
fit("stirling", stirling, 0, mpf(1) / 64, 7)
fit("digamma", lambda w: mp.digamma(1.5 + w) / (1.5 + w - zero), -0.5, 0.5, 23)
pair("zero of digamma", zero)
fit("digammaTail", digamma_tail, 0, mpf(1) / 64, 7)
