//! Warm or cold inputs: timed repetitions may find their input in a cache, or never do.
//!
//! Repeated over one input, a reduction of a few MiB reads a cache and not memory. Cold repetitions take copies of the
//! input in turn, enough copies that each has left the cache by the time it is read again.
use std::sync::atomic::{AtomicUsize, Ordering};

use halofold::adapter;
use serde::{Deserialize, Serialize};
use wgpu::Device;

/// Bytes that all copies of an input have together, at least. No API gives the size of a cache; most GPUs' last level
/// has 128 MiB or less, the largest 256 MiB.
const BEYOND_CACHES: u64 = 512 << 20;

const BEYOND_CACHES_ON_CPU: u64 = 64 << 20;

/// The most copies: each has bindings of its own.
const MOST_COPIES: u64 = 4096;

/// Inputs of the timed repetitions of one piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inputs {
    /// The same input every time: a small one stays in a cache.
    #[default]
    Warm,
    /// Copies of the input, read in turn and together larger than a cache: every one comes from memory.
    Cold,
}

/// An input too small for cold repetitions.
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
    /// `warm` or `cold`.
    pub const fn name(self) -> &'static str {
        match self {
            Inputs::Warm => "warm",
            Inputs::Cold => "cold",
        }
    }

    /// Number of copies of an input of this many bytes that repetitions read in turn: 1 if one is larger than any cache.
    ///
    /// # Errors
    ///
    /// If it would take thousands of copies.
    pub fn copies(self, device: &Device, bytes: u64) -> Result<u64, TooSmall> {
        let software = adapter::is_software(&device.adapter_info());
        let beyond = if software { BEYOND_CACHES_ON_CPU } else { BEYOND_CACHES };
        match self {
            Inputs::Warm => Ok(1),
            Inputs::Cold => copies(bytes, beyond),
        }
    }
}

/// Number of copies of this many bytes that are together larger than any cache.
fn copies(bytes: u64, beyond: u64) -> Result<u64, TooSmall> {
    let least = beyond / MOST_COPIES;
    if bytes < least { Err(TooSmall { bytes, beyond, least }) } else { Ok(beyond.div_ceil(bytes)) }
}

/// Things that take turns: one after the other, and from the last on to the first.
///
/// The turn goes on from one pass to the next: a pass of a single repetition too gets another one than the pass before.
#[derive(Debug)]
pub struct Rotation<T> {
    things: Vec<T>,
    turn: AtomicUsize,
}

impl<T> Rotation<T> {
    /// Some things, the first of which comes first; `None` if there are none.
    pub fn new(things: Vec<T>) -> Option<Self> {
        (!things.is_empty()).then(|| Rotation { things, turn: AtomicUsize::new(0) })
    }

    /// The thing whose turn it is; the turn passes on.
    pub fn next(&self) -> &T {
        &self.things[self.turn.fetch_add(1, Ordering::Relaxed) % self.things.len()]
    }

    /// All of them.
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
