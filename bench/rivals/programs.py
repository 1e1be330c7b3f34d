"""Random expressions of autograd in JAX: values, gradients and Hessian-vector products.

    go test ./autograd -run TestWritePrograms -programs programs.json
    python programs.py programs.json [--first N] [--count N]

Every line of the file is a program of nodes, with what the compiled engine found, and how far a
change of all inputs and results in the fourteenth digit takes it. Each value is an array whose
first dimensions are the mapped axes, of size 1 where it does not carry them. The program is
written with JAX's own operations, and differentiated by JAX.
"""

import argparse
import json
import os
import sys

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import jax.scipy.special as jsp
import numpy as np

jax.config.update("jax_enable_x64", True)

LOG_SQRT_2PI = 0.5 * np.log(2 * np.pi)


@jax.custom_jvp
def bessel_ratio(x):
    return jsp.i1e(x) / jsp.i0e(x)


@bessel_ratio.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    y = bessel_ratio(x)
    near = jnp.abs(x) < 1e-3
    return y, t * jnp.where(near, 0.5 - 3 * x * x / 16, 1 - y / jnp.where(near, 1.0, x) - y * y)


@jax.custom_jvp
def log_bessel(x):
    return jnp.abs(x) + jnp.log(jsp.i0e(x))


@log_bessel.defjvp
def _(primals, tangents):
    return log_bessel(primals[0]), tangents[0] * bessel_ratio(primals[0])


def softmax_shift(x, u):  # of which u has no derivative
    return jax.nn.sigmoid(x + jsp.logit(jax.lax.stop_gradient(u)))


def slope(f):  # a step without derivative
    return lambda *x: jax.lax.stop_gradient(f(*x).astype(jnp.float64))


UNARY = {
    "abs": lambda x: x * jax.lax.stop_gradient(jnp.sign(x)), "asinh": jnp.arcsinh, "bessel_ratio": bessel_ratio, "cos": jnp.cos, "cosh": jnp.cosh,
    "cube": lambda x: x * x * x, "erf": jsp.erf, "erfc": jsp.erfc, "erfinv": jsp.erfinv, "exp": jnp.exp,
    "expm1": jnp.expm1, "floor": slope(jnp.floor), "inverse": lambda x: 1 / x,
    "inverse_mills": lambda x: jnp.exp(-0.5 * x * x - LOG_SQRT_2PI - jsp.log_ndtr(x)), "log": jnp.log,
    "log1p": jnp.log1p, "log_bessel_i0": log_bessel, "log_ndtr": jsp.log_ndtr, "loggamma": jsp.gammaln,
    "logit": jsp.logit, "ndtr_inv": jsp.ndtri, "neg": jnp.negative, "positive": slope(lambda x: x > 0),
    "relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid, "sign": slope(jnp.sign), "sin": jnp.sin, "sinh": jnp.sinh,
    "softplus": jax.nn.softplus, "sqrt": jnp.sqrt, "square": jnp.square,
    "stop_gradient": jax.lax.stop_gradient, "tan": jnp.tan, "tanh": jnp.tanh,
}
BINARY = {
    "add": jnp.add, "and": slope(lambda a, b: (a != 0) & (b != 0)), "at_least": slope(lambda a, b: a >= b),
    "atan2": jnp.arctan2, "div": jnp.divide, "equal": slope(lambda a, b: a == b),
    "greater": slope(lambda a, b: a > b), "logaddexp": jnp.logaddexp, "maximum": jnp.maximum,
    "minimum": jnp.minimum, "mul": jnp.multiply, "or": slope(lambda a, b: (a != 0) | (b != 0)),
    "power": jnp.power, "sigmoid_shift": softmax_shift,
    "straight_through": lambda a, b: jax.lax.stop_gradient(a - b) + b, "sub": jnp.subtract,
}


def apply(node, x, k, sizes):
    """The value of a node from those of its operands; k is the number of mapped axes."""
    op, shape, ints = node["op"], node["shape"] or [], node["ints"] or []
    dims = tuple(k + i for i in ints)
    a, axis = x[0], node["axis"]
    if op in UNARY:
        return UNARY[op](a)
    if op in BINARY or op == "where":
        # Operands have one shape or are scalars.
        full = max(v.ndim for v in x)
        x = [v.reshape(v.shape[:k] + (1,) * (full - v.ndim) + v.shape[k:]) for v in x]
        return jnp.where(x[0] != 0, x[1], x[2]) if op == "where" else BINARY[op](*x)
    lead = a.shape[:k]
    if op == "pow":
        return a ** node["float"]
    if op == "polygamma":
        return jsp.digamma(a) if ints[0] == 0 else jsp.polygamma(ints[0], a)
    if op == "clamp":
        low, high = node["floats"]
        return jnp.where(a <= low, low, jnp.where(a >= high, high, a))
    if op == "reshape":
        return a.reshape(lead + tuple(shape))
    if op == "expand":
        a = a.reshape(lead + (1,) * (len(shape) - a.ndim + k) + a.shape[k:])
        return jnp.broadcast_to(a, lead + tuple(shape))
    if op == "gather":
        flat = jnp.concatenate([a.reshape(lead + (-1,)), jnp.zeros(lead + (1,))], -1)
        return flat[..., np.array(ints, int)].reshape(lead + tuple(shape))
    if op == "scatter":
        flat = a.reshape(lead + (-1,))
        to = jnp.zeros(lead + (int(np.prod(shape)),))
        return to.at[..., np.array(ints, int)].add(flat).reshape(lead + tuple(shape))
    if op == "concat":
        lead = jnp.broadcast_shapes(*(v.shape[:k] for v in x))
        return jnp.concatenate([jnp.broadcast_to(v, lead + v.shape[k:]) for v in x], dims[0])
    if op == "sum":
        return jnp.sum(a, dims)
    if op == "logsumexp":
        return jsp.logsumexp(a, dims)
    if op == "max":
        return jnp.max(a, dims)
    if op == "min":
        return jnp.min(a, dims)
    if op == "softmax":
        return jax.nn.softmax(a, dims)
    if op == "matmul":
        return a @ x[1]
    if op == "cholesky":
        return jnp.linalg.cholesky(a, symmetrize_input=True)
    if op in ("solve_lower", "solve_lower_t"):
        lead = jnp.broadcast_shapes(lead, x[1].shape[:k])
        l, b = (jnp.broadcast_to(v, lead + v.shape[k:]) for v in x)
        return jax.lax.linalg.triangular_solve(l, b, left_side=True, lower=True, transpose_a=op == "solve_lower_t")
    if axis >= 0:
        if a.shape[axis] != sizes[axis] and op != "expand_over" and op != "unstack":
            a = jnp.broadcast_to(a, lead[:axis] + (sizes[axis],) + a.shape[axis + 1:])
        if op == "sum_over":
            return jnp.sum(a, axis, keepdims=True)
        if op == "logsumexp_over":
            return jsp.logsumexp(a, axis, keepdims=True)
        if op == "max_over":
            return jnp.max(a, axis, keepdims=True)
        if op in ("softmax_over", "softmax_weight"):
            return jax.nn.softmax(a, axis)
        if op == "expand_over":
            return jnp.broadcast_to(a, lead[:axis] + (sizes[axis],) + a.shape[axis + 1:])
        if op == "stack":
            return jnp.expand_dims(jnp.moveaxis(a, axis, k - 1), axis)
        if op == "unstack":
            return jnp.moveaxis(jnp.squeeze(a, axis), k - 1, axis)
    return None


def function(program):
    sizes, nodes = program["sizes"] or [], program["nodes"]
    k = len(sizes)

    def evaluate(inputs):
        values = []
        for node in nodes:
            if node["op"]:
                args = [values[i] for i in node["args"]]
                v = apply(node, args, k, sizes)
                if v is None:
                    raise NotImplementedError(node["op"])
            elif node["input"] >= 0:
                v = inputs[node["input"]]
            else:
                v = np.array(node["data"], float).reshape((1,) * k + tuple(node["shape"] or []))
            values.append(v)
        return values[-1].reshape(())

    return evaluate


def starts(program):
    """The inputs."""
    sizes, found = program["sizes"] or [], {}
    for node in program["nodes"]:
        if node["input"] >= 0:
            axes = node["axes"] or []
            lead = tuple(n if i in axes else 1 for i, n in enumerate(sizes))
            found[node["input"]] = np.array(node["data"], float).reshape(lead + tuple(node["shape"] or []))
    return [found[i] for i in range(len(found))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9)
    args = parser.parse_args()
    totals = dict.fromkeys(["programs", "numbers", "close", "within", "apart", "left"], 0)
    refused = {}
    try:
        compare(args, totals, refused)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    print("{programs} programs, {numbers} numbers compared: {close} within 1e-12 of the largest, {within} more within "
          "their conditioning, {apart} apart; {left} left out as ill-conditioned".format(**totals), "; refused:", refused or "none")


def compare(args, totals, refused):
    """Runs the programs, and counts the numbers that agree."""
    with open(args.file) as lines:
        for number, line in enumerate(lines):
            if not args.first <= number < args.first + args.count:
                continue
            program = json.loads(line)
            f, x = function(program), starts(program)

            @jax.jit
            def all_of(x):
                value, gradient = jax.value_and_grad(f)(x)
                along = [jnp.sin(v) for v in x]
                return value, gradient, jax.jvp(jax.grad(f), (x,), (along,))[1]

            try:
                value, gradient, product = all_of(x)
            except NotImplementedError as err:
                refused[str(err)] = refused.get(str(err), 0) + 1
                continue
            totals["programs"] += 1
            wrong = []
            for i, got in enumerate([value, *gradient, *product]):
                got = np.asarray(got).reshape(-1)
                want = program["want"][i]
                top = max((abs(w) for w in want if w is not None), default=0)
                for e, w in enumerate(want):
                    if w is None:
                        totals["left"] += 1
                        continue
                    totals["numbers"] += 1
                    off, tolerance = abs(got[e] - w), program["tolerance"][i][e]
                    if off <= 1e-12 * top:
                        totals["close"] += 1
                    elif off <= tolerance:
                        totals["within"] += 1
                    else:
                        totals["apart"] += 1
                        wrong.append(f"result {i}, element {e}: JAX {got[e]!r}, want {w!r} ± {tolerance:.1g}")
            if wrong:
                ops = sorted({n["op"] for n in program["nodes"] if n["op"]})
                print(f"program {number}, seed {program['seed']}: {len(wrong)} apart; {wrong[0]}; {' '.join(ops)}", flush=True)


if __name__ == "__main__":
    main()
