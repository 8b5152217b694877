//! The largest or smallest elements of a file that a GPU holds at once.

use halofold::rank::TopK;
use halofold::reduce::Scalar;
use halofold::{Element, Value};

use super::ReduceArgs;
use super::buffers::input_buffer;
use super::check::Check;
use super::file::Work;
use super::layout::{Axis, Layout};
use super::results::Results;
use super::totals::OperatorResults;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// The elements that are found where no number is named.
const USUAL: u32 = 10;

/// The elements that are found in a file.
pub struct Top {
    /// The number of all elements.
    pub n: u64,
    /// The elements in their order, with their places.
    pub found: Vec<(Value, u32)>,
}

/// Finds the elements that a request asks for.
pub fn of(args: &ReduceArgs, work: &Work, gpu: &Gpu) -> Result<Top, Failure> {
    let refused = |why: String| Failure::Usage(format!("{}: {why}", work.path));
    let element = work.stored.element();
    if !matches!(element, Element::U32 | Element::I32 | Element::F32) {
        let name = work.stored;
        return Err(refused(format!(
            "top takes f32 and integers of up to 32 bits, not {name}: convert the array"
        )));
    }
    if work.is_turned() {
        return Err(refused(
            "top counts places in C's order, and the array is in Fortran's: save numpy.ascontiguousarray(array)".to_owned(),
        ));
    }
    let (len, most) = (work.len.unwrap_or(0), gpu.largest(element.size()));
    if len > most {
        return Err(refused(format!(
            "top takes arrays that the GPU holds at once, of {most} elements, and this has {len}: cut it, or take --op quantile"
        )));
    }
    let bytes = work.read_widened(args.bare().as_ref())?;
    let n = bytes.len() as u64 / element.size();
    if n == 0 {
        return Ok(Top { n, found: Vec::new() });
    }
    let found = gpu.attempt(|| {
        let buffer = input_buffer(gpu, bytes.len() as u64);
        gpu.write(&buffer, &bytes);
        let top = TopK::new(element, args.k.unwrap_or(USUAL)).map_err(Failure::usage)?;
        let top = if args.smallest { top.smallest() } else { top };
        let top = top.on(&gpu.device).map_err(|why| refused(why.to_string()))?;
        top.of(&buffer).wait(&gpu.queue).map_err(|why| refused(why.to_string()))
    })?;
    Ok(Top { n, found })
}

impl Top {
    /// The result: an array of places, as of other searches, with the elements that are there.
    pub fn total(&self, args: &ReduceArgs) -> Result<OperatorResults, Failure> {
        let shape = Axis::new(Vec::new(), false, &[self.found.len() as u64], false);
        let (layout, places) = (Layout::Axis(shape), vec![Element::I64.into()]);
        let mut results = Results::named("top", places, &layout, args.output.is_some());
        let answers =
            self.found.iter().map(|(value, index)| Scalar::At { value: *value, index: (*index).into() });
        answers.into_iter().try_for_each(|answer| results.push(Some(answer)))?;
        let check = Check::Unchecked;
        Ok(OperatorResults { op: None, results, gpu_ms: None, check, is_exact: false, skipped: None })
    }
}
