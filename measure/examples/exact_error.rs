//! How far sums of hard data are off: the plain tree, atomics, and exact sums, as a picture.
//!
//! `cargo run --release --example exact_error -- docs/pictures/exact-error.svg` sums n numbers of both signs that nearly
//! cancel, for n from 2^6 to 2^20, and draws the error in units in the last place of the true sum.

use halofold::reduce::exact::{Format, State};
use halofold::reduce::ladder::Rung;
use halofold::reduce::{Accuracy, Op, Options, Reducer, Strategy, Tuning};
use halofold::{Element, adapter, wgpu};
use wgpu::util::DeviceExt as _;

type Failure = Box<dyn std::error::Error>;

/// What is drawn: a name, a colour, the errors.
struct Line {
    name: &'static str,
    colour: &'static str,
    errors: Vec<f64>,
}

/// Lengths, as powers of two.
const POWERS: std::ops::RangeInclusive<u32> = 6..=20;

fn main() -> Result<(), Failure> {
    let target = std::env::args().nth(1).ok_or("name the picture to write")?;
    let adapter = pollster::block_on(adapter::preferred(true)).ok_or("no adapter")?;
    let (device, queue) = pollster::block_on(adapter::open(&adapter))?;
    let rung = |name: &str| -> Result<Options<'static>, Failure> {
        let rung = Rung::named(name)?;
        let mut options = Options::default();
        let tuning = Tuning::of(rung.kernel, &device.limits(), 1 << 22);
        options.strategy = Strategy::Rung { rung, finish: rung.finishes[0], tuning };
        Ok(options)
    };
    let mut exact = Options::default();
    exact.accuracy = Accuracy::Exact;
    let kinds = [
        ("single-pass", "#1f77b4", rung("single-pass")?),
        ("workgroup-atomic", "#d62728", rung("workgroup-atomic")?),
        ("exact", "#2ca02c", exact),
    ];
    let mut lines = Vec::new();
    for (name, colour, options) in kinds {
        let sum = Reducer::with_options(&device, Op::Sum.over(Element::F32)?, options)?;
        let mut errors = Vec::new();
        for power in POWERS {
            let numbers = hard(1 << power);
            let mut state = State::new(Format::Single);
            state.add(Element::F32, bytemuck::cast_slice(&numbers));
            let truth = state.sum().as_f64();
            let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: None,
                contents: bytemuck::cast_slice(&numbers),
                usage: wgpu::BufferUsages::STORAGE,
            });
            let got: f32 = sum.of(&elements).wait(&queue)?;
            let place =
                f64::from(f32::from_bits((truth.abs() as f32).to_bits() + 1)) - f64::from(truth.abs() as f32);
            errors.push((f64::from(got) - truth).abs() / place);
        }
        println!("{name}: {errors:?}");
        lines.push(Line { name, colour, errors });
    }
    std::fs::write(target, picture(&adapter.get_info().name, &lines))?;
    Ok(())
}

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
    numbers.resize(len, 0.7);
    for i in (1..len).rev() {
        numbers.swap(i, random() as usize % (i + 1));
    }
    numbers
}

/// The lines over logarithmic axes; an error of nothing lies on the lower border.
fn picture(adapter: &str, lines: &[Line]) -> String {
    let (width, height, left, top) = (560.0, 260.0, 60.0, 30.0);
    let largest = lines.iter().flat_map(|line| &line.errors).fold(10.0, |a: f64, b| a.max(*b)).log10().ceil();
    let steps = (POWERS.end() - POWERS.start()) as f64;
    let x = |number: usize| left + width * number as f64 / steps;
    let y = |error: f64| top + height * (1.0 - (error.max(0.1).log10() + 1.0) / (largest + 1.0));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 350\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"680\" height=\"350\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"18\">Error of the sum of n numbers that nearly cancel, in units in the last place; {adapter}</text>\n"
    );
    for decade in -1..=largest as i32 {
        let at = y(f64::powi(10.0, decade));
        let label = if decade == -1 { "0".to_owned() } else { format!("10^{decade}") };
        svg += &format!(
            "<path d=\"M{left} {at:.1}h{width}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
            left - 6.0,
            at + 4.0
        );
    }
    for (number, power) in POWERS.enumerate().step_by(2) {
        svg += &format!("<text x=\"{:.1}\" y=\"310\" text-anchor=\"middle\">2^{power}</text>\n", x(number));
    }
    for (number, line) in lines.iter().enumerate() {
        let points: Vec<_> = line
            .errors
            .iter()
            .enumerate()
            .map(|(at, error)| format!("{:.1},{:.1}", x(at), y(*error)))
            .collect();
        svg += &format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n<text x=\"{}\" y=\"335\" fill=\"{}\">{}</text>\n",
            points.join(" "),
            line.colour,
            left + 180.0 * number as f64,
            line.colour,
            line.name
        );
    }
    svg + "</svg>\n"
}
