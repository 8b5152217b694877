//! Runs the program on files: folders for them, arrays as NumPy writes them, and checks of refusals.

pub mod python;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use half::f16;
use halofold::{Element, adapter, wgpu};
use serde::de::DeserializeOwned;

/// The adapter that the program will choose.
pub fn preferred() -> &'static wgpu::Adapter {
    static PREFERRED: OnceLock<wgpu::Adapter> = OnceLock::new();
    PREFERRED.get_or_init(|| {
        pollster::block_on(adapter::list()).into_iter().next().expect(
            "no adapter: on Linux install a Vulkan driver (Debian: apt-get install mesa-vulkan-drivers)",
        )
    })
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

    /// Runs the program in the folder with the words of a line. As in a shell, `NAME=VALUE` in front sets a variable, and
    /// ` < FILE` at the end is standard input.
    pub fn run(&self, line: &str) -> Output {
        let (line, input) = line.split_once(" < ").unwrap_or((line, ""));
        let is_variable = |word: &&str| word.starts_with(|first: char| first.is_ascii_uppercase());
        let (variables, words): (Vec<_>, Vec<_>) = line.split_whitespace().partition(is_variable);
        let mut command = command(words[0], &words[1..]);
        command.current_dir(&self.0).envs(variables.iter().filter_map(|variable| variable.split_once('=')));
        if !input.is_empty() {
            command.stdin(fs::File::open(self.path(input)).unwrap());
        }
        command.output().unwrap()
    }

    /// Standard output of a run in the folder, which must succeed.
    pub fn fine(&self, line: &str) -> String {
        stdout(&self.run(line))
    }
}

#[track_caller]
pub fn assert_has(text: &str, parts: &[impl AsRef<str>]) {
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(text.contains(part), "`{part}` is not in `{text}`");
    }
}

/// Names of the files in a folder, sorted.
pub fn names_in(folder: impl AsRef<Path>) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// The program, about to run a subcommand.
pub fn command(subcommand: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halofold"));
    command.arg(subcommand).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it with these arguments, the subcommand first.
pub fn halofold(args: &[&str]) -> Output {
    command(args[0], &args[1..]).output().unwrap()
}

/// Runs it with the words of a line, which names no file of a test: folders may have spaces in their names.
pub fn typed(line: &str) -> Output {
    halofold(&line.split_whitespace().collect::<Vec<_>>())
}

/// Runs it with some bytes on standard input.
pub fn run_on(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // The program may refuse the input before it has read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Its standard output, if it succeeded.
pub fn stdout(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {errors}", output.status.code());
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Runs a command in a shell with limits.
#[cfg(unix)]
pub fn limited(limits: &str, command: &Command) -> Output {
    Command::new("sh")
        .args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Standard output of a run with these arguments, which must succeed.
pub fn fine(args: &[&str]) -> String {
    stdout(&halofold(args))
}

/// The JSON that it printed, if it succeeded.
pub fn parsed<T: DeserializeOwned>(output: &Output) -> T {
    serde_json::from_str(&stdout(output)).expect("it prints JSON")
}

/// Asserts exit status 2, nothing on standard output, and a message that has all these parts.
#[track_caller]
pub fn refused(output: &Output, parts: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    assert!(!message.contains("panicked"), "{message}");
    assert_has(&message, parts);
}

/// A `.npy` file. NumPy reads those that the program writes in this way.
pub fn npy(descr: &str, fortran: bool, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let (shape, mut file) = (shape.iter().map(|len| *len as u64).collect::<Vec<_>>(), Vec::new());
    halofold_cli::files::npy::write(&mut file, descr, &shape, fortran, data).unwrap();
    file
}

/// NumPy's name of an element type.
pub fn dtype(element: Element) -> String {
    format!("{}{}", &element.name()[..1], element.size())
}

/// A number as an element of a NumPy type, little end first.
pub fn encode(kind: &str, value: f64) -> Vec<u8> {
    match kind {
        "f2" => f16::from_f64(value).to_le_bytes().to_vec(),
        "f4" => (value as f32).to_le_bytes().to_vec(),
        "f8" => value.to_le_bytes().to_vec(),
        integer => (value as i64).to_le_bytes()[..integer[1..].parse().unwrap()].to_vec(),
    }
}
