//! Which workgroup size and grid suit this GPU: every combination, for the two fast rungs.
//!
//! `cargo run --release --example tune -- 20 24 28` tries lengths 2^20, 2^24 and 2^28 and prints the best first.

use halofold::Slice;
use halofold::reduce::Op;
use halofold::reduce::ladder::Rung;
use halofold::{Element, adapter, wgpu};
use halofold_measure::{Budget, Job, Timer, Trial};

const WORKGROUPS: [u32; 4] = [128, 256, 512, 1024];
const GRIDS: [u32; 12] = [1, 16, 32, 64, 132, 264, 396, 528, 792, 1056, 2112, 4224];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let powers: Vec<u32> = std::env::args().skip(1).map(|power| power.parse()).collect::<Result<_, _>>()?;
    let powers = if powers.is_empty() { vec![16, 20, 24] } else { powers };
    let adapter = pollster::block_on(adapter::preferred(false)).ok_or("no adapter")?;
    let (device, queue) = pollster::block_on(adapter::open(&adapter))?;
    let timer = Timer::new(&device, &queue);
    println!("{}", adapter.get_info().name);
    for power in powers {
        let len = 1u64 << power;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("elements"),
            size: 4 * len,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        // Memory full of zeros may be faster than memory with data.
        let noise: Vec<u32> =
            (0..1 << 20).map(|i: u32| i.wrapping_mul(0x9e37_79b9) >> 9 | 0x3f80_0000).collect();
        for at in (0..4 * len).step_by(4 << 20) {
            let piece = &bytemuck::cast_slice::<u32, u8>(&noise)[..(4 * len - at).min(4 << 20) as usize];
            queue.write_buffer(&buffer, at, piece);
        }
        for name in ["vectorized", "single-pass"] {
            let mut times = Vec::new();
            for (workgroup_size, max_workgroups) in
                WORKGROUPS.iter().flat_map(|wg| GRIDS.iter().map(move |grid| (*wg, *grid)))
            {
                let rung = Rung::named(name)?;
                let limits = device.limits();
                let mut job = Job::new(rung, Op::Sum, Element::F32, &limits, len).ok_or("f32 has a sum")?;
                (job.tuning.workgroup_size, job.tuning.max_workgroups) = (workgroup_size, max_workgroups);
                if let Some(ms) = time(&device, &timer, job, &buffer, len)? {
                    times.push((ms, workgroup_size, max_workgroups));
                }
            }
            times.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (ms, workgroup_size, max_workgroups) in times.iter().take(8) {
                let gb = 4.0 * len as f64 / 1e6 / ms;
                println!(
                    "2^{power} {name:12} {workgroup_size:5} x {max_workgroups:5}  {:9.2} µs  {gb:7.1} GB/s",
                    ms * 1e3
                );
            }
        }
    }
    Ok(())
}

/// Median milliseconds of one tuning; none where the device does not allow it or the grid is cut short by the length.
fn time(
    device: &wgpu::Device,
    timer: &Timer,
    job: Job,
    buffer: &wgpu::Buffer,
    len: u64,
) -> Result<Option<f64>, Box<dyn std::error::Error>> {
    if job.check(device.features(), &device.limits()).is_err() {
        return Ok(None);
    }
    let trial = Trial::new(device, job, Slice::new(buffer, 0, len * job.element.size()))?;
    if trial.plan().workgroups() < u64::from(job.tuning.max_workgroups) {
        return Ok(None);
    }
    let budget = Budget { samples: 15, ..Budget::of(device) };
    let measured = timer.measure(budget, &|pass| trial.encode_in_pass(pass))?;
    Ok(Some(measured.summary().median))
}
