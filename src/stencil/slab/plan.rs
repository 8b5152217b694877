//! Plans the dispatches of a round from a slab and a number of steps. Pure: needs no GPU.

use std::ops::Range;

use wgpu::{Features, Limits};

use crate::gpu::SettingError;
use crate::gpu::error::Error;
use crate::gpu::pass::Pass;
use crate::stencil::config::Config;
use crate::stencil::slab::{Side, Slab};

impl Slab {
    /// Plans a round of `steps` steps: per sweep over memory, its number of steps and its dispatches. Full sweeps come first, the remainder last.
    ///
    /// The last sweep has two entries: the faces that neighbours need, then all other cells. If few cells remain, the first entry has
    /// them, too, and the second is empty. With `single_last`, the last sweep is a single step, so that its changes can be checked. `fitted`
    /// adapts a configuration to the number of layers that a dispatch writes.
    ///
    /// # Errors
    ///
    /// - The errors of [`Config::plan`].
    /// - `steps` is 0, or needs more layers than the halo has.
    pub(super) fn plan(
        &self,
        features: Features,
        limits: &Limits,
        steps: u32,
        single_last: bool,
        fitted: impl Fn(&Config, u32) -> Config,
    ) -> Result<Vec<(u32, Vec<Pass>)>, Error> {
        self.config.check(features, limits)?;
        let most = if self.cut == [false; 2] { u32::MAX } else { self.halo / self.config.stencil.radius() };
        SettingError::unless("steps", steps, 1..=most)
            .map_err(|error| error.with(" between two exchanges; deeper halos allow more"))?;
        let cuts = self.config.cuts(limits);
        let sweeps = cuts.of(steps - u32::from(single_last)).chain(single_last.then_some(1));
        let sweeps: Vec<_> = sweeps.collect();
        let (&last, blocks) = sweeps.split_last().expect("there is at least one step");
        let launches = |steps, layers: Range<u32>| match layers.is_empty() {
            true => Ok(Vec::new()),
            false => {
                let config = fitted(&self.config, layers.len() as u32);
                config.windows(limits, steps, layers, self.ends())
            }
        };
        let mut left = steps;
        let mut round = Vec::new();
        for &steps in blocks {
            left -= steps;
            round.push((steps, launches(steps, self.needed(left))?));
        }
        let (edges, interior) = self.parts();
        let edges = edges.into_iter().map(|layers| launches(last, layers)).collect::<Result<Vec<_>, _>>()?;
        round.extend([(last, edges.concat()), (last, launches(last, interior)?)]);
        Ok(round)
    }

    /// Returns the layers that must be right if `left` more steps follow.
    fn needed(&self, left: u32) -> Range<u32> {
        let (own, computed) = (self.local(), self.config.computed_layers());
        let [low, high] = self.cut;
        let left = left * self.config.stencil.radius();
        Range {
            start: if low { own.start - left } else { computed.start },
            end: if high { own.end + left } else { computed.end },
        }
    }

    /// Returns the layers that the last sweep writes: faces for neighbours, and the others.
    fn parts(&self) -> (Vec<Range<u32>>, Range<u32>) {
        let all = self.needed(0);
        let edges: Vec<_> = Side::BOTH.into_iter().filter_map(|side| self.edge_layers(side)).collect();
        let inside = Range {
            start: if self.cut[0] { all.start + self.halo } else { all.start },
            end: if self.cut[1] { all.end.saturating_sub(self.halo) } else { all.end },
        };
        // A short interior takes as long as a dispatch, so one dispatch does all.
        if !edges.is_empty() && inside.end.saturating_sub(inside.start) < self.halo {
            return (vec![all], 0..0);
        }
        // Layers at a fixed side are never written, even if neighbours need them.
        let written = |edge: Range<u32>| edge.start.max(all.start)..edge.end.min(all.end);
        (edges.into_iter().map(written).collect(), inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::stencil::shape::{Block, Grid};
    use crate::stencil::stencils::{FIVE_POINT, SEVEN_POINT};
    use crate::stencil::{Stencil, Tuning, Variant};

    fn config(stencil: &'static Stencil, variant: &str, grid: Grid) -> Config {
        let variant = Variant::named(stencil, variant).unwrap();
        let tuning = Tuning::of(variant).with_block(Block { rows: 2, cols: 16 }).with_levels_per_team(2);
        let tuning = tuning.with_cells_per_lane(4).with_strip(4);
        Config::new(stencil, variant, Element::F32, grid).with_tuning(tuning)
    }

    /// Cuts the layers between two workgroups, so that the height follows from the dispatch.
    fn halved(config: &Config, layers: u32) -> Config {
        let half = layers.div_ceil(2);
        config.with_tuning(config.tuning.with_layers_per_group(half))
    }

    #[test]
    fn dispatches_choose_heights_and_a_checked_round_ends_with_a_single_step() {
        let plane = config(&FIVE_POINT, "time-pipeline", Grid::plane(30, 64));
        let space = config(&SEVEN_POINT, "time-planes", Grid { planes: 30, rows: 4, cols: 16 });
        for (own, halo, single_last) in [(0..30, 5, false), (8..16, 8, true), (16..30, 7, false)] {
            for config in [plane, space] {
                let slab = Slab::new(config, own.clone(), halo).unwrap();
                let plan =
                    slab.plan(Features::empty(), &Limits::default(), halo, single_last, halved).unwrap();
                assert!(plan.last().unwrap().0 == 1 || !single_last);
                for pass in plan.iter().flat_map(|(_, launches)| launches) {
                    let [across, down, height, begin, end] =
                        ["blocks_across", "blocks_down", "layers_per_group", "begin", "end"]
                            .map(|name| pass.param(name).unwrap());
                    let stretches = pass.workgroups() / u64::from(across * down);
                    // The grid fits one window, so a dispatch writes the layers that it was fitted for.
                    assert_eq!(height, halved(&config, end - begin).tuning.layers_per_group);
                    assert_eq!(stretches, u64::from((end - begin).div_ceil(height).max(1)));
                }
            }
        }
    }
}
