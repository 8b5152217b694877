//! Samples, and the brackets that probably enclose a rank.

/// The rank in the sample of an open end.
pub(super) const OPEN: u32 = u32::MAX;

/// Half-width of a bracket in standard deviations of a rank in the sample. One rank in sixteen thousand is farther away.
const DEVIATIONS: f64 = 4.0;

/// The sample of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Elements in the row.
    pub(super) len: u64,
    /// Keys in the sample.
    pub(super) size: u32,
}

impl Sample {
    /// Makes the sample of a row of `len` elements: at least four keys, at most the row. A larger sample takes longer and makes narrower
    /// brackets, which pays with several ranks.
    pub(super) fn of(len: u64, ranks: usize) -> Self {
        let log = len.max(4).ilog2();
        Sample { len, size: 1 << (9 + log / 4 + u32::from(ranks > 1)).min(log) }
    }

    /// Returns the ranks in the sample of the ends of a bracket around these ranks.
    pub(super) fn bracket(self, lower: u64, upper: u64) -> [u32; 2] {
        let size = f64::from(self.size);
        let share = |rank: u64| (rank.min(self.len.saturating_sub(1)) as f64 + 0.5) / self.len.max(1) as f64;
        let margin = |share: f64| DEVIATIONS * (size * share * (1.0 - share)).sqrt() + 2.0;
        let low = share(lower) * size - margin(share(lower));
        let high = share(upper) * size + margin(share(upper));
        [if low < 0.0 { OPEN } else { low as u32 }, if high >= size { OPEN } else { high as u32 }]
    }

    /// Returns the capacity for candidates: a quarter more than expected in the bracket.
    pub(super) fn room(self, [low, high]: [u32; 2]) -> u64 {
        let low = if low == OPEN { 0 } else { low };
        let ranks = u64::from(high.min(self.size) - low) + 8;
        (ranks * self.len.div_ceil(self.size.into()) * 5 / 4).min(self.len).next_multiple_of(4)
    }
}
