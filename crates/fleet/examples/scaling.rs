//! Measures steps of a grid on all GPUs of the machine together, on the first one, and on the first one at the height of its part.
//!
//! ```text
//! cargo run --release -p halofold-fleet --example scaling -- 16384x16384 5 fixed 0 96 192
//! ```
//!
//! After the grid come the points of the stencil, the border, and the depths of halos that are tried: 0 is the formula's. `--example scaling --
//! 1x2x3 …` is a grid of planes. Times are of the fastest of five runs of half a second and more, after a second in which clocks climb.
//! Strong efficiency is the time of one GPU with the whole by that of all and their number, weak efficiency the time of one with its part by
//! that of all. Each grid is held, bit for bit, against that of one GPU.

use std::error::Error;
use std::time::{Duration, Instant};

use halofold::stencil::{Border, Borders, Config, Grid, Stencil};
use halofold::{Element, adapter, wgpu};
use halofold_fleet::{FleetError, Member, Team, in_memory, kernel_of_parts};

/// Steps after which grids are compared.
const CHECKED: u32 = 500;

const WARM: Duration = Duration::from_secs(1);
const RUNS: u32 = 5;
const RUN: Duration = Duration::from_millis(500);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [grid, points, border, halos @ ..] = &arguments[..] else {
        return Err("scaling GRID POINTS BORDER HALO…".into());
    };
    let (grid, border): (Grid, Border) = (grid.parse()?, border.parse()?);
    let stencil: &'static Stencil = points.parse()?;
    let config = Config::fastest(stencil, Element::F32, grid).with_borders(Borders::all(border));

    let adapters = pollster::block_on(adapter::list());
    let infos: Vec<_> = adapters.iter().map(wgpu::Adapter::get_info).collect();
    let mut members = Vec::new();
    for nth in adapter::distinct(&infos) {
        let (device, queue) = pollster::block_on(adapter::open(&adapters[nth]))?;
        println!("{nth}: {}", infos[nth].name);
        members.push(Member { device, queue });
    }
    let number = |at: u32| (at.wrapping_mul(2_654_435_769) >> 8) as f32 / (1 << 24) as f32;
    let cells: Vec<u8> = (0..grid.cells() as u32).flat_map(|at| number(at).to_le_bytes()).collect();

    let kernel = kernel_of_parts(config, &members[0].device);
    let part = kernel.with_layers(kernel.layers() / members.len() as u32);
    let (weak, _) = measure(&members[..1], part, &cells, None)?;
    println!("one GPU, its part: {weak:.2} µs a step");
    let whole = measure(&members[..1], kernel, &cells, None);
    match &whole {
        Ok((us, _)) => println!("one GPU, the whole: {us:.2} µs a step"),
        Err(error) => println!("one GPU, the whole: {error}"),
    }
    for halo in halos {
        let halo = Some(halo.parse()?).filter(|halo| *halo > 0);
        let (us, after) = measure(&members, kernel, &cells, halo)?;
        print!(
            "all, {}: {us:.2} µs a step, weak {:.3}",
            halo.map_or("formula".to_owned(), |h| h.to_string()),
            weak / us
        );
        if let Ok((alone, expected)) = &whole {
            let same = if after == *expected { "the bits of one GPU" } else { "OTHER BITS" };
            print!(", strong {:.3}, {same}", alone / us / members.len() as f64);
        }
        println!();
    }
    Ok(())
}

/// Microseconds a step, and the grid after some steps.
fn measure(
    members: &[Member],
    config: Config,
    cells: &[u8],
    halo: Option<u32>,
) -> Result<(f64, Vec<u8>), FleetError> {
    let mut team = Team::new(members, config, config.stencil.usual, (&in_memory(cells), None), halo)?;
    team.advance(CHECKED)?;
    let mut after = Vec::new();
    team.read(0..config.bytes(), |piece| {
        after.extend_from_slice(piece);
        Ok(())
    })?;
    eprintln!("halo {}, {}", team.halo(), team.workers()[0].stencil().variant.name);
    // Whole rounds, as in a long run.
    let mut run = |least: Duration| -> Result<f64, FleetError> {
        let (start, mut steps) = (Instant::now(), 0);
        while start.elapsed() < least {
            team.advance(16 * team.halo())?;
            steps += 16 * team.halo();
        }
        team.finish()?;
        Ok(start.elapsed().as_secs_f64() * 1e6 / f64::from(steps))
    };
    run(WARM)?;
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        best = best.min(run(RUN)?);
    }
    Ok((best, after))
}
