//! Many different calls, prepared, checked and put into one pass.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::error::Error;
use std::rc::Rc;
use std::time::Duration;

use halofold::read::Readback;
use halofold::reduce::{Accuracy, Op, Options, Reducer, Reduction, Scalar, Workspace};
use halofold::{Bound, Element, Slice, adapter, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Peak, Rejection, Row, Subject, Summary, Timer, Timing};

use crate::common::Machine;
use crate::pool::WORD;
use crate::task::Task;

/// The fewest calls of one pass, unless their outputs would be too large, and the most: powers of two.
const CALLS: [u64; 2] = [8, 2048];

/// Bytes that the calls of one pass read, if there may be as many.
const READ: u64 = 1 << 30;

/// Bytes of all outputs, at most; and of those that are all checked.
const WRITTEN: u64 = 4 << 30;
const CHECKED: u64 = 64 << 20;

/// Relative tolerance of floats that are not exact.
const NEAR: f64 = 1e-5;

/// A way to call: its name in rows.
pub type Way = &'static str;

/// Calls without common buffers; the same whose sums do without rounding, whose kernels do without subgroup operations, or without wgpu's checks.
pub const INDEPENDENT: Way = "halofold";
pub const EXACT: Way = "halofold-exact";
pub const NO_SUBGROUPS: Way = "halofold-no-subgroups";
pub const UNCHECKED: Way = "halofold-unchecked";

/// Calls that share one output and one workspace, and wait for one another.
pub const CHAINED: Way = "halofold-chained";

/// Options of a reducer.
pub fn options(way: Way) -> Options<'static> {
    let options = Options::default();
    match way {
        EXACT => options.with_accuracy(Accuracy::Exact),
        NO_SUBGROUPS => options.with_subgroups(false),
        // SAFETY: the operators are halofold's own.
        UNCHECKED => unsafe { options.unchecked() },
        _ => options,
    }
}

/// Puts one call into a pass.
pub type Call = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

/// Something that is made of right descriptions: an error is one of the bench's.
pub type Made<T> = Result<T, Box<dyn Error>>;

/// The call that records what is bound.
pub fn recorded(prepared: Result<Bound, halofold::Error>) -> Made<Call> {
    let prepared = prepared?;
    Ok(Box::new(move |pass| prepared.encode_in_pass(pass)))
}

/// Makes a call from inputs and outputs.
type Bind<'a> = Box<dyn Fn(&[Slice<'_>], &[wgpu::Buffer]) -> Made<Call> + 'a>;

/// Computes what the first outputs hold after a call whose inputs repeat some bytes a number of times.
type Results<'a> = Box<dyn Fn(&[&[u8]], usize) -> Vec<Expected> + 'a>;

/// A compiled operation: the bytes of each output, what binds it, and its results.
pub struct Operation<'a>(Vec<u64>, Bind<'a>, Results<'a>);

impl<'a> Operation<'a> {
    /// An operation with outputs of these sizes.
    pub fn new(
        outputs: &[u64],
        bind: impl Fn(&[Slice<'_>], &[wgpu::Buffer]) -> Made<Call> + 'a,
        expected: impl Fn(&[&[u8]], usize) -> Vec<Expected> + 'a,
    ) -> Made<Self> {
        Ok(Operation(outputs.to_vec(), Box::new(bind), Box::new(expected)))
    }
}

/// Expected contents by the size of inputs and the address at which they begin in a pool.
pub type Known = RefCell<HashMap<(u64, usize), Rc<Vec<Expected>>>>;

/// The contents of an output.
pub enum Expected {
    /// One result, to the last bit; or near a number that is not whole, if additions round.
    Scalar(Op, Element, Scalar),
    /// The first bytes.
    Bytes(Vec<u8>),
}

impl Expected {
    /// Numbers of 32 bits, which repeat.
    pub fn words<T: bytemuck::Pod>(words: impl IntoIterator<Item = T>, times: usize) -> Self {
        let words: Vec<T> = words.into_iter().collect();
        Expected::Bytes(bytemuck::cast_slice(&words).repeat(times))
    }

    /// Checks the bytes of an output.
    pub fn check(&self, got: &[u8], is_exact: bool) -> Result<(), String> {
        match self {
            Expected::Scalar(op, element, expected) => {
                let answer = op.read(*element, got)[0];
                let numbers = answer.value().zip(expected.value());
                let is_near = numbers.map(|(got, expected)| [got, expected].map(|x| x.as_f64())).is_some_and(
                    |[got, expected]| expected.fract() != 0.0 && (got / expected - 1.0).abs() <= NEAR,
                );
                let is_right = answer.same(*expected) || is_near && !is_exact;
                is_right.then_some(()).ok_or_else(|| format!("got {answer}, expected {expected}"))
            }
            Expected::Bytes(expected) if got.starts_with(expected) => Ok(()),
            Expected::Bytes(expected) => {
                let wrong = got.iter().zip(expected).position(|(got, expected)| got != expected);
                Err(format!("byte {} of the output is wrong", wrong.unwrap_or(got.len().min(expected.len()))))
            }
        }
    }
}

/// Different calls of the same kind, and their expected results.
pub struct Calls<'a> {
    calls: Vec<Call>,
    /// The outputs of each, or of all chained ones.
    outputs: Vec<Vec<wgpu::Buffer>>,
    /// The contents of those that are checked.
    expected: Vec<(u64, Rc<Vec<Expected>>)>,
    way: Way,
    sweep: &'a Call,
    /// Bytes that one of them reads.
    bytes: u64,
}

impl<'a> Calls<'a> {
    /// As many calls of a task as one pass has, in one way.
    pub fn new(device: &wgpu::Device, sweep: &'a Call, way: Way, task: &Task<'_>) -> Made<Self> {
        let size = task.bytes / task.inputs.len().max(1) as u64;
        let Operation(sizes, bind, results) = (task.make)(way)?;
        let written: u64 = sizes.iter().sum();
        let [fewest, most] = CALLS;
        let count = match adapter::is_software(&device.adapter_info()) {
            true => fewest,
            false => (READ / task.bytes).clamp(fewest, most).min(WRITTEN / written).max(1),
        };
        let sets = if way == CHAINED { 1 } else { count };
        let set = |_| sizes.iter().map(|size| storage(device, *size)).collect();
        let outputs: Vec<Vec<_>> = (0..sets).map(set).collect();
        let call = |number| {
            let inputs: Vec<_> = task.inputs.iter().map(|pool| pool.input(size, number)).collect();
            bind(&inputs, &outputs[(number % sets) as usize])
        };
        let calls = (0..count).map(call).collect::<Made<_>>()?;
        // Calls that add up are one over all of their inputs; of others that share an output the results of the last are there.
        let (size, last) =
            if task.adds_up && sets < count { (size * count, 0) } else { (size, count - sets) };
        let expected = |number| {
            let inputs = task.inputs.iter().map(|pool| pool.repeated(size, number));
            let (blocks, times): (Vec<_>, Vec<_>) = inputs.unzip();
            let times = times.first().copied().unwrap_or(1);
            let place = blocks.first().map_or(0, |block| block.as_ptr().addr());
            let mut known = task.known.borrow_mut();
            let compute = || Rc::new(results(&blocks, times));
            Rc::clone(known.entry((size, place)).or_insert_with(compute))
        };
        let is_large = written * sets > CHECKED;
        let checked = (0..sets).filter(|at| !is_large || *at == 0 || *at == sets - 1);
        let expected = checked.map(|at| (at, expected(at + last))).collect();
        Ok(Calls { calls, outputs, expected, way, sweep, bytes: task.bytes })
    }
}

impl Subject for Calls<'_> {
    type Work = LibraryWork;

    fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.calls.iter().for_each(|call| call(pass));
    }

    /// Runs all calls once, over empty outputs, and checks their results; of large ones only those of the first and the last call.
    fn verify(&self, timer: &Timer) -> Result<(), MeasureError> {
        let mut encoder = timer.device().create_command_encoder(&Default::default());
        self.outputs.iter().flatten().for_each(|output| encoder.clear_buffer(output, 0, None));
        self.encode_in_pass(&mut encoder.begin_compute_pass(&Default::default()));
        timer.queue().submit([encoder.finish()]);
        for (at, expected) in &self.expected {
            for (output, expected) in self.outputs[*at as usize].iter().zip(&**expected) {
                let readback = Readback::new(timer.device(), output.size());
                let mut encoder = timer.device().create_command_encoder(&Default::default());
                readback.encode(&mut encoder, output, 0, output.size())?;
                timer.queue().submit([encoder.finish()]);
                let got = readback.wait(output.size())?;
                expected.check(&got, self.way == EXACT).map_err(Rejection::Wrong)?;
            }
        }
        Ok(())
    }

    /// Times so many passes: of each the share of one call.
    fn time(&self, timer: &Timer, repeats: u64) -> Result<(Duration, Timing), MeasureError> {
        let (mut seconds, mut clock) = (0.0, timer.timing());
        for _ in 0..repeats {
            let (took, timing) = timer.measure_after(self.sweep, &|pass| self.encode_in_pass(pass))?;
            seconds += took.as_secs_f64() / self.calls.len() as f64;
            clock = timing;
        }
        Ok((Duration::from_secs_f64(seconds), clock))
    }

    fn fill(&self, row: &mut Row<LibraryWork>, ms: Summary, timing: Timing, peak: Peak) {
        row.set_times(ms, timing);
        row.set_rate(self.bytes, Some(peak.read_gb_per_s));
    }
}

/// The call of a reduction in one way: chained calls share a workspace.
pub fn reduced(
    device: &wgpu::Device,
    way: Way,
    workspace: &OnceCell<Workspace>,
    reduction: Reduction<'_, '_>,
    output: Slice<'_>,
) -> Made<Call> {
    let plan = reduction.plan()?;
    recorded(match way {
        CHAINED => reduction.workspace(workspace.get_or_init(|| Workspace::new(device, &plan))).into(output),
        _ => reduction.into(output),
    })
}

/// Room for elements or results, to be written and read back.
pub fn storage(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold bench"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// The call that reads so much memory, never written, that it replaces the contents of all caches.
pub fn sweep(machine: &Machine) -> Made<Call> {
    let device = &machine.device;
    let mib = if adapter::is_software(&device.adapter_info()) { 4 } else { 512 };
    let memory = storage(device, (mib << 20).min(device.limits().max_buffer_size / WORD * WORD));
    let or = Reducer::new(device, Op::Or.over(Element::U32)?)?;
    recorded(or.of(&memory).into(&storage(device, WORD)))
}
