//! The options of streamed runs.

use std::time::Duration;

use crate::count::counts;
use halofold_fleet::stream::SlabSizes;

/// The memory that a streamed run takes where nothing else is said.
const USUAL_MEMORY: u64 = 4 << 30;

/// Seconds between two checkpoints where nothing else is said.
const USUAL_CHECKPOINT: f64 = 30.0;

/// Options of grids that are stepped slab by slab, from file to file.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct StreamArgs {
    /// Step the grid slab by slab, from file to file, as is done with a grid that does not fit the adapter. Beside OUT.npy there must be
    /// room for two grids.
    #[arg(long, conflicts_with = "adapters")]
    stream: bool,
    /// The most memory that buffers of a grid may take, such as 512M or 8Gi. A grid of which two do not fit is streamed, through six
    /// buffers of a slab's size: 4Gi by default.
    #[arg(long, value_name = "BYTES", conflicts_with = "adapters", value_parser = counts(0, u64::MAX))]
    pub memory: Option<u64>,
    /// Layers of a streamed slab: rows in 2D, planes in 3D. By default as many as there is memory for.
    #[arg(long, value_name = "LAYERS", conflicts_with = "adapters", value_parser = counts(1, u32::MAX))]
    slab: Option<u32>,
    /// Steps of each pass over a streamed file. A slab is read with as many more layers on either side. By default at most a
    /// quarter of the layers that a buffer holds, as many as a GPU makes while a slab is written.
    #[arg(long, value_name = "STEPS", conflicts_with = "adapters", value_parser = counts(1, u32::MAX))]
    depth: Option<u32>,
    /// Go on with a streamed run that was interrupted, by the checkpoint beside OUT.npy, to the same bits. The other options must be
    /// those that it began with.
    #[arg(long, conflicts_with = "adapters")]
    pub resume: bool,
    /// Seconds between two checkpoints of a streamed run, which this asks for: 30 by default; 0 is after every slab.
    #[arg(long, value_name = "SECONDS", conflicts_with = "adapters", value_parser = parse_seconds, allow_negative_numbers = true)]
    checkpoint: Option<f64>,
}

impl StreamArgs {
    /// The option that asks for a streamed run, if there is one.
    pub fn asked_by(&self) -> Option<&'static str> {
        let options = [
            (self.stream, "--stream"),
            (self.slab.is_some(), "--slab"),
            (self.depth.is_some(), "--depth"),
            (self.resume, "--resume"),
            (self.checkpoint.is_some(), "--checkpoint"),
        ];
        options.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    /// Bytes that buffers may take in all.
    pub fn memory(&self) -> u64 {
        self.memory.unwrap_or(USUAL_MEMORY)
    }

    /// The time between two checkpoints.
    pub fn checkpoint(&self) -> Duration {
        Duration::from_secs_f64(self.checkpoint.unwrap_or(USUAL_CHECKPOINT))
    }

    /// True if the steps of a pass are still to be chosen.
    pub fn leaves_depth(&self) -> bool {
        self.depth.is_none() && !self.resume
    }

    /// The sizes that are asked for.
    pub fn sizes(&self) -> SlabSizes {
        let sizes = SlabSizes::default();
        let sizes = self.slab.map_or(sizes, |height| sizes.with_height(height));
        self.depth.map_or(sizes, |depth| sizes.with_depth(depth))
    }
}

/// Reads a time.
fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=1e9).contains(seconds));
    seconds.ok_or_else(|| format!("`{text}` is not a time: write a number of seconds from 0 up"))
}
