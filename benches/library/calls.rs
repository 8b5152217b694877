//! Many different calls, prepared, checked and put into one pass.

use std::time::Duration;

use halofold::read::Readback;
use halofold::reduce::{Op, Options, Reducer, Reduction, Shape, Workspace};
use halofold::{Element, adapter, wgpu};
use halofold_measure::{MeasureError, Timing};
use wgpu::util::DeviceExt as _;

use crate::cases::{Case, Task};
use crate::common::Machine;
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
    /// What a row calls it.
    pub name: &'static str,
    chained: bool,
    subgroups: bool,
    checked: bool,
}

impl Way {
    /// Calls that have nothing to do with one another.
    pub const INDEPENDENT: Way = Way { name: "halofold", chained: false, subgroups: true, checked: true };
    /// Calls that share one output and one workspace, and wait for one another.
    pub const CHAINED: Way = Way { name: "halofold-chained", chained: true, ..Way::INDEPENDENT };
    /// Independent ones whose kernels do without subgroup operations.
    pub const NO_SUBGROUPS: Way = Way { name: "halofold-no-subgroups", subgroups: false, ..Way::INDEPENDENT };
    /// Independent ones whose kernels do without wgpu's checks.
    pub const UNCHECKED: Way = Way { name: "halofold-unchecked", checked: false, ..Way::INDEPENDENT };

    /// Compiles a case.
    fn compile(self, device: &wgpu::Device, case: &Case) -> Reducer {
        let monoid = case.op.over(case.element).expect("only what is defined is run");
        let options = Options::default().with_subgroups(self.subgroups);
        let reducer = if self.checked {
            Reducer::with_options(device, monoid, options)
        } else {
            // SAFETY: the operators are halofold's own.
            unsafe { Reducer::unchecked(device, monoid, options) }
        };
        reducer.unwrap_or_else(|error| panic!("{}: {error}", case.title()))
    }
}

/// Puts one call into a pass.
pub type Call = Box<dyn Fn(&mut wgpu::ComputePass<'_>)>;

/// Different calls of the same kind.
pub struct Calls(pub Vec<Call>);

/// How many calls there are in a pass, that each read and write so many bytes.
pub fn count(machine: &Machine, read: u64, written: u64) -> u64 {
    if adapter::is_software(&machine.info) {
        return FEWEST;
    }
    (READ / read).clamp(FEWEST, MOST).min(WRITTEN / written).max(1)
}

impl Calls {
    /// The calls of a case in one way, whose results were right.
    pub fn of(machine: &Machine, case: &Case, way: Way, pools: &Pools<'_>) -> Self {
        let Machine { device, queue, .. } = machine;
        let fine = |error: String| -> ! { panic!("{}, {}: {error}", case.title(), way.name) };
        let reducer = way.compile(device, case);
        let shape = case.task.shape(case.n);
        let given = Given::new(device, case, shape);
        let described = |number| {
            let first = reducer.of(pools.first.input(case.n, number)).shape(shape);
            let all = if case.op == Op::Dot { first.and(pools.second.input(case.n, number)) } else { first };
            given.with(all)
        };
        let plan = described(0).plan().unwrap_or_else(|error| fine(error.to_string()));
        let count = count(machine, case.bytes(), plan.output());
        let own = if way.chained { 1 } else { count };
        let outputs: Vec<_> = (0..own).map(|_| output(device, plan.output())).collect();
        let workspaces: Vec<_> = (0..own).map(|_| Workspace::new(device, &plan)).collect();
        let calls = (0..count).map(|number| {
            let at = (number % own) as usize;
            let prepared = described(number).workspace(&workspaces[at]).into(&outputs[at]);
            let prepared = prepared.unwrap_or_else(|error| fine(error.to_string()));
            Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call
        });
        let calls = Calls(calls.collect());
        calls.run(machine);
        // Of calls that share an output the last one's result is there.
        let whose = if way.chained { vec![(count - 1, &outputs[0])] } else { (0..).zip(&outputs).collect() };
        let adds_up = way.chained && case.task == Task::Accumulate;
        let expected = |number| match adds_up {
            true => Expected::of_all(case, pools, count),
            false => Expected::of(case, pools, number),
        };
        verify(device, queue, &whose, plan.output(), expected).unwrap_or_else(|error| fine(error));
        calls
    }

    /// Runs all of them once.
    pub fn run(&self, machine: &Machine) {
        let mut encoder = machine.device.create_command_encoder(&Default::default());
        self.record(&mut encoder.begin_compute_pass(&Default::default()));
        machine.queue.submit([encoder.finish()]);
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for call in &self.0 {
            call(pass);
        }
    }

    /// What so many calls take: of each pass the share of one.
    pub fn time(
        &self,
        machine: &Machine,
        sweep: &Sweep,
        repeats: u64,
    ) -> Result<(Duration, Timing), MeasureError> {
        let (mut seconds, mut clock) = (0.0, machine.timer.timing());
        for _ in 0..repeats {
            let took = machine.timer.measure_after(&|pass| sweep.record(pass), &|pass| self.record(pass));
            let (took, timing) = took?;
            seconds += took.as_secs_f64() / self.0.len() as f64;
            clock = timing;
        }
        Ok((Duration::from_secs_f64(seconds), clock))
    }
}

/// Room for results, to be read back.
pub fn output(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold output"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

/// Holds the results of some calls, `size` bytes each, against what they should be; of large ones only those of the first and
/// the last call.
pub fn verify(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    outputs: &[(u64, &wgpu::Buffer)],
    size: u64,
    expected: impl Fn(u64) -> Expected,
) -> Result<(), String> {
    let large = size * outputs.len() as u64 > PIECE;
    let ends = [&outputs[0], &outputs[outputs.len() - 1]];
    let checked = outputs.iter().filter(|one| !large || ends.iter().any(|end| end.0 == one.0));
    let room = PIECE.min(size);
    let readback = Readback::new(device, room);
    for (number, output) in checked {
        let expected = expected(*number);
        for at in (0..size).step_by(room as usize) {
            let length = room.min(size - at);
            let mut encoder = device.create_command_encoder(&Default::default());
            let copied = readback.encode(&mut encoder, output, at, length);
            copied.map_err(|error| error.to_string())?;
            queue.submit([encoder.finish()]);
            let got = readback.wait(length).map_err(|error| error.to_string())?;
            expected.check(at, &got)?;
        }
    }
    Ok(())
}

/// What a case needs besides inputs: offsets, or a number of elements.
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
            Task::Counted => reduction.first(&self.buffer),
            Task::Offsets(_) | Task::Skewed => reduction.between(&self.buffer),
            _ => reduction,
        }
    }
}

/// Bytes that no cache holds.
const SWEPT: u64 = 512 << 20;

/// Bytes to read on a processor that plays a GPU: little, as that takes long enough.
const SWEPT_ON_CPU: u64 = 4 << 20;

/// Reads so much memory that caches hold nothing else then.
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
