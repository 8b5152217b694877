//! Summary of a few samples.

/// Median, minimum and spread of some samples, in the samples' unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The middle sample.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// Distance from the first quartile to the third.
    pub iqr: f64,
    /// Number of samples.
    pub count: u32,
}

impl Summary {
    /// Summarises samples; `None` if there are none.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let min = *sorted.first()?;
        Some(Summary {
            median: quantile(&sorted, 0.5),
            min,
            iqr: quantile(&sorted, 0.75) - quantile(&sorted, 0.25),
            count: sorted.len() as u32,
        })
    }

    /// The interquartile range in percent of the median.
    pub fn spread_percent(&self) -> f64 {
        100.0 * self.iqr / self.median
    }
}

/// The quantile of sorted samples, linear between neighbours.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let below = sorted[at.floor() as usize];
    let above = sorted[at.ceil() as usize];
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_interpolate() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(summary, Summary { median: 2.5, min: 1.0, iqr: 1.5, count: 4 });
        assert_eq!(summary.spread_percent(), 60.0);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[7.0]).unwrap(), Summary { median: 7.0, min: 7.0, iqr: 0.0, count: 1 });
    }
}
