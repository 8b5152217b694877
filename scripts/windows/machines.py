"""Machines for the program and the library's tests: this one, and a Debian with Wine that is set up for Windows programs."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = "x86_64-pc-windows-gnu"
# npm's package of Dawn brings Microsoft's compilers along.
WEBGPU = "webgpu@0.6.2"
PACKAGES = [
    # Debian's rustc comes with the standard library's source, from which that of Windows is built.
    "ca-certificates", "rustc", "cargo", "rust-src", "gcc-mingw-w64-x86-64-win32", "gcc", "libc6-dev",
    "wine", "wine64", "mesa-vulkan-drivers", "xvfb", "xauth",
]


class Done:
    """A command that ran: its status, None if it was ended for being late; the text that it printed; its seconds."""

    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    @property
    def late(self):
        return self.status is None

    def why(self):
        """Its last words, in a line."""
        if self.late:
            return f"no answer within {self.seconds:.0f} s"
        lines = [line.strip() for line in (self.err or self.out).splitlines() if line.strip()]
        return f"status {self.status}" + (f": {lines[-1][:300]}" if lines else "")


class Machine:
    """This machine, and the programs that cargo has built on it."""

    back_ends = {"win32": ["dx12", "vulkan"], "darwin": ["metal"]}.get(sys.platform, ["vulkan"])
    has_terminals = os.name != "nt"

    def __init__(self, cache):
        self.cache, self.programs = cache, {}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halofold-"))

    def prepare(self):
        self.build("halofold", ["build", "-p", "halofold-cli"])

    def prepare_tests(self):
        """Builds the library's tests of one device."""
        if "device" not in self.programs:
            self.build("device", ["test", "-p", "halofold", "--test", "device", "--no-run"])

    def build(self, name, args):
        """Builds a program with cargo."""
        self.programs[name] = self.built(["cargo", *args], ROOT)

    def built(self, command, folder):
        """The path of the program that cargo builds."""
        command = [*command, "--release", "--message-format", "json-render-diagnostics"]
        printed = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
        paths = [json.loads(line).get("executable") for line in printed.splitlines()]
        return next(path for path in reversed(paths) if path)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, args, environment, name="halofold"):
        """The command, its folder and its environment."""
        return [self.programs[name], *args], self.folder, {**os.environ, **environment}

    def end(self, process):
        """Ends a command, and what it started."""
        process.kill()

    def wait(self, process, seconds):
        """Waits for a command, and ends it after so many seconds. Returns its exit status, None if it was ended."""
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end(process)
            process.wait()
            return None

    def start(self, args, environment, name="halofold", **options):
        command, folder, environment = self.command(args, environment, name)
        return subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, **options)

    def run(self, args, environment, seconds=120, name="halofold"):
        """Runs a program. Its output goes to files: programs of Wine's that inherit a pipe would keep it open."""
        begun = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self.start(args, environment, name, stdout=out, stderr=err)
            status = self.wait(process, seconds)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace").replace("\r\n", "\n"))
        return Done(status, *texts, time.monotonic() - begun)

    def interrupted(self, args, environment, ready, seconds=60):
        """Runs the program, and interrupts it as soon as `ready`: by Ctrl-C in a terminal, on Windows by Ctrl-Break."""
        if os.name != "nt":
            return self.in_terminal(args, environment, seconds, ready)
        begun = time.monotonic()
        with tempfile.TemporaryFile() as out:
            process = self.start(args, environment, stdout=out, stderr=out, creationflags=subprocess.CREATE_NEW_PROCESS_GROUP)
            while not ready() and process.poll() is None and time.monotonic() - begun < seconds:
                time.sleep(0.1)
            process.send_signal(signal.CTRL_BREAK_EVENT)
            status = self.wait(process, seconds)
            out.seek(0)
            return Done(status, out.read().decode(errors="replace"), "", time.monotonic() - begun)

    def in_terminal(self, args, environment, seconds=120, ready=None):
        """Runs the program in a terminal of 80 columns. With `ready` Ctrl-C is typed once that is true."""
        import fcntl
        import pty
        import select
        import struct
        import termios

        command, folder, environment = self.command(args, {"TERM": "xterm-256color", **environment})
        begun, typed, output, status = time.monotonic(), False, b"", None
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        while status is None and time.monotonic() - begun < seconds:
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    output += os.read(terminal, 1 << 16)
                except OSError:
                    pass
            if ready and not typed and ready():
                os.write(terminal, b"\x03")
                typed = True
            ended, code = os.waitpid(child, os.WNOHANG)
            status = os.waitstatus_to_exitcode(code) if ended else None
        if status is None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            self.clean()
        os.close(terminal)
        return Done(status, output.decode(errors="replace"), "", time.monotonic() - begun)

    def clean(self):
        """Ends what a command that was killed has left running."""


class Wine(Machine):
    """A Debian sid in a folder: rustc and MinGW for the Windows program, Wine, and Mesa's Vulkan driver in software."""

    back_ends = ["dx12", "vulkan"]

    def __init__(self, cache):
        self.cache, self.system, self.programs = cache, cache / "sid", {}
        self.folder = self.system / "build" / "run"
        self.display = None

    def prepare(self):
        self.cache.mkdir(parents=True, exist_ok=True)
        if not (self.cache / "installed").exists():
            self.install()
            (self.cache / "installed").touch()
        for name in ("resolv.conf", "ssl/certs/ca-certificates.crt"):
            shutil.copy(f"/etc/{name}", self.system / "etc" / name)
        self.copy()
        super().prepare()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.display = self.screen()
        if not (self.system / "build" / "prefix").exists():
            # Wine's DXGI has adapters only with its Vulkan renderer.
            key = ["wine", "reg", "add", r"HKCU\Software\Wine\Direct3D", "/v", "renderer", "/d", "vulkan", "/f"]
            subprocess.run(self.inside(key, self.variables({})), check=True, stdout=subprocess.DEVNULL)

    def install(self):
        """The system, by package name."""
        missing = [name for name in ("mmdebstrap", "npm") if not shutil.which(name)]
        if missing:
            subprocess.run(["apt-get", "update", "-qq"])
            subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True)
        shutil.rmtree(self.system, ignore_errors=True)
        options = ["Acquire::Check-Valid-Until \"false\"", "APT::Install-Recommends \"false\""]
        command = ["mmdebstrap", "--variant=apt", *[f"--aptopt={option}" for option in options], f"--include={','.join(PACKAGES)}"]
        subprocess.run([*command, "sid", str(self.system)], check=True)
        command = ["npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", str(self.cache / "npm"), WEBGPU]
        subprocess.run(command, check=True)

    def copy(self):
        """Copies the files that git tracks or would, and Microsoft's FXC."""
        source = self.system / "build" / "source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir(parents=True)
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listed, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        packed = subprocess.run(["tar", "--null", "-T", "-", "--ignore-failed-read", "-c"], cwd=ROOT, input=files, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "-x", "-C", str(source)], input=packed.stdout, check=True)
        program = self.system / "build" / "program"
        program.mkdir(exist_ok=True)
        libraries = self.cache / "npm" / "node_modules" / "webgpu" / "dist" / "win32-x64"
        shutil.copy(libraries / "d3dcompiler_47.dll", program)

    def build(self, name, args):
        variables = {
            "RUSTC_BOOTSTRAP": "1", "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER": "x86_64-w64-mingw32-gcc", "CARGO_TARGET_DIR": "/build/target",
            # Kernels are the same; the program is compiled in half the time.
            "CARGO_PROFILE_RELEASE_DEBUG": "0", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
        }
        options = ["-Zbuild-std=std,panic_unwind", "--target", TARGET, "--manifest-path", "/build/source/Cargo.toml"]
        path = self.built(self.inside(["cargo", *args, *options], variables), "/")
        self.programs[name] = f"/build/program/{name}.exe"
        shutil.copy(self.system / path.lstrip("/"), self.system / self.programs[name].lstrip("/"))

    def inside(self, command, variables):
        """A command in that system, with its own mounts."""
        mounted = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
        variables = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", **variables}
        pairs = [f"{name}={value}" for name, value in variables.items()]
        return ["unshare", "--mount", "sh", "-c", mounted, str(self.system), "env", "-i", *pairs, *command]

    def screen(self):
        """A display, which DXGI under Wine needs: the program that shows it, and its number."""
        reads, writes = os.pipe()
        command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
        self.xvfb = subprocess.Popen(self.inside(command, {}), pass_fds=[writes], stderr=subprocess.DEVNULL)
        os.close(writes)
        with os.fdopen(reads) as number:
            return number.readline().strip()

    def variables(self, environment):
        fixed = {
            "WINEPREFIX": "/build/prefix", "WINEDEBUG": "-all", "DISPLAY": f":{self.display}", "XDG_RUNTIME_DIR": "/tmp",
            # Neither .NET nor a browser, and Microsoft's FXC in the place of Wine's own.
            "WINEDLLOVERRIDES": "mscoree,mshtml=;d3dcompiler_47=n",
        }
        return {**fixed, **environment}

    def command(self, args, environment, name="halofold"):
        command = ["sh", "-c", 'cd /build/run && exec wine "$@"', name, self.programs[name], *args]
        return self.inside(command, self.variables(environment)), "/", dict(os.environ)

    def end(self, process):
        process.kill()
        self.clean()

    def clean(self):
        subprocess.run(self.inside(["wineserver", "-k"], self.variables({})), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        self.clean()
        if self.display:
            self.xvfb.terminate()
            self.xvfb.wait()
