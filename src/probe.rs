//! A probe of counting in workgroup memory.
//!
//! [Histograms](crate::histogram) and [results by id](crate::group::GroupById) count with atomic additions in workgroup memory. A driver of Arm's counts some of
//! them as too few ([wgpu#8643](https://github.com/gfx-rs/wgpu/issues/8643)). Where that driver names itself, both count in storage, which is slower and takes
//! no such additions. A browser names no driver. There, and wherever you would rather have an answer of the device itself, count known keys once:
//!
//! ```
//! use halofold::histogram::{Histogram, Keys};
//! use halofold::{Compiled, Options, probe};
//!
//! # let Some((device, queue, _)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! let options = Options::default().counting_in_workgroups(probe::run(&device, &queue)?); // in a browser `probe::run_async(…).await?`
//! let counts = Histogram::new(Keys::Numbers, 256);
//! let counts = Compiled::new(&device, counts, &options)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The keys are few, and only additions are looked at: a device that counts them right may be wrong about others. Exact sums, order statistics and
//! results by neighbouring keys add in workgroup memory, too, and have no other way: where the answer is false, do not rely on them.

use wgpu::{Buffer, BufferUsages, Device, Queue};

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::{Compiled, Options, buffers};
use crate::group::{Group, GroupById, Pairs};
use crate::histogram::{Histogram, Keys};

const KEYS: u32 = 1 << 12;
const BINS: u32 = 5;

/// Counts known keys in workgroup memory, waits, and returns true if the counts are right. In a browser only [`run_async`] works.
///
/// # Errors
///
/// The device has too low a limit, or is lost.
pub fn run(device: &Device, queue: &Queue) -> Result<bool, Error> {
    let (histogram, by_id, keys) = compiled(device)?;
    let pairs = Pairs { keys: &keys, values: &keys };
    Ok(are_right(&histogram.of(&keys).run(queue)?, &by_id.of(pairs).run(queue)?))
}

/// Does what [`run`] does without blocking, as [`Request::run_async`](crate::Request::run_async) does.
///
/// # Errors
///
/// See [`run`].
pub fn run_async(device: &Device, queue: &Queue) -> impl Future<Output = Result<bool, Error>> + use<> {
    let begun = compiled(device).map(|(histogram, by_id, keys)| {
        let pairs = Pairs { keys: &keys, values: &keys };
        (histogram.of(&keys).run_async(queue), by_id.of(pairs).run_async(queue))
    });
    async move {
        let (counts, groups) = begun?;
        Ok(are_right(&counts.await?, &groups.await?))
    }
}

/// The two operations, which count in workgroup memory whatever the driver is, and their input.
fn compiled(device: &Device) -> Result<(Compiled<Histogram>, Compiled<GroupById>, Buffer), Error> {
    let options = Options::default().counting_in_workgroups(true);
    let histogram = Histogram::new(Keys::Numbers, BINS);
    let by_id = GroupById::new(Element::U32, BINS).count().sum();
    let keys: Vec<_> = (0..KEYS).map(key).collect();
    let keys = bytemuck::cast_slice(&keys);
    let keys = buffers::filled(device, "halofold::probe", keys, BufferUsages::STORAGE);
    Ok((Compiled::new(device, histogram, &options)?, Compiled::new(device, by_id, &options)?, keys))
}

/// Half of the keys are equal, others lie anywhere.
fn key(at: u32) -> u32 {
    if at < KEYS / 2 { 3 } else { (at.wrapping_mul(0x9e37_79b1) >> 16) % BINS }
}

/// Compares with the numbers of keys, and with their sums.
fn are_right(counts: &[u32], groups: &[Group<u32, u32>]) -> bool {
    let number = |bin| (0..KEYS).filter(|at| key(*at) == bin).count() as u32;
    let numbers: Vec<_> = (0..BINS).map(number).collect();
    let expected = (0..BINS).zip(&numbers).map(|(bin, number)| (Some(*number), Some(bin * number)));
    counts == numbers && groups.iter().map(|group| (group.count, group.sum)).eq(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_too_small_is_found() {
        // Counted by another program.
        let counts = [414, 393, 434, 2435, 420];
        let group = |[count, sum]: [u32; 2]| Group { count: Some(count), sum: Some(sum), ..Group::default() };
        let groups = [[414, 0], [393, 393], [434, 868], [2435, 7305], [420, 1680]].map(group);
        assert!(are_right(&counts, &groups));
        assert!(!are_right(&[1; 5], &groups));
        assert!(!are_right(&counts, &groups[..4]));
    }
}
