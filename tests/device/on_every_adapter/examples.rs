//! The examples, run as tests: on the adapter at hand, under the validation layers.

#[path = "../../../examples"]
#[allow(dead_code, reason = "an example's `main` opens a device of its own")]
mod shown {
    pub mod auto_exposure;
    pub mod conjugate_gradient;
    pub mod mean_color_by_label;
    pub mod percentile_exposure;
    pub mod visible_points;
}

use std::error::Error;

use crate::common::{Gpu, cautious, gpu};
use halofold::wgpu::{Device, Queue};
use shown::auto_exposure::{self, DAWN, FRAMES};
use shown::{conjugate_gradient, mean_color_by_label, percentile_exposure, visible_points};

/// Runs an example.
fn run<T>(gpu: &Gpu, example: impl FnOnce(&Device, &Queue) -> Result<T, Box<dyn Error>>) -> T {
    gpu.watched(|| example(&gpu.device, &gpu.queue).map_err(|error| error.to_string())).unwrap()
}

/// Stops of luminance of a texel of four half floats, as the application's map defines it.
fn stops(texel: &[u8]) -> f64 {
    let channel = |at: usize| half::f16::from_le_bytes([texel[at], texel[at + 1]]).to_f64();
    let luminance = 0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4);
    luminance.max(1e-4).log2()
}

/// The mean of the red, green and blue bytes of a picture.
fn grey(picture: &[u8]) -> f64 {
    let colours = picture.chunks_exact(4).flat_map(|pixel| &pixel[..3]);
    colours.map(|&byte| f64::from(byte)).sum::<f64>() / (picture.len() / 4 * 3) as f64
}

#[test]
fn exposure_follows_the_reductions_mean() {
    for gpu in [gpu(), &cautious(|_| ())] {
        let outcome = run(gpu, auto_exposure::run);
        let frames = &outcome.frames;
        assert_eq!(frames.len(), FRAMES as usize);

        let texels = outcome.scene.chunks_exact(8);
        let count = texels.len() as f64;
        let mean = texels.map(stops).sum::<f64>() / count;
        let last = frames[frames.len() - 1];
        assert!((f64::from(last.log_mean) - mean).abs() < 1e-4, "{} on the GPU, {mean}", last.log_mean);

        // The same scene 1024 times as bright: ten stops, and the same half floats but for their exponents.
        let (night, day) = frames.split_at(DAWN as usize);
        assert!(night.iter().all(|frame| (frame.log_mean + 10.0 - last.log_mean).abs() < 1e-3));
        assert!(day.iter().all(|frame| frame.log_mean.to_bits() == last.log_mean.to_bits()));

        // From the moment the light comes the eye closes, frame by frame, until the mean is middle grey.
        assert!(day.windows(2).all(|pair| pair[1].exposure < pair[0].exposure));
        assert!((last.exposure + last.log_mean - 0.18f32.log2()).abs() < 0.01, "{last:?}");
        let (dazzled, adapted) = (grey(&outcome.dazzled), grey(&outcome.adapted));
        assert!(dazzled > 240.0 && (90.0..150.0).contains(&adapted), "{dazzled}, then {adapted}");
    }
}

/// A window that is cut off changes neither the exposure nor the room, however bright it is.
#[test]
fn pixels_that_are_cut_off_do_not_expose_the_picture() {
    let frames = run(gpu(), percentile_exposure::run);
    for frame in &frames {
        let mut sorted = frame.stops.clone();
        sorted.sort_by(f32::total_cmp);
        let last = (sorted.len() - 1) as f64;
        let ends = [0.02, 0.98].map(|q| sorted[(q * last).round() as usize]);
        assert_eq!(frame.ends, ends);
        let inside = || sorted.iter().filter(|stops| (ends[0]..=ends[1]).contains(stops));
        let mean = inside().map(|stops| f64::from(*stops)).sum::<f64>() / inside().count() as f64;
        assert!((f64::from(frame.mean) - mean).abs() < 1e-4, "{} on the GPU, {mean}", frame.mean);
        assert_eq!(frame.mean.to_bits(), frames[0].mean.to_bits());
        // Middle grey, and not white.
        let shown = frame.picture[frame.picture.len() / 2];
        assert!((0.05..0.5).contains(&shown), "{shown}");
        assert_eq!(shown.to_bits(), frames[0].picture[frame.picture.len() / 2].to_bits());
    }
    assert_eq!(frames.len(), percentile_exposure::WINDOW.len());
}

/// Sums of so few levels are exact in doubles, too.
#[test]
fn regions_are_painted_with_their_means() {
    let picture = mean_color_by_label::picture();
    let (regions, border) = (mean_color_by_label::REGIONS as usize, mean_color_by_label::BORDER);
    let found = run(gpu(), |device, queue| mean_color_by_label::run(device, queue, &picture));
    let borders = picture.labels.iter().filter(|label| **label == border).count();
    assert_eq!(found.borders as usize, borders);
    assert!(borders > 1000, "{borders}");
    for (at, (means, channel)) in found.means.iter().zip(&picture.channels).enumerate() {
        let mut sums = vec![(0.0, 0); regions];
        for (level, label) in channel.iter().zip(&picture.labels).filter(|(_, label)| **label != border) {
            let (sum, count) = &mut sums[*label as usize];
            (*sum, *count) = (*sum + f64::from(*level), *count + 1);
        }
        let expected: Vec<f32> = sums.iter().map(|(sum, count)| (sum / f64::from(*count)) as f32).collect();
        assert_eq!(*means, expected);
        for (pixel, label) in found.painted.chunks_exact(4).zip(&picture.labels) {
            let mean = expected.get(*label as usize).copied().unwrap_or_default();
            assert!((f32::from(pixel[at]) - 255.0 * mean).abs() < 0.501, "{pixel:?}, region {label}");
        }
    }
}

/// The solution is put into the equation by the CPU, in 64 bits.
#[test]
fn conjugate_gradients_solve_the_equation() {
    let (side, b) = (conjugate_gradient::SIDE, conjugate_gradient::charges());
    let outcome = run(gpu(), |device, queue| conjugate_gradient::run(device, queue, &b));
    assert!((side as u32..4 * side as u32).contains(&outcome.iterations), "{}", outcome.iterations);
    let x = |row: usize, column: usize| match row.max(column) {
        within if within < side => f64::from(outcome.x[row * side + column]),
        _ => 0.0,
    };
    let squares = (0..side * side).map(|cell| {
        let (row, column) = (cell / side, cell % side);
        let beside =
            [1, usize::MAX].map(|by| x(row.wrapping_add(by), column) + x(row, column.wrapping_add(by)));
        let sum: f64 = beside.into_iter().sum();
        (4.0 * x(row, column) - sum - f64::from(b[cell])).powi(2)
    });
    let residual = squares.sum::<f64>().sqrt();
    // Rounding of 32-bit floats leaves no more: b has a norm of 1.4.
    assert!(residual < 1e-4, "{residual}");
}

/// Counts points within 45 degrees of the camera's direction, without a matrix. Points on the edge of a view count against neither number.
#[test]
fn cameras_see_what_lies_in_front_of_them() {
    let points = visible_points::points(20_011);
    for gpu in [gpu(), &cautious(|_| ())] {
        let frames = run(gpu, |device, queue| visible_points::run(device, queue, &points));
        assert_eq!(frames.len(), visible_points::FRAMES);
        for (frame, visible) in frames.iter().enumerate() {
            let (sin, cos) = (frame as f64 / frames.len() as f64 * std::f64::consts::TAU).sin_cos();
            // The least distance of a point from the sides of the view, from inside; and its distance along the direction of the view.
            let inside = points.iter().map(|point| {
                let [x, y, z] = point.map(f64::from);
                let (ahead, aside) = (z * cos + x * sin, x * cos - z * sin);
                ((ahead - aside.abs()).min(ahead - y.abs()).min(ahead - 0.1).min(10.0 - ahead), ahead)
            });
            let [surely, perhaps] = [1e-4, -1e-4].map(|least| {
                let seen = inside.clone().filter(|(inside, _)| *inside > least);
                seen.fold((0, f64::MAX), |(count, nearest), (_, ahead)| (count + 1, ahead.min(nearest)))
            });
            assert!((surely.0..=perhaps.0).contains(&visible.count), "{frame}: {visible:?}, {surely:?}");
            assert!(surely.0 > 1000, "{frame}: {surely:?}");
            let depth = |ahead: f64| (10.0 - 1.0 / ahead) / 9.9;
            let nearest = f64::from(visible.depth);
            assert!(
                nearest < depth(surely.1) + 1e-4 && nearest > depth(perhaps.1) - 1e-4,
                "{frame}: {visible:?}"
            );
        }
    }
}

/// The README's Rust stands in the example that is compiled, line by line.
#[test]
fn the_readme_shows_the_example() {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let example: Vec<_> = include_str!("../../../examples/sum.rs").lines().map(words).collect();
    let (_, rust) = include_str!("../../../README.md").split_once("```rust\n").expect("the README has Rust");
    let lines = rust.lines().take_while(|line| *line != "```").map(words).filter(|line| !line.is_empty());
    assert!(lines.clone().count() >= 4);
    lines.for_each(|line| assert!(example.contains(&line), "`{line}` is not in examples/sum.rs"));
}
