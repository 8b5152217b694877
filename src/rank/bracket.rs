//! Samples, and the brackets that are expected to hold a rank.

/// The rank in a sample of an end that is open.
pub(super) const OPEN: u32 = u32::MAX;

/// Standard deviations of a rank in the sample that a bracket reaches to either side. One rank of sixteen thousand is farther away.
const DEVIATIONS: f64 = 4.0;

/// The sample of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Elements of the row.
    pub(super) len: u64,
    /// Keys in the sample.
    pub(super) size: u32,
}

impl Sample {
    /// The sample of a row of `len` elements: four at least, and no more than the row has, if it has as many. A larger one takes longer, and makes
    /// brackets narrower, which counts more if several ranks are searched.
    pub(super) fn of(len: u64, ranks: usize) -> Self {
        let log = len.max(4).ilog2();
        Sample { len, size: 1 << (9 + log / 4 + u32::from(ranks > 1)).min(log) }
    }

    /// The ranks in the sample of the ends of a bracket for elements with these ranks.
    pub(super) fn bracket(self, lower: u64, upper: u64) -> [u32; 2] {
        let size = f64::from(self.size);
        let share = |rank: u64| (rank.min(self.len.saturating_sub(1)) as f64 + 0.5) / self.len.max(1) as f64;
        let margin = |share: f64| DEVIATIONS * (size * share * (1.0 - share)).sqrt() + 2.0;
        let low = share(lower) * size - margin(share(lower));
        let high = share(upper) * size + margin(share(upper));
        [if low < 0.0 { OPEN } else { low as u32 }, if high >= size { OPEN } else { high as u32 }]
    }

    /// Elements for which a bracket gets room: a quarter more than are expected in it.
    pub(super) fn room(self, [low, high]: [u32; 2]) -> u64 {
        let low = if low == OPEN { 0 } else { low };
        let ranks = u64::from(high.min(self.size) - low) + 8;
        (ranks * self.len.div_ceil(self.size.into()) * 5 / 4).min(self.len).next_multiple_of(4)
    }
}
