//! Launches of the program, each with a time limit.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The numbers of ranks that everything is tried with.
pub const RANKS: [usize; 5] = [1, 2, 3, 4, 7];

/// Time limit of a launch: seven ranks compile their kernels on two busy cores.
const LIMIT: Duration = Duration::from_secs(120);

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_halofold-mpi");

/// A folder of a test's own, empty.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The outcome of a launch.
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

/// A launch that goes on.
pub struct Launch {
    child: Child,
    start: Instant,
    folder: PathBuf,
}

/// `mpirun` with more ranks than cores, and for root, whom it refuses without these two variables.
pub fn mpirun() -> Command {
    let mut command = Command::new("mpirun");
    // A temporary folder for each: of two that start and end at once, one may find the folder of both gone, then there.
    static LAUNCHES: AtomicUsize = AtomicUsize::new(0);
    let own = folder(&format!("mpirun-{}", LAUNCHES.fetch_add(1, Ordering::Relaxed)));
    command.arg("--oversubscribe").args(["--mca", "orte_tmpdir_base"]).arg(own);
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout == b"0\n" {
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command
}

/// Launches `ranks` ranks of the program and waits for their end.
pub fn launch(ranks: usize, folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = mpirun();
    command.args(["-n", &ranks.to_string(), PROGRAM]).args(arguments);
    Launch::start(command, folder).end()
}

/// The output of the same, which must succeed.
pub fn printed(ranks: usize, folder: &Path, arguments: &[&str]) -> String {
    let Ended { status, out, err } = launch(ranks, folder, arguments);
    assert!(status.success(), "{ranks} ranks, {arguments:?}: {status}\n{err}");
    out
}

/// A program of this workspace, beside the one that is tested.
pub fn beside(name: &str) -> PathBuf {
    let path = Path::new(PROGRAM).with_file_name(name);
    assert!(path.exists(), "no {}: scripts/test-mpi builds it", path.display());
    path
}

impl Launch {
    /// Starts a command in a folder.
    pub fn start(mut command: Command, folder: &Path) -> Self {
        // Files, so that no full pipe holds it up.
        let file = |name| File::create(folder.join(name)).unwrap();
        command.current_dir(folder).stdout(file("out.txt")).stderr(file("err.txt"));
        let child = command.spawn().expect("mpirun: is Open MPI installed? scripts/test-mpi install");
        Launch { child, start: Instant::now(), folder: folder.to_owned() }
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let read = |name| fs::read_to_string(self.folder.join(name)).unwrap();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Ended { status, out: read("out.txt"), err: read("err.txt") };
            }
            if self.start.elapsed() > LIMIT {
                // Its ranks end with it.
                Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
                self.child.wait().unwrap();
                panic!("it hangs: after {LIMIT:?}\n{}\n{}", read("out.txt"), read("err.txt"));
            }
            sleep(Duration::from_millis(20));
        }
    }
}
