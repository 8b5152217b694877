"""The results that the program should give, by Python's integers, fractions and 64-bit floats: nothing of halofold's arithmetic."""

import itertools
import math
import struct
from fractions import Fraction

EVERY = ["sum", "min", "max", "mean", "min-max", "arg-min", "arg-max", "variance", "sample-variance", "std", "sample-std", "l1", "l2",
         "max-norm", "count-nonzero", "any", "all", "product", "log-sum-exp"]
OF_INTEGERS = ["and", "or", "xor"]
OF_NARROW = ["wide-sum", "wide-product"]
OF_POSITIVE = ["geometric-mean"]

# Bits of the words that integers wrap in.
WORD = 64


def is_float(kind):
    return kind.startswith("f")


def operators(kind):
    """All that are defined for a type."""
    if is_float(kind):
        return EVERY + OF_POSITIVE
    wide = [] if kind in ("bool", "i64", "u64") else OF_NARROW
    return EVERY + OF_INTEGERS + wide + (OF_POSITIVE if kind.startswith("u") else [])


class Near:
    """A float within a relative distance."""

    def __init__(self, value, distance):
        self.value, self.distance = value, distance

    def accepts(self, got):
        return isinstance(got, (int, float)) and abs(got - self.value) <= self.distance * max(abs(self.value), 1e-300)

    def __repr__(self):
        return f"{self.value!r} within {self.distance}"


class Nearest:
    """The float of a type that is the nearest to a fraction."""

    def __init__(self, exact, kind):
        self.exact, self.form = exact, "<fI" if kind == "f32" else "<dQ"

    def accepts(self, got):
        if not isinstance(got, (int, float)):
            return False
        real, word = self.form[0] + self.form[1], self.form[0] + self.form[2]
        (bits,) = struct.unpack(word, struct.pack(real, got))
        (value,) = struct.unpack(real, struct.pack(word, bits))
        distance = abs(Fraction(value) - self.exact)
        beside = [struct.unpack(real, struct.pack(word, bits + step))[0] for step in (-1, 1) if bits + step >= 0]
        return value == got and all(distance <= abs(Fraction(other) - self.exact) for other in beside if math.isfinite(other))

    def __repr__(self):
        return f"nearest to {float(self.exact)!r}"


class Equal:
    """A value that has to be this one."""

    def __init__(self, value):
        self.value = value

    def accepts(self, got):
        return got == self.value and isinstance(got, bool) == isinstance(self.value, bool)

    def __repr__(self):
        return repr(self.value)


def wrapped(number, signed):
    number %= 1 << WORD
    return number - (1 << WORD) if signed and number >> (WORD - 1) else number


def result(op, kind, items, others=None):
    """The result of an operator over some elements: an object that accepts values."""
    real, signed = is_float(kind), kind.startswith("i")
    numbers = [int(x) if kind == "bool" else x for x in items]
    wide = "f64" if kind == "f64" else "f32"
    loose = 1e-12 if kind == "f64" else 2e-6
    exactly = lambda exact: Nearest(exact, wide if real else "f64")
    nearly = lambda value: Near(value, loose if real else 1e-12)
    total = lambda of: sum(map(Fraction, of), Fraction(0)) if real else sum(of)
    if op in ("sum", "wide-sum"):
        return exactly(total(numbers)) if real else Equal(total(numbers) if op == "wide-sum" else wrapped(total(numbers), signed))
    if op == "mean":
        return exactly(Fraction(total(numbers)) / len(numbers))
    if op in ("min", "max"):
        return Equal((min if op == "min" else max)(items))
    if op == "min-max":
        return Equal([min(items), max(items)])
    if op in ("arg-min", "arg-max"):
        return Equal(items.index((min if op == "arg-min" else max)(items)))
    if op == "max-norm":
        return Equal(any(items) if kind == "bool" else max(map(abs, numbers)))
    if op == "l1":
        return exactly(total(map(abs, numbers))) if real else Equal(total(map(abs, numbers)))
    if op == "count-nonzero":
        return Equal(sum(x != 0 for x in numbers))
    if op in ("any", "all"):
        return Equal((any if op == "any" else all)(x != 0 for x in numbers))
    if op in ("and", "or", "xor"):
        fold = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}[op]
        folded = list(itertools.accumulate(numbers, fold))[-1]
        return Equal(bool(folded) if kind == "bool" else folded)
    if op in ("product", "wide-product"):
        if not real:
            product = math.prod(numbers)
            return Equal(wrapped(product, signed)) if op == "product" else Equal(wide_product(product, kind))
        return Near(math.prod(numbers), 1e-9 if kind == "f64" else 1e-3)
    if op == "dot":
        products = total(Fraction(a) * Fraction(b) if real else a * b for a, b in zip(numbers, others))
        if kind == "f32":
            return exactly(products)
        return nearly(float(products)) if real else Equal(wrapped_in(products, kind))
    if op == "l2":
        return nearly(math.sqrt(total(Fraction(x) * Fraction(x) if real else x * x for x in numbers)))
    if op in ("variance", "sample-variance", "std", "sample-std"):
        mean = Fraction(total(numbers)) / len(numbers)
        squares = sum(((Fraction(x) - mean) ** 2 for x in numbers), Fraction(0))
        variance = float(squares / (len(numbers) - op.startswith("sample")))
        # Squares of integers of 64 bits do not fit the GPU's words.
        distance = 1e-9 if kind in ("i64", "u64", "f64") else loose if real else 1e-12
        return Near(math.sqrt(variance) if op.endswith("std") else variance, distance)
    if op == "log-sum-exp":
        most = max(numbers)
        return Near(float(most) + math.log(math.fsum(math.exp(x - most) for x in numbers)), 1e-10 if kind == "f64" else 4e-6)
    if op == "geometric-mean" and 0 in numbers:
        return Equal(0)
    if op == "geometric-mean":
        return Near(math.exp(math.fsum(map(math.log, numbers)) / len(numbers)), 1e-10 if kind == "f64" else 4e-5)
    raise KeyError(op)


def wrapped_in(number, kind):
    """A number in an integer type's own width."""
    bits = int(kind[1:])
    number %= 1 << bits
    return number - (1 << bits) if kind.startswith("i") and number >> (bits - 1) else number


def wide_product(product, kind):
    """Products in twice the width, of 32-bit integers at least."""
    bits = 2 * max(int(kind[1:]), 32)
    product %= 1 << bits
    return product - (1 << bits) if kind.startswith("i") and product >> (bits - 1) else product


# The offsets of each stencil's classes: planes, rows, columns.
def star(dims, reach):
    ends = [(0,) * axis + (step,) + (0,) * (dims - axis - 1) for axis in range(dims) for step in (-reach, reach)]
    return [(0,) * (3 - dims) + end for end in ends]


def ring(dims, squares):
    around = itertools.product(*[[0]] * (3 - dims), *[[-1, 0, 1]] * dims)
    return [offset for offset in around if sum(map(abs, offset)) == squares]


def box(planes, side):
    spans = [range(-(planes // 2), planes // 2 + 1)] + [range(-(side // 2), side // 2 + 1)] * 2
    return [[offset] for offset in itertools.product(*spans)]


CENTRE = [(0, 0, 0)]
STENCILS = {
    "5": (2, [CENTRE, star(2, 1)]), "9": (2, [CENTRE, ring(2, 1), ring(2, 2)]), "13": (2, [CENTRE, star(2, 1), star(2, 2), star(2, 3)]),
    "3x3": (2, box(1, 3)), "5x5": (2, box(1, 5)),
    "7": (3, [CENTRE, star(3, 1)]), "27": (3, [CENTRE, ring(3, 1), ring(3, 2), ring(3, 3)]), "13-3d": (3, [CENTRE, star(3, 1), star(3, 2)]),
    "3x3x3": (3, box(3, 3)),
}
BORDERS = ["fixed", "reflect", "mirror", "wrap", "constant=0.5"]


def beyond(at, count, border):
    """The place that stands for one beyond the sides; None for the constant."""
    if 0 <= at < count:
        return at
    if border == "wrap":
        return at % count
    if border == "reflect":
        at %= 2 * count
        return min(at, 2 * count - 1 - at)
    if border == "mirror":
        at %= 2 * count - 2
        return min(at, 2 * count - 2 - at)
    return None


def stepped(name, weights, border, shape, cells, steps):
    """A grid after some steps, in 64-bit floats."""
    _, classes = STENCILS[name]
    terms = [(weight, offset) for weight, offsets in zip(weights, classes) for offset in offsets]
    shape = (1,) * (3 - len(shape)) + tuple(shape)
    reach = [max(abs(offset[axis]) for _, offset in terms) for axis in range(3)]
    places = list(itertools.product(*map(range, shape)))
    constant = 0.5 if border.startswith("constant") else None
    for _ in range(steps):
        grid = dict(zip(places, cells))

        def new(place):
            if border == "fixed" and any(not far <= at < count - far for at, count, far in zip(place, shape, reach)):
                return grid[place]
            around = lambda offset: tuple(beyond(at + step, count, border) for at, step, count in zip(place, offset, shape))
            return math.fsum(weight * grid.get(around(offset), constant) for weight, offset in terms)

        cells = [new(place) for place in places]
    return cells
