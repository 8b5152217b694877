"""Rust with the target for browsers: rustup's, or Debian's by package name."""

import os
import pathlib
import shutil
import subprocess

TARGET = "wasm32-unknown-unknown"

# Of Debian's bookworm, which has no standard library for browsers of this Rust: cargo builds it.
PACKAGES = ["rustc-web", "cargo-web", "rust-web-src", "lld-19", "gcc", "libc6-dev"]


def install(*packages, unless=None):
    """Installs Debian's packages, unless they are there."""
    if unless or not shutil.which("apt-get"):
        return
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*prefix, "apt-get", "update", "-qq"], check=True)
    command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    subprocess.run([*prefix, *command], check=True, stdout=subprocess.DEVNULL)


def has_target():
    """True if the Rust on the path has the target's standard library."""
    command = ["rustc", "--print", "target-libdir", "--target", TARGET]
    done = shutil.which("rustc") and subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return bool(done) and done.returncode == 0 and pathlib.Path(done.stdout.strip()).is_dir()


def with_wasm():
    """A cargo that compiles for browsers, its environment, and its options for that."""
    if not has_target() and shutil.which("rustup"):
        subprocess.run(["rustup", "target", "add", TARGET])
    if has_target():
        return "cargo", dict(os.environ), []
    install(*PACKAGES)
    environment = {"RUSTC_BOOTSTRAP": "1", "RUSTC": "/usr/bin/rustc", "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER": "wasm-ld-19"}
    return "/usr/bin/cargo", {**os.environ, **environment}, ["-Zbuild-std=std,panic_abort"]
