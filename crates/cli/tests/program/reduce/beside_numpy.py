"""Compares `halofold reduce`, `histogram` and `scan` with NumPy: beside_numpy.py PROGRAM FOLDER SET STEP, where SET is a function's name below.
Of the runs of the program every STEPth is made.

Prints the number of comparisons and each that differs; exit status 1 if one does."""

import itertools
import json
import subprocess
import sys
import zipfile

import numpy as np

PROGRAM, FOLDER, SET = sys.argv[1:4]
STEP = int(sys.argv[4])
random = np.random.default_rng(7)
compared, wrong = 0, []
runs = itertools.count()


def run(command, *options):
    """What a run prints; none if it is left out, or the adapter lacks something."""
    if next(runs) % STEP:
        return None
    done = subprocess.run([PROGRAM, command, *options], capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        lacks = "lacks" in done.stderr or "no adapter" in done.stderr
        if not lacks:
            wrong.append(" ".join([command, *options]) + ": " + done.stderr.strip())
        return None
    return done.stdout


def save(name, array):
    path = f"{FOLDER}/{name}.npy"
    np.save(path, array)
    return path


def check(what, got, expected, tolerance):
    global compared
    compared += 1
    expected = np.asarray(expected)
    if got.shape != expected.shape:
        wrong.append(f"{what}: shape {got.shape}, expected {expected.shape}")
        return
    scale = np.max(np.abs(expected[np.isfinite(expected)].astype("f8")), initial=0) if expected.dtype.kind == "f" else 0
    same = np.allclose(got.astype("f8"), expected.astype("f8"), rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    exact = expected.dtype.kind in "iub"
    if not (np.array_equal(got, expected) and got.dtype == expected.dtype if exact else same):
        wrong.append(f"{what}: {got.ravel()[:4]} ({got.dtype}), expected {expected.ravel()[:4]} ({expected.dtype})")


def reduce(path, operators, tolerance, *options):
    """Compares each operator's array in an archive with what NumPy's function gives."""
    out = f"{FOLDER}/out.npz"
    if run("reduce", path, "--op", ",".join(operators), *options, "-o", out) is None:
        return False
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
    with np.load(out) as arrays:
        for operator, expected in operators.items():
            name = {"var": "variance", "prod": "product", "argmax": "arg-max", "argmin": "arg-min", "count_nonzero": "count-nonzero"}.get(operator, operator)
            check(f"{operator} {path} {options}", arrays[name], expected(), tolerance)
    return True


def tolerance_of(kind):
    return 1e-12 if kind in ("f8", "i8", "u8") else 1e-3 if kind == "f2" else 2e-5


def data(kind, shape):
    if kind[0] == "f":
        return (random.standard_normal(shape) * 3 + 1).astype(kind)
    if kind == "?":
        return random.random(shape) > 0.4
    low = -50 if kind[0] == "i" else 0
    return random.integers(low, 100, shape).astype(kind)


def operators(a, axis, keepdims=False):
    kind = a.dtype.kind
    wide = a.astype("f8") if kind == "f" else a
    keep = {"axis": axis, "keepdims": keepdims}
    result = {
        "sum": lambda: wide.sum(**keep).astype("f4" if a.dtype.itemsize < 8 else "f8") if kind == "f" else a.sum(**keep),
        "mean": lambda: wide.mean(**keep),
        "std": lambda: wide.std(**keep),
        "var": lambda: wide.var(**keep),
        "min": lambda: a.min(**keep),
        "max": lambda: a.max(**keep),
        "argmax": lambda: a.argmax(axis=axis, keepdims=keepdims) if not isinstance(axis, tuple) else places(a, axis),
        "count": lambda: np.full_like(np.count_nonzero(a, **keep), np.prod([a.shape[k] for k in reduced(a, axis)])),
        "count_nonzero": lambda: np.count_nonzero(a, **keep),
        "any": lambda: a.any(**keep),
        "all": lambda: a.all(**keep),
        "median": lambda: np.median(wide, **keep),
    }
    if kind != "b":
        result["ptp"] = lambda: np.ptp(a, **keep)
    if kind in "iub":
        result["prod"] = lambda: a.prod(**keep)
    if isinstance(axis, tuple) and keepdims:
        del result["argmax"]
    return result


def reduced(a, axis):
    return range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def places(a, axis):
    kept = [k for k in range(a.ndim) if k not in [x % a.ndim for x in axis]]
    moved = np.transpose(a, kept + sorted(x % a.ndim for x in axis))
    return moved.reshape([a.shape[k] for k in kept] + [-1]).argmax(axis=-1)


def axes():
    """Every type along every kind of axis; every order in memory and of bytes."""
    for kind in ["f4", "i4", "u1", "i2", "?", "f2", "f8", "i8"]:
        a = data(kind, (5, 37, 6))
        for axis, option in [(None, []), (0, ["--axis", "0"]), (1, ["--axis", "1"]), (-1, ["--axis=-1"]), ((0, 2), ["--axis", "0,2"])]:
            reduce(save("a", a), operators(a, axis), tolerance_of(kind), *option)
    a = data("f4", (5, 37, 6))
    for name, other in [("fortran", np.asfortranarray(a)), ("big", a.astype(">f4")), ("both", np.asfortranarray(a.astype(">f4")))]:
        for axis, option in [(None, []), (1, ["--axis", "1"]), ((1, 0), ["--axis", "1,0"])]:
            reduce(save(name, other), operators(a, axis), 2e-5, *option)
    reduce(save("a", a), operators(a, 1, True), 2e-5, "--axis", "1", "--keepdims")
    np.savez(f"{FOLDER}/z.npz", one=a, two=a + 1)
    reduce(f"{FOLDER}/z.npz:two", {"mean": lambda: (a + 1).mean()}, 2e-5)
    a.tofile(f"{FOLDER}/raw")
    reduce(f"{FOLDER}/raw", {"max": lambda: a.max(axis=0)}, 0, "--raw", "f32", "--shape", "5,-1,6", "--axis", "0")


def kept():
    """NaNs and masks, with every kind of operator."""
    for kind in ["f4", "f2", "f8"]:
        a = data(kind, (6, 9, 40))
        a[random.random(a.shape) < 0.2] = np.nan
        for axis, option in [(None, []), (2, ["--axis", "2"]), (0, ["--axis", "0"])]:
            wide = a.astype("f8")
            expected = {
                "sum": lambda: np.nansum(wide, axis=axis),
                "mean": lambda: np.nanmean(wide, axis=axis),
                "std": lambda: np.nanstd(wide, axis=axis),
                "max": lambda: np.nanmax(a, axis=axis),
                "count": lambda: np.sum(~np.isnan(a), axis=axis),
                "argmax": lambda: np.nanargmax(a, axis=axis),
                "median": lambda: np.nanmedian(wide, axis=axis),
            }
            reduce(save("n", a), expected, tolerance_of(kind), "--skip-nan", *option)
    for kind in ["f4", "i2", "u1"]:
        a, keep = data(kind, (8, 50)), random.random((8, 50)) > 0.3
        keep = np.asfortranarray(keep) if kind == "i2" else keep
        masked = np.ma.masked_array(a.astype("f8"), ~keep)
        for axis, option in [(None, []), (1, ["--axis", "1"]), (0, ["--axis", "0"])]:
            expected = {
                "mean": lambda: masked.mean(axis=axis),
                "max": lambda: masked.max(axis=axis),
                "median": lambda: np.ma.median(masked, axis=axis),
                "std": lambda: masked.std(axis=axis),
                "count": lambda: masked.count(axis=axis),
                "argmax": lambda: masked.argmax(axis=axis),
            }
            reduce(save("a", a), expected, 2e-5, "--where", save("m", keep), *option)


def groups():
    """Groups of whole arrays and along an axis."""
    names = {"sum": np.sum, "mean": np.mean, "max": np.max, "std": np.std, "median": np.median, "argmax": np.argmax}
    for kind, label in [("f4", "i8"), ("i4", "i2"), ("u1", "?"), ("f2", "u1")]:
        a = data(kind, (30, 41))
        labels = random.integers(0, 40, a.shape)
        labels = labels > 7 if label == "?" else (labels * (10**15 if label == "i8" else 1) - 20 * ("i" in label)).astype(label)
        keys = np.unique(labels)
        places = np.arange(a.size).reshape(a.shape)
        def of(f):
            group = lambda key: a[labels == key].astype("f8") if f is not np.argmax else a[labels == key]
            found = [f(group(key)) for key in keys]
            return np.array([places[labels == key][at] for key, at in zip(keys, found)] if f is np.argmax else found)
        expected = {name: lambda f=f: of(f) for name, f in names.items()}
        if reduce(save("v", a), expected, tolerance_of(kind), "--by", save("l", labels), "--keys", f"{FOLDER}/k.npy"):
            check(f"keys of {label}", np.load(f"{FOLDER}/k.npy"), keys, 0)
    a, labels = data("f4", (24, 5, 7)), random.integers(0, 4, 24)
    expected = {name: lambda f=f: np.stack([f(a[labels == key], axis=0) for key in np.unique(labels)]) for name, f in names.items() if f is not np.argmax}
    reduce(save("v", a), expected, 2e-5, "--by", save("l", labels), "--axis", "0")


def ranks():
    """Quantiles by all methods, and the largest elements."""
    methods = ["linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased", "inverted_cdf"]
    for kind, method in itertools.chain(zip(itertools.repeat("f4"), methods), [("i4", "linear"), ("u1", "linear"), ("f8", "hazen"), ("f2", "linear")]):
        a, q = data(kind, (11, 60)), [0.0, 0.1, 0.5, 0.93, 1.0]
        wide = a.astype("f8")
        for axis, option in [(None, []), (1, ["--axis", "1"]), (0, ["--axis", "0"])]:
            expected = {"quantile": lambda: np.quantile(wide, q, axis=axis, method=method)}
            reduce(save("a", a), expected, tolerance_of(kind), "--quantiles", "0,.1,.5,.93,1", "--method", method, *option)
    for kind in ["f4", "i4", "u1", "f8"]:
        a = data(kind, (4, 300))
        for axis, option in [(None, []), (1, ["--axis", "1"])]:
            order = np.argsort(-a.astype("f8"), axis=-1 if axis else None, kind="stable")[..., :7]
            values = np.take_along_axis(a, order, axis=1) if axis else a.ravel()[order]
            places = ["--indices", f"{FOLDER}/p.npy"]
            if reduce(save("a", a), {"top": lambda: values}, 0, "--k", "7", *places, *option):
                check(f"places {kind} {option}", np.load(f"{FOLDER}/p.npy"), order, 0)


def others():
    """Histograms and scans."""
    for kind in ["f4", "f2", "f8", "u1", "i2", "i4", "i8", "?"]:
        a = data(kind, 5000)
        for bins, span in [(10, None), (7, (-1.5, 4.25)), (300, (0, 3))]:
            if kind == "?" and span is None:
                continue
            option = [] if span is None else [f"--range={span[0]},{span[1]}"]
            said = run("histogram", save("h", a), "--bins", str(bins), *option, "-o", f"{FOLDER}/c.npy", "--json")
            if said is not None:
                # NumPy 1 and 2 round edges of floats in different ways, so counts are compared by the program's edges.
                edges = np.array(json.loads(said)["edges"])
                check(f"edges {kind} {bins} {span}", edges, np.histogram_bin_edges(a, bins, span), 2e-3 if kind == "f2" else 1e-6)
                check(f"histogram {kind} {bins} {span}", np.load(f"{FOLDER}/c.npy"), np.histogram(a.astype("f8"), edges)[0], 0)
    for kind in ["f4", "i4", "u1", "i8", "f2"]:
        a = data(kind, (6, 70, 5))
        for op, f in [("sum", np.cumsum), ("max", np.maximum.accumulate)]:
            for axis, option in [(None, []), (0, ["--axis", "0"]), (1, ["--axis", "1"]), (2, ["--axis", "2"])]:
                if run("scan", save("s", a), "--op", op, *option, "--verify", "-q", "-o", f"{FOLDER}/p.npy") is None:
                    continue
                source = a.ravel() if axis is None else a
                source = source.astype("f4") if kind == "f2" else source
                got = np.load(f"{FOLDER}/p.npy")
                check(f"scan {op} {kind} {option}", got, f(source, axis=axis or 0), 5e-5)


globals()[SET]()
print(f"{compared} comparisons, {len(wrong)} wrong")
print("\n".join(wrong))
sys.exit(bool(wrong))
