//! The parameters of a kernel: `Params` of `shaders/shared/io.wgsl`, field by field.

use crate::gpu::params::parameters;

/// Words of parameters in the uniform block of every launch, including unused ones.
pub(in crate::reduce) const WORDS: usize = 32;

/// The parameters of one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Params {
    /// The position of the launch's first item in its binding.
    pub first: u32,
    /// Items it covers.
    pub len: u32,
    /// Position of its first item in the whole input.
    pub index: u32,
    /// Length of the whole input, which `finish` receives.
    pub count: u32,
    /// Workgroups that have work. For [`Coverage::Pairs`](crate::ladder::Coverage::Pairs), the
    /// results that it writes. For teams, the teams that have work.
    pub groups: u32,
    /// Workgroups in one row of the grid.
    pub row: u32,
    /// The position of its first result in its binding, in values.
    pub store: u32,
    /// The distance from a position in the first input to that of its partner in the second input. If two
    /// bindings adjoin, the items of the first one.
    pub second: u32,
    /// The parameters that only its kernel has.
    pub own: Own,
}

/// The parameters that only some kernels have: `Own` of the kernel's file, field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Own {
    /// No further parameters.
    #[default]
    None,
    /// Workgroups publish into the partials buffer.
    LastWorkgroup {
        /// The index of the launch's first partial there.
        slot: u32,
        /// Workgroups of all launches that share the ticket counter.
        tickets: u32,
        /// The distance from one element to the next.
        stride: u32,
    },
    /// Elements are a stride apart, and workgroups leave their partials to another launch.
    Strided {
        /// From an element to the next.
        stride: u32,
    },
    /// Segments of one length, or columns of an array.
    Parts {
        /// Rows of a part. For a segment, its items.
        len: u32,
        /// The most rows of one chunk.
        chunk: u32,
        /// Chunks of a part.
        chunks: u32,
        /// The index of the launch's first chunk.
        base: u32,
        /// Invocations that share a chunk, as a power of two.
        team: u32,
        /// Columns of the array, and the columns that a team takes side by side; `None` for segments.
        columns: Option<[u32; 2]>,
        /// 1 if its accumulators are combined with those that an earlier launch has stored at the same
        /// positions.
        onto: u32,
    },
    /// Segments between offsets.
    Offsets {
        /// Elements of a tile, as a power of two.
        power: u32,
        /// The most elements of a segment, or the most tiles, that a team takes alone.
        short: u32,
        /// The index of the launch's first segment or tile.
        base: u32,
        /// Invocations of a team, as a power of two.
        team: u32,
        /// The total number of segments.
        segments: u32,
        /// 1 if it covers the end of the input.
        is_last: u32,
    },
}

parameters! {
    /// `Params` of `shaders/shared/io.wgsl`, without what only some kernels have.
    struct Common {
        first: u32,
        len: u32,
        index: u32,
        count: u32,
        groups: u32,
        row: u32,
        store: u32,
        second: u32,
    }

    /// `Own` of `shaders/ladder/single_pass.wgsl`.
    struct LastWorkgroup {
        slot: u32,
        tickets: u32,
        zero: u32,
        stride: u32,
    }

    /// `Own` of `shaders/ladder/vectorized.wgsl`.
    struct Strided {
        stride: u32,
    }

    /// `Own` of `shaders/shared/bounds.wgsl`.
    struct Segments {
        len: u32,
        chunk: u32,
        chunks: u32,
        base: u32,
        team: u32,
        onto: u32,
    }

    /// `Own` of `shaders/shared/column.wgsl`.
    struct Columns {
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
    struct Tiles {
        power: u32,
        short: u32,
        base: u32,
        team: u32,
        segments: u32,
        is_last: u32,
    }
}

impl Params {
    /// The words of its uniform block. A buffer holds them in little-endian order.
    pub fn words(&self) -> [u32; WORDS] {
        let Params { first, len, index, count, groups, row, store, second, own } = *self;
        let common = Common { first, len, index, count, groups, row, store, second };
        let mut words = [0; WORDS];
        words[..8].copy_from_slice(bytemuck::cast_slice(&[common]));
        let mut put = |own: &[u8]| {
            let own: &[u32] = bytemuck::cast_slice(own);
            words[8..8 + own.len()].copy_from_slice(own);
        };
        match own {
            Own::None => {}
            Own::LastWorkgroup { slot, tickets, stride } => {
                put(bytemuck::bytes_of(&LastWorkgroup { slot, tickets, zero: 0, stride }));
            }
            Own::Strided { stride } => put(bytemuck::bytes_of(&Strided { stride })),
            Own::Parts { len, chunk, chunks, base, team, columns: Some([inner, width]), onto } => {
                put(bytemuck::bytes_of(&Columns { len, chunk, chunks, base, team, inner, width, onto }));
            }
            Own::Parts { len, chunk, chunks, base, team, columns: None, onto } => {
                put(bytemuck::bytes_of(&Segments { len, chunk, chunks, base, team, onto }));
            }
            Own::Offsets { power, short, base, team, segments, is_last } => {
                put(bytemuck::bytes_of(&Tiles { power, short, base, team, segments, is_last }));
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use wgpu::{Features, Limits};

    use super::*;
    use crate::element::Element;
    use crate::gpu::Options;
    use crate::gpu::params::{Field, Parameters, fields_of};
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
                    let own = own.iter().map(|(name, offset)| (*name, offset + size_of::<Common>()));
                    let known: Vec<_> = Common::FIELDS.iter().copied().chain(own).collect();
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
