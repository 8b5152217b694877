//! Measures the speedup of several GPUs that step one grid, over one of them.
//!
//! ```text
//! cargo run --release -p halofold-fleet --example scaling -- --grid 32640x16384 --halo 8,16,32,64
//! ```
//!
//! The grid is stepped by one GPU as a whole, by one GPU at the height of its part, and by all of them together, for each halo that is
//! named (by default the one that is chosen). Weak efficiency is the time of the part by the time of all; strong efficiency is the time of
//! the whole by the time of all and their number. First the grid after some steps is held, bit for bit, against that of one GPU.
//!
//! `--sum 268435456` takes sums of this many floats on each GPU instead, each GPU alone and all at once.
//!
//! `--adapters 0,1` (by default all; `0,0` is one GPU as two devices), `--stencil 27`, `--single` for kernels that make one step per pass,
//! `--periodic`, `--steps 512` of each timed run (one GPU makes whole passes and several make whole rounds, so a few more), `--runs 3` of which the fastest counts: at least so
//! many, and for at least half a second. Before them come a first run, whose time is in the output, too, and long ones, in which clocks climb and the depth of
//! halos is found. The output is JSON.

mod arguments;
mod sums;

use std::error::Error;
use std::time::{Duration, Instant};

use arguments::Arguments;
use halofold::stencil::{Border, Borders, Config, FIVE_POINT, Grid, Grids, Jacobi, Stencil};
use halofold::wgpu::{self, BufferUsages};
use halofold::{Element, adapter};
use halofold_fleet::{Member, Team, TeamOptions, kernel_of_parts};

/// The options of the command line.
struct Options {
    /// Sums of this many floats on each GPU, instead of stencils.
    sum: Option<u64>,
    config: Config,
    adapters: Option<Vec<usize>>,
    halos: Vec<Option<u32>>,
    steps: u32,
    runs: u32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let adapters = pollster::block_on(adapter::list());
    let infos: Vec<_> = adapters.iter().map(wgpu::Adapter::get_info).collect();
    let chosen = options.adapters.clone().unwrap_or_else(|| adapter::distinct(&infos));
    let open = |nth: &usize| -> Result<Member, Box<dyn Error>> {
        let adapter = adapters.get(*nth).ok_or("there is no such adapter")?;
        let (device, queue) = pollster::block_on(adapter::open(adapter))?;
        Ok(Member { device, queue })
    };
    let members: Vec<Member> = chosen.iter().map(open).collect::<Result<_, _>>()?;
    match options.sum {
        Some(len) => sums::run(&members, len, options.runs),
        None => options.run(&members),
    }
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        let lists = ["sum", "grid", "halo", "adapters", "stencil", "steps", "runs"];
        let arguments = Arguments::read(std::env::args().skip(1), &lists, &["single", "periodic"])?;
        let stencil: &'static Stencil = arguments.list("stencil", &[&FIVE_POINT])?[0];
        let grid: Grid = arguments.list("grid", &[Grid::plane(32640, 16384)])?[0];
        let config = if arguments.has("single") {
            Config::new(stencil, stencil.fastest_step(), Element::F32, grid)
        } else {
            Config::fastest(stencil, Element::F32, grid)
        };
        let border = if arguments.has("periodic") { Border::Wrap } else { Border::Fixed };
        let halos: Vec<u32> = arguments.list("halo", &[])?;
        Ok(Options {
            sum: arguments.list("sum", &[])?.first().copied(),
            config: config.with_borders(Borders::all(border)),
            adapters: arguments.has("adapters").then(|| arguments.list("adapters", &[])).transpose()?,
            halos: if halos.is_empty() { vec![None] } else { halos.into_iter().map(Some).collect() },
            steps: arguments.list("steps", &[512])?[0],
            runs: arguments.list("runs", &[3])?[0],
        })
    }

    fn run(&self, members: &[Member]) -> Result<(), Box<dyn Error>> {
        let count = members.len() as u32;
        let cells = cells(self.config.grid);
        let first = &members[0];
        // One GPU may have no room for all.
        let fits = self.config.bytes() <= first.device.limits().max_buffer_size;
        let whole = if fits { Some(self.alone(first, self.config, &cells)?) } else { None };
        // One GPU's part, by the kernel that steps the whole.
        let kernel = kernel_of_parts(self.config, &first.device);
        let part = kernel.with_layers(kernel.layers() / count);
        let part_us = self.alone(first, part, &cells[..part.bytes() as usize])?.us.best;
        println!("{{");
        println!(
            "  \"gpus\": {:?},",
            members.iter().map(|member| member.device.adapter_info().name).collect::<Vec<_>>()
        );
        println!("  \"grid\": \"{}\", \"stencil\": \"{}\",", self.config.grid, self.config.stencil.name);
        println!(
            "  \"us_a_step\": {{ \"one_whole\": {}, \"one_part\": {part_us:.2}, \"one_whole_at_first\": {} }},",
            whole.as_ref().map_or("null".to_owned(), |whole| format!("{:.2}", whole.us.best)),
            whole.as_ref().map_or("null".to_owned(), |whole| format!("{:.2}", whole.us.first))
        );
        println!("  \"together\": [");
        for (nth, halo) in self.halos.iter().enumerate() {
            let options = halo.map_or(TeamOptions::default(), |halo| TeamOptions::default().with_halo(halo));
            let start = Instant::now();
            let mut team =
                Team::new(members, self.config, self.config.stencil.usual, (&cells, None), &options)?;
            let begin = start.elapsed().as_secs_f64() * 1e3;
            team.advance(CHECKED)?;
            let same = match &whole {
                Some(whole) => (team.read(0..self.config.bytes())? == whole.after).to_string(),
                None => "null".to_owned(),
            };
            let Times { first, best: us } = self.times(|times| {
                // Whole rounds, as in a long run.
                let steps = (times * self.steps).next_multiple_of(team.halo());
                team.advance(steps)?;
                team.finish()?;
                Ok(steps)
            })?;
            let strong = whole
                .as_ref()
                .map_or("null".to_owned(), |whole| format!("{:.4}", whole.us.best / us / f64::from(count)));
            let rate = self.config.grid.cells() as f64 / us / 1e3;
            let end = if nth + 1 == self.halos.len() { "" } else { "," };
            println!(
                "    {{ \"used\": {:?}, \"halo\": {}, \"kernel\": \"{}\", \"ms_to_begin\": {begin:.0}, \"us_a_step\": {us:.2}, \"us_at_first\": {first:.2}, \"gcells_per_s\": {rate:.0}, \"weak\": {:.4}, \"strong\": {strong}, \"same_bits\": {same} }}{end}",
                team.used(),
                team.halo(),
                team.workers()[0].stencil().variant.name,
                part_us / us
            );
        }
        println!("  ]\n}}");
        Ok(())
    }

    /// One GPU alone.
    fn alone(&self, member: &Member, config: Config, cells: &[u8]) -> Result<Alone, Box<dyn Error>> {
        let Member { device, queue } = member;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffers = [0, 1].map(|_| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: cells.len() as u64,
                usage,
                mapped_at_creation: false,
            });
            for (nth, piece) in cells.chunks(64 << 20).enumerate() {
                queue.write_buffer(&buffer, (nth as u64) << 26, piece);
                queue.submit([]);
            }
            buffer
        });
        let jacobi = Jacobi::new(device, config, config.stencil.usual)?;
        let grids = Grids::new(&buffers[0], &buffers[1]);
        let after = jacobi.wait::<u32>(queue, grids, CHECKED)?;
        let stepper = jacobi.prepare(grids)?;
        // Whole passes, as one of fewer steps takes nearly as long, and an even number of them, so that the result lies where the grid lay.
        let steps = self.steps.next_multiple_of(2 * jacobi.config().steps_per_pass());
        let us = self.times(|times| {
            for _ in 0..times {
                let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                stepper.encode(&mut encoder, steps);
                let index = queue.submit([encoder.finish()]);
                halofold::read::wait_for(device, index)?;
            }
            Ok(times * steps)
        })?;
        Ok(Alone { us, after: bytemuck::cast_slice(&after).to_vec() })
    }

    /// Times a run, which is so many times as long as a short one and returns its steps: a short one, long ones, and short ones again and again.
    fn times(
        &self,
        mut run: impl FnMut(u32) -> Result<u32, Box<dyn Error>>,
    ) -> Result<Times, Box<dyn Error>> {
        let mut timed = |times: u32| -> Result<f64, Box<dyn Error>> {
            let start = Instant::now();
            let steps = run(times)?;
            Ok(start.elapsed().as_secs_f64() * 1e6 / f64::from(steps))
        };
        let first = timed(1)?;
        let start = Instant::now();
        while start.elapsed() < SETTLED {
            timed(MANY.div_ceil(self.steps.max(1)))?;
        }
        let (mut best, mut runs, start) = (f64::INFINITY, 0, Instant::now());
        while runs < self.runs.max(1) || start.elapsed() < LEAST {
            best = best.min(timed(1)?);
            runs += 1;
        }
        Ok(Times { first, best })
    }
}

/// Microseconds a step.
#[derive(Clone, Copy)]
struct Times {
    /// Of the first run.
    first: f64,
    /// Of the fastest of those after it.
    best: f64,
}

/// The shortest time of long runs, in which clocks climb and the depth of halos is found.
const SETTLED: Duration = Duration::from_millis(1500);

/// The fewest steps of a long run: the search for a depth does not time the first round of a run.
const MANY: u32 = 4096;

/// The shortest time for which runs go on.
const LEAST: Duration = Duration::from_millis(500);

/// Steps before grids are compared.
const CHECKED: u32 = 200;

/// The time and the grid of one GPU alone.
struct Alone {
    us: Times,
    /// The grid after the checked steps.
    after: Vec<u8>,
}

/// Numbers that no sum hits exactly.
fn cells(grid: Grid) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let cells: Vec<f32> = (0..grid.cells()).map(|_| next()).collect();
    bytemuck::cast_slice(&cells).to_vec()
}
