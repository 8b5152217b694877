//! Runs that lose a file or their device: none has a wrong result.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use halofold::Element;
use halofold::stencil::{Config, Grid, STENCILS};
use halofold_fleet::Member;
use halofold_fleet::stream::{Bounds, Identity, Run, RunFiles, SlabSizes, StreamError, StreamOptions};

use super::{Memory, WEIGHTS};
use crate::devices::{cells, members, open, preferred, whole};

/// A run in a folder of its own, in passes of two steps over eight slabs.
struct Small {
    config: Config,
    cells: Vec<u8>,
    folder: tempfile::TempDir,
}

impl Small {
    fn new() -> Self {
        let stencil = STENCILS[0];
        let config = Config::new(stencil, stencil.fastest_step(), Element::F32, Grid::plane(40, 16));
        Small { cells: cells(&config, 1), config, folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.path().join(format!("result{ending}"))
    }

    fn open(&self, resume: bool) -> Run {
        let bounds = Bounds::new(&self.config, 5, 1 << 30, &members(1)[0].device.limits());
        let files = RunFiles::new(self.path(""), b"header".to_vec());
        Run::open(
            files,
            Identity::default(),
            bounds,
            SlabSizes::default().with_height(5).with_depth(2),
            resume,
        )
        .unwrap()
    }

    /// Does the steps, up to this many slabs from now.
    fn steps(&self, run: &Run, slabs: u32) -> Result<(), StreamError> {
        let Member { device, queue } = &members(1)[0];
        let input = Memory::new(&self.cells, u32::MAX);
        let (stop, mut done) = (AtomicBool::new(false), 0);
        let options = StreamOptions::new((device, queue), self.config, WEIGHTS, &input).with_stop(&stop);
        let on = |_| {
            done += 1;
            stop.store(done == slabs, Ordering::Relaxed);
        };
        run.steps(options, on).map(drop)
    }

    /// Stops after this many slabs.
    fn stop(&self, slabs: u32) {
        let stopped = self.steps(&self.open(false), slabs);
        assert!(matches!(stopped, Err(StreamError::Stopped { .. })), "{stopped:?}");
    }

    /// Has the right result, and nothing else.
    fn check(&self) {
        let result = fs::read(self.path("")).unwrap();
        let expected = whole(self.config, WEIGHTS, &self.cells, None, 5);
        assert!(result[..6] == *b"header" && result[6..] == expected);
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 1);
    }
}

/// Stopped in the first or the second pass, whose file then lacks layers that the checkpoint counts.
#[test]
fn a_pass_begins_again_where_its_file_is_gone() {
    let lose = |path: &Path, is_cut: bool| match is_cut {
        true => fs::File::options().write(true).open(path)?.set_len(70),
        false => fs::remove_file(path),
    };
    for (slabs, ending) in [(3, ".halofold-0"), (11, ".halofold-1")] {
        for is_cut in [true, false] {
            let small = Small::new();
            small.stop(slabs);
            assert!(small.open(true).start().slabs > 0);
            lose(&small.path(ending), is_cut).unwrap();
            let run = small.open(true);
            assert_eq!(run.start().slabs, 0);
            small.steps(&run, u32::MAX).unwrap();
            run.finish().unwrap();
            small.check();
        }
    }
}

#[test]
fn a_pass_does_not_begin_without_the_grid_before_it() {
    let small = Small::new();
    small.stop(11);
    let before = small.path(".halofold-0");
    let bytes = fs::read(&before).unwrap();
    fs::write(&before, &bytes[1..]).unwrap();
    let gone = small.steps(&small.open(true), u32::MAX);
    assert!(matches!(&gone, Err(StreamError::Gone { path, .. }) if *path == before), "{gone:?}");
    fs::write(&before, &bytes).unwrap();
    let run = small.open(true);
    small.steps(&run, u32::MAX).unwrap();
    run.finish().unwrap();
    small.check();
}

/// A longer file of another run is in the place of the first grid.
#[test]
fn files_that_were_left_over_do_not_show() {
    let small = Small::new();
    fs::write(small.path(".halofold-0"), vec![7; 10_000]).unwrap();
    fs::write(small.path(".halofold-1"), vec![7; 10_000]).unwrap();
    let run = small.open(false);
    assert!(matches!(Small::new().open(false).finish(), Err(StreamError::NoCheckpoint { .. })));
    small.steps(&run, u32::MAX).unwrap();
    run.finish().unwrap();
    small.check();
}

/// Killed after the last step: before, during and after the last grid takes the result's name.
#[test]
fn an_old_result_is_not_taken_for_the_new_one() {
    for (has_noted, has_renamed) in [(false, false), (true, false), (true, true)] {
        let small = Small::new();
        // As long, with the same header.
        let old = [b"header", &vec![7; 40 * 16 * 4][..]].concat();
        fs::write(small.path(""), &old).unwrap();
        small.steps(&small.open(false), u32::MAX).unwrap();
        let (state, grid) = (small.path(".halofold.json"), small.path(".halofold-0"));
        let bytes = fs::read(&grid).unwrap();
        if !has_noted {
            fs::remove_file(&grid).unwrap();
            let run = small.open(true);
            small.steps(&run, u32::MAX).unwrap();
            let gone = run.finish();
            assert!(matches!(&gone, Err(StreamError::Gone { path, .. }) if *path == grid), "{gone:?}");
            assert!(fs::read(small.path("")).unwrap() == old);
            fs::write(&grid, &bytes).unwrap();
        } else {
            let text = fs::read_to_string(&state).unwrap();
            fs::write(&state, text.replace("\"renaming\": false", "\"renaming\": true")).unwrap();
        }
        if has_renamed {
            // A file of another length is no result, even so.
            fs::write(small.path(""), &bytes[1..]).unwrap();
            fs::remove_file(&grid).unwrap();
            assert!(matches!(small.open(true).finish(), Err(StreamError::Gone { .. })));
            fs::write(small.path(""), &bytes).unwrap();
        }
        let run = small.open(true);
        small.steps(&run, u32::MAX).unwrap();
        run.finish().unwrap();
        small.check();
    }
}

/// Lost before the first slab, and after some in each pass: finished slabs are kept.
#[test]
fn a_lost_device_is_an_error_and_another_one_goes_on() {
    for lost_after in [0, 1, 3, 9, 12] {
        let small = Small::new();
        let Member { device, queue } = open(&preferred());
        if lost_after == 0 {
            device.destroy();
        }
        let run = small.open(false);
        let input = Memory::new(&small.cells, u32::MAX);
        let options = StreamOptions::new((&device, &queue), small.config, WEIGHTS, &input);
        let mut slabs = 0;
        let lost = run.steps(options, |_| {
            slabs += 1;
            if slabs == lost_after {
                device.destroy();
            }
        });
        assert!(matches!(lost, Err(StreamError::Device(_))), "after {lost_after}: {lost:?}");
        let run = small.open(small.path(".halofold.json").exists());
        // All slabs that came back were written, but for one that the writer still had.
        let start = run.start();
        assert!(start.pass * 8 + start.slabs + 2 >= slabs, "{start:?} after {slabs}");
        small.steps(&run, u32::MAX).unwrap();
        run.finish().unwrap();
        small.check();
    }
}
