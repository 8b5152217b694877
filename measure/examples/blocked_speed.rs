//! How fast this GPU steps a grid with many steps per pass over memory: `time-pipeline` in 2D and `time-planes` in 3D, in the
//! shapes that are named.
//!
//! ```text
//! cargo run --release --example blocked_speed -- 8192x8192 4x32:4:8:2:512 8x32:4:8:2:1024
//! ```
//!
//! A grid, then shapes: teams x lanes, levels of a team, cells of a lane, rows a turn, rows a workgroup; in 3D rows of a lane and
//! planes a workgroup instead of the last two, and `:2` behind that for loops of two turns. The grid after twice as many
//! steps as a pass makes is held, bit for bit, against single steps. Then two passes are timed. `--f64`, `--f16`,
//! `--stencil=9` (or 27, 7), `--mirror`, `--periodic`, `--rhs`, `--unchecked` (without the checks that wgpu adds to shaders),
//! `--no-subgroups`, `--samples=15`; `--spirv=FOLDER` writes the kernels there and runs nothing.

use std::error::Error;
use std::path::Path;

use halofold::stencil::{
    Border, Borders, Config, Dims, Grids, Jacobi, Stencil, StencilError, Tuning, Variant,
};
use halofold::{Element, adapter, wgpu};
use halofold_measure::translate::{Code, Kernel, Language};
use halofold_measure::{Budget, Timer, compile, peak};

/// What the command line asks for.
struct Options {
    config: Config,
    shapes: Vec<(String, Tuning)>,
    unchecked: bool,
    subgroups: bool,
    samples: u32,
    spirv: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    if let Some(folder) = &options.spirv {
        return options.write_spirv(Path::new(folder));
    }
    let adapter = pollster::block_on(adapter::preferred(false)).ok_or("no adapter")?;
    let mut features = adapter.features() & adapter::HELPFUL_FEATURES;
    if !options.subgroups {
        features = features - wgpu::Features::SUBGROUP;
    }
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: features,
        required_limits: adapter::helpful_limits(&adapter),
        ..Default::default()
    }))?;
    options.run(&adapter.get_info().name, &device, &queue)
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        let (flags, words): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|word| word.starts_with("--"));
        let has = |name: &str| flags.iter().any(|flag| flag == name);
        let value = |name: &str| flags.iter().find_map(|flag| flag.strip_prefix(name));
        let stencil: &'static Stencil = value("--stencil=").unwrap_or("5").parse()?;
        let element = match (has("--f64"), has("--f16")) {
            (true, _) => Element::F64,
            (_, true) => Element::F16,
            _ => Element::F32,
        };
        let border = match (has("--mirror"), has("--periodic")) {
            (true, _) => Border::Mirror,
            (_, true) => Border::Periodic,
            _ => Border::Fixed,
        };
        let (grid, shapes) = words.split_first().ok_or("a grid, then shapes")?;
        let variant = stencil.variants().find(|variant| variant.is_blocked()).ok_or("no blocked kernel")?;
        let config = Config::new(stencil, variant, element, grid.parse()?).with_borders(Borders::all(border));
        let config = if has("--rhs") { config.with_rhs() } else { config };
        let shape =
            |text: &String| -> Result<_, Box<dyn Error>> { Ok((text.clone(), tuning(variant, text)?)) };
        Ok(Options {
            config,
            shapes: shapes.iter().map(shape).collect::<Result<_, _>>()?,
            unchecked: has("--unchecked"),
            subgroups: !has("--no-subgroups"),
            samples: value("--samples=").unwrap_or("15").parse()?,
            spirv: value("--spirv=").map(str::to_owned),
        })
    }

    /// The kernels of all shapes as SPIR-V.
    fn write_spirv(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        for (name, tuning) in &self.shapes {
            let mut config = self.config.with_tuning(*tuning);
            config.subgroups = self.subgroups;
            let kernel = Kernel::of_stencil(&config);
            let path = folder.join(format!("{}.spv", name.replace(':', "-")));
            let Code::Words(words) = kernel.translate(Language::Spirv)?.code else {
                return Err("no words".into());
            };
            std::fs::write(&path, bytemuck::cast_slice::<u32, u8>(&words))?;
            println!("{}\tmain", path.display());
        }
        Ok(())
    }

    fn run(&self, name: &str, device: &wgpu::Device, queue: &wgpu::Queue) -> Result<(), Box<dyn Error>> {
        let timer = Timer::new(device, queue);
        let budget = Budget { samples: self.samples, ..Budget::of(device) };
        let copy = peak(&timer, budget)?.copy_gb_per_s;
        let Config { grid, element, .. } = self.config;
        println!("{name}: {grid} of {element}, copy {copy:.0} GB/s");
        let cells = grid.cells() as f64 / 1e6;
        let bytes = self.config.bytes();
        let initial = noise(device, queue, element, bytes);
        let [first, second, third, fourth] = [0; 4].map(|_| buffer(device, bytes));
        let (grids, plain) = (Grids::new(&first, &second), Grids::new(&third, &fourth));
        let grids = self.with_rhs(grids, &initial);
        let plain = self.with_rhs(plain, &initial);
        let reference = self.compiled(device, self.config.with_steps_per_pass(1).tuning)?;
        let steps = reference.prepare(plain)?;
        let differ = Differ::new(device, [&first, &third]);
        let mut expected = 0;
        for (shape, jacobi) in self.shapes.iter().zip(self.all_compiled(device)) {
            let (name, tuning) = shape;
            let config = self.config.with_tuning(*tuning);
            let depth = config.steps_per_pass();
            let jacobi = match jacobi {
                Ok(jacobi) => jacobi,
                Err(error) => {
                    println!("{name:24} {error}");
                    continue;
                }
            };
            let stepper = jacobi.prepare(grids)?;
            let mut encoder = device.create_command_encoder(&Default::default());
            let size = bytes.next_multiple_of(4);
            for target in [&first, &second] {
                encoder.copy_buffer_to_buffer(&initial, 0, target, 0, size);
            }
            if expected != 2 * depth {
                for target in [&third, &fourth] {
                    encoder.copy_buffer_to_buffer(&initial, 0, target, 0, size);
                }
                steps.encode(&mut encoder, 2 * depth);
                expected = 2 * depth;
            }
            stepper.encode(&mut encoder, 2 * depth);
            let wrong = differ.run(device, queue, encoder)?;
            let measured = timer.measure(budget, &|pass| stepper.encode_in_pass(pass, 2 * depth))?;
            let summary = measured.summary();
            let speed = |ms: f64| cells * f64::from(2 * depth) / ms;
            let share = speed(summary.median) * 2.0 * element.size() as f64 / copy;
            let verdict = if wrong == 0 { "same bits".to_owned() } else { format!("{wrong} WORDS DIFFER") };
            println!(
                "{name:24} T {depth:2}  {:7.1} GCell/s  best {:7.1}  {share:5.2} x copy  {:6} groups  {verdict}",
                speed(summary.median),
                speed(summary.min),
                jacobi.plan().workgroups(),
            );
        }
        Ok(())
    }

    fn with_rhs<'a>(&self, grids: Grids<'a>, rhs: &'a wgpu::Buffer) -> Grids<'a> {
        if self.config.rhs { grids.with_rhs(rhs) } else { grids }
    }

    fn compiled(&self, device: &wgpu::Device, tuning: Tuning) -> Result<Jacobi, StencilError> {
        let config = self.config.with_tuning(tuning);
        let weights = config.stencil.usual;
        Ok(if self.unchecked {
            // SAFETY: halofold's kernels stay inside of the grid; the tests run them with checks on every adapter.
            unsafe { Jacobi::unchecked(device, config, weights, Default::default()) }?
        } else {
            Jacobi::new(device, config, weights)?
        })
    }

    /// All shapes, compiled side by side: a driver takes longer for a kernel than a GPU for many of its runs.
    fn all_compiled(&self, device: &wgpu::Device) -> Vec<Result<Jacobi, StencilError>> {
        std::thread::scope(|scope| {
            let compile = |(_, tuning): &(String, Tuning)| {
                let tuning = *tuning;
                scope.spawn(move || self.compiled(device, tuning).inspect(Jacobi::compile))
            };
            let threads: Vec<_> = self.shapes.iter().map(compile).collect();
            threads.into_iter().map(|thread| thread.join().expect("compiling does not panic")).collect()
        })
    }
}

/// `4x32:4:8:2:512`: teams x lanes, levels, cells, rows a turn, rows a workgroup; in 3D rows of a lane, planes a workgroup.
fn tuning(variant: &'static Variant, text: &str) -> Result<Tuning, Box<dyn Error>> {
    let (block, numbers) = text.split_once(':').ok_or("teams x lanes:levels:cells:rows:height")?;
    let numbers: Vec<u32> = numbers.split(':').map(str::parse).collect::<Result<_, _>>()?;
    let &[levels, cells, rows, layers, ref turns @ ..] = &numbers[..] else {
        return Err("levels:cells:rows:height".into());
    };
    let tuning = Tuning::of(variant)
        .with_block(block.parse()?)
        .with_levels_per_team(levels)
        .with_cells_per_lane(cells);
    Ok(match variant.dims() {
        Dims::Two => tuning.with_rows_per_turn(rows).with_rows_per_group(layers),
        _ => tuning
            .with_strip(rows)
            .with_planes_per_group(layers)
            .with_rows_per_turn(turns.first().copied().unwrap_or(1)),
    })
}

fn buffer(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("grid"),
        size: size.next_multiple_of(4),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

/// A grid of values between one and two; memory full of zeros may be faster than memory with data.
fn noise(device: &wgpu::Device, queue: &wgpu::Queue, element: Element, size: u64) -> wgpu::Buffer {
    let grid = buffer(device, size);
    let random = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as u32;
    let bytes: Vec<u8> = match element {
        Element::F64 => (0..1 << 20)
            .flat_map(|i| (1.0 + f64::from(random(i)) / f64::from(u32::MAX)).to_le_bytes())
            .collect(),
        Element::F16 => {
            (0..1 << 21).flat_map(|i| (0x3c00 | (random(i) & 0x3ff) as u16).to_le_bytes()).collect()
        }
        _ => (0..1 << 20).flat_map(|i| (0x3f80_0000 | random(i) >> 9).to_le_bytes()).collect(),
    };
    // A period that no side of a grid divides, so that rows differ.
    let period = bytes.len() - 4 * 1021 * 2;
    let size = size.next_multiple_of(4);
    for at in (0..size).step_by(period) {
        queue.write_buffer(&grid, at, &bytes[..period.min((size - at) as usize)]);
    }
    grid
}

/// Counts the words in which two buffers differ.
struct Differ {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    count: wgpu::Buffer,
}

impl Differ {
    fn new(device: &wgpu::Device, [one, other]: [&wgpu::Buffer; 2]) -> Self {
        let source = "
            @group(0) @binding(0) var<storage, read_write> one: array<u32>;
            @group(0) @binding(1) var<storage, read_write> other: array<u32>;
            @group(0) @binding(2) var<storage, read_write> count: atomic<u32>;
            @compute @workgroup_size(256)
            fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
                var wrong = 0u;
                for (var i = id.x; i < arrayLength(&one); i += groups.x * 256u) {
                    wrong += select(0u, 1u, one[i] != other[i]);
                }
                atomicAdd(&count, wrong);
            }";
        let kernel = Kernel {
            wgsl: source.to_owned(),
            entry_point: "main",
            overrides: Vec::new(),
            label: "differ".to_owned(),
        };
        let pipeline = compile(device, &kernel);
        let count = buffer(device, 4);
        let entries = [one, other, &count];
        let entries: Vec<_> = entries
            .iter()
            .enumerate()
            .map(|(slot, buffer)| wgpu::BindGroupEntry {
                binding: slot as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let layout = pipeline.get_bind_group_layout(0);
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("differ"),
            layout: &layout,
            entries: &entries,
        });
        Differ { pipeline, bindings, count }
    }

    /// Adds the comparison to what is recorded, submits it all and waits.
    fn run(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        mut encoder: wgpu::CommandEncoder,
    ) -> Result<u32, Box<dyn Error>> {
        encoder.clear_buffer(&self.count, 0, None);
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.bindings, &[]);
            pass.dispatch_workgroups(4096, 1, 1);
        }
        let readback = halofold::read::Readback::new(device, 4);
        readback.encode(&mut encoder, &self.count, 0, 4)?;
        queue.submit([encoder.finish()]);
        Ok(bytemuck::pod_read_unaligned(&readback.wait(4)?))
    }
}
