//! The parameters of kernels: those of all, and those that only some kernels have behind them.

use crate::gpu::params::parameters;

parameters! {
    /// `Params` of `shaders/shared/io.wgsl`, without what only some kernels have.
    pub(crate) struct Params {
        first: u32,
        len: u32,
        index: u32,
        count: u32,
        groups: u32,
        grid_row: u32,
        store: u32,
        second: u32,
    }

    /// `Own` of `shaders/ladder/single_pass.wgsl`.
    pub(in crate::reduce) struct LastWorkgroup {
        slot: u32,
        tickets: u32,
        zero: u32,
        stride: u32,
    }

    /// `Own` of `shaders/ladder/vectorized.wgsl`.
    pub(in crate::reduce) struct Strided {
        stride: u32,
    }

    /// `Own` of `shaders/shared/bounds.wgsl`.
    pub(in crate::reduce) struct Segments {
        len: u32,
        chunk: u32,
        chunks: u32,
        base: u32,
        team: u32,
        onto: u32,
    }

    /// `Own` of `shaders/shared/column.wgsl`.
    pub(in crate::reduce) struct Columns {
        len: u32,
        chunk: u32,
        chunks: u32,
        base: u32,
        team: u32,
        inner: u32,
        width: u32,
        onto: u32,
    }

    /// `Own` of `shaders/shared/tiles.wgsl`.
    pub(in crate::reduce) struct Tiles {
        power: u32,
        short: u32,
        base: u32,
        team: u32,
        segments: u32,
        is_last: u32,
    }
}

#[cfg(test)]
mod tests {
    use wgpu::{Features, Limits};

    use super::*;
    use crate::element::Element;
    use crate::gpu::Options;
    use crate::gpu::params::{Field, Parameters as _, fields_of};
    use crate::reduce::kernel::Coverage;
    use crate::reduce::plan::Reads;
    use crate::reduce::{Op, Reduce, ShapeKind};

    /// The fields of `Own` behind those of all kernels, for a kernel of this coverage.
    fn own_of(coverage: Coverage, file: &str) -> &'static [Field] {
        match coverage {
            Coverage::Columns => Columns::FIELDS,
            Coverage::Teams if file.ends_with("offsets") => Tiles::FIELDS,
            Coverage::Teams => Segments::FIELDS,
            _ if file.ends_with("vectorized") => Strided::FIELDS,
            _ => LastWorkgroup::FIELDS,
        }
    }

    #[test]
    fn parameters_are_those_of_the_kernels() {
        let (limits, features) = (Limits::default(), Features::SUBGROUP | Features::SHADER_INT64);
        let sum = Op::Sum.over(Element::F32).unwrap();
        for monoid in [sum.exact().unwrap(), sum] {
            let reduce = Reduce::new(monoid);
            let monoid = reduce.monoid();
            for form in ShapeKind::ALL {
                for stage in reduce.stages(form, &Options::default(), &limits) {
                    let label = monoid.label(stage);
                    let Some(wgsl) = monoid.compose(stage, features) else { continue };
                    let own = own_of(stage.kernel.coverage, stage.kernel.file);
                    let own = own.iter().map(|(name, offset)| (*name, offset + size_of::<Params>()));
                    let known: Vec<_> = Params::FIELDS.iter().copied().chain(own).collect();
                    let found = fields_of("Params", &label, &wgsl);
                    let names = found.iter().map(|(name, at)| (&**name, *at));
                    let names = names.map(|(name, at)| (if name == "held" { "second" } else { name }, at));
                    let found: Vec<_> = names.collect();
                    assert!(known.starts_with(&found), "{label}: {found:?} in WGSL, {known:?} in Rust");
                    assert!(stage.reads != Reads::Strided || found.len() > 8, "{label} has no stride");
                }
            }
        }
    }
}
