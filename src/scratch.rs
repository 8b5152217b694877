//! The memory that plans take, for inspection.

use wgpu::Limits;

use crate::gpu::device::Operation as _;
use crate::gpu::error::Error;
use crate::gpu::range::BufferRange;
use crate::group::{ById, ByKey, GroupBy};
use crate::rank::{Quantiles, TopK};
use crate::scan::Scan;
use crate::select::Select;

macro_rules! scratch {
    ($($ty:ty),*) => {
        $(
            impl $ty {
                /// The memory that a plan takes besides inputs and outputs: the binding of each buffer, its bytes, and its words if kernels only
                /// read it.
                ///
                /// # Errors
                ///
                /// Those of the plan, or a binding cannot hold it.
                pub fn scratch(
                    &self,
                    input: BufferRange,
                    limits: &Limits,
                ) -> Result<Vec<(u32, u64, Vec<u32>)>, Error> {
                    let memory = self.memory(input, limits)?;
                    Ok(memory.into_iter().map(|own| (own.slot, own.size, own.contents)).collect())
                }
            }
        )*
    };
}

scratch!(Quantiles, TopK, ById, ByKey, GroupBy, Scan, Select);
