"""The checks: each runs the program on one back end, and counts what was right."""

import collections
import json
import random
import re

import arrays
import expected

# Words of a message about a feature that an adapter lacks.
LACKS = re.compile("lacks")
ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])")


class Counts:
    """Right, wrong, lacking and late cases of each check."""

    def __init__(self):
        self.cells, self.wrong = collections.defaultdict(collections.Counter), []
        self.notes = {}

    def add(self, what, back_end, verdict, why=""):
        self.cells[what, back_end][verdict] += 1
        if verdict in ("wrong", "late"):
            self.wrong.append(f"{back_end}: {what}: {why}")
            print(f"    {verdict.upper()}: {why}", flush=True)

    def cell(self, what, back_end):
        counts = self.cells.get((what, back_end))
        if not counts:
            return "–"
        words = {"right": "right", "wrong": "**wrong**", "late": "**no answer**", "lacking": "refused: a feature is lacking"}
        text = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict])
        return text + (f" ({self.notes[what, back_end]})" if (what, back_end) in self.notes else "")


def said(printed, test):
    """The words of a test that failed."""
    found = re.search(rf"^---- {re.escape(test)} stdout ----\n(.*?)^(?:note|----|failures)", printed, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split())[:300] if found else ""


class Checks:
    """All of them, on one back end."""

    def __init__(self, machine, back_end, counts):
        self.machine, self.back_end, self.counts = machine, back_end, counts
        self.environment = {"WGPU_BACKEND": back_end, "WGPU_DX12_COMPILER": machine.compiler}
        self.random = random.Random(5)

    def run(self, *args, seconds=120):
        return self.machine.run([str(arg) for arg in args], self.environment, seconds)

    def count(self, what, done, right, case):
        """Counts a command by a test of it."""
        verdict = "late" if done.late else "right" if right() else "wrong"
        self.counts.add(what, self.back_end, verdict, f"{case}: {done.why()}")
        return verdict == "right"

    def rows(self, what, args, seconds=120):
        """What a command prints as JSON; none if it fails, which is counted."""
        done = self.run(*args, "--json", seconds=seconds)
        if done.status in (0, 1) and done.out.strip():
            return json.loads(done.out)
        lacking = not done.late and LACKS.search(done.err)
        self.counts.add(what, self.back_end, "late" if done.late else "lacking" if lacking else "wrong", f"{' '.join(args)}: {done.why()}")
        return None

    def numbers(self, kind, count):
        """Elements whose products and exponentials stay in range; integers are of the whole range."""
        if expected.is_float(kind):
            return arrays.rounded(kind, [self.random.uniform(0.8, 1.2) for _ in range(count)])
        if kind == "bool":
            return [self.random.random() < 0.7 for _ in range(count)]
        bits = int(kind[1:])
        low = -(1 << (bits - 1)) if kind[0] == "i" else 0
        return [self.random.randrange(low, low + (1 << bits)) for _ in range(count)]

    def file(self, name, kind, shape, items):
        arrays.write(self.machine.folder / name, kind, shape, items)

    # The checks, by the names of the table's rows.

    def devices(self):
        rows = self.rows("devices", ["devices"])
        if not rows:
            return
        first = rows[0]
        self.counts.add("devices", self.back_end, "right" if first["backend"] == self.back_end else "wrong", str(first)[:200])
        self.counts.notes["devices", self.back_end] = f"{first['name']}, {first['kind']}"

    def ladder(self):
        rows = self.rows("ladder, every rung", ["ladder", "--n", "2^14", "--samples", "3"], seconds=900)
        for row in rows["rows"] if rows else []:
            verdict = {"pass": "right", "fail": "wrong", "skipped": "lacking"}[row["status"]]
            self.counts.add("ladder, every rung", self.back_end, verdict, f"{row['rung']}: {row['reason']}")

    def reduce_operators(self):
        """Every operator over every type."""
        what = "reduce, every operator and type"
        for kind in arrays.TYPES:
            items = self.numbers(kind, 5003)
            self.file("a.npy", kind, [len(items)], items)
            self.compare(what, kind, items, ["a.npy"], expected.operators(kind))

    def compare(self, what, kind, items, args, operators, others=None):
        """Runs operators together, or one by one if they are refused together."""
        done = self.run("reduce", *args, "--op", ",".join(operators), "--json", seconds=240)
        if done.status != 0 and len(operators) > 1:
            for op in operators:
                self.compare(what, kind, items, args, [op], others)
        elif done.status != 0:
            lacking = not done.late and LACKS.search(done.err)
            verdict = "late" if done.late else "lacking" if lacking else "wrong"
            self.counts.add(what, self.back_end, verdict, f"{operators[0]} of {kind}: {done.why()}")
        else:
            for op, row in zip(operators, json.loads(done.out)):
                got = row["index"] if op.startswith("arg-") else row["value"]
                wanted = expected.result(op, kind, items, others)
                self.counts.add(what, self.back_end, "right" if wanted.accepts(got) else "wrong", f"{op} of {kind}: {got}, expected {wanted}")

    def reduce_dot(self):
        for kind in ("f32", "f64", "i32", "u16"):
            items, others = self.numbers(kind, 3001), self.numbers(kind, 3001)
            self.file("a.npy", kind, [len(items)], items)
            self.file("b.npy", kind, [len(others)], others)
            self.compare("reduce, dot", kind, items, ["a.npy", "--with", "b.npy"], ["dot"], others)

    def reduce_axes(self):
        """Along each axis of arrays, to a file that is there already the second time."""
        what = "reduce along an axis, -o over an existing file"
        for kind, shape in (("f32", (37, 53)), ("i32", (37, 53)), ("f32", (5, 17, 19)), ("u8", (5, 17, 19))):
            size = 1
            for side in shape:
                size *= side
            items = self.numbers(kind, size)
            self.file("a.npy", kind, shape, items)
            for axis in range(len(shape)):
                inner = 1
                for side in shape[axis + 1:]:
                    inner *= side
                starts = [at for at in range(size) if at // inner % shape[axis] == 0]
                lines = [[items[start + inner * step] for step in range(shape[axis])] for start in starts]
                for op in ("sum", "max", "mean", "arg-min", "variance"):
                    done = self.run("reduce", "a.npy", "--op", op, "--axis", axis, "-o", "out.npy")
                    case = f"{op} of {kind} {shape} along {axis}"
                    self.count(what, done, lambda: done.status == 0 and self.agrees(op, kind, lines), case)

    def agrees(self, op, kind, lines):
        _, got = arrays.read(self.machine.folder / "out.npy")
        # Along an axis floats are added in their own width.
        loosely = lambda line: expected.Near(float(expected.result("sum", "f64", line).exact), 1e-5)
        mean = lambda line: expected.Near(float(expected.result("mean", "f64", line).exact), 1e-5)
        rounded = {"sum": loosely, "mean": mean} if expected.is_float(kind) else {}
        wanted = rounded.get(op) or (lambda line: expected.result(op, kind, line))
        loose = lambda wanted: expected.Near(wanted.value, 1e-4) if isinstance(wanted, expected.Near) else wanted
        return len(got) == len(lines) and all(loose(wanted(line)).accepts(value) for line, value in zip(lines, got))

    def reduce_exact(self):
        """Sums that nearly cancel."""
        for kind, span in (("f16", 12), ("f32", 60), ("f64", 300)):
            half = [self.random.uniform(-1, 1) * 2.0 ** self.random.randint(-span // 2, span // 2 if kind != "f16" else 3) for _ in range(6000)]
            items = arrays.rounded(kind, half + [-x * (1 - 2.0**-9) for x in half])
            self.random.shuffle(items)
            self.file("a.npy", kind, [len(items)], items)
            operators = ["sum", "mean", "l1"] + (["l2", "variance", "std"] if kind == "f32" else [])
            self.compare("reduce --exact", kind, items, ["a.npy", "--exact"], operators)

    def reduce_forms(self):
        """--fast, --verify, bare elements, and an operator of one's own."""
        items = self.numbers("f32", 20011)
        self.file("a.npy", "f32", [len(items)], items)
        (self.machine.folder / "a.bin").write_bytes((self.machine.folder / "a.npy").read_bytes()[128:])
        (self.machine.folder / "above.wgsl").write_text("""
            struct Acc { sum: f32, count: u32 }
            fn map(elem: Elem, index: u32) -> Acc { return Acc(max(elem, 1.0) - 1.0, select(0u, 1u, elem > 1.0)); }
            fn identity() -> Acc { return Acc(0.0, 0u); }
            fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.count + b.count); }
            fn finish(acc: Acc, n: u32) -> u32 { return acc.count; }
        """)
        total = float(expected.result("sum", "f64", items).exact)
        above = sum(x > 1 for x in items)
        cases = [
            (["a.npy", "--fast"], expected.Near(total, 1e-5)), (["a.npy", "--verify"], expected.Near(total, 1e-6)),
            (["--raw", "f32", "a.bin"], expected.Near(total, 1e-6)), (["a.npy", "--wgsl", "above.wgsl"], expected.Equal(above)),
        ]
        for args, wanted in cases:
            done = self.run("reduce", *args, "--json")
            self.count("reduce, other forms", done, lambda: done.status == 0 and wanted.accepts(json.loads(done.out)[0]["value"]), " ".join(args))

    def stencils(self):
        """Every stencil with every border, and a step that converges."""
        what = "stencils of files, every kind and border"
        for name, (dims, classes) in expected.STENCILS.items():
            shape = (21, 34) if dims == 2 else (9, 10, 18)
            cells = arrays.rounded("f32", [self.random.uniform(0, 1) for _ in range(shape[0] * shape[1] * (1 if dims == 2 else shape[2]))])
            weights = [self.random.uniform(0.1, 1) for _ in classes]
            total = sum(weight * len(offsets) for weight, offsets in zip(weights, classes))
            weights = [weight / total for weight in weights]
            self.file("grid.npy", "f32", shape, cells)
            given = ",".join(map(repr, weights))
            if "x" in name:
                self.file("weights.npy", "f64", [int(side) for side in name.split("x")], weights)
                given = "weights.npy"
            for border in expected.BORDERS:
                args = ["grid.npy", "--stencil", name, "--weights", given, "--boundary", border, "--steps", 3, "-o", "out.npy"]
                done = self.run("stencil", *args)
                wanted = expected.stepped(name, weights, border, shape, cells, 3)
                right = lambda: done.status == 0 and max(abs(a - b) for a, b in zip(arrays.read(self.machine.folder / "out.npy")[1], wanted)) < 2e-6
                self.count(what, done, right, f"{name}, {border}")

    def variants(self):
        """Every kernel of a stencil, as the program itself verifies it."""
        for preset, grid in (("thesis-5pt", "64x96"), ("thesis-27pt", "20x24x64")):
            args = ["replay", preset, "--grid", grid, "--steps", "4", "--samples", "1", "--blocks", "8x32"]
            record = self.rows("stencils, every kernel", args, seconds=600)
            for row in record["stencils"] if record else []:
                verdict = {"pass": "right", "fail": "wrong", "skipped": "lacking"}[row["status"]]
                self.counts.add("stencils, every kernel", self.back_end, verdict, f"{row['variant']}: {row['reason']}")

    def convergence(self):
        """Runs until little changes, by both norms."""
        cells = [0.0] * (24 * 30)
        cells[:30] = [1.0] * 30
        self.file("grid.npy", "f32", (24, 30), cells)
        for norm in ("max", "l2"):
            done = self.run("stencil", "grid.npy", "--until", "1e-4", "--norm", norm, "-o", "out.npy", "--json")
            right = lambda: done.status == 0 and json.loads(done.out)["converged"] and json.loads(done.out)[f"residual_{norm}"] < 1e-4
            self.count("stencils until they converge", done, right, f"--until, {norm}")

    def textures(self):
        """The library's own tests of textures."""
        self.library("textures as inputs: the library's tests", "textures")

    def pyramids(self):
        self.library("pyramids of minima and maxima: the library's tests", "pyramid")

    def library(self, what, module):
        """Counts the tests of a module."""
        self.machine.prepare_tests()
        done = self.machine.run([f"{module}::"], self.environment, seconds=1200, name="device")
        for test, verdict in re.findall(r"^test (\S+) \.\.\. (\w+)", done.out, re.MULTILINE):
            self.counts.add(what, self.back_end, "right" if verdict == "ok" else "wrong", f"{test}: {said(done.out, test)}")
        if done.late or not re.search(r"^test result: ", done.out, re.MULTILINE):
            self.counts.add(what, self.back_end, "late" if done.late else "wrong", done.why())

    def interrupts(self):
        """An interrupt leaves what was there, and no partial file."""
        folder, what = self.machine.folder, "Ctrl-C leaves no partial file"
        parts = lambda: [path for path in folder.iterdir() if path.name.startswith(".halofold-")]
        self.file("grid.npy", "f32", (256, 256), [0.5] * 65536)
        (folder / "out.npy").write_bytes(b"earlier")
        done = self.machine.interrupted(["stencil", "grid.npy", "--steps", "100000000", "-o", "out.npy"], self.environment, parts)
        right = lambda: done.status == 130 and not parts() and (folder / "out.npy").read_bytes() == b"earlier"
        self.count(what, done, right, f"stencil -o: {[path.name for path in parts()]}")
        for path in parts():
            path.unlink()

    def terminal(self):
        """The rows in a terminal; Python has none on Windows."""
        if not self.machine.has_terminals:
            return
        self.file("a.npy", "f32", [1000], self.numbers("f32", 1000))
        done = self.machine.in_terminal(["reduce", "a.npy", "--op", "sum,mean", "--verify"], self.environment)
        text = ESCAPE.sub("", done.out)
        self.count("output in a terminal", done, lambda: done.status == 0 and text.count("verified") == 2, f"{text[-200:]!r}")

    ALL = [devices, ladder, reduce_operators, reduce_dot, reduce_axes, reduce_exact, reduce_forms, stencils, variants, convergence, textures,
           pyramids, interrupts, terminal]
