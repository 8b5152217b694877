//! A kernel with what is known of it beforehand, and samples of such kernels.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use halofold::wgpu::Features;
use halofold_measure::Kernel;

use super::lints;

/// Returns true if a device with these features is given the text.
type IsGiven = dyn Fn(&str, Features) -> bool + Send + Sync;

/// What makes a kernel another one: its text, its entry point, the bits of its overrides.
pub type Key = (String, &'static str, Vec<(&'static str, u64)>);

#[derive(Clone)]
pub struct Item {
    /// Its row in the table of kernels and compilers.
    pub row: String,
    pub label: String,
    pub kernel: Kernel,
    /// What is dispatched, its source, the operator, the type; a stencil's variant, its borders, …. A kernel without traits is in every sample.
    pub traits: Vec<String>,
    /// What its device lacks. It decides which built-in functions exist for an operator and for a type, too.
    pub lacks: String,
    pub is_given: Arc<IsGiven>,
    /// Bytes of workgroup memory that it may take.
    pub memory: RangeInclusive<u64>,
}

impl Item {
    pub fn new(row: &str, label: String, kernel: Kernel) -> Self {
        Item {
            row: row.to_owned(),
            label,
            kernel,
            traits: Vec::new(),
            lacks: String::new(),
            is_given: Arc::new(|wgsl, features| lints::invalid_with(wgsl, features).is_none()),
            memory: 0..=u64::MAX,
        }
    }

    pub fn is_given_with(&self, features: Features) -> bool {
        (self.is_given)(&self.kernel.wgsl, features)
    }

    pub fn key(&self) -> Key {
        let Kernel { wgsl, entry_point, overrides, .. } = &self.kernel;
        (wgsl.clone(), entry_point, overrides.iter().map(|(name, value)| (*name, value.to_bits())).collect())
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

/// Kernels that together have every pair of traits, with and without optional features, for writing in every language. All with
/// `HALOFOLD_KERNELS_ALL=1`.
pub fn sample(items: &[Item]) -> Vec<&Item> {
    let takes_all = std::env::var_os(super::written::ALL).is_some();
    let mut met = Met::new(true, true);
    items.iter().filter(|item| takes_all || met.is_new(item)).collect()
}
