//! A failure on one rank ends all ranks and names rank and reason. A rank that hangs meets the time limit of launches.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use halofold_mpi::halofold::Element;
use halofold_mpi::halofold::stencil::{Config, FIVE_POINT, Grid};
use halofold_mpi::{Field, GlobalGrid, RankGpu};

use crate::files::{cells, write};
use crate::launch::{Ended, Launch, PROGRAM, folder, launch, mpirun, printed};

#[test]
fn ranks_take_adapters_in_turn() {
    let folder = folder("ranks");
    let lines = printed(3, &folder, &["ranks"]);
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!(lines.len(), 3);
    let adapters = |line: &str| -> usize {
        let (_, count) = line.split_once(" of ").unwrap().1.split_once(" of ").unwrap();
        count.split_once(',').unwrap().0.parse().unwrap()
    };
    let count = adapters(lines[0]);
    for (rank, line) in lines.iter().enumerate() {
        assert!(line.starts_with(&format!("rank {rank} of 3 on ")), "{line}");
        let place = format!(": place {rank} there, adapter {} of {count}, ", rank % count);
        assert!(line.contains(&place), "{line}");
    }
}

#[test]
fn errors_of_all_ranks_are_printed_once() {
    let folder = folder("all");
    let Ended { status, out, err } = launch(3, &folder, &["reduce", "none.npy"]);
    assert!(!status.success() && out.is_empty());
    assert_eq!(err.matches("no such file").count(), 1, "{err}");
    assert!(err.contains("error: rank 0 of 3 on ") && err.contains(": none.npy: no such file"), "{err}");
    let Ended { status, err, .. } = launch(3, &folder, &["reduce"]);
    assert!(!status.success());
    assert_eq!(err.matches("required arguments were not provided").count(), 1, "{err}");
    let Ended { status, err, .. } = launch(2, &folder, &["reduce", "--op", "product", "none.npy"]);
    assert!(!status.success() && err.contains("none.npy: no such file"), "{err}");
}

/// An environment variable that makes this process a rank of one of the next tests.
const IS_RANK: &str = "HALOFOLD_MPI_TEST_IS_RANK";

#[test]
fn a_panic_on_one_rank_ends_all() {
    if std::env::var_os(IS_RANK).is_some() {
        halofold_mpi::run(|ranks| {
            assert_ne!(ranks.rank(), 1, "the second rank panics");
            // The others wait for it.
            ranks.agree(Ok::<_, String>(()));
            Ok::<_, String>(())
        });
        return;
    }
    let err = ended_by_the_second("a_panic_on_one_rank_ends_all");
    assert!(err.contains(": a panic: ") && err.contains("the second rank panics"), "{err}");
}

#[test]
fn a_lost_device_on_one_rank_ends_all() {
    if std::env::var_os(IS_RANK).is_some() {
        halofold_mpi::run(|ranks| {
            let gpu = ranks.agree(RankGpu::open(ranks));
            let part = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(20, 30));
            let grid = ranks.agree(GlobalGrid::new(ranks, &gpu, part));
            let mut field = Field::new(&grid, &gpu, FIVE_POINT.usual, &[0; 20 * 30 * 4], None)?;
            field.steps(3)?;
            if ranks.rank() == 1 {
                gpu.device.destroy();
            }
            // The others wait for its faces.
            field.steps(1000)
        });
        return;
    }
    ended_by_the_second("a_lost_device_on_one_rank_ends_all");
}

/// Runs a test of this file on three ranks, which the second one ends; returns their output.
fn ended_by_the_second(test: &str) -> String {
    let folder = folder(test);
    let mut command = mpirun();
    command.env(IS_RANK, "1").args(["-n", "3"]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("failures::{test}"), "--nocapture"]);
    let Ended { status, err, .. } = Launch::start(command, &folder).end();
    assert!(!status.success(), "{err}");
    assert!(err.contains("error: rank 1 of 3 on ") && !err.contains("error: rank 0"), "{err}");
    err
}

/// Launches three ranks of which the second one is started in another way.
fn odd_one(folder: &Path, arguments: &[&str], odd: &[&str]) -> Ended {
    let mut command = mpirun();
    for (rank, options) in [&[][..], odd, &[]].into_iter().enumerate() {
        if rank > 0 {
            command.arg(":");
        }
        command.args(["-n", "1"]).args(options).arg(PROGRAM).args(arguments);
    }
    Launch::start(command, folder).end()
}

#[test]
fn an_error_of_one_rank_ends_all() {
    let folder = folder("one");
    let other = folder.join("other");
    fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    write(&folder.join("a.npy"), Element::F32, &[2], &[0; 8]);
    let Ended { status, out, err } = odd_one(&folder, &["reduce", "a.npy"], &["-wdir", other]);
    assert!(!status.success() && out.is_empty());
    assert!(err.contains("error: rank 1 of 3 on ") && err.contains(": a.npy: no such file"), "{err}");

    write(&folder.join("other/a.npy"), Element::F32, &[1], &[0; 4]);
    let Ended { status, err, .. } = odd_one(&folder, &["reduce", "a.npy"], &["-wdir", other]);
    assert!(!status.success() && err.contains("a.npy: is not the same file on all ranks"), "{err}");

    // The others wait for it in the reduction.
    let Ended { status, err, .. } = odd_one(&folder, &["reduce", "a.npy"], &["-x", "WGPU_BACKEND=metal"]);
    assert!(!status.success());
    assert!(err.contains("error: rank 1 of 3 on ") && err.contains("no GPU adapter on this node"), "{err}");
}

#[test]
fn a_rank_that_cannot_write_ends_all_and_leaves_what_was_there() {
    let folder = folder("full");
    let shape = [64, 1024];
    write(&folder.join("grid.npy"), Element::F32, &shape, &cells(Element::F32, &shape, 1));
    fs::write(folder.join("out.npy"), "old").unwrap();
    let arguments = "stencil grid.npy --steps 1 -o out.npy --halo 1";
    // 16 KiB, which the second rank's part exceeds.
    let script = format!(
        "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then trap '' XFSZ; ulimit -f 32; fi; exec '{PROGRAM}' {arguments}"
    );
    let mut command = mpirun();
    command.args(["-n", "2", "sh", "-c", &script]);
    let Ended { status, err, .. } = Launch::start(command, &folder).end();
    assert!(!status.success(), "{err}");
    assert!(err.contains("error: rank 1 of 2 on ") && err.contains("-o out.npy: the file exceeds"), "{err}");
    assert_eq!(fs::read_to_string(folder.join("out.npy")).unwrap(), "old");
    let left = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!left.into_iter().any(|name| name.to_string_lossy().ends_with(".part")));
}

/// The processes of the ranks, which write their numbers into files before they begin.
fn ranks_of(folder: &Path, count: usize) -> Vec<u32> {
    let start = Instant::now();
    let number = |rank| fs::read_to_string(folder.join(format!("rank-{rank}"))).ok()?.trim().parse().ok();
    loop {
        let found: Vec<u32> = (0..count).filter_map(number).collect();
        if found.len() == count {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the ranks do not start");
        sleep(Duration::from_millis(20));
    }
}

/// Returns true if there is such a process that has not ended.
fn is_alive(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
}

/// Launches three ranks that would take hours, and kills the second one.
fn killed(folder: &Path, arguments: &str) {
    let mut command = mpirun();
    let script = format!("echo $$ > rank-$OMPI_COMM_WORLD_RANK; exec '{PROGRAM}' {arguments}");
    command.args(["-n", "3", "sh", "-c", &script]);
    let launch = Launch::start(command, folder);
    let ranks = ranks_of(folder, 3);
    sleep(Duration::from_secs(4));
    assert!(ranks.iter().all(|rank| is_alive(*rank)), "{arguments}: they have ended already");
    assert!(Command::new("kill").args(["-KILL", &ranks[1].to_string()]).status().unwrap().success());
    let kill = Instant::now();
    let Ended { status, err, .. } = launch.end();
    assert!(!status.success() && kill.elapsed() < Duration::from_secs(30), "{:?}: {err}", kill.elapsed());
    assert!(err.contains("process rank 1") && err.contains("signal 9"), "{err}");
    // `mpirun` has killed them, and does not wait until the kernel has taken down all of their threads.
    while ranks.iter().any(|rank| is_alive(*rank)) {
        assert!(kill.elapsed() < Duration::from_secs(30), "a rank goes on");
        sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_rank_that_is_killed_while_others_wait_for_its_faces_ends_all() {
    let folder = folder("killed-stencil");
    write(&folder.join("a.npy"), Element::F32, &[30, 30], &vec![0; 3600]);
    killed(&folder, "stencil a.npy --steps 4000000000 --halo 1 -o out.npy");
    assert!(!folder.join("out.npy").exists());
}
