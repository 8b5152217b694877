//! How fast this GPU steps a grid with every stencil variant, beside a plain copy.
//!
//! `cargo run --release --example stencil_speed` takes 8192 × 8192 cells in 2D and 256 × 512 × 512 in 3D, as the thesis does
//! (1024 × 1024 and 32 × 128 × 128 on a software adapter), and prints the best first. Behind `--`, names of variants take only
//! those, `--unchecked` leaves out the checks that wgpu adds to shaders, `--usual` keeps to the knobs that halofold uses,
//! `--rhs` adds a right-hand side, and `--own-centre` gives the centre a weight of its own. The share of a copy is that of the
//! bytes a step has to move: read once, written once, a right-hand side read once.

use halofold::stencil::{Block, Config, Dims, Grid, Grids, Jacobi, Mapping, Options, STENCILS, Tuning};
use halofold::{Element, adapter, wgpu};
use halofold_measure::{Budget, Timer, peak};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let adapter = pollster::block_on(adapter::preferred(false)).ok_or("no adapter")?;
    let (device, queue) = pollster::block_on(adapter::open(&adapter))?;
    let timer = Timer::new(&device, &queue);
    let budget = Budget { samples: 15, ..Budget::of(&device) };
    let peak = peak(&timer, budget)?;
    let software = adapter::is_software(&adapter.get_info());
    let (options, names): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let [unchecked, usual, rhs, own_centre] = ["--unchecked", "--usual", "--rhs", "--own-centre"]
        .map(|name| options.iter().any(|option| option == name));
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    println!("{}: copy peak {:.0} GB/s", adapter.get_info().name, peak.copy_gb_per_s);
    for &stencil in STENCILS {
        let grid = match (stencil.dims, software) {
            (Dims::Two, false) => Grid::plane(8192, 8192),
            (Dims::Two, true) => Grid::plane(1024, 1024),
            (_, false) => Grid { planes: 256, rows: 512, cols: 512 },
            (_, true) => Grid { planes: 32, rows: 128, cols: 128 },
        };
        let [first, second, added] = [0, 1, 2].map(|_| noise(&device, &queue, grid.cells()));
        let grids = Grids::new(&first, &second);
        let grids = if rhs { grids.with_rhs(&added) } else { grids };
        let mut weights = stencil.usual;
        if own_centre {
            weights.0[0] *= 0.5;
        }
        let mut times = Vec::new();
        for variant in stencil.variants().filter(|variant| wanted(variant.name)) {
            let own = Tuning::of(variant);
            for tuning in if usual { vec![own] } else { tunings(variant.mapping, own) } {
                let config = Config::new(stencil, variant, Element::F32, grid).with_tuning(tuning);
                let config = if rhs { config.with_rhs() } else { config };
                let jacobi = if unchecked {
                    // SAFETY: halofold's kernels stay inside of the grid; the tests run them with checks on every adapter.
                    unsafe { Jacobi::unchecked(&device, config, weights, Options::default()) }
                } else {
                    Jacobi::new(&device, config, weights)
                };
                let Ok(jacobi) = jacobi else { continue };
                let stepper = jacobi.prepare(grids)?;
                let measured = timer.measure(budget, &|pass| stepper.encode_in_pass(pass, 2))?;
                times.push((measured.summary().median / 2.0, variant.name, tuning, config.bytes_moved()));
            }
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        println!("{}, {grid}:", stencil.name);
        for (ms, name, tuning, bytes) in &times {
            let cells = grid.cells() as f64 / 1e6 / ms;
            let share = 100.0 * *bytes as f64 * cells / peak.copy_gb_per_s;
            println!(
                "  {name:16} {:7} planes {:3} rows {:2} strip {}  {:9.3} ms  {cells:7.1} GCell/s  {share:5.1} % of copy",
                tuning.block.to_string(),
                tuning.planes_per_group,
                tuning.rows_per_invocation,
                tuning.strip,
                ms
            );
        }
    }
    Ok(())
}

/// The block shapes of the thesis for its variants, and more knobs for the fast ones.
fn tunings(mapping: Mapping, usual: Tuning) -> Vec<Tuning> {
    let block = |rows, cols| usual.with_block(Block { rows, cols });
    if mapping != Mapping::Strips {
        return vec![block(8, 16), block(8, 32), block(16, 16), block(16, 32), block(32, 32)];
    }
    let mut all = Vec::new();
    for tuning in
        [block(4, 32), block(8, 32), block(16, 32), block(2, 64), block(4, 64), block(8, 64), block(2, 128)]
    {
        for (rows_per_invocation, strip) in [(1, 1), (2, 2), (4, 4), (8, 4)] {
            for planes_per_group in [32, 64, 128] {
                let tuning = tuning.with_rows_per_invocation(rows_per_invocation).with_strip(strip);
                all.push(tuning.with_planes_per_group(planes_per_group));
            }
        }
    }
    all
}

/// A grid of values near one; memory full of zeros may be faster than memory with data.
fn noise(device: &wgpu::Device, queue: &wgpu::Queue, cells: u64) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("grid"),
        size: 4 * cells,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let values: Vec<u32> =
        (0..1 << 20).map(|i: u32| (i.wrapping_mul(0x9e37_79b9) >> 9) | 0x3f80_0000).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&values);
    for at in (0..4 * cells).step_by(bytes.len()) {
        queue.write_buffer(&buffer, at, &bytes[..bytes.len().min((4 * cells - at) as usize)]);
    }
    buffer
}
