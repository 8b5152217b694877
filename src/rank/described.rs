//! The methods that descriptions of order statistics have in common.

/// Implements the methods of a description that choose its rows, and those that show its kernels and its plans.
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
            /// The output has as many results of each segment, whatever its length. `wait` of [`TopK`](crate::rank::TopK) leaves out places
            /// without an element: its results are split by min(k, length) of each segment.
            pub fn segment_offsets(self, offsets: impl IntoIterator<Item = u32>) -> Self {
                let offsets = offsets.into_iter().collect();
                $ty { rows: $crate::rank::shape::Rows::Between(offsets), ..self }
            }

            /// Composes the kernels for a device with these limits, for inspection: the label of each, its WGSL, whose entry point is
            /// `main`, and the values of its overrides.
            pub fn kernels(
                &self,
                limits: &wgpu::Limits,
            ) -> impl Iterator<Item = (String, String, Vec<(&'static str, f64)>)> {
                self.made().kernels(limits)
            }

            /// Plans the dispatches over one range of a buffer, on a device with these limits: each a kernel by its name, which ends its label,
            /// with dots. It is pure and needs no device.
            ///
            /// # Errors
            ///
            /// Too many elements; rows that do not come out even, or offsets that do not ascend; an offset between two elements.
            pub fn plan(
                &self,
                input: $crate::reduce::BufferRange,
                limits: &wgpu::Limits,
            ) -> Result<Vec<$crate::gpu::Pass>, $crate::Error> {
                self.plan_over(input, None, limits)
            }
        }
    };
}
pub(super) use described;
