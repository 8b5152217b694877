//! Running the program on files: folders for them, arrays as NumPy writes them, and what a refusal looks like.

pub mod python;

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use halofold::{adapter, wgpu};

/// The adapter that the program will choose.
pub fn preferred() -> &'static wgpu::Adapter {
    static PREFERRED: OnceLock<wgpu::Adapter> = OnceLock::new();
    PREFERRED.get_or_init(|| {
        pollster::block_on(adapter::list()).into_iter().next().expect(
            "no adapter: on Linux install a Vulkan driver (Debian: apt-get install mesa-vulkan-drivers)",
        )
    })
}

/// Its features.
pub fn features() -> wgpu::Features {
    preferred().features()
}

/// A fresh folder for the files of one test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// The program, about to run a subcommand.
pub fn command(subcommand: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halofold"));
    command.arg(subcommand).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it with some bytes on standard input.
pub fn run_on(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // The program may refuse the input before it has read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// What it printed, if it succeeded.
pub fn stdout(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {errors}", output.status.code());
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Asserts exit status 2, nothing on standard output, and a message that has all these parts.
pub fn refused(output: &Output, parts: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    assert!(!message.contains("panicked"), "{message}");
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in `{message}`");
    }
}

/// A `.npy` file as NumPy writes it.
pub fn npy(descr: &str, fortran: bool, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({sizes}), }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(data);
    bytes
}
