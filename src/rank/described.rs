//! The methods that descriptions of order statistics have in common.

/// Implements the methods of a description that choose its rows.
macro_rules! described {
    ($ty:ident) => {
        impl $ty {
            /// Returns this description for each row of `len` elements.
            pub fn rows(self, len: u64) -> Self {
                $ty { rows: $crate::rank::shape::Rows::Of(len), ..self }
            }

            /// Returns this description for each segment between two neighbouring offsets: segment `i` has the elements from `offsets[i]` up
            /// to, but not including, `offsets[i + 1]`. Offsets ascend, and count elements from the start of the input. Segments may have
            /// any lengths, and no elements. What comes before the first offset or after the last is in none.
            ///
            /// The output has as many results of each segment, whatever its length. `run` of [`TopK`](crate::rank::TopK) leaves out places
            /// without an element: its results are split by min(k, length) of each segment.
            pub fn segment_offsets(self, offsets: impl IntoIterator<Item = u32>) -> Self {
                let offsets = offsets.into_iter().collect();
                $ty { rows: $crate::rank::shape::Rows::Between(offsets), ..self }
            }
        }
    };
}
pub(super) use described;
