//! Many different calls, prepared, checked and put into one pass.

use std::error::Error;
use std::time::Duration;

use halofold::read::Readback;
use halofold::reduce::{Accuracy, Op, Options, Plan, Reducer, Scalar, Workspace};
use halofold::{Element, Prepared, Slice, Value, adapter, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Peak, Rejection, Row, Subject, Summary, Timer, Timing};

use crate::common::Machine;
use crate::pool::WORD;
use crate::task::Task;

/// The fewest calls of one pass, unless their outputs would be too large, and the most.
const CALLS: [u64; 2] = [8, 2000];

/// Bytes that the calls of one pass read, if there may be as many.
const READ: u64 = 1 << 30;

/// Bytes of all outputs, at most.
const WRITTEN: u64 = 4 << 30;

/// Bytes of results that are read back at once.
const PIECE: u64 = 64 << 20;

/// Bytes that no cache holds; on a software adapter less, as that takes long enough.
const SWEPT: u64 = 512 << 20;
const SWEPT_ON_CPU: u64 = 4 << 20;

/// Relative tolerance of floats that are not exact.
const NEAR: f64 = 1e-5;

/// One way to call.
#[derive(Clone, Copy)]
pub struct Way {
    /// Its name in rows.
    pub name: &'static str,
    /// Whether calls share one output and one workspace, and wait for one another.
    pub is_chained: bool,
    /// Whether sums do without rounding.
    pub is_exact: bool,
    subgroups: bool,
    checked: bool,
}

impl Way {
    /// Calls without common buffers.
    pub const INDEPENDENT: Way =
        Way { name: "halofold", is_chained: false, is_exact: false, subgroups: true, checked: true };
    /// Independent exact ones.
    pub const EXACT: Way = Way { name: "halofold-exact", is_exact: true, ..Way::INDEPENDENT };
    /// Calls that share one output and one workspace, and wait for one another.
    pub const CHAINED: Way = Way { name: "halofold-chained", is_chained: true, ..Way::INDEPENDENT };
    /// Independent ones whose kernels do without subgroup operations.
    pub const NO_SUBGROUPS: Way = Way { name: "halofold-no-subgroups", subgroups: false, ..Way::INDEPENDENT };
    /// Independent ones whose kernels do without wgpu's checks.
    pub const UNCHECKED: Way = Way { name: "halofold-unchecked", checked: false, ..Way::INDEPENDENT };

    /// Options of a reducer.
    pub fn options(self) -> Options<'static> {
        let accuracy = if self.is_exact { Accuracy::Exact } else { Accuracy::default() };
        let options = Options::default().with_subgroups(self.subgroups).with_accuracy(accuracy);
        // SAFETY: the operators are halofold's own.
        if self.checked { options } else { unsafe { options.unchecked() } }
    }
}

/// Puts one call into a pass.
pub type Call = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

/// Something that is made of right descriptions: an error is one of the bench's.
pub type Made<T> = Result<T, Box<dyn Error>>;

/// The call that records what is bound.
pub fn recorded<P: 'static, E: Error + 'static>(prepared: Result<Prepared<P>, E>) -> Made<Call> {
    let prepared = prepared?;
    Ok(Box::new(move |pass| prepared.encode_in_pass(pass)))
}

/// The buffers of one call.
pub struct Buffers<'a> {
    /// The number of the call.
    pub number: usize,
    /// What it reads.
    pub inputs: &'a [Slice<'a>],
    /// The outputs that are checked.
    pub outputs: &'a [wgpu::Buffer],
    /// The others.
    pub others: &'a [wgpu::Buffer],
    /// The workspace of an operation that has a plan.
    pub workspace: Option<&'a Workspace>,
}

/// Makes a call from its buffers.
type Bind<'a> = Box<dyn Fn(&Buffers<'_>) -> Made<Call> + 'a>;

/// Computes what outputs hold after a call whose inputs repeat some bytes a number of times.
type Results<'a> = Box<dyn Fn(&[&[u8]], u64) -> Vec<Expected> + 'a>;

/// A compiled operation.
pub struct Operation<'a> {
    /// Bytes of each output that is checked.
    pub outputs: Vec<u64>,
    /// Bytes of the others, which chained calls share.
    pub others: Vec<u64>,
    /// The plan of the workspace, which chained calls share.
    pub plan: Option<Plan>,
    /// Whether chained calls add to one output.
    pub adds_up: bool,
    /// Makes a call.
    pub bind: Bind<'a>,
    /// Computes the contents of outputs.
    pub expected: Results<'a>,
}

impl<'a> Operation<'a> {
    /// An operation with outputs of these sizes, and no other buffers.
    pub fn new(
        outputs: &[u64],
        bind: impl Fn(&Buffers<'_>) -> Made<Call> + 'a,
        expected: impl Fn(&[&[u8]], u64) -> Vec<Expected> + 'a,
    ) -> Self {
        let (bind, expected) = (Box::new(bind), Box::new(expected));
        Operation {
            outputs: outputs.to_vec(),
            others: Vec::new(),
            plan: None,
            adds_up: false,
            bind,
            expected,
        }
    }
}

/// The contents of an output.
#[derive(Clone)]
pub enum Expected {
    /// One result, to the last bit, or if `true`, near a value that is no whole number: then additions round.
    One(Op, Element, Scalar, bool),
    /// Bytes, which repeat.
    Bytes(Vec<u8>),
}

impl Expected {
    /// Numbers of 32 bits, which repeat.
    pub fn words<T: bytemuck::NoUninit>(words: &[T]) -> Self {
        Expected::Bytes(bytemuck::cast_slice(words).to_vec())
    }

    /// The result of calls that add to one output.
    fn plus(self, other: Self) -> Self {
        use Scalar::One;
        use Value::F32;
        match (self, other) {
            (Expected::One(op, element, One(F32(a)), rounds), Expected::One(_, _, One(F32(b)), _)) => {
                Expected::One(op, element, One(F32(a + b)), rounds)
            }
            _ => unreachable!("only sums of f32 are added to one output"),
        }
    }

    /// Checks some bytes of the results, from byte `at` on.
    pub fn check(&self, at: u64, got: &[u8]) -> Result<(), String> {
        match self {
            Expected::One(op, element, expected, rounds) => {
                let is_right = |answer: &Scalar| match (answer, expected) {
                    (Scalar::One(got), Scalar::One(exact)) if *rounds && exact.as_f64().fract() != 0.0 => {
                        (got.as_f64() - exact.as_f64()).abs() <= NEAR * exact.as_f64().abs()
                    }
                    _ => answer.same(*expected),
                };
                let answer = op.read(*element, got).first().copied();
                let wrong = || format!("got {answer:?}, expected {expected}");
                answer.filter(is_right).map(|_| ()).ok_or_else(wrong)
            }
            Expected::Bytes(expected) => {
                let from = (at % expected.len() as u64) as usize;
                let (head, tail) = got.split_at(got.len().min(expected.len() - from));
                let is_right = |part: &[u8]| part == &expected[..part.len()];
                if head == &expected[from..][..head.len()] && tail.chunks(expected.len()).all(is_right) {
                    return Ok(());
                }
                let differs = |(got, expected)| got != expected;
                let wrong = got.iter().zip(expected.iter().cycle().skip(from)).position(differs).unwrap_or(0);
                Err(format!("byte {} of the output is wrong", at + wrong as u64))
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
    expected: Vec<(u64, Vec<Expected>)>,
    sweep: &'a Sweep,
    /// Bytes that one of them reads.
    bytes: u64,
}

impl<'a> Calls<'a> {
    /// As many calls of a task as one pass has, in one way.
    pub fn new(device: &wgpu::Device, sweep: &'a Sweep, way: Way, task: &Task<'_>) -> Made<Self> {
        let size = task.bytes / task.inputs.len().max(1) as u64;
        let inputs = |number| task.inputs.iter().map(|pool| pool.input(size, number)).collect::<Vec<_>>();
        let operation = (task.make)(way, &inputs(0))?;
        let written: u64 = operation.outputs.iter().sum();
        let [fewest, most] = CALLS;
        let count = match adapter::is_software(&device.adapter_info()) {
            true => fewest,
            false => (READ / task.bytes).clamp(fewest, most).min(WRITTEN / written).max(1),
        };
        let sets = if way.is_chained { 1 } else { count };
        let buffers = |sizes: &[u64]| sizes.iter().map(|size| output(device, *size)).collect::<Vec<_>>();
        let scratch = || {
            let workspace = operation.plan.as_ref().map(|plan| Workspace::new(device, plan));
            (workspace, buffers(&operation.others))
        };
        let outputs: Vec<_> = (0..sets).map(|_| buffers(&operation.outputs)).collect();
        let mut shared = scratch();
        let mut calls = Vec::new();
        for (outputs, number) in outputs.iter().cycle().zip(0..count) {
            if number > 0 && !way.is_chained {
                shared = scratch();
            }
            let (workspace, inputs) = (shared.0.as_ref(), &inputs(number)[..]);
            let (number, others) = (number as usize, &shared.1[..]);
            calls.push((operation.bind)(&Buffers { number, inputs, outputs, others, workspace })?);
        }
        let expected = |number| {
            let inputs = task.inputs.iter().map(|pool| pool.repeated(size, number));
            let (blocks, times): (Vec<_>, Vec<_>) = inputs.unzip();
            (operation.expected)(&blocks, times.first().copied().unwrap_or(1))
        };
        let is_large = written * sets > PIECE;
        let checked = (0..sets).filter(|at| !is_large || *at == 0 || *at == sets - 1);
        let expected = checked.map(|at| match way.is_chained {
            true if operation.adds_up => {
                (at, (0..count).flat_map(expected).reduce(Expected::plus).into_iter().collect())
            }
            // The last call's results are there.
            true => (at, expected(count - 1)),
            false => (at, expected(at)),
        });
        let expected = expected.collect();
        Ok(Calls { calls, outputs, expected, sweep, bytes: task.bytes })
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
        for output in self.outputs.iter().flatten() {
            encoder.clear_buffer(output, 0, None);
        }
        self.encode_in_pass(&mut encoder.begin_compute_pass(&Default::default()));
        timer.queue().submit([encoder.finish()]);
        for (at, expected) in &self.expected {
            for (output, expected) in self.outputs[*at as usize].iter().zip(expected) {
                check(timer, output, expected)?;
            }
        }
        Ok(())
    }

    /// Times so many passes: of each the share of one call.
    fn time(&self, timer: &Timer, repeats: u64) -> Result<(Duration, Timing), MeasureError> {
        let (mut seconds, mut clock) = (0.0, timer.timing());
        for _ in 0..repeats {
            let (took, timing) = timer.measure_after(&self.sweep.0, &|pass| self.encode_in_pass(pass))?;
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

/// Reads an output, piece by piece.
fn check(timer: &Timer, output: &wgpu::Buffer, expected: &Expected) -> Result<(), MeasureError> {
    let room = PIECE.min(output.size());
    let readback = Readback::new(timer.device(), room);
    for at in (0..output.size()).step_by(room as usize) {
        let length = room.min(output.size() - at);
        let mut encoder = timer.device().create_command_encoder(&Default::default());
        readback.encode(&mut encoder, output, at, length)?;
        timer.queue().submit([encoder.finish()]);
        expected.check(at, &readback.wait(length)?).map_err(Rejection::Wrong)?;
    }
    Ok(())
}

/// Room for results, to be read back.
pub fn output(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold output"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Reads so much memory that it replaces the contents of all caches.
pub struct Sweep(Call);

impl Sweep {
    /// Over memory of its own, which is never written.
    pub fn new(machine: &Machine) -> Self {
        let device = &machine.device;
        let bytes = if adapter::is_software(&machine.info) { SWEPT_ON_CPU } else { SWEPT };
        let memory = output(device, bytes.min(device.limits().max_buffer_size) / WORD * WORD);
        let result = output(device, WORD);
        let or = Op::Or.over(Element::U32).expect("integers have bits");
        let prepared = Reducer::new(device, or).and_then(|reducer| reducer.of(&memory).into(&result));
        Sweep(recorded(prepared).unwrap_or_else(|error| panic!("the sweep: {error}")))
    }
}
