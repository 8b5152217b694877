//! Axes: scales, ticks and labels.

use halofold::stencil::Block;

use crate::table::raised;

/// Lines across at most, on an axis from zero.
const MOST_LINES: f64 = 6.0;

/// With this many decades or more, only powers of ten have labels.
const MANY_DECADES: usize = 3;

/// Room beside the first and the last size, as a factor: enough that a power of two is in sight.
const SIZE_MARGIN: f64 = 1.5;

/// Room below the shortest and above the longest time: enough that a time of 1, 2 or 5 and some zeros is in sight.
const TIME_MARGIN: f64 = 2.0;

/// Room above the highest speed.
const SPEED_MARGIN: f64 = 1.05;

/// A ceiling is in sight if it leaves at least a third of the picture to the lines.
const FARTHEST_CEILING: f64 = 3.0;

/// An axis.
pub struct Axis {
    /// The quantity and its unit.
    pub name: &'static str,
    from: f64,
    to: f64,
    logarithmic: bool,
    /// Values with a line and a label.
    pub ticks: Vec<(f64, String)>,
    /// Values with a faint line.
    pub faint: Vec<f64>,
    /// Ranges with a label of their own, further out.
    pub groups: Vec<(f64, f64, String)>,
}

impl Axis {
    /// Sizes with a tick at every power of two, or at every second, third … if there are more than `most`.
    pub fn sizes(first: u64, last: u64, most: i32) -> Self {
        let (from, to) = (first as f64 / SIZE_MARGIN, last as f64 * SIZE_MARGIN);
        let powers = from.log2().ceil() as i32..=to.log2().floor() as i32;
        let step = ((powers.end() - powers.start() + most) / most).max(1);
        let ticks = powers.filter(|power| power % step == 0).map(|power| (2f64.powi(power), label(power)));
        Axis { ticks: ticks.collect(), ..Axis::new("elements", (from, to), true) }
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
            ..Axis::new("time", (shortest, longest), true)
        }
    }

    /// Cells a second from zero on, up to the highest or a ceiling that is not far above.
    pub fn speeds(highest: f64, ceiling: Option<f64>) -> Self {
        let ceiling = ceiling.filter(|ceiling| *ceiling <= FARTHEST_CEILING * highest);
        let top = SPEED_MARGIN * ceiling.unwrap_or(0.0).max(highest).max(f64::MIN_POSITIVE);
        Axis::even("GCell/s", (0.0, top))
    }

    /// Numbers from one to a larger one, with ticks at round ones.
    pub fn even(name: &'static str, (from, to): (f64, f64)) -> Self {
        let step = round_step(to - from);
        let exponent = (step.log10() + 1e-9).floor();
        let is_short = step >= 1e-4 && from.abs().max(to.abs()) < 1e7;
        let numbers = (from / step).ceil() as i64..=(to / step).floor() as i64;
        // Steps may be shorter than the distance between neighbouring floats.
        let ticks = numbers.take(2 * MOST_LINES as usize).map(|number| number as f64 * step);
        let ticks: Vec<_> = ticks.filter(|value| (from..=to).contains(value)).collect();
        let power = |value: f64| (value.abs().log10() + 1e-9).floor();
        // Numbers of one power of ten have as many digits as one of them needs.
        let digits = |value: f64| {
            let most = (power(value) - exponent).clamp(0.0, 17.0) as usize;
            let text = format!("{value:.most$e}");
            let zeros =
                text.split('e').next().map_or(0, |digits| digits.len() - digits.trim_end_matches('0').len());
            most - zeros.min(most)
        };
        let label = |value: f64| {
            if is_short || value == 0.0 {
                return format!("{value:.places$}", places = (-exponent).clamp(0.0, 4.0) as usize);
            }
            let alike = ticks.iter().filter(|other| **other != 0.0 && power(**other) == power(value));
            format!("{value:.places$e}", places = alike.map(|other| digits(*other)).max().unwrap_or(0))
        };
        Axis {
            ticks: ticks.iter().map(|value| (*value, label(*value))).collect(),
            ..Axis::new(name, (from, to), false)
        }
    }

    /// Block shapes side by side: rows under each, columns under those that share them. A block lies at [`Axis::place`].
    pub fn blocks(blocks: &[Block]) -> Self {
        let mut groups = Vec::new();
        for run in blocks.chunk_by(|a, b| a.cols == b.cols) {
            let start = groups.last().map_or(0.0, |(_, end, _)| *end);
            groups.push((start, start + run.len() as f64, format!("×{}", run[0].cols)));
        }
        let rows = blocks.iter().enumerate().map(|(at, block)| (Axis::place(at), block.rows.to_string()));
        Axis {
            ticks: rows.collect(),
            groups,
            ..Axis::new("block: rows × columns", (0.0, blocks.len() as f64), false)
        }
    }

    /// The position of the block with this number.
    pub fn place(number: usize) -> f64 {
        number as f64 + 0.5
    }

    fn new(name: &'static str, (from, to): (f64, f64), logarithmic: bool) -> Self {
        Axis { name, from, to, logarithmic, ticks: Vec::new(), faint: Vec::new(), groups: Vec::new() }
    }

    /// A value's position between the axis's ends, from 0 to 1.
    pub fn share(&self, value: f64) -> f64 {
        if self.logarithmic {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        }
    }

    /// Returns true if a value lies between them.
    pub fn shows(&self, value: f64) -> bool {
        (0.0..=1.0).contains(&self.share(value))
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

/// A step of 1, 2 or 5 and zeros, with no more than a few lines below the top.
fn round_step(top: f64) -> f64 {
    let decade = 10f64.powf((top / MOST_LINES).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * decade);
    steps.into_iter().find(|step| top / step <= MOST_LINES).unwrap_or(top)
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
            assert!(axis.ticks.iter().all(|(value, _)| axis.shows(*value)));
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

    #[test]
    fn speeds_go_by_round_steps() {
        assert_eq!(labels(&Axis::speeds(500.0, None)), ["0", "100", "200", "300", "400", "500"]);
        assert_eq!(labels(&Axis::speeds(0.36, Some(9.0))), ["0.0", "0.1", "0.2", "0.3"]);
        assert!(
            Axis::speeds(200.0, Some(530.0)).shows(530.0) && !Axis::speeds(100.0, Some(530.0)).shows(530.0)
        );
    }

    #[test]
    fn even_axes_have_round_numbers() {
        let labels = |from, to| labels(&Axis::even("value", (from, to))).join(" ");
        assert_eq!(labels(-4.0, 4.2), "-4 -2 0 2 4");
        assert_eq!(labels(0.0, 1e9), "0 2e8 4e8 6e8 8e8 1e9");
        assert_eq!(labels(1e-7, 3e-7), "1.0e-7 1.5e-7 2.0e-7 2.5e-7 3.0e-7");
        assert_eq!(labels(1e6, 1_000_001.0), "1000000.0 1000000.2 1000000.4 1000000.6 1000000.8 1000001.0");
    }

    #[test]
    fn blocks_stand_under_their_columns() {
        let blocks = [(8, 16), (16, 16), (8, 32)].map(|(rows, cols)| Block { rows, cols });
        let axis = Axis::blocks(&blocks);
        assert_eq!(labels(&axis), ["8", "16", "8"]);
        assert_eq!(axis.groups, [(0.0, 2.0, "×16".to_owned()), (2.0, 3.0, "×32".to_owned())]);
    }
}
