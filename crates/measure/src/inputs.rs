//! Warm or cold inputs: timed repetitions may find their input in a cache, or never do.
//!
//! Repeated over one input, a reduction of a few MiB reads a cache, not memory. Cold repetitions read copies of the
//! input in turn, enough that each copy has left the cache before it is read again.
use std::sync::atomic::{AtomicUsize, Ordering};

use halofold::adapter;
use serde::{Deserialize, Serialize};
use wgpu::Device;

/// The least size of all copies together, in bytes. No API gives a cache's size; most GPUs' last level has 128 MiB
/// or less, the largest 256 MiB.
const BEYOND_CACHES: u64 = 512 << 20;

const BEYOND_CACHES_ON_CPU: u64 = 64 << 20;

/// The most copies. Each has its own bindings.
const MOST_COPIES: u64 = 4096;

/// Inputs of the timed repetitions of one piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inputs {
    /// The same input every time; a small one stays in a cache.
    #[default]
    Warm,
    /// Copies of the input in turn, together larger than a cache: each is read from memory.
    Cold,
}

/// An input that is too small for cold repetitions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cold inputs of {bytes} bytes: {most} copies of them would not fill {beyond} MiB, which no cache holds; use {least} bytes or more",
    most = MOST_COPIES,
    beyond = beyond >> 20
)]
pub struct TooSmall {
    bytes: u64,
    beyond: u64,
    least: u64,
}

impl Inputs {
    /// Returns `warm` or `cold`.
    pub const fn name(self) -> &'static str {
        match self {
            Inputs::Warm => "warm",
            Inputs::Cold => "cold",
        }
    }

    /// Returns the number of copies of an input of `bytes` bytes that repetitions read in turn: 1 if it is larger than any cache.
    ///
    /// # Errors
    ///
    /// If thousands of copies would be needed.
    pub fn copies(self, device: &Device, bytes: u64) -> Result<u64, TooSmall> {
        let software = adapter::is_software(&device.adapter_info());
        let beyond = if software { BEYOND_CACHES_ON_CPU } else { BEYOND_CACHES };
        match self {
            Inputs::Warm => Ok(1),
            Inputs::Cold => copies(bytes, beyond),
        }
    }
}

/// Returns the number of copies that are together larger than any cache.
fn copies(bytes: u64, beyond: u64) -> Result<u64, TooSmall> {
    let least = beyond / MOST_COPIES;
    if bytes < least { Err(TooSmall { bytes, beyond, least }) } else { Ok(beyond.div_ceil(bytes)) }
}

/// Items that take turns, in a cycle.
///
/// The cycle continues from one compute pass to the next: a pass of a single repetition gets another item than the pass before.
#[derive(Debug)]
pub struct Rotation<T> {
    things: Vec<T>,
    turn: AtomicUsize,
}

impl<T> Rotation<T> {
    /// Makes a cycle that starts with the first item; `None` without items.
    pub fn new(things: Vec<T>) -> Option<Self> {
        (!things.is_empty()).then(|| Rotation { things, turn: AtomicUsize::new(0) })
    }

    /// Returns the next item and advances.
    pub fn next(&self) -> &T {
        &self.things[self.turn.fetch_add(1, Ordering::Relaxed) % self.things.len()]
    }

    /// Returns all items.
    pub fn all(&self) -> &[T] {
        &self.things
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_fill_what_lies_beyond_caches() {
        let beyond = BEYOND_CACHES;
        for bytes in [beyond / MOST_COPIES, 1 << 20, 3 << 20, beyond - 4, beyond, 3 * beyond] {
            let copies = copies(bytes, beyond).unwrap();
            assert!(copies * bytes >= beyond && copies <= MOST_COPIES, "{copies} of {bytes}");
            assert!((copies - 1) * bytes < beyond, "no more than needed: {copies} of {bytes}");
        }
    }
}
