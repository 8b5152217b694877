"""The compilers that `scripts/front-ends` runs: what each needs, which kernels it is given, and how it is asked.

A compiler has a name; `lacks()` says what is not installed, `version()` what its answers depend on besides the kernel. `ask(kernels)`
runs it once over some kernels and answers a list of (complaint, facts): an empty complaint is "accepted", and the list is shorter than
the kernels where the program crashed.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE.parent.parent / "target" / "front-ends"
KERNELS = WORK / "kernels"
# npm's package of Dawn, Chrome's WebGPU; it brings Microsoft's compilers along.
WEBGPU_VERSION = "0.6.2"
WEBGPU = WORK / "npm" / "node_modules" / "webgpu"
CLANG = "clang-19"
MINGW = "x86_64-w64-mingw32-g++-posix"
RADV = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"

# The longest that a program may take for its kernels.
SECONDS = 400


def run(command, **options):
    """Runs a program, and answers its output, also if it failed.

    The output goes to files: Wine's own programs inherit it and run on, and who reads from a pipe waits for them.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        late = ""
        try:
            code = subprocess.run(command, stdout=out, stderr=err, timeout=SECONDS, **options).returncode
        except subprocess.TimeoutExpired:
            code, late = 124, f"not done within {SECONDS} s"
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return subprocess.CompletedProcess(command, code, texts[0], late or texts[1])


def built(source, program, command):
    """The program made of a source here, compiled if it is older than that."""
    program = WORK / program
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        WORK.mkdir(parents=True, exist_ok=True)
        subprocess.run([*command, str(source), "-o", str(program)] + (["-lvulkan"] if source.suffix == ".c" else []), check=True)
    return program


def listed(lines):
    """A file with lines, which the caller removes."""
    with tempfile.NamedTemporaryFile("w", dir=WORK, suffix=".list", delete=False) as file:
        file.write("".join(line + "\n" for line in lines))
    return pathlib.Path(file.name)


def asked(command, lines, **options):
    """What a program answers to a list, line by line; and its last words."""
    path = listed(lines)
    try:
        done = run([*map(str, command), str(path)], **options)
    finally:
        path.unlink()
    return done.stdout.splitlines(), done.stderr.strip()


def traits(kernel):
    """A kernel's file and traits, whatever features it uses."""
    return {kernel["row"], *(trait.partition(" Features")[0] for trait in kernel["traits"])}


class Compiler:
    """What all have in common."""

    batch = 250
    # The most workgroup memory that its devices have: plans refuse a kernel that takes more.
    workgroup_bytes = 32 << 10

    def file(self, kernel):
        return KERNELS / f"{kernel['name']}.{self.ending}"

    def refusal(self, kernel):
        """Why a kernel is not for this compiler; nothing if it is."""
        if kernel["workgroup_bytes"] > self.workgroup_bytes:
            return f"more workgroup memory than {self.workgroup_bytes >> 10} KiB"
        return kernel["refused"].get(self.language)

    def key(self, kernel):
        """What an answer depends on."""
        what = [self.version(), self.source.read_text(), kernel["entry_points"][self.language], json.dumps(kernel["overrides"])]
        return hashlib.sha256("\n".join(what).encode() + self.file(kernel).read_bytes()).hexdigest()


class Tint(Compiler):
    """Chrome's compiler of WGSL."""

    name, language, ending, source = "Tint", "wgsl", "wgsl", HERE / "tint.mjs"

    def lacks(self):
        if not shutil.which("node"):
            return "node is not installed"
        return None if WEBGPU.exists() else f"npm's package webgpu {WEBGPU_VERSION} is not installed"

    def version(self):
        return WEBGPU_VERSION

    def refusal(self, kernel):
        return super().refusal(kernel) if kernel["browsers"] else "WebGPU has no types of 64 bits and no atomics on floats"

    def ask(self, kernels):
        lines = [
            json.dumps({
                "file": str(self.file(kernel)), "entry": kernel["entry_points"]["wgsl"], "constants": kernel["overrides"],
                # The null back end has what every WebGPU device has, and no more.
                "pipeline": kernel["workgroup_bytes"] <= 16 << 10 and kernel["invocations"] <= 256 and kernel["textures_written"] <= 4,
            })
            for kernel in kernels
        ]
        answers, words = asked(["node", self.source, WEBGPU], lines)
        return [(json.loads(answer), {}) for answer in answers], words


class Metal(Compiler):
    """clang, which Apple's compiler is made from, with declarations in the place of Metal's library."""

    name, language, ending, source = "Metal (clang)", "msl", "msl", HERE / "metal" / "metal_stdlib"

    def lacks(self):
        return None if shutil.which(CLANG) else f"{CLANG} is not installed"

    def version(self):
        return CLANG

    def prepared(self, kernel, folder):
        """A file in which a constructor by another name of a vector is known by the vector's name."""
        text = self.file(kernel).read_text()
        names = {}

        def also(found):
            whole, of, name = found[0], found[1], found[2]
            names[name] = names.get(of, of)
            if not re.fullmatch(r"[a-z]+[234]", names[name]):
                return whole
            line = text.count("\n", 0, found.end()) + 2
            return f"{whole}\n#define {name}(...) {names[name]}_of(__VA_ARGS__)\n#line {line}"

        path = pathlib.Path(folder, f"{kernel['name']}.msl")
        path.write_text(re.sub(r"^typedef (?:metal::)?(\w+) (\w+);$", also, text, flags=re.M))
        return path.name

    def ask(self, kernels):
        options = "-cc1 -fsyntax-only -x clcpp -cl-std=clc++2021 -cl-ext=+all -cl-single-precision-constant -triple spir64 -ferror-limit 0"
        with tempfile.TemporaryDirectory() as folder:
            names = [self.prepared(kernel, folder) for kernel in kernels]
            # In one process: what takes long is to start it.
            command = [CLANG, *options.split(), "-Wno-unknown-attributes", "-isystem", str(self.source.parent), *names]
            done = run(command, cwd=folder)
        said = {}
        for name, line, what in re.findall(r"^(\w+\.msl):(\d+):\d+: ((?:fatal )?error: .*)$", done.stderr, re.M):
            said.setdefault(name, f"{what} (line {line})")
        crashed = done.returncode not in (0, 1) or (done.returncode == 1 and not said)
        answers = [] if crashed else [(said.get(name, ""), {}) for name in names]
        return answers, done.stderr.strip()


class Amd(Compiler):
    """ACO, the compiler of Mesa's driver for AMD, for a chip that is not there."""

    language, ending, source, workgroup_bytes = "spirv", "spv", HERE / "amd.c", 64 << 10

    def __init__(self, chip):
        self.chip, self.name = chip, f"ACO {chip}"
        self.device = None

    def lacks(self):
        for there, what in [
            (os.path.exists(RADV), "Mesa's driver for AMD"), (os.path.exists("/usr/include/vulkan/vulkan.h"), "Vulkan's header"),
            (shutil.which("cc"), "a compiler of C"),
        ]:
            if not there:
                return f"{what} is not installed"
        return None

    def program(self, lines):
        program = built(self.source, "amd", ["cc", "-O1", "-Wall"])
        answers, words = asked([program], lines, env={**os.environ, "RADV_FORCE_FAMILY": self.chip, "VK_DRIVER_FILES": RADV})
        if not answers:
            return [], words
        self.device, answers = answers[0].split("\t"), answers[1:]
        return answers, words

    def version(self):
        if not self.device:
            self.program([])
        return " ".join(self.device or ["no device"])

    def refusal(self, kernel):
        has_no = kernel["atomic_floats"] and self.version().endswith("no")
        return "the chip does not add floats atomically" if has_no else super().refusal(kernel)

    def ask(self, kernels):
        answers, words = self.program([f"{self.file(kernel)}\t{kernel['entry_points']['spirv']}" for kernel in kernels])
        return [self.read(answer) for answer in answers], words

    def read(self, answer):
        status, *facts = answer.split("\t")
        facts = dict(fact.split("=") for fact in facts)
        facts = {name: int(facts[name]) for name in ("VGPRs", "Subgroups per SIMD", "LDS size", "Scratch size", "Code size") if name in facts}
        if status != "ok":
            return status, facts
        scratch = facts["Scratch size"]
        return f"scratch memory: {scratch} bytes" if scratch else "", facts


class Windows(Compiler):
    """Microsoft's compilers, under Wine, by a program of ours that calls them as wgpu does."""

    language, ending, source = "hlsl", "hlsl", HERE / "windows.cpp"
    libraries = ("dxcompiler.dll", "d3dcompiler_47.dll")
    environment = {**os.environ, "WINEPREFIX": str(WORK / "wine"), "WINEDEBUG": "-all"}

    def lacks(self):
        folder = WEBGPU / "dist" / "win32-x64"
        for there, what in [
            (shutil.which("wine"), "Wine"), (shutil.which(MINGW), "MinGW's C++"),
            (all((folder / name).exists() for name in self.libraries), f"npm's package webgpu {WEBGPU_VERSION}"),
        ]:
            if not there:
                return f"{what} is not installed"
        for name in self.libraries:
            if not (WORK / name).exists():
                shutil.copy(folder / name, WORK)
        if not (WORK / "wine").exists():
            run(["wine", "wineboot", "-i"], env=self.environment)
            # The folder is complete when the last of its programs has ended.
            run(["wineserver", "-w"], env=self.environment)
        return None

    def version(self):
        return f"{WEBGPU_VERSION} {self.profile}"

    def key(self, kernel):
        return f"{super().key(kernel)} {kernel['module']}"

    def ask(self, kernels):
        program = built(self.source, "windows.exe", [MINGW, "-O1", "-Wall", "-static", "-municode"])
        # Drive Z: is the root of this machine's files.
        lines = [
            "\t".join([f"Z:{self.file(kernel)}", kernel["entry_points"]["hlsl"], self.profile, kernel["module"]] + ["halves"] * kernel["halves"])
            for kernel in kernels
        ]
        path = listed(lines)
        try:
            done = run(["wine", str(program), f"Z:{path}"], env=self.environment, cwd=WORK)
        finally:
            path.unlink()
        answers = []
        for line in done.stdout.splitlines():
            status, _, said = line.partition("\t")
            if status in ("ok", "error"):
                answers.append(("" if status == "ok" else said or "refused without a word", {}))
        return answers, done.stderr.strip()


class Dxc(Windows):
    name, profile = "DXC", "cs_6_6"


class Fxc(Windows):
    """The old one is slow: it gets the kernels in which a file, what it reads and leaves, an operator or a type is met for the first time,
    whatever features they use."""

    name, profile = "FXC", "cs_5_1"
    batch = 25
    # Only one kernel of each file, and none of those that take FXC 5 to 20 seconds and have others like them.
    is_by_file = False
    slow = re.compile("kernels/exact_|rank/row_top|time-planes")

    def __init__(self):
        self.met = set()

    def refusal(self, kernel):
        if kernel["subgroups"] or kernel["halves"] or not kernel["browsers"]:
            return "shader model 5.1 has no subgroups, and types of 32 bits only"
        if reason := super().refusal(kernel):
            return reason
        if self.is_by_file and self.slow.search(kernel["row"]):
            return "FXC takes many seconds for each"
        new = ({kernel["row"]} if self.is_by_file else traits(kernel)) - self.met
        self.met |= new
        return None if new else "one of a chosen few has its traits"


ALL = [Tint(), Metal(), Amd("gfx1100"), Amd("vega10"), Dxc(), Fxc()]
