//! The change between two grids, reduced to its maximum and its sum of squares; see `shaders/stencil/residual.wgsl`.

use wgpu::{Buffer, Device};

use crate::binding;
use crate::dispatch::Dispatch;
use crate::element::Element;
use crate::pipeline::{self, Checks, Kernel};
use crate::reduce::Params;
use crate::shader::{self, Composer};
use crate::stencil::config::Config;
use crate::stencil::plan::Plan;
use crate::stencil::uniforms::UniformBlocks;
use crate::stencil::window::Window;

/// Invocations of a workgroup.
const WORKGROUP: u32 = 256;

/// The most workgroups for one window: enough to fill a GPU, few enough for one more to add up their results.
const MOST_GROUPS: u32 = 1024;

/// The type that changes are computed and summed in.
pub(super) fn real(element: Element) -> &'static str {
    if element == Element::F64 { "f64" } else { "f32" }
}

/// Bytes of that type.
pub(super) fn width(element: Element) -> u32 {
    if element == Element::F64 { 8 } else { 4 }
}

/// The reduction, compiled, with its numbers among a run's blocks.
#[derive(Debug)]
pub(super) struct Residual {
    changes: (wgpu::ComputePipeline, wgpu::BindGroupLayout),
    partials: (wgpu::ComputePipeline, wgpu::BindGroupLayout),
    /// Bytes of all workgroups' results.
    scratch: u64,
    /// A dispatch over each window, then the one over their results.
    passes: Vec<Pass>,
}

/// Where a dispatch finds its numbers, and how many workgroups it takes.
#[derive(Clone, Copy, Debug)]
struct Pass {
    block: u64,
    groups: u32,
}

impl Residual {
    /// Compiles the two kernels and adds the numbers of their dispatches to the blocks.
    pub(super) fn new(device: &Device, config: &Config, plan: &Plan, blocks: &mut UniformBlocks) -> Self {
        let mut passes = Vec::new();
        let mut add = |params: Params| {
            // A run that is over has nothing to reduce.
            passes
                .push(Pass { block: blocks.add(params, Params { len: 0, ..params }), groups: params.groups });
        };
        let mut total = 0;
        for window in &plan.windows {
            let params = over(window, lanes(config), total);
            total += params.groups;
            add(params);
        }
        add(Params { len: total, groups: 1, row: 1, count: total, last: 1, ..Params::default() });
        let scratch = u64::from(total) * 2 * u64::from(width(config.element));
        let changes = compile(device, config, true, &[0, 1, 2, 3]);
        let partials = compile(device, config, false, &[0, 1, 2]);
        Residual { changes, partials, scratch, passes }
    }

    /// The dispatches that leave the largest change and the sum of squares at the start of `out`.
    pub(super) fn prepare(
        &self,
        device: &Device,
        plan: &Plan,
        [first, second]: [&Buffer; 2],
        params: &Buffer,
        out: &Buffer,
    ) -> Vec<Dispatch> {
        let scratch = binding::scratch(device, "halofold::stencil::residual_partials", self.scratch);
        let dispatch = |(pipeline, layout): &(wgpu::ComputePipeline, _), pass: Pass, resources: Vec<_>| {
            let numbers = (2, binding::block::<Params>(params, pass.block));
            let resources = resources.into_iter().chain([numbers]);
            Dispatch {
                pipeline: pipeline.clone(),
                bindings: binding::bind(device, "halofold::stencil::residual", layout, resources),
                grid: [pass.groups, 1],
            }
        };
        let mut dispatches = Vec::with_capacity(self.passes.len());
        for (window, &pass) in plan.windows.iter().zip(&self.passes) {
            let size = window.size.next_multiple_of(4);
            let part = |buffer| binding::slice(buffer, window.offset, size);
            let resources = vec![(0, part(first)), (3, part(second)), (1, scratch.as_entire_binding())];
            dispatches.push(dispatch(&self.changes, pass, resources));
        }
        let resources = vec![(0, scratch.as_entire_binding()), (1, out.as_entire_binding())];
        dispatches.push(dispatch(&self.partials, self.passes[plan.windows.len()], resources));
        dispatches
    }
}

/// The overrides of both kernels.
pub(super) fn overrides() -> [(&'static str, f64); 1] {
    [("WG", f64::from(WORKGROUP))]
}

/// Cells that are read together.
fn lanes(config: &Config) -> u32 {
    if config.grid.cols.is_multiple_of(4) { 4 } else { 1 }
}

/// The numbers of the dispatch over a window's own cells, whose first result goes to a place in the scratch memory.
fn over(window: &Window, lanes: u32, store: u32) -> Params {
    let len = (window.own.end - window.own.start) / lanes;
    let groups = len.div_ceil(4 * WORKGROUP).clamp(1, MOST_GROUPS);
    Params { first: window.own.start / lanes, len, groups, row: groups, store, ..Params::default() }
}

/// The kernel that reads two grids, or the one that reads its results.
fn compile(
    device: &Device,
    config: &Config,
    reads_grids: bool,
    slots: &[u32],
) -> (wgpu::ComputePipeline, wgpu::BindGroupLayout) {
    let kernel = Kernel {
        label: "halofold::stencil::residual",
        wgsl: compose(config, reads_grids),
        entry_point: "main",
        slots,
        overrides: &overrides(),
        cache: None,
        checks: Checks::On,
    };
    pipeline::compile(device, kernel)
}

pub(super) fn compose(config: &Config, reads_grids: bool) -> String {
    let mut composer = Composer::default();
    let real = real(config.element);
    let mut types = format!("alias Real = {real};\nalias Acc = vec2<{real}>;\nalias Stored = Acc;");
    // Behind the first dispatch nothing is as narrow as the grid's cells any more.
    if reads_grids {
        types.push_str(&format!("\nalias Elem = {};", config.element));
        if config.element == Element::F16 {
            composer.enable("f16");
        }
    }
    composer
        .piece("stencil/residual")
        .add("generated: the types", &types)
        .piece("shared/io")
        .piece("shared/store");
    composer.piece(match (reads_grids, lanes(config)) {
        (true, 4) => "stencil/shared/changes_4",
        (true, _) => "stencil/shared/changes_1",
        (false, _) => "shared/partials",
    });
    for name in shader::uses(shader::piece("stencil/residual")) {
        composer.piece(&format!("shared/{name}"));
    }
    composer.finish()
}
