//! The parameters of a kernel: `Params` of `shaders/shared/io.wgsl`, field by field.

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

impl Params {
    /// The words of its uniform block. A buffer holds them in little-endian order.
    pub fn words(&self) -> [u32; WORDS] {
        let Params { first, len, index, count, groups, row, store, second, own } = *self;
        let mut words = [0; WORDS];
        words[..8].copy_from_slice(&[first, len, index, count, groups, row, store, second]);
        let mut put = |own: &[u32]| words[8..8 + own.len()].copy_from_slice(own);
        match own {
            Own::None => {}
            // The third is always zero.
            Own::LastWorkgroup { slot, tickets, stride } => put(&[slot, tickets, 0, stride]),
            Own::Strided { stride } => put(&[stride]),
            Own::Parts { len, chunk, chunks, base, team, columns: Some([inner, width]), onto } => {
                put(&[len, chunk, chunks, base, team, inner, width, onto]);
            }
            Own::Parts { len, chunk, chunks, base, team, columns: None, onto } => {
                put(&[len, chunk, chunks, base, team, onto]);
            }
            Own::Offsets { power, short, base, team, segments, is_last } => {
                put(&[power, short, base, team, segments, is_last]);
            }
        }
        words
    }
}
