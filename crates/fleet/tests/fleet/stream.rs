//! Grids from file to file: for all borders, slabs and interruptions, the bits are those of the grid as a whole.

mod lost;

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use halofold::Element;
use halofold::stencil::{BOXES, Border, Borders, Config, Dims, Grid, STENCILS, Weights};
use halofold_fleet::Member;
use halofold_fleet::stream::{
    Bounds, Cells, Identity, Run, RunFiles, SlabSizes, StreamError, StreamOptions, layer_seconds,
};
use proptest::prelude::*;

use crate::devices::{any_stencil, cells, members, single, whole};

const WEIGHTS: Weights = Weights::new(&[0.231, 0.0973, 0.0153, 0.0007]);

/// Cells in memory, which cannot be read any more after some reads.
struct Memory<'a> {
    cells: &'a [u8],
    reads: AtomicU32,
}

impl<'a> Memory<'a> {
    fn new(cells: &'a [u8], reads: u32) -> Self {
        Memory { cells, reads: reads.into() }
    }
}

impl Cells for Memory<'_> {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<u64, StreamError> {
        let left = |reads: u32| reads.checked_sub(1);
        if self.reads.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_err() {
            return Err(StreamError::Input(Box::new(io::Error::other("the input is gone"))));
        }
        into.copy_from_slice(&self.cells[offset as usize..][..into.len()]);
        Ok(into.len() as u64)
    }
}

/// The grid, stopped after this many slabs and resumed, as often as that takes.
fn streamed(config: Config, cells: &[u8], steps: u32, sizes: SlabSizes, stop_after: u32) -> Vec<u8> {
    let Member { device, queue } = &members(1)[0];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result");
    let bounds = Bounds::new(&config, steps, 1 << 30, &device.limits());
    for nth in 0.. {
        let files = RunFiles::new(path.clone(), b"header".to_vec());
        let identity = Identity::default().with("grid", config.grid.to_string());
        let run = Run::open(files, identity, bounds, sizes, nth > 0).unwrap();
        let input = Memory::new(cells, u32::MAX);
        let (stop, mut slabs) = (AtomicBool::new(false), 0);
        let options = StreamOptions::new((device, queue), config, WEIGHTS, &input)
            .with_checkpoints(Duration::MAX)
            .with_stop(&stop);
        let done = run.steps(options, |_| {
            slabs += 1;
            stop.store(slabs == stop_after, Ordering::Relaxed);
        });
        match done {
            Err(StreamError::Stopped { .. }) => assert!(slabs >= stop_after && nth < 1000),
            done => {
                done.unwrap();
                run.finish().unwrap();
                break;
            }
        }
    }
    let result = fs::read(path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(&result[..6], b"header");
    result[6..].to_vec()
}

fn sides() -> impl Strategy<Value = (Border, Border)> {
    const KINDS: [Border; 4] = [Border::Fixed, Border::Reflect, Border::Mirror, Border::Constant(0.7)];
    let side = || prop::sample::select(&KINDS[..]);
    prop_oneof![3 => (side(), side()), 1 => Just((Border::Wrap, Border::Wrap))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn any_grid_in_any_slabs(
        stencil in 0..STENCILS.len() + BOXES.len(),
        layers in 1u32..60,
        side in 3u32..20,
        borders in (sides(), sides(), sides()),
        (height, depth) in (1u32..40, 1u32..8),
        (steps, stop_after) in (0u32..12, 1u32..9),
    ) {
        let stencil = any_stencil(stencil);
        let grid = match stencil.dims {
            Dims::Two => Grid::plane(layers, 3 * side),
            _ => Grid { planes: layers, rows: side, cols: 2 * side },
        };
        let ((west, east), (north, south), (near, far)) = borders;
        let borders = Borders { west, east, north, south, near, far };
        let config = single(stencil, Element::F32, grid, borders);
        let cells = cells(&config, 1);
        let sizes = SlabSizes::default().with_height(height).with_depth(depth);
        let bounds = Bounds::new(&config, steps, 1 << 30, &members(1)[0].device.limits());
        // Slabs that are lower than their halos are refused.
        prop_assume!(halofold_fleet::stream::Schedule::new(bounds, sizes).is_ok());
        let expected = whole(config, WEIGHTS, &cells, None, steps);
        prop_assert!(streamed(config, &cells, steps, sizes, stop_after) == expected, "{config:?} {sizes:?}");
    }
}

#[test]
fn a_step_of_a_layer_takes_time_on_any_grid() {
    for (stencil, layers) in [(0, 1), (0, 300), (STENCILS.len() - 1, 5)] {
        let stencil = any_stencil(stencil);
        let grid = match stencil.dims {
            Dims::Two => Grid::plane(layers, 40),
            _ => Grid { planes: layers, rows: 6, cols: 8 },
        };
        let config = single(stencil, Element::F32, grid, Borders::all(Border::Wrap)).with_rhs();
        let seconds = layer_seconds(&members(1)[0], config, WEIGHTS).unwrap();
        assert!(seconds > 0.0 && seconds < 1.0, "{seconds}");
    }
}

#[test]
fn an_input_that_fails_at_once_leaves_nothing_and_later_a_checkpoint() {
    let Member { device, queue } = &members(1)[0];
    let stencil = STENCILS[0];
    let config = Config::new(stencil, stencil.fastest_step(), Element::F32, Grid::plane(40, 16));
    let cells = cells(&config, 1);
    let folder = tempfile::tempdir().unwrap();
    let bounds = Bounds::new(&config, 4, 1 << 30, &device.limits());
    for (reads, left) in [(0, 0), (5, 2)] {
        let files = RunFiles::new(folder.path().join("result"), Vec::new());
        let run = Run::open(
            files,
            Identity::default(),
            bounds,
            SlabSizes::default().with_height(5).with_depth(2),
            false,
        )
        .unwrap();
        let input = Memory::new(&cells, reads);
        let done = run.steps(StreamOptions::new((device, queue), config, WEIGHTS, &input), |_| {});
        assert!(matches!(done, Err(StreamError::Input(_))), "{done:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), left, "after {reads} reads");
    }
}
