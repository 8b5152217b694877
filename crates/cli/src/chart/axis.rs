//! Logarithmic axes: ticks and labels.

use crate::table::raised;

/// With this many decades or more, only powers of ten have labels.
const MANY_DECADES: usize = 3;

/// Room beside the first and the last size, as a factor: enough that a power of two is in sight.
const SIZE_MARGIN: f64 = 1.5;

/// Room below the shortest and above the longest time: enough that a time of 1, 2 or 5 and some zeros is in sight.
const TIME_MARGIN: f64 = 2.0;

/// An axis.
pub struct Axis {
    /// The quantity and its unit.
    pub name: &'static str,
    from: f64,
    to: f64,
    /// Values with a line and a label.
    pub ticks: Vec<(f64, String)>,
    /// Values with a faint line.
    pub faint: Vec<f64>,
}

impl Axis {
    /// Sizes with a tick at every power of two, or at every second, third … if there are more than `most`.
    pub fn sizes(first: u64, last: u64, most: i32) -> Self {
        let (from, to) = (first as f64 / SIZE_MARGIN, last as f64 * SIZE_MARGIN);
        let powers = from.log2().ceil() as i32..=to.log2().floor() as i32;
        let step = ((powers.end() - powers.start() + most) / most).max(1);
        let ticks = powers.filter(|power| power % step == 0).map(|power| (2f64.powi(power), label(power)));
        Axis { ticks: ticks.collect(), ..Axis::new("elements", (from, to)) }
    }

    /// Times in milliseconds, with labels at the decades, or at 1, 2 and 5 times each if they are few.
    pub fn times(all: impl Iterator<Item = f64> + Clone) -> Self {
        let shortest = all.clone().min_by(f64::total_cmp).unwrap_or(0.001) / TIME_MARGIN;
        let longest = all.max_by(f64::total_cmp).unwrap_or(1.0) * TIME_MARGIN;
        let decades = shortest.log10().floor() as i32..=longest.log10().floor() as i32;
        let marks = |multiples: &[i32]| -> Vec<f64> {
            let all = decades.clone().flat_map(|decade| {
                multiples.iter().map(move |multiple| f64::from(*multiple) * 10f64.powi(decade))
            });
            all.filter(|mark| (shortest..longest).contains(mark)).collect()
        };
        let whole = marks(&[1]);
        let labelled = if whole.len() < MANY_DECADES { marks(&[1, 2, 5]) } else { whole };
        Axis {
            ticks: labelled.into_iter().map(|ms| (ms, time(ms))).collect(),
            faint: marks(&[2, 3, 4, 5, 6, 7, 8, 9]),
            ..Axis::new("time", (shortest, longest))
        }
    }

    fn new(name: &'static str, (from, to): (f64, f64)) -> Self {
        Axis { name, from, to, ticks: Vec::new(), faint: Vec::new() }
    }

    /// A value's position between the axis's ends, from 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        (value / self.from).ln() / (self.to / self.from).ln()
    }
}

/// A power of two: 512, 2²⁴.
fn label(exponent: i32) -> String {
    u32::try_from(exponent)
        .ok()
        .and_then(|exponent| 1u64.checked_shl(exponent))
        .map_or_else(String::new, raised)
}

/// A time in the unit that it is a whole number of.
fn time(ms: f64) -> String {
    // A power of ten may be a hair less than it should be.
    match ms * 1.000_001 {
        ms if ms < 1e-3 => format!("{:.0} ns", ms * 1e6),
        ms if ms < 1.0 => format!("{:.0} µs", ms * 1e3),
        ms if ms < 1e3 => format!("{ms:.0} ms"),
        ms => format!("{:.0} s", ms / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_powers_in_sight() {
        for (first, last) in [(1, 1), (1448, 1448), (256, 1 << 28), (1, u64::from(u32::MAX))] {
            let axis = Axis::sizes(first, last, 14);
            assert!((1..=14).contains(&axis.ticks.len()), "{first} to {last}: {:?}", axis.ticks);
            assert!(axis.ticks.iter().all(|(value, _)| (0.0..=1.0).contains(&axis.share(*value))));
        }
        assert_eq!(labels(&Axis::sizes(256, 1024, 8)), ["256", "512", "2¹⁰"]);
    }

    #[test]
    fn times_have_labels_however_close_they_are() {
        let times = |times: &[f64]| Axis::times(times.iter().copied());
        assert_eq!(labels(&times(&[0.0003, 20.0])), ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]);
        assert_eq!(labels(&times(&[0.0021, 0.0024])), ["2 µs"]);
        assert_eq!(
            labels(&times(&[0.3, 15.0])),
            ["200 µs", "500 µs", "1 ms", "2 ms", "5 ms", "10 ms", "20 ms"]
        );
        assert!(!times(&[]).ticks.is_empty());
    }
}
