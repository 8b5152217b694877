//! What exact sums take beside plain ones, on the same data in the same process.
//!
//! `cargo run --release --example exact_speed` sums data of several kinds, plainly by `single-pass` and exactly by `exact`, in turns,
//! verifies every exact result to the last bit (of segments and columns the first one), and prints a table in Markdown: microseconds,
//! and plain by exact time. `--page` alone makes the whole page `docs/results/h200/exact.md`. Else arguments, any of them:
//!
//! ```text
//! --log2 24,28        --kinds uniform,wide     lengths as powers of two; kinds of data
//! --types f32,f64     --ops sum,mean,dot       element types; operators
//! --workgroup 512     --workgroups 396,1056    tunings of the exact kernel, in place of halofold's own
//! --shapes whole,segments                      what is summed: all, every fourth element (strided), segments of 4096,
//!                                              the same between offsets, the columns of rows of 1024
//! --no-subgroups                               both without subgroup operations
//! ```

mod arguments;

use arguments::Arguments;
use halofold::read::Readback;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::ladder::{Finish, Rung};
use halofold::reduce::{Accuracy, Monoid, Op, Options, Prepared, Reducer, Strategy, Tuning};
use halofold::{Element, Value, adapter, wgpu};
use halofold_measure::{Budget, Timer};

type Failure = Box<dyn std::error::Error>;

/// Kinds of data.
const KINDS: [&str; 10] = [
    "uniform",
    "normal",
    "log-normal",
    "mixed",
    "constant",
    "half-zeros",
    "zeros",
    "sorted",
    "two-scales",
    "wide",
];

/// Random data repeat after so many elements; sorted ones never do.
const PERIOD: usize = 1 << 22;

/// The arguments with values, and those without.
const LISTS: [&str; 7] = ["log2", "kinds", "types", "ops", "shapes", "workgroup", "workgroups"];
const SWITCHES: [&str; 1] = ["no-subgroups"];

/// The arguments of each part of the page.
const PAGE: [&str; 10] = [
    "--log2 24,26,28",
    "--log2 12,14,16,18,20,22 --kinds uniform",
    "--log2 28 --kinds uniform --ops mean",
    "--log2 24,28 --kinds uniform --types f16",
    "--log2 24,27 --kinds uniform --types f64",
    "--log2 24,27 --kinds uniform --ops dot",
    "--log2 24,28 --kinds uniform --no-subgroups",
    "--log2 27 --kinds uniform --shapes strided,segments,offsets,columns",
    "--log2 26 --kinds uniform --types f64 --shapes segments",
    "--log2 26 --kinds uniform --ops dot --shapes segments",
];

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parts = match arguments.as_slice() {
        [page] if page == "--page" => {
            PAGE.iter().map(|part| part.split(' ').map(str::to_owned).collect()).collect()
        }
        _ => vec![arguments],
    };
    let parts: Result<Vec<_>, _> =
        parts.into_iter().map(|part| Arguments::read(part.into_iter(), &LISTS, &SWITCHES)).collect();
    let parts = parts?;
    let adapter = pollster::block_on(adapter::preferred(false)).ok_or("no adapter")?;
    let (device, queue) = pollster::block_on(adapter::open(&adapter))?;
    let timer = Timer::new(&device, &queue);
    let software = adapter::is_software(&adapter.get_info());
    let budget = Budget { samples: 15, total: std::time::Duration::from_millis(700), ..Budget::of(&device) };
    let info = adapter.get_info();
    println!("{} ({}), driver {} {}\n", info.name, info.backend, info.driver, info.driver_info);
    println!("| what | n | data | shape | plain | exact | share |\n|---|---|---|---|---:|---:|---:|");
    for wanted in parts.into_iter().map(Wanted) {
        for element in wanted.0.list("types", &[Element::F32])? {
            for op in wanted.0.list("ops", &[Op::Sum])? {
                for log2 in wanted.0.list("log2", if software { &[20] } else { &[24, 26, 28] })? {
                    for kind in wanted.0.list("kinds", &KINDS.map(str::to_owned))? {
                        for shape in wanted.0.list("shapes", &[Shape::Whole])? {
                            Case::new(&timer, op, element, 1 << log2, &kind, shape)?
                                .measure(&timer, budget, &wanted, log2)?;
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// What the arguments ask for.
struct Wanted(Arguments);

impl Wanted {
    /// halofold's own tuning, or what the arguments name in its place.
    fn tunings(&self) -> Result<Vec<Option<(u32, u32)>>, Failure> {
        let (sizes, groups) = (self.0.list("workgroup", &[])?, self.0.list("workgroups", &[])?);
        if sizes.is_empty() && groups.is_empty() {
            return Ok(vec![None]);
        }
        let sizes = if sizes.is_empty() { vec![512] } else { sizes };
        let groups = if groups.is_empty() { vec![396] } else { groups };
        Ok(sizes.iter().flat_map(|size| groups.iter().map(move |groups| Some((*size, *groups)))).collect())
    }
}

/// Elements of a segment, and columns of a row.
const SEGMENT: usize = 4096;
const COLUMNS: usize = 1024;
/// From an element to the next that is summed.
const STRIDE: usize = 4;

/// What is summed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Whole,
    Strided,
    Segments,
    Offsets,
    Columns,
}

impl std::str::FromStr for Shape {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let all = [Shape::Whole, Shape::Strided, Shape::Segments, Shape::Offsets, Shape::Columns];
        all.into_iter().find(|shape| format!("{shape:?}").eq_ignore_ascii_case(name)).ok_or(())
    }
}

impl Shape {
    /// Those elements of a block that count for the first result; block `nth` of the input.
    fn part(self, block: &[u8], size: usize, nth: usize) -> Vec<u8> {
        let every =
            |step: usize| block.chunks(size * step).flat_map(|chunk| chunk[..size].to_vec()).collect();
        match self {
            Shape::Whole => block.to_vec(),
            Shape::Strided => every(STRIDE),
            Shape::Columns => every(COLUMNS),
            Shape::Segments | Shape::Offsets if nth == 0 => block[..block.len().min(size * SEGMENT)].to_vec(),
            Shape::Segments | Shape::Offsets => Vec::new(),
        }
    }

    fn results(self, len: usize) -> usize {
        match self {
            Shape::Whole | Shape::Strided => 1,
            Shape::Segments | Shape::Offsets => len / SEGMENT,
            Shape::Columns => COLUMNS,
        }
    }
}

/// Elements on the GPU, and what they must give.
struct Case {
    op: Op,
    element: Element,
    kind: String,
    shape: Shape,
    /// Where segments begin and end.
    offsets: wgpu::Buffer,
    elements: wgpu::Buffer,
    /// The other factors of a dot product.
    second: Option<wgpu::Buffer>,
    result: wgpu::Buffer,
    expected: Value,
}

impl Case {
    fn new(
        timer: &Timer,
        op: Op,
        element: Element,
        len: usize,
        kind: &str,
        shape: Shape,
    ) -> Result<Self, Failure> {
        let device = timer.device();
        let buffer = |size, usage| {
            let usage = usage | wgpu::BufferUsages::STORAGE;
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let elements = buffer(element.size() * len as u64, wgpu::BufferUsages::COPY_DST);
        let second = (op == Op::Dot).then(|| buffer(elements.size(), wgpu::BufferUsages::COPY_DST));
        let format = Format::of(op, element).ok_or("no exact form")?;
        let period = PERIOD.min(len);
        let mut total: Option<State> = None;
        let (mut block, mut other) = (Vec::new(), Vec::new());
        for at in (0..len).step_by(period) {
            if at == 0 || kind == "sorted" {
                let mut random = Random(at as u64 + 7);
                let mut numbers = || -> Vec<u8> {
                    (at..at + period)
                        .flat_map(|i| encode(element, number(kind, i, len, &mut random)))
                        .collect()
                };
                block = numbers();
                other = if second.is_some() { numbers() } else { Vec::new() };
            }
            if let Some(second) = &second {
                timer.queue().write_buffer(second, at as u64 * element.size(), &other);
            }
            timer.queue().write_buffer(&elements, at as u64 * element.size(), &block);
            timer.queue().submit([]);
            let part = |bytes: &[u8]| shape.part(bytes, element.size() as usize, at / period);
            let state = match &total {
                // The same elements again.
                Some(_) if at > 0 && kind != "sorted" => continue,
                _ => state_of(format, element, &part(&block), &part(&other)),
            };
            match &mut total {
                Some(total) => total.merge(&state)?,
                None => total = Some(state),
            }
        }
        let mut total = total.ok_or("no elements")?;
        if kind != "sorted" && !matches!(shape, Shape::Segments | Shape::Offsets) {
            // As often as the block is repeated.
            let times = (len / period) as i64;
            total =
                State::from_words(total.words().into_iter().map(|word| word.wrapping_mul(times)).collect())?;
        }
        let expected = if op == Op::Mean { total.mean() } else { total.sum() };
        let result = buffer(256.max(8 * shape.results(len) as u64), wgpu::BufferUsages::COPY_SRC);
        let ends: Vec<u32> = (0..=len / SEGMENT).map(|nth| (nth * SEGMENT) as u32).collect();
        let offsets = buffer(4 * ends.len() as u64, wgpu::BufferUsages::COPY_DST);
        timer.queue().write_buffer(&offsets, 0, bytemuck::cast_slice(&ends));
        Ok(Case { op, element, kind: kind.to_owned(), shape, offsets, elements, second, result, expected })
    }

    fn prepare(&self, device: &wgpu::Device, options: Options<'_>) -> Result<Prepared, Failure> {
        let monoid: Monoid = self.op.over(self.element)?;
        let reducer = Reducer::with_options(device, monoid, options)?;
        let first = reducer.of(&self.elements);
        let reduction = match &self.second {
            Some(second) => first.and(second),
            None => first,
        };
        let reduction = match self.shape {
            Shape::Whole => reduction,
            Shape::Strided => reduction.strided(STRIDE as u64),
            Shape::Segments => reduction.segments(SEGMENT as u64),
            Shape::Offsets => reduction.between(&self.offsets),
            Shape::Columns => {
                let len = self.elements.size() / self.element.size();
                reduction.axis(1, len / COLUMNS as u64, COLUMNS as u64)
            }
        };
        Ok(reduction.into(&self.result)?)
    }

    fn value(&self, timer: &Timer, prepared: &Prepared) -> Result<Value, Failure> {
        let readback = Readback::new(timer.device(), 8);
        let mut encoder = timer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        prepared.encode(&mut encoder);
        readback.encode(&mut encoder, &self.result, 0, 8)?;
        timer.queue().submit([encoder.finish()]);
        let bytes = readback.wait(8)?;
        Ok(self.op.read(self.element, &bytes)[0].value().ok_or("no value")?)
    }

    fn measure(&self, timer: &Timer, budget: Budget, wanted: &Wanted, log2: u32) -> Result<(), Failure> {
        let device = timer.device();
        let plain = Options::default().with_subgroups(!wanted.0.has("no-subgroups"));
        let features = self.op.over(self.element)?.features();
        let plain_runs =
            device.features().contains(features).then(|| self.prepare(device, plain)).transpose()?;
        for tuning in wanted.tunings()? {
            let rung = Rung::named("exact")?;
            let mut exact = plain.with_accuracy(Accuracy::Exact);
            if let Some((size, groups)) = tuning {
                let mut tuning =
                    Tuning::of(rung.kernel, &device.limits(), u64::MAX).with_workgroup_size(size);
                tuning.max_workgroups = groups;
                exact.strategy = Strategy::Rung { rung, finish: Finish::LastWorkgroup, tuning };
            }
            let prepared = self.prepare(device, exact)?;
            let got = self.value(timer, &prepared)?;
            if !got.same(self.expected) {
                return Err(format!(
                    "{} of 2^{log2} {}: got {got}, not {}",
                    self.op, self.kind, self.expected
                )
                .into());
            }
            // In turns: clocks and caches are the same for both.
            let mut times = [Vec::new(), Vec::new()];
            for _ in 0..2 {
                for (runs, times) in [plain_runs.as_ref(), Some(&prepared)].into_iter().zip(&mut times) {
                    if let Some(runs) = runs {
                        let measured = timer.measure(budget, &|pass| runs.encode_in_pass(pass))?;
                        times.push(1e3 * measured.summary().median);
                    }
                }
            }
            let [plain, exact] = times.map(|times| times.into_iter().reduce(f64::min));
            let exact = exact.ok_or("no time")?;
            let plain = plain.unwrap_or(f64::NAN);
            println!(
                "| {} {}{}{} | 2^{log2} | {} | {} | {plain:.1} µs | {exact:.1} µs | {:.2} |",
                self.op.name(),
                self.element.name(),
                if wanted.0.has("no-subgroups") { ", without subgroups" } else { "" },
                tuning.map(|(size, groups)| format!(", {size} x {groups}")).unwrap_or_default(),
                self.kind,
                format!("{:?}", self.shape).to_lowercase(),
                plain / exact,
            );
        }
        Ok(())
    }
}

/// The exact sum of a block on the CPU.
fn state_of(format: Format, element: Element, block: &[u8], other: &[u8]) -> State {
    let mut state = State::new(format);
    if format == Format::Product {
        let floats = |bytes: &[u8]| -> Vec<f32> { bytemuck::pod_collect_to_vec(bytes) };
        state.add_products(&floats(block), &floats(other));
    } else {
        state.add(element, block);
    }
    state
}

fn encode(element: Element, x: f64) -> Vec<u8> {
    match element {
        Element::F16 => half::f16::from_f64(x).to_ne_bytes().to_vec(),
        Element::F64 => x.to_ne_bytes().to_vec(),
        _ => (x as f32).to_ne_bytes().to_vec(),
    }
}

/// Pseudo-random numbers: the same everywhere.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 ^ (self.0 >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Element `i` of `len`.
fn number(kind: &str, i: usize, len: usize, random: &mut Random) -> f64 {
    match kind {
        "uniform" => random.unit(),
        "normal" => random.normal(),
        "log-normal" => random.normal().exp(),
        "mixed" => random.unit() * 2.0 - 1.0,
        "constant" => 0.1,
        "half-zeros" => {
            if random.unit() < 0.5 {
                0.0
            } else {
                random.normal()
            }
        }
        "zeros" => {
            if random.unit() < 0.99 {
                0.0
            } else {
                random.normal()
            }
        }
        // By magnitude, as the distribution function of an exponential says.
        "sorted" => {
            -(1.0 - (i as f64 + 0.5) / len as f64).ln() * if i.is_multiple_of(2) { 1.0 } else { -1.0 }
        }
        "two-scales" => random.normal() * if i.is_multiple_of(2) { 1e15 } else { 1e-5 },
        _ => {
            let exponent = (random.unit() * 254.0).floor() - 126.0;
            (1.0 + random.unit()) * exponent.exp2() * if random.unit() < 0.5 { -1.0 } else { 1.0 }
        }
    }
}
