//! How many steps a round makes: from two measured times. Pure arithmetic.
//!
//! A round of `m` passes exchanges faces once. What an exchange costs a GPU is that the last pass is split: launches of few workgroups,
//! copies, the ends of passes and submissions. But the deeper a halo, the more layers are computed twice: with `s` steps a pass, each
//! face adds `s` layers to a pass for every pass that follows it in the round, `s (m - 1) / 2` on average.

/// What was measured of one GPU with its slab.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Seconds of a pass over all layers.
    pub pass: f64,
    /// Seconds that an exchange adds to a round.
    pub exchange: f64,
}

/// The most passes of a round: beyond, the halo costs memory and gains little.
const MOST_PASSES: u32 = 32;

/// The passes of a round that make a step cheapest, where a pass makes `steps` steps over `layers` layers and has `faces` neighbours. A
/// halo is no deeper than a slab.
pub fn passes(costs: Costs, steps: u32, layers: u32, faces: u32) -> u32 {
    let cost = |m: u32| {
        let twice = f64::from(faces * steps * (m - 1)) / 2.0 / f64::from(layers);
        costs.pass * (1.0 + twice) + costs.exchange.max(0.0) / f64::from(m)
    };
    let most = (layers / steps.max(1)).clamp(1, MOST_PASSES);
    (1..=most).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dear_exchanges_and_tall_slabs_make_rounds_longer() {
        let costs = |pass, exchange| Costs { pass, exchange };
        // Two H200 with 16320 rows each, 8 steps a pass: eight passes were faster than four.
        assert!((4..=20).contains(&passes(costs(960e-6, 64e-6), 8, 16320, 1)));
        assert_eq!(passes(costs(960e-6, 0.0), 8, 16320, 1), 1);
        assert!(passes(costs(960e-6, 64e-6), 8, 16320, 2) < passes(costs(960e-6, 64e-6), 8, 16320, 1));
        assert!(passes(costs(60e-6, 64e-6), 8, 1024, 1) >= passes(costs(960e-6, 64e-6), 8, 1024, 1));
        // No deeper than the slab.
        assert_eq!(passes(costs(1e-6, 1.0), 8, 17, 1), 2);
        assert_eq!(passes(costs(1e-6, 1.0), 8, 3, 1), 1);
    }
}
