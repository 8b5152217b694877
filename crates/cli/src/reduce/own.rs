//! The request's own operator, in WGSL: its text, and the merger of its states. Only the text says how they combine, so a GPU does it.

use std::fs;
use std::path::{Path, PathBuf};

use halofold::read::Readback;
use halofold::reduce::ladder::{Finish, Rung};
use halofold::reduce::{Arity, Monoid, Numbers, Options, Reducer, Shape, Strategy, Tuning};
use halofold::{Element, Slice, wgpu};

use super::buffers;
use super::dtype;
use super::file::Work;
use super::layout::{Layout, Run};
use super::results::Results;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// A reason to refuse lines along an axis that several pieces share.
pub const SPLIT: &str = "`map` of --wgsl uses its index, which counts along the axis, and a piece holds a part of the axis only: make \
    --piece larger (at most 1073741824 bytes), or leave the index out";

/// A reason to refuse lines along the innermost of several axes that several pieces share.
pub const SPLIT_APART: &str = "along axes that are no neighbours a piece holds all that --wgsl combines along the innermost of them: \
    make --piece larger (at most 1073741824 bytes)";

/// The rung that combines neighbours, so that operators need not commute.
const IN_ORDER: &str = "interleaved-modulo-pair";

/// Bytes of states that wait on the host, from which on they are combined.
const MOST_WAITING: usize = 4 << 20;

/// An operator's text, as the library takes it.
pub struct Own {
    path: PathBuf,
    name: String,
    text: String,
    arity: Arity,
}

impl Own {
    /// Reads the text of an operator over one file or over pairs of two.
    pub fn read(path: &Path, arity: Arity) -> Result<Self, Failure> {
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| Failure::Usage(format!("--wgsl {}: {error}", path.display())))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Own { path: path.to_owned(), name, text, arity })
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The operator over elements of a type.
    pub fn over(&self, element: Element) -> Result<Monoid, Failure> {
        let monoid = Monoid::custom(&self.name, element, self.arity, &self.text);
        let refused = |why: String| Failure::Usage(format!("{}: {why}", self.path.display()));
        let monoid = monoid.map_err(|error| refused(error.to_string()))?;
        if monoid.parameters_size().is_some() {
            return Err(refused(
                "parameters come from an application: write their values as constants".to_owned(),
            ));
        }
        Ok(monoid)
    }

    /// Checks that the text goes with a file, and its results with an array of them.
    pub fn check(&self, work: &Work, is_stored: bool) -> Result<(), Failure> {
        let monoid = self.over(work.stored.element())?;
        let len = match &work.layout {
            Layout::Whole => work.len.unwrap_or(0),
            Layout::Axis(axis) => axis.elements(),
        };
        if monoid.reads_index() && matches!(&work.layout, Layout::Axis(axis) if axis.is_apart()) {
            return Err(Failure::usage(
                "`map` of --wgsl uses its index, which counts along one axis, or along neighbours: name one, or leave the index out",
            ));
        }
        check_count(&monoid, len)?;
        if is_stored && monoid.out_elements().is_none_or(|numbers| numbers.len() != 1) {
            let (name, gives) = (&self.name, monoid.out_type());
            return Err(Failure::Usage(format!("-o holds a number for each result: `{name}` gives {gives}")));
        }
        Ok(())
    }
}

/// Checks that 32 bits count the elements of a result, where the text counts them.
pub fn check_count(monoid: &Monoid, n: u64) -> Result<(), Failure> {
    if n <= u64::from(u32::MAX) || !monoid.reads_index() && !monoid.reads_count() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "`{}` uses the index of elements or their number, which have 32 bits: at most 4294967295 make a result",
        monoid.name()
    )))
}

/// Options that reduce whole inputs in the order of their elements.
pub fn in_order(monoid: &Monoid, gpu: &Gpu) -> Options<'static> {
    let rung = Rung::named(IN_ORDER).expect("the ladder has it; another would take another order");
    let tuning = Tuning::of(rung.kernel, &gpu.device.limits(), 0);
    // Two accumulators an invocation, of at most 128 bytes, fit the 16 KiB of every device.
    let most = if monoid.acc_size() <= 32 { 256 } else { 64 };
    let tuning = tuning.with_workgroup_size(tuning.workgroup_size.min(most));
    Options::default().with_strategy(Strategy::Rung { rung, finish: Finish::Repeat, tuning })
}

/// Merges the states of a file's pieces, in their order, on a GPU.
pub struct OwnMerger<'a> {
    gpu: &'a Gpu,
    /// From states to states.
    combine: Reducer,
    /// From states to results.
    finish: Reducer,
    states: Vec<u8>,
    /// The results that states are of: so many states come one after the other.
    results: u64,
}

impl<'a> OwnMerger<'a> {
    /// Before the first state of an operator over elements of a type.
    pub fn new(own: &Own, element: Element, gpu: &'a Gpu) -> Result<Self, Failure> {
        let monoid = own.over(element)?;
        let options = in_order(&monoid, gpu).with_from_states(true);
        let reducer = |to_states| {
            let options = options.with_to_states(to_states);
            gpu.attempt(|| {
                Reducer::with_options(&gpu.device, monoid.clone(), options).map_err(Failure::usage)
            })
        };
        Ok(OwnMerger {
            gpu,
            combine: reducer(true)?,
            finish: reducer(false)?,
            states: Vec::new(),
            results: 1,
        })
    }

    /// Results before the first one.
    pub fn none_yet(&self, layout: &Layout, is_stored: bool) -> Results {
        let monoid = self.finish.monoid();
        let numbers = monoid.out_elements().unwrap_or_default();
        let dtypes = numbers.into_iter().map(dtype::of).collect();
        Results::named(monoid.name(), dtypes, layout, is_stored)
    }

    /// Adds the states of a piece, given all of its own: one of each result, which the pieces before it may have had a part of.
    pub fn add(&mut self, run: &Run, states: &[u8]) -> Result<(), Failure> {
        self.results = run.results as u64;
        let state = self.finish.monoid().acc_size() as usize;
        let size = run.results * state;
        self.states.extend(&states[run.states.start * state..run.states.end * state]);
        if self.states.len() > MOST_WAITING.max(size) && self.states.len().is_multiple_of(size) {
            self.states = self.merged(&self.combine, 0)?;
            self.states.truncate(size);
        }
        Ok(())
    }

    /// The results that the states make, each of this many elements. The next state is that of others.
    pub fn finish(&mut self, n: u64) -> Result<Vec<Numbers>, Failure> {
        let mut bytes = self.merged(&self.finish, n)?;
        bytes.truncate((self.results * self.finish.monoid().out_size()) as usize);
        self.states.clear();
        self.finish.results(&bytes).map_err(Failure::usage)
    }

    /// The output of a reducer of all states, which stand for `n` elements of each result.
    fn merged(&self, reducer: &Reducer, n: u64) -> Result<Vec<u8>, Failure> {
        let Gpu { device, queue, .. } = self.gpu;
        let size = self.states.len() as u64;
        let shape = match self.results {
            1 => Shape::Whole,
            results => Shape::axis(1, size / reducer.monoid().acc_size() / results, results),
        };
        self.gpu.attempt(|| {
            let input = buffers::input_buffer(self.gpu, size);
            self.gpu.write(&input, &self.states);
            let reduction = reducer.of(Slice::new(&input, 0, size)).shape(shape).element_count(n as u32);
            let plan = reduction.plan().map_err(Failure::usage)?;
            let size = plan.output();
            let output = buffers::output_buffer(self.gpu, size);
            let readback = Readback::new(device, size);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            reduction.prepare(plan, &output).map_err(Failure::usage)?.encode(&mut encoder);
            readback.encode(&mut encoder, &output, 0, size).map_err(Failure::usage)?;
            queue.submit([encoder.finish()]);
            readback.wait(size).map_err(Failure::usage)
        })
    }
}
