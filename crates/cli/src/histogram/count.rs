//! Counts the elements of a file in bins with the edges of `np.histogram`.
//!
//! Without a range, a reduction finds it first.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Instant;

use halofold::Value;
use halofold::histogram::{Histogram, Keys};
use halofold::reduce::{Accuracy, Op, Scalar};
use halofold::{Compiled, Element, Options};
use halofold_fleet::host::{Lines, convert};
use halofold_measure::significant;
use serde::Serialize;

use super::edges::{Bins, Range};
use crate::count::counts;
use crate::failure::Failure;
use crate::files::{BareArgs, Source};
use crate::gpu::{AdapterArgs, Gpu};
use crate::keys;
use crate::output::ms_since;
use crate::reduce::CHUNK;
use crate::reduce::block::{Block, Inputs};
use crate::reduce::geometry::{Chunk, Geometry};
use crate::reduce::op::widened;
use crate::reduce::parts;
use crate::reduce::states::{self, Kernels};

#[derive(clap::Args)]
pub struct Request {
    /// File: a .npy array, an array of a .npz archive as FILE.npz:NAME, or bare elements with --raw; `-` is standard input.
    pub file: PathBuf,
    /// Number of bins, 1 to 65536.
    #[arg(long, value_name = "N", default_value = "10", value_parser = counts(1u32, 65536), help_heading = "Bins")]
    bins: u32,
    /// Range of all bins: by default from the smallest to the largest element.
    ///
    /// NaN and elements outside are not counted. Each bin includes its lower edge, the last one also its upper edge.
    #[arg(long, value_name = "LOW,HIGH", value_parser = ends_of, allow_hyphen_values = true, help_heading = "Bins")]
    range: Option<[f64; 2]>,
    #[command(flatten)]
    raw: BareArgs,
    #[command(flatten)]
    adapter: AdapterArgs,
}

fn ends_of(text: &str) -> Result<[f64; 2], String> {
    let ends = text.split_once(',');
    let ends = ends.and_then(|(low, high)| Some([low.trim().parse().ok()?, high.trim().parse().ok()?]));
    let [low, high]: [f64; 2] =
        ends.ok_or("write two numbers with a comma between them, like 0,1 or -1e3,1e3")?;
    if !(low.is_finite() && high.is_finite()) {
        return Err("both ends must be finite".to_owned());
    }
    if low > high { Err(format!("{low} is above {high}: name the lower end first")) } else { Ok([low, high]) }
}

/// The counts of a file. The fields, in this order, are the keys in JSON.
#[derive(Debug, Serialize)]
pub struct Counted {
    pub file: String,
    #[serde(rename = "type")]
    pub element: &'static str,
    pub n: u64,
    pub counted: u64,
    pub bins: usize,
    pub range: [f64; 2],
    pub dtype: &'static str,
    /// The edges of the bins, one more than bins.
    pub edges: Vec<f64>,
    pub counts: Vec<u64>,
    /// GPU time of the counts in milliseconds; `None` without timestamps.
    pub gpu_ms: Option<f64>,
    pub wall_ms: f64,
    pub adapter: String,
}

/// Counts the elements of a file in bins. `room` replaces the GPU's largest buffer size, in bytes.
pub fn count(request: &Request, room: Option<u64>) -> Result<Counted, Failure> {
    let source = Source::open(&request.file, request.raw.bare().as_ref()).map_err(Failure::usage)?;
    let gpu = request.adapter.open()?;
    let start = Instant::now();
    let refused = |why: &dyn Display| refusal!("{}: {why}", source.name());
    let geometry = Geometry::new(&source, None, false, source.reverses()).map_err(|why| refused(&why))?;
    let room = room.unwrap_or(gpu.device.limits().max_buffer_size);
    let size = widened(source.element()).size();
    let bytes = source.len() * size;
    let chunk = if bytes <= room { bytes.max(size) } else { room.min(CHUNK) };
    let chunks = geometry.chunks(chunk / size).map_err(|_| {
        refused(&format!("{bytes} bytes in Fortran order have to be in one buffer, and this adapter's hold {room}: save it in C order"))
    })?;
    let mut counter = Counter { source: &source, geometry: &geometry, gpu: &gpu, chunks, block: None };
    let range = match request.range {
        Some(range) => Range::Given(range),
        None => found(&mut counter, refused)?,
    };
    let bins = Bins::new(source.stored(), range, request.bins).map_err(|why| refused(&why))?;
    let (mut counts, mut gpu_ms) = (Vec::new(), Some(0.0));
    if let Some((keys, used)) = bins.keys() {
        (counts, gpu_ms) = counter.counts(&keys, used)?;
    }
    counts.resize(bins.count(), 0);
    Ok(Counted {
        file: request.file.display().to_string(),
        element: source.stored().name(),
        n: source.len(),
        counted: counts.iter().sum(),
        bins: counts.len(),
        range: [bins.edges[0], bins.edges[counts.len()]],
        dtype: bins.dtype,
        edges: bins.edges,
        counts,
        gpu_ms: gpu_ms.map(significant),
        wall_ms: ms_since(start),
        adapter: gpu.info.name.clone(),
    })
}

/// Finds the range from the smallest to the largest element; from 0 to 1 without elements, as NumPy does.
fn found(counter: &mut Counter<'_>, refused: impl Fn(&dyn Display) -> Failure) -> Result<Range, Failure> {
    match counter.ends()? {
        None => Ok(Range::Given([0.0, 1.0])),
        Some(ends) if ends.iter().all(|end| end.as_f64().is_finite()) => Ok(Range::Found(ends)),
        Some([min, max]) => Err(refused(&format!(
            "the elements range from {min} to {max}; give --range LOW,HIGH to leave out NaN and elements outside"
        ))),
    }
}

struct Counter<'a> {
    source: &'a Source,
    geometry: &'a Geometry,
    gpu: &'a Gpu,
    chunks: Vec<Chunk>,
    /// The only chunk, once it is loaded.
    block: Option<Block>,
}

impl Counter<'_> {
    /// Calls `take` with each chunk. A single chunk stays loaded.
    fn each(
        &mut self,
        mut take: impl FnMut(&Gpu, &Block, &Chunk) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for chunk in &self.chunks {
            let block = match self.block.take() {
                Some(block) => block,
                None => self.gpu.attempt(|| self.load(chunk))?,
            };
            take(self.gpu, &block, chunk)?;
            self.block = Some(block).filter(|_| self.chunks.len() == 1);
        }
        Ok(())
    }

    fn load(&self, chunk: &Chunk) -> Result<Block, Failure> {
        let Geometry { dims, order, .. } = self.geometry;
        if self.source.element() != Element::F16 {
            return Inputs::of(self.source, false).load(self.gpu, self.geometry, chunk);
        }
        let halves = self.source.load(dims, chunk.layers.clone(), order).map_err(Failure::usage)?;
        let mut floats = vec![0; 2 * halves.len()];
        convert(Element::F16, &halves, Element::F32, &mut floats);
        Block::of(self.gpu, Element::F32, Lines::uniform(0, 1, chunk.len), vec![floats])
    }

    /// Finds the smallest and the largest element, NaN if there is one; `None` without elements.
    fn ends(&mut self) -> Result<Option<[Value; 2]>, Failure> {
        let element = widened(self.source.element());
        let mut kernels = Kernels::new(self.gpu);
        let parts = parts::of(Op::MinMax, element, Accuracy::Fast);
        let begun = kernels.begin(&[(Op::MinMax, parts)], element.into(), false);
        let mut all = begun.map_err(|failure| match failure {
            Failure::Usage(why) => refusal!("{why}; or name the range with --range LOW,HIGH"),
            failure => failure,
        })?;
        self.each(|_, block, chunk| kernels.add(&mut all, block, chunk.before))?;
        let found = states::finished((Op::MinMax, 0), element.into(), &[&all[0]], 1)?;
        Ok(match found[0] {
            (Some(Scalar::Range { min, max }), _) => Some([min, max]),
            _ => None,
        })
    }

    /// Counts elements by the library's keys, and returns the GPU time.
    fn counts(&mut self, keys: &Keys, bins: u32) -> Result<(Vec<u64>, Option<f64>), Failure> {
        let config = Histogram::new(keys.clone(), bins);
        let config = match keys::key_map(widened(self.source.element())) {
            Some(map) => config.with_map(map),
            None => config,
        };
        let histogram = self.gpu.attempt(|| {
            Compiled::new(&self.gpu.device, config, &Options::default()).map_err(Failure::usage)
        })?;
        let (mut counts, mut gpu_ms) = (vec![0u64; bins as usize], Some(0.0));
        self.each(|gpu, block, _| {
            if block.lines.elements() == 0 {
                return Ok(());
            }
            let output = states::output_buffer(gpu, histogram.operation().output());
            let prepared = histogram.of(block.elements()).bind(&output).map_err(Failure::usage)?;
            let (bytes, ms) =
                gpu.read_results("halofold histogram", &output, |pass| prepared.encode_in_pass(pass))?;
            let more: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += u64::from(more));
            gpu_ms = gpu_ms.zip(ms).map(|(all, ms)| all + ms);
            Ok(())
        })?;
        Ok((counts, gpu_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::floats_on_disk;

    #[test]
    fn chunks_of_a_file_make_the_same_counts() {
        let file = floats_on_disk(&[300, 100], false);
        let request = Request {
            file: file.path().to_owned(),
            bins: 37,
            range: None,
            raw: BareArgs::default(),
            adapter: AdapterArgs::default(),
        };
        let counts = |room| count(&request, Some(room)).unwrap_or_else(|why| panic!("{why}")).counts;
        let whole = counts(1 << 30);
        assert_eq!(whole.iter().sum::<u64>(), 30_000);
        assert_eq!(counts(16_000), whole);
    }
}
