//! Measures the errors of sums of hard data: by the plain tree, by atomics, and of exact sums.
//!
//! `cargo run --release --example exact_error -- docs/results/exact-error.json docs/pictures/exact-error` sums n numbers
//! of both signs that nearly cancel, for n from 2^6 to 2^20, on one adapter. It puts the errors into the file, beside those
//! of other adapters, and draws all of them: `docs/pictures/exact-error-light.svg` and `-dark.svg`.

mod picture;

use halofold::ladder::{Rung, Setup};
use halofold::reduce::{Accuracy, Op, Reduce, Tuning};
use halofold::{Compiled, Element, Options, adapter, wgpu};
use serde::{Deserialize, Serialize};
use wgpu::util::DeviceExt as _;

type Failure = Box<dyn std::error::Error>;

/// The rungs that sum, and their names in pictures.
const KINDS: [(&str, &str); 3] = [
    ("single-pass", "a tree (single-pass)"),
    ("workgroup-atomic", "atomics (workgroup-atomic)"),
    ("exact", "exact"),
];

/// Lengths, as powers of two.
const POWERS: std::ops::RangeInclusive<u32> = 6..=20;

/// The errors measured on one adapter.
#[derive(Serialize, Deserialize)]
struct Errors {
    adapter: String,
    /// Of each kind, for each length: units in the last place of the true sum.
    errors: [Vec<f64>; 3],
}

fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(pictures)) = (args.next(), args.next()) else {
        return Err("name the file with all errors, and how pictures of them begin".into());
    };
    let mut all: Vec<Errors> = match std::fs::read(&file) {
        Ok(bytes) => serde_json::from_slice(&bytes)?,
        Err(_) => Vec::new(),
    };
    let measured = measure()?;
    all.retain(|errors| errors.adapter != measured.adapter);
    all.push(measured);
    all.sort_by(|a, b| a.adapter.cmp(&b.adapter));
    std::fs::write(file, serde_json::to_string(&all)? + "\n")?;
    for (dark, name) in [(false, "light"), (true, "dark")] {
        std::fs::write(format!("{pictures}-{name}.svg"), picture::draw(&all, dark))?;
    }
    Ok(())
}

/// Sums on the preferred adapter.
fn measure() -> Result<Errors, Failure> {
    let adapter = pollster::block_on(adapter::preferred(true)).ok_or("no adapter")?;
    let (device, queue) = pollster::block_on(adapter::open(&adapter))?;
    let info = adapter.get_info();
    let mut errors: [Vec<f64>; 3] = Default::default();
    for ((name, _), errors) in KINDS.into_iter().zip(&mut errors) {
        let sum = Reduce::new(Op::Sum.over(Element::F32)?);
        let sum = if name == "exact" {
            sum.with_accuracy(Accuracy::Exact)
        } else {
            let rung = Rung::named(name)?;
            let tuning = Tuning::of(rung.kernel, &device.limits(), 1 << 22);
            sum.with_rung(Setup { rung, finish: rung.finishes[0], tuning })
        };
        let sum = Compiled::new(&device, sum, &Options::default())?;
        for power in POWERS {
            let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: None,
                contents: bytemuck::cast_slice(&hard(1 << power)),
                usage: wgpu::BufferUsages::STORAGE,
            });
            let got: f32 = sum.of(&elements).run(&queue)?;
            let place = f64::from(LEFT_OVER.next_up()) - f64::from(LEFT_OVER);
            errors.push((f64::from(got) - f64::from(LEFT_OVER)).abs() / place);
        }
    }
    Ok(Errors { adapter: format!("{} ({})", info.name, info.backend), errors })
}

/// The true sum: the remainder of two numbers of half as much.
const LEFT_OVER: f32 = 2.0 * 0.7;

/// Numbers of twenty magnitudes, each with its negative somewhere, and a little that is left over.
fn hard(len: usize) -> Vec<f32> {
    let mut state = len as u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut numbers = Vec::with_capacity(len);
    while numbers.len() + 2 < len {
        let x = (random() as f32 / 1e9) * f32::powi(2.0, (random() % 20) as i32);
        numbers.extend([x, -x]);
    }
    numbers.resize(len, LEFT_OVER / 2.0);
    for i in (1..len).rev() {
        numbers.swap(i, random() as usize % (i + 1));
    }
    numbers
}
