//! Data and references of the project's own tests.

#[path = "../../../tests/common/data.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
pub mod data;
#[path = "../../../tests/common/oracle.rs"]
pub mod oracle;

use halofold::stencil::{Stencil, Variant};

/// The fastest kernel of those that are not blocked in time: SwiftShader compiles one of these in half a minute or more.
pub fn fastest(stencil: &Stencil) -> &'static Variant {
    stencil.fastest_step()
}
