//! A kernel with what is known of it beforehand, and samples of such kernels.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use halofold_measure::Kernel;

use super::refusals::Foreseen;

#[derive(Clone)]
pub struct Item {
    /// Its row in the table of kernels and compilers.
    pub row: String,
    pub label: String,
    pub kernel: Kernel,
    /// What is launched, its source, the operator, the type; a stencil's variant, its borders, ….
    /// A kernel without traits is in every sample.
    pub traits: Vec<String>,
    /// What its device lacks. It decides which built-in functions exist for an operator and for a type, too.
    pub lacks: String,
    pub foreseen: Foreseen,
    /// Bytes of workgroup memory that it may take.
    pub memory: RangeInclusive<u64>,
}

impl Item {
    pub fn new(row: &str, label: String, kernel: Kernel) -> Self {
        let foreseen = Foreseen::in_text(&kernel.wgsl);
        let (row, memory) = (row.to_owned(), 0..=u64::MAX);
        Item { row, label, kernel, traits: Vec::new(), lacks: String::new(), foreseen, memory }
    }
}

/// What makes a kernel another one: its text, its entry point, the bits of its overrides.
pub fn key(kernel: &Kernel) -> (String, &'static str, Vec<(&'static str, u64)>) {
    let overrides = kernel.overrides.iter().map(|(name, value)| (*name, value.to_bits()));
    (kernel.wgsl.clone(), kernel.entry_point, overrides.collect())
}

impl AsRef<Item> for Item {
    fn as_ref(&self) -> &Item {
        self
    }
}

/// Traits that were met, alone or in pairs.
pub struct Met {
    traits: HashSet<[String; 2]>,
    in_pairs: bool,
    with_lacks: bool,
}

impl Met {
    /// None yet. `with_lacks`: a trait on a device that lacks something is another trait.
    pub fn new(in_pairs: bool, with_lacks: bool) -> Self {
        Met { traits: HashSet::new(), in_pairs, with_lacks }
    }

    /// Returns true if a kernel has a trait, or a pair of traits, which none before it had.
    pub fn is_new(&mut self, item: &Item) -> bool {
        let lacks = if self.with_lacks { &*item.lacks } else { "" };
        let traits: Vec<_> = item.traits.iter().map(|name| format!("{name} {lacks}")).collect();
        let mut is_new = traits.is_empty();
        for (at, name) in traits.iter().enumerate() {
            for other in if self.in_pairs { &traits[..at] } else { &traits[at..=at] } {
                is_new |= self.traits.insert([name.clone(), other.clone()]);
            }
        }
        is_new
    }
}

/// Kernels that together have every pair of traits, with and without what a device may lack: of all kernels that
/// are validated, these are written in every language. `HALOFOLD_KERNELS_ALL=1` takes all.
pub fn sample<T: AsRef<Item>>(items: &[T]) -> Vec<&T> {
    let takes_all = std::env::var_os(super::written::ALL).is_some();
    let mut met = Met::new(true, true);
    items.iter().filter(|item| takes_all || met.is_new((*item).as_ref())).collect()
}
