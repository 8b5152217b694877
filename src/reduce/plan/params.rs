//! The numbers a kernel is given: `Params` of `shaders/shared/io.wgsl`, field by field.

/// Words that every launch's numbers take up in its uniform block, used or not.
pub(in crate::reduce) const WORDS: usize = 32;

/// The numbers of one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Params {
    /// Where the launch starts, in items from the start of its binding.
    pub first: u32,
    /// Items it covers.
    pub len: u32,
    /// Position of its first item in the whole input.
    pub index: u32,
    /// Length of the whole input: what `finish` is given.
    pub count: u32,
    /// Workgroups that have work; for [`Coverage::Pairs`](crate::reduce::ladder::Coverage::Pairs) the results it writes; for teams,
    /// the teams that have work.
    pub groups: u32,
    /// Workgroups in one row of the grid.
    pub row: u32,
    /// Where its first result goes, in values from the start of its binding.
    pub store: u32,
    /// From a position in the first input to the same in the second; where two bindings adjoin, the items of the first one.
    pub second: u32,
    /// What only its kernel is given.
    pub own: Own,
}

/// What only some kernels are given: `Own` of the kernel's file, field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Own {
    /// Nothing.
    #[default]
    None,
    /// Workgroups publish into the partials buffer.
    Meeting {
        /// Its first slot there.
        slot: u32,
        /// Workgroups of all launches that share the ticket counter.
        tickets: u32,
        /// From an element to the next.
        stride: u32,
    },
    /// Elements are a stride apart, and workgroups meet nobody.
    Strided {
        /// From an element to the next.
        stride: u32,
    },
    /// Segments of one length, or columns of an array.
    Parts {
        /// Rows of a part (of a segment, items), and of a chunk; chunks of a part.
        len: u32,
        /// Rows of one chunk, at most.
        chunk: u32,
        /// Chunks of a part.
        chunks: u32,
        /// Number of the launch's first chunk.
        base: u32,
        /// Invocations that share a chunk, as a power of two.
        team: u32,
        /// Columns of the array, and those that a team takes side by side; `None` for segments.
        columns: Option<[u32; 2]>,
        /// 1 if its accumulators are added to those that a launch before has left at the same places.
        onto: u32,
    },
    /// Segments between offsets.
    Offsets {
        /// Elements of a tile, as a power of two.
        power: u32,
        /// Elements of a segment, or tiles, that a team takes alone, at most.
        short: u32,
        /// Number of the launch's first segment or tile.
        base: u32,
        /// Invocations of a team, as a power of two.
        team: u32,
        /// Segments in all.
        segments: u32,
        /// 1 if it covers the end of the input.
        is_last: u32,
    },
}

impl Params {
    /// The words of its uniform block.
    pub(in crate::reduce) fn words(&self) -> [u32; WORDS] {
        let Params { first, len, index, count, groups, row, store, second, own } = *self;
        let mut words = [0; WORDS];
        words[..8].copy_from_slice(&[first, len, index, count, groups, row, store, second]);
        let mut put = |own: &[u32]| words[8..8 + own.len()].copy_from_slice(own);
        match own {
            Own::None => {}
            // The third is zero, always.
            Own::Meeting { slot, tickets, stride } => put(&[slot, tickets, 0, stride]),
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
