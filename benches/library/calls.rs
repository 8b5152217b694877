//! Many different calls, prepared, checked and put into one pass.

use std::time::Duration;

use halofold::read::Readback;
use halofold::reduce::{Accuracy, Arity, Op, Options, ReduceError, Reducer, Reduction, Shape, Workspace};
use halofold::{Element, adapter, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Peak, Rejection, Row, Subject, Summary, Timer, Timing};
use wgpu::util::DeviceExt as _;

use crate::cases::{Case, Task};
use crate::common::Machine;
use crate::exact;
use crate::expected::Expected;
use crate::pool::Pools;

/// The most calls of one pass.
const MOST: u64 = 2000;

/// The fewest, unless their outputs would be too large.
const FEWEST: u64 = 8;

/// Bytes that the calls of one pass read, if there may be as many.
const READ: u64 = 1 << 30;

/// Bytes of all outputs, at most.
const WRITTEN: u64 = 4 << 30;

/// Bytes of results that are read back at once.
const PIECE: u64 = 64 << 20;

/// One way to call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Its name in rows.
    pub name: &'static str,
    chained: bool,
    subgroups: bool,
    checked: bool,
    /// Sums without rounding.
    pub exact: bool,
}

impl Way {
    /// Calls without common buffers.
    pub const INDEPENDENT: Way =
        Way { name: "halofold", chained: false, subgroups: true, checked: true, exact: false };
    /// Independent exact ones.
    pub const EXACT: Way = Way { name: "halofold-exact", exact: true, ..Way::INDEPENDENT };
    /// Calls that share one output and one workspace, and wait for one another.
    pub const CHAINED: Way = Way { name: "halofold-chained", chained: true, ..Way::INDEPENDENT };
    /// Independent ones whose kernels do without subgroup operations.
    pub const NO_SUBGROUPS: Way = Way { name: "halofold-no-subgroups", subgroups: false, ..Way::INDEPENDENT };
    /// Independent ones whose kernels do without wgpu's checks.
    pub const UNCHECKED: Way = Way { name: "halofold-unchecked", checked: false, ..Way::INDEPENDENT };

    /// Compiles a case.
    fn compile(self, device: &wgpu::Device, case: &Case) -> Result<Reducer, ReduceError> {
        let monoid = case.op.over(case.element).expect("only what is defined is run");
        let accuracy = if self.exact { Accuracy::Exact } else { Accuracy::default() };
        let options = Options::default().with_subgroups(self.subgroups).with_accuracy(accuracy);
        // SAFETY: the operators are halofold's own.
        let options = if self.checked { options } else { unsafe { options.unchecked() } };
        Reducer::with_options(device, monoid, options)
    }
}

/// Puts one call into a pass.
pub type Call = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

/// Different calls of the same kind, and their expected results.
pub struct Calls<'a> {
    calls: Vec<Call>,
    outputs: Vec<wgpu::Buffer>,
    /// The expected results that are checked, by output.
    expected: Vec<(usize, Expected)>,
    sweep: &'a Sweep,
    /// Bytes that one of them reads.
    bytes: u64,
}

/// Number of calls in a pass, if each reads and writes so many bytes.
fn count(device: &wgpu::Device, read: u64, written: u64) -> u64 {
    if adapter::is_software(&device.adapter_info()) {
        return FEWEST;
    }
    (READ / read).clamp(FEWEST, MOST).min(WRITTEN / written).max(1)
}

impl<'a> Calls<'a> {
    /// The calls of a case in one way.
    pub fn of(
        device: &wgpu::Device,
        sweep: &'a Sweep,
        case: &Case,
        way: Way,
        pools: &Pools<'_>,
    ) -> Result<Self, MeasureError> {
        let reducer = way.compile(device, case)?;
        let shape = case.task.shape(case.n);
        let given = Given::new(device, case, shape);
        let described = |number| {
            let first = reducer.of(pools.first.input(case.n, number)).shape(shape);
            let all = if case.op.arity() == Arity::Two {
                first.with(pools.second.input(case.n, number))
            } else {
                first
            };
            given.with(all)
        };
        let plan = described(0).plan()?;
        let adds_up = way.chained && case.task == Task::Accumulate;
        let expected = |number, count| match (adds_up, way.exact && case.task.results(case.n).is_none()) {
            (true, _) => Expected::of_all(case, pools, count),
            (_, true) => exact::expected(case, pools, number),
            _ => Expected::of(case, pools, number),
        };
        let call = |number, output: &wgpu::Buffer, workspace: &mut Option<Workspace>| {
            let workspace = workspace.get_or_insert_with(|| Workspace::new(device, &plan));
            let prepared = described(number).workspace(workspace).into(output)?;
            Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call)
        };
        Calls::new(device, sweep, way, [case.bytes(), plan.output()], call, expected)
    }

    /// Calls of an operation that writes one output, of `written` bytes: [`Calls::with_outputs`].
    pub fn new<T>(
        device: &wgpu::Device,
        sweep: &'a Sweep,
        way: Way,
        [read, written]: [u64; 2],
        call: impl Fn(u64, &wgpu::Buffer, &mut Option<T>) -> Result<Call, MeasureError>,
        expected: impl Fn(u64, u64) -> Expected,
    ) -> Result<Self, MeasureError> {
        let call =
            |number, outputs: &[wgpu::Buffer], others: &mut Option<T>| call(number, &outputs[0], others);
        let expected = |number, count| vec![expected(number, count)];
        Calls::with_outputs(device, sweep, way, read, &[written], call, expected)
    }

    /// As many calls as read `read` bytes each and write outputs of `written`, in one way. Those that wait for one another share the other
    /// buffers of a call, which it leaves in its last argument.
    pub fn with_outputs<T>(
        device: &wgpu::Device,
        sweep: &'a Sweep,
        way: Way,
        read: u64,
        written: &[u64],
        call: impl Fn(u64, &[wgpu::Buffer], &mut Option<T>) -> Result<Call, MeasureError>,
        expected: impl Fn(u64, u64) -> Vec<Expected>,
    ) -> Result<Self, MeasureError> {
        let of_a_call: u64 = written.iter().sum();
        let count = count(device, read, of_a_call);
        let own = if way.chained { 1 } else { count };
        let outputs: Vec<_> =
            (0..own).flat_map(|_| written.iter().map(|size| output(device, *size))).collect();
        let mut shared = None;
        let calls = outputs.chunks(written.len()).cycle().zip(0..count).map(|(outputs, number)| {
            if !way.chained {
                shared = None;
            }
            call(number, outputs, &mut shared)
        });
        let calls = calls.collect::<Result<_, _>>()?;
        let large = of_a_call * own > PIECE;
        // Of calls that share an output the last one's result is there.
        let checked = (0..own).filter(|at| !large || *at == 0 || *at == own - 1);
        let whose = |at: u64| if way.chained { count - 1 } else { at };
        let expected =
            checked.flat_map(|at| (at as usize * written.len()..).zip(expected(whose(at), count))).collect();
        Ok(Calls { calls, outputs, expected, sweep, bytes: read })
    }

    /// Runs all of them once, over empty outputs.
    fn run(&self, timer: &Timer) {
        let mut encoder = timer.device().create_command_encoder(&Default::default());
        for output in &self.outputs {
            encoder.clear_buffer(output, 0, None);
        }
        self.encode_in_pass(&mut encoder.begin_compute_pass(&Default::default()));
        timer.queue().submit([encoder.finish()]);
    }

    /// Reads an output, piece by piece.
    fn check(&self, timer: &Timer, at: usize, expected: &Expected) -> Result<(), MeasureError> {
        let output = &self.outputs[at];
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
}

impl Subject for Calls<'_> {
    type Work = LibraryWork;

    fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        for call in &self.calls {
            call(pass);
        }
    }

    /// Checks the results of all calls; of large ones only those of the first and the last call.
    fn verify(&self, timer: &Timer) -> Result<(), MeasureError> {
        self.run(timer);
        self.expected.iter().try_for_each(|(at, expected)| self.check(timer, *at, expected))
    }

    /// Times so many passes: of each the share of one call.
    fn time(&self, timer: &Timer, repeats: u64) -> Result<(Duration, Timing), MeasureError> {
        let (mut seconds, mut clock) = (0.0, timer.timing());
        for _ in 0..repeats {
            let took =
                timer.measure_after(&|pass| self.sweep.record(pass), &|pass| self.encode_in_pass(pass));
            let (took, timing) = took?;
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

/// Room for results, to be read back.
pub fn output(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold output"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// A buffer that a case needs besides inputs: offsets, or a number of elements.
struct Given {
    task: Task,
    buffer: wgpu::Buffer,
}

impl Given {
    fn new(device: &wgpu::Device, case: &Case, shape: Shape) -> Self {
        let words = match shape {
            Shape::Offsets { .. } => case.task.offsets(case.n),
            _ => vec![case.n as u32],
        };
        let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("halofold offsets"),
            contents: bytemuck::cast_slice(&words),
            usage: wgpu::BufferUsages::STORAGE,
        });
        Given { task: case.task, buffer }
    }

    fn with<'r, 'b>(&'b self, reduction: Reduction<'r, 'b>) -> Reduction<'r, 'b> {
        match self.task {
            Task::Counted => reduction.count_buffer(&self.buffer),
            Task::Offsets(_) | Task::Skewed => reduction.segment_offsets(&self.buffer),
            _ => reduction,
        }
    }
}

/// Bytes that no cache holds.
const SWEPT: u64 = 512 << 20;

/// Bytes to read on a software adapter: little, as that takes long enough.
const SWEPT_ON_CPU: u64 = 4 << 20;

/// Reads so much memory that it replaces the contents of all caches.
pub struct Sweep(Call);

impl Sweep {
    /// Over memory of its own, which is never written.
    pub fn new(machine: &Machine) -> Self {
        let device = &machine.device;
        let wanted = if adapter::is_software(&machine.info) { SWEPT_ON_CPU } else { SWEPT };
        let len = wanted.min(device.limits().max_buffer_size) / 4;
        let usage = wgpu::BufferUsages::STORAGE;
        let descriptor = |size| wgpu::BufferDescriptor {
            label: Some("halofold sweep"),
            size,
            usage,
            mapped_at_creation: false,
        };
        let (memory, output) =
            (device.create_buffer(&descriptor(4 * len)), device.create_buffer(&descriptor(4)));
        let monoid = Op::Or.over(Element::U32).expect("integers have bits");
        let prepared = Reducer::new(device, monoid).and_then(|reducer| reducer.of(&memory).into(&output));
        let prepared = prepared.unwrap_or_else(|error| panic!("the sweep: {error}"));
        Sweep(Box::new(move |pass| prepared.encode_in_pass(pass)))
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.0(pass);
    }
}
