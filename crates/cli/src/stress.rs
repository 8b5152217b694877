//! `halofold stress`: tests that the last workgroup of a launch always finds the partials of the others.
//!
//! That holds by how GPUs carry out atomic operations, not by any specification (`shaders/shared/partials.wgsl`). So it is tried,
//! millions of times, under conditions that could break it: data that change, partials that are poisoned, caches that are busy with
//! other data. All numbers are integers, and every result is compared with the CPU's.

mod batch;
mod disturbance;
mod elements;
mod kind;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use halofold::reduce::{self, faults};

use crate::count::counts;
use crate::failure::Failure;
use crate::gpu::{AdapterArgs, Gpu};
use crate::output::print;
use crate::stress::batch::{Bench, Counts, JOBS};
use crate::stress::elements::{Elements, Random};
use crate::{progress, table};

/// Elements, words of the ballast, and workgroups that go over it at a time: of a GPU, and of a software adapter.
const SIZES: [(usize, u64, u64); 2] = [(1 << 24, 1 << 24, 4096), (1 << 18, 1 << 20, 64)];

/// Longest duration of a batch: operating systems end a submission that takes seconds.
const BATCH: Duration = Duration::from_millis(100);

/// Batches that run before other reductions are bound.
const REUSES: usize = 16;

/// Wrong results that are shown in full.
const SHOWN: usize = 10;

/// The number of launches in which workgroups combine their partials.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Launches {
    /// In one launch: the last workgroup collects what the others have published.
    #[value(name = "1")]
    One,
    /// In two launches, which are known to be safe: if a miss still occurs, its cause lies elsewhere.
    #[value(name = "2")]
    Two,
}

/// Options of `halofold stress`.
#[derive(clap::Args)]
pub struct StressArgs {
    /// Duration in minutes; parts of a minute are possible.
    #[arg(long, value_name = "N", default_value = "1", value_parser = minutes)]
    minutes: Duration,
    /// Launches of a reduction, 1 or 2. With 2, the finish that does not depend on atomics is tested.
    #[arg(long, value_enum, value_name = "1|2", default_value = "1", hide_possible_values = true)]
    launches: Launches,
    /// Seed of all random choices. By default another one in each run; it is printed.
    #[arg(long, value_name = "NUMBER", value_parser = counts(0, u64::MAX))]
    seed: Option<u64>,
    /// Replace a text in every kernel: faults of the program's own tests.
    #[arg(long, hide = true, num_args = 2)]
    replace: Vec<String>,
    #[command(flatten)]
    adapter: AdapterArgs,
}

fn minutes(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().map(|minutes| 60.0 * minutes).filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| format!("`{text}` is not a number of minutes above 0"))
}

/// Runs the command.
pub fn run(arguments: &StressArgs) -> Result<(), Failure> {
    let gpu = arguments.adapter.open()?;
    let seed = arguments.seed.unwrap_or_else(now);
    let mut random = Random::new(seed);
    let (len, ballast, workgroups) = SIZES[usize::from(gpu.is_software())];
    let elements = Elements::random(len, &mut random);
    let launches = match arguments.launches {
        Launches::One => reduce::Launches::One,
        Launches::Two => reduce::Launches::Two,
    };
    let pairs = arguments.replace.chunks_exact(2);
    faults::insert(pairs.map(|pair| [pair[0].clone(), pair[1].clone()]).collect());
    let (kinds, lacking) = kind::all(&gpu, launches)?;
    let started = Instant::now();
    let (counts, misses, wrong) = gpu.attempt(|| {
        let mut bench = Bench::new(&gpu, &kinds, &elements, (ballast, workgroups))?;
        let misses = until(&mut bench, arguments.minutes, &mut random)?;
        let wrong = if misses.is_empty() { 0 } else { bench.wrong_elements()? };
        Ok((bench.counts, misses, wrong))
    })?;
    let verdict = if misses.is_empty() { ", all right" } else { "" };
    let closing = closing(&gpu, (&counts, verdict), started.elapsed(), (seed, arguments.launches));
    if misses.is_empty() {
        return print(&format!("{}{closing}", left_out(&lacking)));
    }
    print(&format!("{}{closing}", evidence(&misses, wrong)))?;
    Err(Failure::Wrong)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// Runs batches until the time is over or a result is wrong.
fn until(bench: &mut Bench<'_>, limit: Duration, random: &mut Random) -> Result<Vec<String>, Failure> {
    let bar = progress::bar(limit.as_secs());
    let started = Instant::now();
    // As many as a batch has time for.
    let mut count = JOBS / 8;
    for batch in 0.. {
        if batch % REUSES == 0 {
            bench.draw(random)?;
        }
        let before = Instant::now();
        let misses = bench.run(count, random)?;
        if !misses.is_empty() || started.elapsed() >= limit {
            bar.finish_and_clear();
            return Ok(misses);
        }
        count = match before.elapsed() {
            took if took > BATCH => (count / 2).max(1),
            took if took < BATCH / 4 => (2 * count).min(JOBS),
            _ => count,
        };
        bar.set_position(started.elapsed().as_secs());
    }
    unreachable!("batches go on until one ends the run")
}

/// A description of the wrong results.
fn evidence(misses: &[String], wrong_elements: usize) -> String {
    let mut text = format!("{} of the last batch's results wrong:\n", misses.len());
    for miss in misses.iter().take(SHOWN) {
        text += &format!("  {miss}\n");
    }
    if misses.len() > SHOWN {
        text += &format!("  … and {} more\n", misses.len() - SHOWN);
    }
    text += &match wrong_elements {
        0 => "The elements themselves are what they should be.\n".to_owned(),
        wrong => format!("{wrong} of the elements themselves are not what they should be.\n"),
    };
    text
}

/// Operators that did not run.
fn left_out(lacking: &[String]) -> String {
    if lacking.is_empty() {
        return String::new();
    }
    format!("left out, as the adapter lacks a feature: {}\n", lacking.join(", "))
}

/// The last line: counts of the reductions and dispatches that ran.
fn closing(
    gpu: &Gpu,
    (counts, verdict): (&Counts, &str),
    took: Duration,
    (seed, launches): (u64, Launches),
) -> String {
    let Counts { reductions, bytes, changes, presses, poisons } = counts;
    let launches = match launches {
        Launches::One => "one launch",
        Launches::Two => "two launches",
    };
    format!(
        "{reductions} reductions in {launches} each{verdict}, of {} GB, in {:.1} s on {}; between them {changes} changes of the data, {poisons} times \
         poisoned partials, {presses} times other memory traffic; seed {seed}\n",
        table::digits(*bytes as f64 / 1e9),
        took.as_secs_f64(),
        gpu.describe(),
    )
}
