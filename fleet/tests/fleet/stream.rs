//! A grid from file to file: whatever its borders, its slabs and what stops it, the bits are those of the grid as a whole.

mod lost;

use std::fs;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use halofold::stencil::{Border, Borders, Config, Dims, Grid, Grids, Jacobi, STENCILS, Weights};
use halofold::wgpu::{self, BufferUsages, util::DeviceExt as _};
use halofold::{Element, adapter};
use halofold_fleet::stream::{Bounds, Cells, Identity, Place, Run, Settings, StreamError, Wishes};
use proptest::prelude::*;

const WEIGHTS: Weights = Weights([0.231, 0.0973, 0.0153, 0.0007]);

/// A device of a test's own.
fn open() -> (wgpu::Device, wgpu::Queue) {
    let adapter = pollster::block_on(adapter::preferred(false)).expect("there is an adapter");
    pollster::block_on(adapter::open(&adapter)).expect("the adapter opens")
}

fn gpu() -> &'static (wgpu::Device, wgpu::Queue) {
    static GPU: OnceLock<(wgpu::Device, wgpu::Queue)> = OnceLock::new();
    GPU.get_or_init(open)
}

/// Cells in memory, which cannot be read any more after some reads.
struct Memory<'a> {
    cells: &'a [f32],
    reads: u32,
}

impl Cells for Memory<'_> {
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<u64, StreamError> {
        if self.reads == 0 {
            return Err(StreamError::Input(Box::new(io::Error::other("the input is gone"))));
        }
        self.reads -= 1;
        let bytes: &[u8] = bytemuck::cast_slice(self.cells);
        into.copy_from_slice(&bytes[offset as usize..][..into.len()]);
        Ok(into.len() as u64)
    }
}

fn cells(config: &Config) -> Vec<f32> {
    (0..config.grid.cells()).map(|cell| (cell * 7919 % 1999) as f32 / 1024.0 - 0.9).collect()
}

fn whole(config: Config, cells: &[f32], steps: u32) -> Vec<f32> {
    let (device, queue) = gpu();
    let [first, second] = [0, 1].map(|_| {
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(cells),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
        })
    });
    let jacobi = Jacobi::new(device, config, WEIGHTS).expect("the stencil is possible");
    jacobi.wait(queue, Grids::new(&first, &second), steps).expect("the steps are possible")
}

/// The grid, stopped after so many slabs and resumed, as often as that takes.
fn streamed(config: Config, cells: &[f32], steps: u32, wishes: Wishes, stop_after: u32) -> Vec<f32> {
    let (device, queue) = gpu();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("result");
    let bounds = Bounds::new(&config, steps, 1 << 30, &device.limits());
    for nth in 0.. {
        let place = Place::new(path.clone(), b"header".to_vec());
        let identity = Identity::default().with("grid", config.grid.to_string());
        let run = Run::open(place, identity, bounds, wishes, nth > 0).unwrap();
        let mut input = Memory { cells, reads: u32::MAX };
        let (stop, mut slabs) = (AtomicBool::new(false), 0);
        let settings = Settings::new((device, queue), config, WEIGHTS, &mut input)
            .with_checkpoints(Duration::MAX)
            .with_stop(&stop);
        let done = run.steps(settings, |_| {
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
    bytemuck::pod_collect_to_vec(&result[6..])
}

fn sides() -> impl Strategy<Value = (Border, Border)> {
    let side = || prop_oneof![Just(Border::Fixed), Just(Border::Mirror)];
    prop_oneof![3 => (side(), side()), 1 => Just((Border::Periodic, Border::Periodic))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn any_grid_in_any_slabs(
        stencil in 0..STENCILS.len(),
        layers in 1u32..60,
        side in 3u32..20,
        borders in (sides(), sides(), sides()),
        (height, depth) in (1u32..40, 1u32..8),
        (steps, stop_after) in (0u32..12, 1u32..9),
    ) {
        let stencil = STENCILS[stencil];
        let grid = match stencil.dims {
            Dims::Two => Grid::plane(layers, 3 * side),
            _ => Grid { planes: layers, rows: side, cols: 2 * side },
        };
        let ((west, east), (north, south), (near, far)) = borders;
        let borders = Borders { west, east, north, south, near, far };
        let config = Config::new(stencil, stencil.fastest_step(), Element::F32, grid).with_borders(borders);
        let cells = cells(&config);
        let wishes = Wishes::new(Some(height), Some(depth));
        let bounds = Bounds::new(&config, steps, 1 << 30, &gpu().0.limits());
        // Slabs that are lower than their halos are refused.
        prop_assume!(halofold_fleet::stream::Plan::new(bounds, wishes).is_ok());
        let expected = whole(config, &cells, steps);
        prop_assert!(streamed(config, &cells, steps, wishes, stop_after) == expected, "{config:?} {wishes:?}");
    }
}

#[test]
fn an_input_that_fails_at_once_leaves_nothing_and_later_a_checkpoint() {
    let (device, queue) = gpu();
    let stencil = STENCILS[0];
    let config = Config::new(stencil, stencil.fastest_step(), Element::F32, Grid::plane(40, 16));
    let cells = cells(&config);
    let folder = tempfile::tempdir().unwrap();
    let bounds = Bounds::new(&config, 4, 1 << 30, &device.limits());
    for (reads, files) in [(0, 0), (5, 2)] {
        let place = Place::new(folder.path().join("result"), Vec::new());
        let run =
            Run::open(place, Identity::default(), bounds, Wishes::new(Some(5), Some(2)), false).unwrap();
        let mut input = Memory { cells: &cells, reads };
        let done = run.steps(Settings::new((device, queue), config, WEIGHTS, &mut input), |_| {});
        assert!(matches!(done, Err(StreamError::Input(_))), "{done:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files, "after {reads} reads");
    }
}
