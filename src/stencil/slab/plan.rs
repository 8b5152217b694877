//! From a slab and a number of steps to the launches of a round. Pure: no GPU here.

use std::ops::Range;

use wgpu::{Features, Limits};

use crate::gpu::SettingError;
use crate::gpu::error::Error;
use crate::stencil::config::Config;
use crate::stencil::slab::{Side, Slab};
use crate::stencil::window::Window;

/// A pass of a round over memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    /// The steps that it makes.
    pub(super) steps: u32,
    /// The layers that it writes, counted from the first that the slab holds: the fewer, the fewer steps are left.
    pub(super) layers: Range<u32>,
    /// Its launches.
    pub(super) windows: Vec<Window>,
}

/// The launches of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RoundPlan {
    /// All passes but the last.
    pub(super) blocks: Vec<Pass>,
    /// The last pass where neighbours need its cells, one part for each side. If little would be left between them, this is all of it.
    pub(super) edges: Vec<Pass>,
    /// The last pass elsewhere.
    pub(super) interior: Option<Pass>,
}

impl RoundPlan {
    /// All launches.
    pub(super) fn windows(&self) -> impl Iterator<Item = &Window> {
        self.blocks.iter().chain(&self.edges).chain(&self.interior).flat_map(|pass| &pass.windows)
    }
}

impl Slab {
    /// The launches of a round of this many steps, 1 to as many as the halo has layers for: full passes first, then one with the rest. With `single_last` the
    /// last pass is one step, for a check of its changes. `fitted` returns a configuration as it suits launches that write so many layers.
    ///
    /// # Errors
    ///
    /// - The errors of [`Config::plan`].
    /// - The round has no steps, or more than the halo has layers.
    pub(super) fn plan(
        &self,
        features: Features,
        limits: &Limits,
        steps: u32,
        single_last: bool,
        fitted: impl Fn(&Config, u32) -> Config,
    ) -> Result<RoundPlan, Error> {
        self.config.check(features, limits)?;
        let most = if self.cut == [false; 2] { u32::MAX } else { self.halo / self.config.stencil.radius() };
        SettingError::unless("steps", steps, 1..=most)
            .map_err(|error| error.with(" between two exchanges; deeper halos allow more"))?;
        let passes = passes(&self.config, limits, steps, single_last);
        let (&last, blocks) = passes.split_last().expect("there is at least one step");
        let pass = |steps, layers| self.pass(&fitted, limits, steps, layers);
        let mut left = steps;
        let mut block = |&steps: &u32| {
            left -= steps;
            pass(steps, self.needed(left))
        };
        let blocks = blocks.iter().map(&mut block).collect::<Result<_, _>>()?;
        let (edges, interior) = self.parts();
        let part = |layers: Range<u32>| pass(last, layers);
        let edges = edges.into_iter().map(part).collect::<Result<_, _>>()?;
        Ok(RoundPlan { blocks, edges, interior: interior.map(part).transpose()? })
    }

    /// The layers that must be right if this many more steps follow.
    fn needed(&self, left: u32) -> Range<u32> {
        let (own, computed) = (self.local(), self.config.computed_layers());
        let [low, high] = self.cut;
        let left = left * self.config.stencil.radius();
        Range {
            start: if low { own.start - left } else { computed.start },
            end: if high { own.end + left } else { computed.end },
        }
    }

    /// The layers that the last pass writes: those that neighbours need, and the others.
    fn parts(&self) -> (Vec<Range<u32>>, Option<Range<u32>>) {
        let all = self.needed(0);
        let edges: Vec<_> = Side::BOTH.into_iter().filter_map(|side| self.edge_layers(side)).collect();
        let inside = Range {
            start: if self.cut[0] { all.start + self.halo } else { all.start },
            end: if self.cut[1] { all.end.saturating_sub(self.halo) } else { all.end },
        };
        // A short interior takes as long as a launch: then one launch does all.
        if !edges.is_empty() && inside.end.saturating_sub(inside.start) < self.halo {
            return (vec![all], None);
        }
        // Layers at a fixed side of the grid are never written, although neighbours may need them.
        let written = |edge: Range<u32>| edge.start.max(all.start)..edge.end.min(all.end);
        (edges.into_iter().map(written).collect(), Some(inside))
    }

    fn pass(
        &self,
        fitted: impl Fn(&Config, u32) -> Config,
        limits: &Limits,
        steps: u32,
        layers: Range<u32>,
    ) -> Result<Pass, Error> {
        let windows = if layers.is_empty() {
            Vec::new()
        } else {
            let config = fitted(&self.config, layers.len() as u32);
            config.windows(limits, steps, layers.clone(), self.ends())?
        };
        Ok(Pass { steps, layers, windows })
    }
}

/// The steps of each pass of a round.
fn passes(config: &Config, limits: &Limits, steps: u32, single_last: bool) -> Vec<u32> {
    let single = single_last.then_some(1);
    config.cuts(limits).of(steps - u32::from(single_last)).chain(single).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::stencil::blocked::layers_per_group;
    use crate::stencil::shape::{Block, Border, Borders, Grid};
    use crate::stencil::stencils::{FIVE_POINT, SEVEN_POINT};
    use crate::stencil::{Stencil, Tuning, Variant};

    /// A few layers, as the steps that each has made; `None` if its cells are none of the grid's.
    type Ages = Vec<Option<u32>>;

    #[test]
    fn every_layer_of_a_slab_makes_every_step() {
        for (stencil, grid) in
            [(&FIVE_POINT, Grid::plane(30, 64)), (&SEVEN_POINT, Grid { planes: 30, rows: 4, cols: 16 })]
        {
            for variant in
                ["direct-global", if stencil.dims.count() == 2 { "time-pipeline" } else { "time-planes" }]
            {
                for border in [Border::Fixed, Border::Reflect, Border::Wrap] {
                    for window in [u64::from(u32::MAX), 30 * 256] {
                        check_all(config(stencil, variant, grid, border), window);
                    }
                }
            }
        }
    }

    fn config(stencil: &'static Stencil, variant: &str, grid: Grid, border: Border) -> Config {
        let variant = Variant::named(stencil, variant).unwrap();
        let tuning = Tuning::of(variant).with_block(Block { rows: 2, cols: 16 }).with_levels_per_team(2);
        let tuning = if variant.is_blocked() { tuning.with_cells_per_lane(4).with_strip(4) } else { tuning };
        Config::new(stencil, variant, Element::F32, grid)
            .with_borders(Borders::all(border))
            .with_tuning(tuning)
    }

    fn check_all(config: Config, window: u64) {
        let limits = Limits { max_storage_buffer_binding_size: window, ..Limits::default() };
        for own in [0..30, 0..7, 7..16, 16..30, 29..30] {
            for (halo, steps) in [(1, 1), (3, 3), (5, 5), (6, 5), (7, 7)] {
                let Ok(slab) = Slab::new(config, own.clone(), halo) else { continue };
                for single_last in [false, true] {
                    for fitted in [|config: &Config, _| *config, halved] {
                        let plan = slab.plan(Features::empty(), &limits, steps, single_last, fitted).unwrap();
                        check(&slab, &plan, steps);
                        check_heights(&slab, &plan, fitted);
                        let last = plan.edges.first().or(plan.interior.as_ref()).unwrap();
                        assert!(!single_last || last.steps == 1);
                    }
                }
            }
        }
    }

    /// Launches of two workgroups one behind the other, each of its own height.
    fn halved(config: &Config, layers: u32) -> Config {
        let half = layers.div_ceil(2);
        config.with_tuning(config.tuning.with_rows_per_group(half).with_planes_per_group(half))
    }

    /// Workgroups are as high as a configuration for the layers says, and write all of them.
    fn check_heights(slab: &Slab, plan: &RoundPlan, fitted: impl Fn(&Config, u32) -> Config) {
        if !slab.config.variant.is_blocked() {
            return;
        }
        for pass in plan.blocks.iter().chain(&plan.edges).chain(&plan.interior) {
            let height = layers_per_group(&fitted(&slab.config, pass.layers.len() as u32));
            for Window { params, workgroups: [x, y], .. } in &pass.windows {
                let stretches = x * y / (params.blocks_across * params.blocks_down);
                assert_eq!(params.planes_per_group, height);
                assert_eq!(stretches, (params.end - params.begin).div_ceil(height).max(1));
            }
        }
    }

    fn check(slab: &Slab, plan: &RoundPlan, steps: u32) {
        let fresh: Ages = vec![Some(0); slab.config.layers() as usize];
        let mut buffers = [fresh, vec![None; slab.config.layers() as usize]];
        for block in &plan.blocks {
            buffers[1] = outer(slab, &buffers);
            run(slab, block, &mut buffers);
            buffers.swap(0, 1);
        }
        buffers[1] = outer(slab, &buffers);
        plan.edges.iter().for_each(|edge| run(slab, edge, &mut buffers));
        let computed = slab.needed(0);
        for side in Side::BOTH {
            let edge = slab.edge_layers(side).unwrap_or_default();
            let done = edge
                .filter(|layer| computed.contains(layer))
                .all(|layer| buffers[1][layer as usize] == Some(steps));
            assert!(done, "{slab:?} {steps} {plan:?}");
        }
        plan.interior.iter().for_each(|interior| run(slab, interior, &mut buffers));
        let done = computed.clone().all(|layer| buffers[1][layer as usize] == Some(steps));
        assert!(done, "{slab:?} {steps} {:?} {plan:?}", buffers[1]);
    }

    /// A buffer to write: nothing in it is right but the layers that no step writes.
    fn outer(slab: &Slab, buffers: &[Ages; 2]) -> Ages {
        let computed = slab.config.computed_layers();
        let fixed =
            |layer: u32, end: usize| slab.ends()[end] == Some(Border::Fixed) && !computed.contains(&layer);
        let last = slab.config.layers() - 1;
        let radius = slab.config.stencil.radius();
        let kept =
            |layer: u32| (layer < radius && fixed(layer, 0)) || (layer + radius > last && fixed(layer, 1));
        (0..=last).map(|layer| if kept(layer) { buffers[0][layer as usize] } else { None }).collect()
    }

    /// Writes the layers that the launches of a pass write: a layer is right if all layers that it depends on are.
    fn run(slab: &Slab, pass: &Pass, [source, target]: &mut [Ages; 2]) {
        let layer_bytes = slab.layer_bytes();
        let last = slab.config.layers() - 1;
        for window in &pass.windows {
            let first = (window.offset / layer_bytes) as u32;
            let count = (window.size / layer_bytes) as u32;
            let written = if slab.config.variant.is_blocked() {
                first + window.params.begin..first + window.params.end
            } else {
                let sides = window.params.sides();
                let direction = 2 * (slab.config.stencil.dims.count() - 1);
                let radius = slab.config.stencil.radius();
                let fixed = |side: u32| if side == Border::Fixed.code() { radius } else { 0 };
                first + fixed(sides[direction])..first + count - fixed(sides[direction + 1])
            };
            for layer in written {
                let reach = pass.steps * slab.config.stencil.radius();
                let inputs = layer.saturating_sub(reach)..=(layer + reach).min(last);
                let bound = first..first + count;
                assert!(inputs.clone().all(|input| bound.contains(&input)), "{slab:?} {pass:?}");
                let is_whole = |end: usize, at: u32| slab.ends()[end].is_some() || at >= reach;
                let whole = is_whole(0, layer) && is_whole(1, last - layer);
                // Layers at a fixed side are as good as of any age.
                let computed = slab.config.computed_layers();
                let ages = inputs.filter(|input| computed.contains(input) || slab.is_cut_end(*input, last));
                let age = source[layer as usize];
                let same = ages.clone().all(|input| source[input as usize] == age);
                target[layer as usize] = if whole && same { age.map(|age| age + pass.steps) } else { None };
            }
        }
    }

    impl Slab {
        fn is_cut_end(&self, layer: u32, last: u32) -> bool {
            let radius = self.config.stencil.radius();
            (layer < radius && self.cut[0]) || (layer + radius > last && self.cut[1])
        }
    }
}
