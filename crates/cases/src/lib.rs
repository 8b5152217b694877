//! What halofold is tested on: every operation over small inputs, with the results that the CPU expects.
//!
//! A [`Case`] is a row of a table: an operation, its parameters, its input, and the expected results, which share no arithmetic with the
//! kernels. It runs on any device, in stages. A device may be lost at any stage. A case ends with right bytes, wrong bytes, or an error.
//!
//! Tests of small limits and of lost devices run this list, and so does the page that checks a browser. [`timed`] has the rows of the
//! library's bench. There are also [elements with known answers](Data) and [exact sums by whole numbers](exact).

pub mod exact;

mod data;
mod grids;
mod groups;
mod how;
mod keys;
mod operations;
mod pictures;
mod places;
mod ranks;
mod reductions;
mod scene;
#[cfg(test)]
mod tests;
pub mod timed;

use std::pin::Pin;

use halofold::stencil::{Stencil, Variant};

pub use data::{Data, Kind, Random, bits_of, data, decode, elements, encode, gather};
pub use how::How;
pub use operations::{Plain, operations};
pub use reductions::{Group, groups};
pub use scene::{End, Scene, any_adapter, compile, same, text};

/// Where a case runs. Each place runs the cases of later places, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// On one device.
    Once,
    /// On devices with some sets of limits.
    Limits,
    /// On many devices. Each compiles the kernels again.
    Losses,
}

/// An operation over an input, and how to run it.
pub struct Case {
    /// The library's type.
    pub operation: &'static str,
    /// No other case has it.
    pub name: String,
    /// Where it runs.
    pub tag: Tag,
    run: Box<dyn Run>,
}

/// Runs an operation on a device. Results are awaited, as a browser demands; elsewhere the scene polls the device before.
trait Run: Send + Sync {
    fn on<'s>(&'s self, scene: &'s Scene) -> Pin<Box<dyn Future<Output = Result<End, String>> + 's>>;
}

impl<F: AsyncFn(&Scene) -> Result<End, String> + Send + Sync> Run for F {
    fn on<'s>(&'s self, scene: &'s Scene) -> Pin<Box<dyn Future<Output = Result<End, String>> + 's>> {
        Box::pin(self(scene))
    }
}

impl Case {
    fn new(operation: &'static str, name: impl Into<String>, run: impl Run + 'static) -> Self {
        Case { operation, name: name.into(), tag: Tag::Losses, run: Box::new(run) }
    }

    fn tagged(self, tag: Tag) -> Self {
        Case { tag, ..self }
    }

    /// Runs it.
    pub async fn run(&self, scene: &Scene) -> End {
        self.run.on(scene).await.unwrap_or_else(End::Refused)
    }
}

/// Cases of one kind.
pub struct Part {
    /// What they are.
    pub title: &'static str,
    /// All of them.
    pub cases: Vec<Case>,
}

/// All cases, for a device of an adapter of this name.
pub fn parts(adapter: &str) -> Vec<Part> {
    let fast = fastest_on(adapter);
    let part = |title, cases| Part { title, cases };
    vec![
        part("reductions: every operator, type and shape", reductions::every_operator()),
        part("exact sums: every type and shape", reductions::exact()),
        part("reductions: every rung, counts on the GPU", reductions::ways()),
        part("histograms: every kind of keys and of elements", keys::cases()),
        part("order statistics of rows", ranks::cases()),
        part("results by id and by key, prefixes, selections", groups::cases()),
        part("textures: sums, a histogram and a pyramid", pictures::cases()),
        part("stencils: every kernel and border, with checks of convergence", grids::cases(fast)),
        part("readbacks and mailboxes", places::cases()),
    ]
}

/// The cases that run in a place, for a device of an adapter of this name.
pub fn cases(tag: Tag, adapter: &str) -> Vec<Case> {
    let all = parts(adapter).into_iter().flat_map(|part| part.cases);
    all.filter(|case| case.tag >= tag).collect()
}

/// True if the compiler of the adapter with this name takes minutes for the kernels of time-blocked stencils, whose loops are written out.
pub fn is_slow_to_compile(adapter: &str) -> bool {
    // Browsers keep the name to themselves, and run on SwiftShader in tests.
    adapter.contains("SwiftShader") || cfg!(target_family = "wasm")
}

/// The fastest variant of a stencil of those that the adapter with a name compiles in time.
pub fn fastest_on(adapter: &str) -> fn(&Stencil) -> &'static Variant {
    if is_slow_to_compile(adapter) { Stencil::fastest_step } else { Stencil::fastest }
}
