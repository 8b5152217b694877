//! Sums of one array on each GPU: each alone, and all at the same time.

use std::error::Error;
use std::time::Instant;

use halofold::reduce::{Op, Prepared, Reducer};
use halofold::wgpu::{self, BufferUsages, CommandBuffer};
use halofold::{Element, read};
use halofold_fleet::Member;

/// Number of sums of a run: enough to hide the cost of a submission.
const SUMS: u32 = 1024;

/// Prints how long a sum of `len` floats takes, alone and together.
pub fn run(members: &[Member], len: u64, runs: u32) -> Result<(), Box<dyn Error>> {
    let works: Vec<Work<'_>> =
        members.iter().map(|member| Work::new(member, len)).collect::<Result<_, _>>()?;
    let alone: Vec<f64> = works.iter().map(|work| best(runs, &[work])).collect::<Result<_, _>>()?;
    let together = best(runs, &works.iter().collect::<Vec<_>>())?;
    let efficiency = alone.iter().fold(0.0, |most: f64, us| most.max(*us)) / together;
    println!(
        "{{ \"sum\": {len}, \"us_alone\": {alone:.2?}, \"us_together\": {together:.2}, \"efficiency\": {efficiency:.4} }}"
    );
    Ok(())
}

/// A sum on a GPU.
struct Work<'a> {
    member: &'a Member,
    prepared: Prepared,
}

impl<'a> Work<'a> {
    fn new(member: &'a Member, len: u64) -> Result<Self, Box<dyn Error>> {
        let buffer = |size| {
            member.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        let reducer = Reducer::new(&member.device, Op::Sum.over(Element::F32)?)?;
        let prepared = reducer.of(&buffer(len * 4)).into(&buffer(4))?;
        Ok(Work { member, prepared })
    }

    /// Records the sums of a run.
    fn record(&self) -> CommandBuffer {
        let mut encoder =
            self.member.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for _ in 0..SUMS {
            self.prepared.encode_in_pass(&mut pass);
        }
        drop(pass);
        encoder.finish()
    }
}

/// Microseconds a sum, of the fastest run, after one that does not count.
fn best(runs: u32, works: &[&Work<'_>]) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for nth in 0..=runs {
        // Recorded before any GPU starts, so that all run at the same time.
        let recorded: Vec<_> = works.iter().map(|work| work.record()).collect();
        let start = Instant::now();
        let submit = |(work, commands): (&&Work<'_>, CommandBuffer)| work.member.queue.submit([commands]);
        let submitted: Vec<_> = works.iter().zip(recorded).map(submit).collect();
        for (work, index) in works.iter().zip(submitted) {
            read::wait_for(&work.member.device, index)?;
        }
        if nth > 0 {
            best = best.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(best * 1e6 / f64::from(SUMS))
}
