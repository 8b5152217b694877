//! The variant with which tests meet the fastest there is.

use halofold::stencil::{Stencil, Variant};

/// Returns true if the compiler of the adapter with this name takes minutes for the kernels of time-blocked stencils, whose
/// loops are written out.
pub fn is_slow_to_compile(adapter: &str) -> bool {
    adapter.contains("SwiftShader")
}

/// The fastest variant of a stencil of those that this adapter compiles in time.
pub fn fastest(stencil: &Stencil, adapter: &str) -> &'static Variant {
    if is_slow_to_compile(adapter) { stencil.fastest_step() } else { stencil.fastest() }
}
