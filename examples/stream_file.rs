//! Reduces a file of any size on a GPU of any size: three pieces of the file are in flight at any time.
//!
//! `cargo run --release --example stream_file -- [--type f32] [--op sum] [--size BYTES] [--piece BYTES]
//! [FILE]`
//!
//! Without a file it first writes one of `--size` bytes with a known result, and fails if the GPU's result
//! differs.
//!
//! A piece goes disk → host memory → staging memory → GPU memory → one result. The host does the first two
//! steps, the GPU the others, and a ring of slots lets them work at the same time:
//!
//! ```text
//! host   fill 0 | fill 1 | fill 2 | wait, fill 0 | wait, fill 1 | …
//! GPU             0: upload, reduce | 1: upload, reduce | 2: upload, reduce | …
//! ```
//!
//! Why separate staging buffers, and not `Queue::write_buffer`? That call makes the same copy, to staging
//! memory that wgpu allocates for each call and frees when the GPU is done with it. Nothing would slow down
//! the host: if the disk is faster than the bus, as it is when the file is cached, the whole file would end
//! up in staging memory. A ring is bounded, because the host waits for its oldest slot. And why not read from
//! the disk directly to a staging buffer? It is mapped write-only: reading it may be slow or forbidden, and
//! `Read::read` does not promise that it never reads its buffer.
//!
//! Each piece leaves one result on the GPU. At the end one readback reads all of them, and the host combines
//! them. Since there are few, it can use a wider type than the GPU's, without another rounding per piece.

use std::fs::File;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use halofold::read::Readback;
use halofold::reduce::{BufferRange, Op, Prepared, Reducer, Shape, Workspace, reference};
use halofold::{Element, Slice, Value, wgpu};

type Error = Box<dyn std::error::Error>;

/// Two slots are enough to overlap. With a third, neither side waits for a short delay of the other.
const SLOTS: usize = 3;

/// A reduction of a file.
#[derive(Clone, Debug)]
pub struct Request {
    /// A file of little-endian elements. Without a file, one is generated, verified and removed.
    pub file: Option<PathBuf>,
    /// The element type.
    pub element: Element,
    /// Sum, minimum or maximum: operators that can combine their own results.
    pub op: Op,
    /// The size of a generated file, in bytes.
    pub size: u64,
    /// The largest size of a piece, in bytes.
    pub piece: u64,
}

impl Default for Request {
    fn default() -> Self {
        Request { file: None, element: Element::F32, op: Op::Sum, size: 256 << 20, piece: 16 << 20 }
    }
}

/// The result and the times.
#[derive(Clone, Debug)]
pub struct Report {
    /// The reduction of the whole file.
    pub value: Value,
    /// Elements of the file.
    pub elements: u64,
    /// The number of pieces.
    pub pieces: usize,
    /// The size of a full piece, in bytes.
    pub piece: u64,
    /// Time the host read from the disk.
    pub reading: Duration,
    /// Time the host copied into staging memory.
    pub staging: Duration,
    /// Time the host spent in wgpu, submitting work.
    pub submitting: Duration,
    /// Time the host waited for the GPU.
    pub waiting: Duration,
    /// Time from the first byte read to the result.
    pub all: Duration,
    /// Time of the upload of one full piece, if nothing else runs.
    pub upload: Duration,
    /// Time of the reduction of one full piece, if nothing else runs.
    pub reduction: Duration,
}

fn main() -> Result<(), Error> {
    let request = request(std::env::args().skip(1))?;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(halofold::adapter::open(&adapter))?;
    let report = run(&device, &queue, &request)?;
    let bytes = report.elements * request.element.size();
    println!("{}", adapter.get_info().name);
    println!(
        "{} of {} elements = {}, in {} pieces",
        request.op, report.elements, report.value, report.pieces
    );
    let rate = |bytes: u64, time: Duration| {
        format!("{:8.2} GB/s", bytes as f64 / 1e9 / time.as_secs_f64().max(1e-9))
    };
    println!("read    {}  disk to host memory", rate(bytes, report.reading));
    println!("stage   {}  host memory to staging memory", rate(bytes, report.staging));
    println!("upload  {}  staging to GPU memory, a piece alone", rate(report.piece, report.upload));
    println!("reduce  {}  a piece alone", rate(report.piece, report.reduction));
    println!("all     {}  overlapped", rate(bytes, report.all));
    let share = |time: Duration| 100.0 * time.as_secs_f64() / report.all.as_secs_f64();
    println!(
        "of its time the host read {:.0} %, staged {:.0} %, submitted {:.0} %, waited {:.0} %",
        share(report.reading),
        share(report.staging),
        share(report.submitting),
        share(report.waiting)
    );
    Ok(())
}

fn request(mut arguments: impl Iterator<Item = String>) -> Result<Request, Error> {
    let mut request = Request::default();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--type" => request.element = value()?.parse()?,
            "--op" => request.op = value()?.parse()?,
            "--size" => request.size = value()?.parse()?,
            "--piece" => request.piece = value()?.parse()?,
            option if option.starts_with("--") => return Err(format!("unknown option {option}").into()),
            file => request.file = Some(file.into()),
        }
    }
    Ok(request)
}

/// Streams a file through a device; verifies the result if the file is a generated one.
pub fn run(device: &wgpu::Device, queue: &wgpu::Queue, request: &Request) -> Result<Report, Error> {
    if !matches!(request.op, Op::Sum | Op::Min | Op::Max) {
        return Err(format!("{}: this example combines only sum, min and max", request.op).into());
    }
    match &request.file {
        Some(path) => stream(device, queue, request, path),
        None => {
            let generated = Generated::new(request)?;
            let report = stream(device, queue, request, &generated.path)?;
            if !report.value.same(generated.expected) {
                return Err(format!("the GPU gave {}, the CPU {}", report.value, generated.expected).into());
            }
            Ok(report)
        }
    }
}

fn stream(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    request: &Request,
    path: &Path,
) -> Result<Report, Error> {
    let mut file = File::open(path)?;
    let (bytes, size) = (file.metadata()?.len(), request.element.size());
    if !bytes.is_multiple_of(size) {
        return Err(format!("{bytes} bytes are no whole number of {}", request.element).into());
    }
    // A multiple of the size of every element type, and of the alignment of copies.
    let piece = (request.piece.min(bytes).min(device.limits().max_buffer_size) / 8 * 8).max(8);
    let pieces = bytes.div_ceil(piece) as usize;

    let mut ring = Ring::new(device, queue, request, piece, pieces as u64)?;
    let mut report = Report {
        value: Value::Unsigned(0),
        elements: bytes / size,
        pieces,
        piece,
        reading: Duration::ZERO,
        staging: Duration::ZERO,
        submitting: Duration::ZERO,
        waiting: Duration::ZERO,
        all: Duration::ZERO,
        upload: Duration::ZERO,
        reduction: Duration::ZERO,
    };

    let start = Instant::now();
    let mut host = vec![0; piece as usize];
    for number in 0..pieces {
        let len = (bytes - number as u64 * piece).min(piece) as usize;
        let timed = Instant::now();
        file.read_exact(&mut host[..len])?;
        report.reading += timed.elapsed();
        let timed = Instant::now();
        ring.wait(number % SLOTS)?;
        report.waiting += timed.elapsed();
        let timed = Instant::now();
        // With an odd number of 16-bit elements, the padding after the last one is copied, but not reduced.
        ring.slots[number % SLOTS].fill(&host[..len.next_multiple_of(4)])?;
        report.staging += timed.elapsed();
        let timed = Instant::now();
        ring.submit(number, len as u64)?;
        report.submitting += timed.elapsed();
    }
    let timed = Instant::now();
    let results = ring.results(pieces as u64)?;
    report.waiting += timed.elapsed();
    report.value = combine(request, &results)?;
    report.all = start.elapsed();

    ring.wait(0)?;
    report.upload = ring.alone(|encoder, slot| slot.upload(encoder, piece))?;
    report.reduction = ring.alone(|encoder, slot| slot.whole.encode(encoder))?;
    Ok(report)
}

/// The type in which the GPU accumulates elements.
fn accumulated(element: Element) -> Element {
    if element == Element::F16 { Element::F32 } else { element }
}

/// Combines the results of the pieces.
fn combine(request: &Request, results: &[u8]) -> Result<Value, Error> {
    // The results of these operators are elements, too.
    let all = reference::reduce(request.op, accumulated(request.element), results, None);
    Ok(all.and_then(|all| all.answer.value()).ok_or("the operator is not defined for this type")?)
}

/// The slots that pieces pass through, and the memory that outlives a piece.
struct Ring<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    reducer: Reducer,
    workspace: Workspace,
    slots: Vec<Slot>,
    /// The results of all pieces.
    gathered: wgpu::Buffer,
}

/// The buffers of one piece in flight.
struct Slot {
    staging: wgpu::Buffer,
    elements: wgpu::Buffer,
    result: wgpu::Buffer,
    /// The reduction of a full piece, recorded any number of times.
    whole: Prepared,
    /// The last submission for this slot, and the signal that its staging buffer is mapped again.
    busy: Option<(wgpu::SubmissionIndex, Mapped)>,
}

/// Receives a message when a buffer is mapped.
type Mapped = Receiver<Result<(), wgpu::BufferAsyncError>>;

impl<'a> Ring<'a> {
    fn new(
        device: &'a wgpu::Device,
        queue: &'a wgpu::Queue,
        request: &Request,
        piece: u64,
        pieces: u64,
    ) -> Result<Self, Error> {
        let reducer = Reducer::new(device, request.op.over(request.element)?)?;
        let extent = BufferRange { offset: 0, len: piece / request.element.size() };
        let plan = reducer.plan(Shape::Whole, &[extent], None)?;
        // One workspace for all slots, because a queue runs its work in order. A workspace for a full piece
        // is large enough for the last piece.
        let workspace = Workspace::new(device, &plan);
        let size = reducer.monoid().out_size();
        let gathered = buffer(
            device,
            "results",
            size * pieces.max(1),
            wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        );
        let slot = || Slot::new(device, &reducer, &workspace, piece);
        let slots = (0..SLOTS).map(|_| slot()).collect::<Result<_, _>>()?;
        Ok(Ring { device, queue, slots, reducer, workspace, gathered })
    }

    /// Waits until a slot's staging buffer belongs to the host again.
    fn wait(&mut self, slot: usize) -> Result<(), Error> {
        let Some((submission, mapped)) = self.slots[slot].busy.take() else { return Ok(()) };
        // Waits only for this submission; later ones continue.
        self.device.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None })?;
        Ok(mapped.recv()??)
    }

    /// Submits a piece in staging memory to the GPU. Does not wait.
    fn submit(&mut self, number: usize, len: u64) -> Result<(), Error> {
        let slot = &mut self.slots[number % SLOTS];
        let size = self.reducer.monoid().out_size();
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        slot.staging.unmap();
        slot.upload(&mut encoder, len.next_multiple_of(4));
        if len == slot.elements.size() {
            slot.whole.encode(&mut encoder);
        } else {
            // The last piece has its own bindings.
            let last = (&slot.elements, len);
            bind(&self.reducer, &self.workspace, last, &slot.result)?.encode(&mut encoder);
        }
        encoder.copy_buffer_to_buffer(&slot.result, 0, &self.gathered, number as u64 * size, size);
        let submission = self.queue.submit([encoder.finish()]);
        slot.busy = Some((submission, slot.map()));
        Ok(())
    }

    /// Reads back the results of the first `pieces` pieces. Waits for all of them.
    fn results(&self, pieces: u64) -> Result<Vec<u8>, Error> {
        let size = pieces * self.reducer.monoid().out_size();
        let readback = Readback::new(self.device, size);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        readback.encode(&mut encoder, &self.gathered, 0, size)?;
        self.queue.submit([encoder.finish()]);
        Ok(readback.wait(size)?)
    }

    /// Measures a stage of one piece while nothing else runs. The first run is a warm-up.
    fn alone(&mut self, stage: impl Fn(&mut wgpu::CommandEncoder, &Slot)) -> Result<Duration, Error> {
        let mut fastest = Duration::MAX;
        self.slots[0].staging.unmap();
        for _ in 0..3 {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            stage(&mut encoder, &self.slots[0]);
            let start = Instant::now();
            self.queue.submit([encoder.finish()]);
            self.device.poll(wgpu::PollType::wait_indefinitely())?;
            fastest = fastest.min(start.elapsed());
        }
        let mapped = self.slots[0].map();
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        mapped.recv()??;
        Ok(fastest)
    }
}

impl Slot {
    fn new(
        device: &wgpu::Device,
        reducer: &Reducer,
        workspace: &Workspace,
        piece: u64,
    ) -> Result<Self, Error> {
        use wgpu::BufferUsages as Usage;
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size: piece,
            usage: Usage::MAP_WRITE | Usage::COPY_SRC,
            mapped_at_creation: true,
        });
        let elements = buffer(device, "elements", piece, Usage::STORAGE | Usage::COPY_DST);
        let result = buffer(device, "result", reducer.monoid().out_size(), Usage::STORAGE | Usage::COPY_SRC);
        let whole = bind(reducer, workspace, (&elements, piece), &result)?;
        Ok(Slot { staging, elements, result, whole, busy: None })
    }

    /// Copies into the staging buffer, which must be mapped.
    fn fill(&self, bytes: &[u8]) -> Result<(), Error> {
        self.staging.get_mapped_range_mut(..bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Requests the staging buffer as soon as the GPU has read it.
    fn map(&self) -> Mapped {
        let (sender, mapped) = mpsc::channel();
        self.staging.map_async(wgpu::MapMode::Write, .., move |result| {
            // The receiver is gone if the host has returned an error.
            let _ = sender.send(result);
        });
        mapped
    }

    fn upload(&self, encoder: &mut wgpu::CommandEncoder, len: u64) {
        encoder.copy_buffer_to_buffer(&self.staging, 0, &self.elements, 0, len);
    }
}

fn bind(
    reducer: &Reducer,
    workspace: &Workspace,
    (elements, bytes): (&wgpu::Buffer, u64),
    result: &wgpu::Buffer,
) -> Result<Prepared, Error> {
    Ok(reducer.of(Slice::new(elements, 0, bytes)).workspace(workspace).into(result)?)
}

fn buffer(device: &wgpu::Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    })
}

/// A temporary file of small integers, whose sum is exact in every order and type. Dropping it removes the
/// file.
struct Generated {
    path: PathBuf,
    expected: Value,
}

impl Generated {
    fn new(request: &Request) -> Result<Self, Error> {
        let name = format!(
            "halofold-{}-{}-{}-{}.bin",
            request.op,
            request.element,
            request.size,
            std::process::id()
        );
        let mut generated = Generated { path: std::env::temp_dir().join(name), expected: Value::Unsigned(0) };
        let mut file = BufWriter::new(File::create(&generated.path)?);
        let mut tally = Tally { sum: 0, min: i64::MAX, max: i64::MIN };
        for index in 0..request.size / request.element.size() {
            let x = (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as i64 % 9;
            let x = if matches!(request.element, Element::U32 | Element::U64) { x } else { x - 4 };
            tally.add(x);
            file.write_all(&bits(request.element, x).to_le_bytes()[..request.element.size() as usize])?;
        }
        file.flush()?;
        generated.expected = tally.value(request).ok_or("the CPU cannot compute this")?;
        Ok(generated)
    }
}

impl Drop for Generated {
    fn drop(&mut self) {
        // If a temporary file cannot be removed, the system removes it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The reduction on the CPU.
struct Tally {
    sum: i64,
    min: i64,
    max: i64,
}

impl Tally {
    fn add(&mut self, x: i64) {
        self.sum += x;
        self.min = self.min.min(x);
        self.max = self.max.max(x);
    }

    /// The result: that of the reference for an empty input, otherwise the counted one, in the type of the
    /// GPU's results.
    fn value(&self, request: &Request) -> Option<Value> {
        let result = match request.op {
            _ if self.max < self.min => return combine(request, &[]).ok(),
            Op::Sum => self.sum,
            Op::Min => self.min,
            _ => self.max,
        };
        let element = accumulated(request.element);
        let bytes = bits(element, result).to_le_bytes();
        request.op.read(element, &bytes[..element.size() as usize]).first()?.value()
    }
}

/// The bits of an integer in an element type.
fn bits(element: Element, x: i64) -> u64 {
    match element {
        Element::F16 => half::f16::from_f64(x as f64).to_bits().into(),
        Element::F32 => (x as f32).to_bits().into(),
        Element::F64 => (x as f64).to_bits(),
        _ => x as u64,
    }
}
