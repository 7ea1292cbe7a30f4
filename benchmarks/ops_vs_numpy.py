#!/usr/bin/env python3
"""Element-wise, reduction and array ops against NumPy on arrays of 1 KB, 1 MB and 64 MB, one thread on both sides.

    cmake --build build/release --target ops_benchmark
    PYTHON benchmarks/ops_vs_numpy.py [--program build/release/bin/ops_benchmark] [--word WORD] [--all] [--rounds N]

Prints a line an op: for each size our time and NumPy's in microseconds and their ratio (below 1: we are faster), and at
64 MB the share of what this machine's memory moves (a copy of 64 MB); of several rounds the medians. NumPy writes into an array that is there already
where it can. With --all every op, else only those where NumPy is faster; counts in any case.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
F32 = np.float32


def floats(n, rows=None, columns=None):
    count = (rows or n) * (columns or n)
    return (0.1 + 0.01 * (np.arange(1, count + 1) % 80)).astype(F32).reshape(rows or n, columns or n)


def ints(n):
    return (1 + np.arange(n * n) % 97).astype(np.int32).reshape(n, n)


def bools(n):
    return (np.arange(n * n) % 3 != 0).reshape(n, n)


def places(n):
    return ((np.arange(n) * 7919) % n).astype(np.int32)


def ufunc(function, *arrays):
    out = function(*arrays)
    if not isinstance(out, np.ndarray):  # a reduction to a number
        return lambda: function(*arrays)
    return lambda: function(*arrays, out=out)


UNARY = {"Abs": np.abs, "Neg": np.negative, "Sign": np.sign, "Square": np.square, "Sqrt": np.sqrt,
         "Reciprocal": np.reciprocal, "Exp": np.exp, "Expm1": np.expm1, "Log": np.log, "Log1p": np.log1p, "Sin": np.sin,
         "Cos": np.cos, "Tan": np.tan, "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan, "Sinh": np.sinh,
         "Cosh": np.cosh, "Tanh": np.tanh, "Asinh": np.arcsinh, "Atanh": np.arctanh, "Ceil": np.ceil, "Floor": np.floor,
         "Rint": np.rint, "IsNan": np.isnan, "IsInf": np.isinf, "IsFinite": np.isfinite}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "RealDiv": np.divide, "FloorDiv": np.floor_divide,
          "FloorMod": np.mod, "TruncateMod": np.fmod, "Pow": np.power, "Maximum": np.maximum, "Minimum": np.minimum,
          "Atan2": np.arctan2, "Equal": np.equal, "NotEqual": np.not_equal, "Less": np.less, "LessEqual": np.less_equal,
          "Greater": np.greater, "GreaterEqual": np.greater_equal}
INTEGERS = {"Add": np.add, "Mul": np.multiply, "FloorDiv": np.floor_divide, "FloorMod": np.mod,
            "TruncateDiv": np.floor_divide, "BitwiseAnd": np.bitwise_and, "BitwiseXor": np.bitwise_xor,
            "LeftShift": np.left_shift, "Maximum": np.maximum, "Less": np.less}
REDUCTIONS = {"Sum": np.sum, "Mean": np.mean, "Prod": np.prod, "Max": np.max, "Min": np.min}
CASTS = {"float64": np.float64, "int32": np.int32, "float16": np.float16, "uint8": np.uint8, "bool": np.bool_}


def squared_difference(n):
    x, y, out = floats(n), floats(n), np.empty((n, n), F32)

    def run():
        np.subtract(x, y, out=out)
        np.multiply(out, out, out=out)
    return run


def filled(n, value):
    out = np.empty((n, n), F32)
    return lambda: out.fill(value)


def cast(x, dtype):
    out = np.empty(x.shape, dtype)
    return lambda: np.copyto(out, x, casting="unsafe")


def one_hot(n):
    index, out = places(n), np.empty((n, n), F32)

    def run():
        out.fill(0)
        out[np.arange(n), index] = 1
    return run


def copied(view):
    out = np.empty(view.shape, view.dtype)
    return lambda: np.copyto(out, view)


def array_case(name, n):
    axis = int(name[-1]) if name[-1].isdigit() else None
    x = floats(n)
    cases = {
        "Transpose": lambda: copied(x.T), "Slice": lambda: copied(x[1:n - 1, 1:n - 1]),
        "StridedSlice": lambda: copied(x[:, ::2]), "Tile": lambda: lambda: np.tile(x, (1, 2)),
        "Pad": lambda: lambda: np.pad(x, ((1, 1), (2, 2))),
        "MirrorPad": lambda: lambda: np.pad(x, ((1, 1), (2, 2)), mode="reflect"),
        "BroadcastTo": lambda: copied(np.broadcast_to(floats(n, rows=1), (n, n))),
        "Fill": lambda: filled(n, 0.5), "MatrixBandPart": lambda: lambda: np.tril(x),
        "Where": lambda: (lambda b: lambda: np.argwhere(b))(bools(n)), "OneHot": lambda: one_hot(n)}
    if name in cases:
        return cases[name]()
    y, base = floats(n), name.rpartition("_")[0]
    if base == "Reverse":
        return copied(np.flip(x, axis))
    if base == "Roll":
        return lambda: np.roll(x, 3, axis)
    if base == "Gather":
        return lambda i=places(n): np.take(x, i, axis=axis)
    function = np.concatenate if base == "Concat" else np.stack
    out = function((x, y), axis)
    return lambda: function((x, y), axis, out=out)


def case(name, n):
    """What NumPy does for one of ops_benchmark's cases."""
    base, _, suffix = name.partition("_")
    if name in UNARY:
        return ufunc(UNARY[name], floats(n))
    if name in BINARY:
        return ufunc(BINARY[name], floats(n), floats(n))
    if name in ("ZerosLike", "OnesLike"):
        return filled(n, 0 if name == "ZerosLike" else 1)
    if name == "SquaredDifference":
        return squared_difference(n)
    if name == "LogicalNot":
        return ufunc(np.logical_not, bools(n))
    if base in ("LogicalAnd", "LogicalOr"):
        return ufunc(np.logical_and if base == "LogicalAnd" else np.logical_or, bools(n), bools(n))
    if name == "Select":
        return lambda b=bools(n), x=floats(n), y=floats(n): np.where(b, x, y)
    if name == "ClipByValue":
        return ufunc(lambda x, out=None: np.clip(x, F32(0.3), F32(0.6), out=out), floats(n))
    if name == "Cast_from_int32":
        return cast(ints(n), F32)
    if base == "Cast":
        return cast(floats(n), CASTS[suffix])
    axis = {"all": None, "0": 0, "1": 1}.get(suffix.split("_")[-1])
    if name.startswith("Sum_int32"):
        return ufunc(lambda x, out=None: np.sum(x, axis, dtype=np.int32, out=out), ints(n))
    if base in REDUCTIONS:
        return ufunc(lambda x, out=None: REDUCTIONS[base](x, axis=axis, out=out), floats(n)) if axis is not None else (
            lambda x=floats(n): REDUCTIONS[base](x))
    if base == "EuclideanNorm":
        return lambda x=floats(n): np.sqrt(np.sum(np.square(x), axis=axis))
    if base in ("All", "Any"):
        return lambda b=np.full((n, n), base == "All"): (np.all if base == "All" else np.any)(b, axis=axis)
    if base in ("ArgMax", "ArgMin"):
        return lambda x=floats(n): (np.argmax if base == "ArgMax" else np.argmin)(x, axis=axis)
    if base in ("Cumsum", "Cumprod"):
        return ufunc(lambda x, out=None: (np.cumsum if base == "Cumsum" else np.cumprod)(x, axis=axis, out=out), floats(n))
    if suffix == "int32":
        return ufunc(INTEGERS[base], ints(n), ints(n))
    if suffix in ("row", "column"):
        return ufunc(BINARY[base], floats(n), floats(n, rows=1) if suffix == "row" else floats(n, columns=1))
    if suffix == "number":
        return ufunc(BINARY[base], floats(n), F32(0.5))
    return array_case(name, n)


def measure(run):
    """As ops_benchmark does: the fastest of several runs, which last a twentieth of a second together."""
    run()
    best, runs, rounds, end = 1e9, 1, 0, time.perf_counter() + 0.05
    while time.perf_counter() < end or rounds < 4:
        begin = time.perf_counter()
        for _ in range(runs):
            run()
        seconds = time.perf_counter() - begin
        best = min(best, seconds / runs)
        if seconds < 2e-4:
            runs *= 2
        rounds += 1
    return best


def middle(rounds, memory):
    """Of the round whose ratio is the median: our seconds, NumPy's, the share of the memory's speed."""
    ours, theirs, moved = sorted(rounds, key=lambda r: r[0] / r[1])[len(rounds) // 2]
    return ours, theirs, moved / ours / memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/bin/ops_benchmark")
    parser.add_argument("--word", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    np.seterr(all="ignore")
    source = np.ones(16 << 20, F32)
    copy = measure(copied(source))  # seconds for 128 MB read and written
    memory = 2 * source.nbytes / copy
    print(f"memory: {memory / 1e9:.1f} GB/s in a copy of 64 MB; NumPy {np.__version__}")
    measured = {}  # by op and size: (our seconds, NumPy's, bytes moved), a round each
    for _ in range(options.rounds):
        program = subprocess.Popen([options.program, options.word, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   text=True)
        for line in program.stdout:
            name, kilobytes, moved, seconds = line.split()
            n = {"1": 16, "1024": 512, "65536": 4096}[kilobytes]
            theirs = measure(case(name, n))
            measured.setdefault(name, {}).setdefault(n, []).append((float(seconds), theirs, float(moved)))
            program.stdin.write("\n")
            program.stdin.flush()
        if program.wait() != 0:
            sys.exit("ops_benchmark failed")
    results = {name: [middle(rounds, memory) for rounds in sizes.values()] for name, sizes in measured.items()}
    slower = {name: sizes for name, sizes in results.items() if max(ours / theirs for ours, theirs, _ in sizes) > 1}
    print(f"{'op':24}" + "".join(f"{size:>12}{'NumPy':>10}{'ratio':>7}" for size in ("1 KB", "1 MB", "64 MB")) + " of memory")
    for name, sizes in sorted(results.items(), key=lambda item: -max(ours / theirs for ours, theirs, _ in item[1])):
        if options.all or name in slower:
            print(f"{name:24}" + "".join(f"{1e6 * ours:12.2f}{1e6 * theirs:10.2f}{ours / theirs:7.2f}" for ours, theirs, _ in sizes)
                  + f"{sizes[2][2]:10.2f}")
    for i, size in enumerate(("1 KB", "1 MB", "64 MB")):
        faster = sum(sizes[i][0] <= sizes[i][1] for sizes in results.values())
        print(f"{size}: as fast as NumPy or faster in {faster} of {len(results)} ops")
    near = sum(sizes[2][2] >= 1 / 1.3 for sizes in results.values())
    print(f"64 MB: within 1.3 of the memory limit: {near} of {len(results)} ops")


if __name__ == "__main__":
    main()
