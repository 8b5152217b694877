//! The number of steps of a round, from measured times. Pure arithmetic.
//!
//! A round of `m` passes exchanges faces once. What an exchange costs a GPU is that the last pass is split: launches of few workgroups,
//! the ends of passes and submissions. The copy of an edge over the bus costs the same for each step, however many a round makes. The
//! host's copies cost nothing as long as they take less than the interior's pass. But the deeper a halo, the more layers are computed
//! twice: with `s` steps a pass, each face adds `s` layers to a pass for every pass that follows it in the round, `s (m - 1) / 2` on
//! average.

/// Measured times of one GPU with its slab.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Seconds of a pass over all layers.
    pub pass: f64,
    /// Seconds that an exchange adds to a round, however many passes it has: without the copies over the bus.
    pub exchange: f64,
    /// Seconds that the host copies faces, for each pass of a round.
    pub copies: f64,
    /// Seconds of the host for an exchange, besides the copies.
    pub host: f64,
}

/// The most passes of a round: beyond, the halo costs memory and gains little.
pub const MOST_PASSES: u32 = 32;

/// The bytes that the passes of one submission go over, at most: some seconds of a slow GPU, which drivers take for one that hangs.
pub const SUBMISSION: u64 = 64 << 30;

/// The passes of a round that make a step cheapest, where the steps of a pass reach `halo` layers, over `layers` layers with `faces`
/// neighbours, and the seconds of a pass of such a round. A halo is no deeper than a slab.
pub fn passes(costs: Costs, halo: u32, layers: u32, faces: u32) -> (u32, f64) {
    let cost = |m: u32| {
        let twice = f64::from(faces * halo * (m - 1)) / 2.0 / f64::from(layers);
        let shown = (costs.host + costs.copies * f64::from(m) - costs.pass).max(0.0);
        costs.pass * (1.0 + twice) + (costs.exchange + shown) / f64::from(m)
    };
    let most = (layers / halo.max(1)).clamp(1, MOST_PASSES);
    let all = (1..=most).map(|m| (m, cost(m)));
    all.min_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or((1, cost(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expensive_exchanges_and_tall_slabs_make_rounds_longer() {
        let costs = |pass, exchange| Costs { pass, exchange, copies: 0.0, host: 0.0 };
        let passes = |costs, halo, layers, faces| passes(costs, halo, layers, faces).0;
        // Two H200 with 16320 rows each, 8 steps a pass: eight passes were faster than four.
        assert!((4..=20).contains(&passes(costs(960e-6, 64e-6), 8, 16320, 1)));
        assert_eq!(passes(costs(960e-6, 0.0), 8, 16320, 1), 1);
        assert!(passes(costs(960e-6, 64e-6), 8, 16320, 2) < passes(costs(960e-6, 64e-6), 8, 16320, 1));
        assert!(passes(costs(60e-6, 64e-6), 8, 1024, 1) >= passes(costs(960e-6, 64e-6), 8, 1024, 1));
        // No deeper than the slab.
        assert_eq!(passes(costs(1e-6, 1.0), 8, 17, 1), 2);
        assert_eq!(passes(costs(1e-6, 1.0), 8, 3, 1), 1);
    }

    #[test]
    fn slow_copies_make_rounds_shorter() {
        let costs = |copies| Costs { pass: 2.2e-3, exchange: 3e-4, copies, host: 0.0 };
        let (usual, seconds) = passes(costs(1e-4), 3, 768, 1);
        assert!((4..=15).contains(&usual), "{usual}");
        let (fewer, longer) = passes(costs(2e-3), 3, 768, 1);
        assert!(fewer < usual && longer > seconds && seconds > 2.2e-3);
    }
}
