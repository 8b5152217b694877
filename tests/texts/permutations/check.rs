//! Every list of kernels, by the project's rules and in every language.

use std::collections::BTreeMap;
use std::sync::Mutex;

use halofold::Element;
use halofold::adapter::HELPFUL_FEATURES;
use halofold::ladder::RUNGS;
use halofold::reduce::Op;

use super::catalogue::reductions;
use super::item::{Item, Met, sample};
use super::operators::over;
use super::spirv_val::SpirvVal;
use super::{KERNELS, in_parallel, lints, say};
use crate::translate::{self, Checked, Code, Language, TranslateError};

/// How often each language refused a kernel for each type.
type Refused = BTreeMap<(&'static str, &'static str), usize>;

/// Checks the project's rules, features and memory of kernels, and writes them in all languages.
pub fn check_all(items: &[&Item]) -> Refused {
    let refused = Mutex::new(Refused::new());
    // A program that is started for each kernel takes longer than all that comes before it.
    let mut met = Met::new(true, false);
    let items: Vec<_> = items.iter().map(|item| (*item, met.is_new(item))).collect();
    in_parallel(&items, |(item, is_validated)| {
        let checked = match translate::check(&item.kernel) {
            Ok(checked) => checked,
            Err(error) => return vec![format!("{}: {error}", item.label)],
        };
        let mut complaints = lints::broken_rules(&item.kernel);
        // The least that a device may have for this text: what it lacks is refused before the driver sees it.
        let least = HELPFUL_FEATURES.iter().fold(HELPFUL_FEATURES, |least, feature| {
            if item.is_given_with(least - feature) { least - feature } else { least }
        });
        let invalid = lints::invalid_with(&item.kernel.wgsl, least);
        complaints.extend(invalid.map(|error| format!("with {least:?}: {error}")));
        let takes = checked.facts.workgroup_memory_bytes;
        if !item.memory.contains(&takes) {
            complaints.push(format!("it takes {takes} bytes of workgroup memory, not {:?}", item.memory));
        }
        for language in Language::ALL {
            match write(item, &checked, language, SpirvVal::find().filter(|_| *is_validated)) {
                Ok(Some(ty)) => *refused.lock().unwrap().entry((language.name(), ty)).or_default() += 1,
                Ok(None) => {}
                Err(why) => complaints.push(format!("as {language}: {why}")),
            }
        }
        complaints.into_iter().map(|why| format!("{}: {why}", item.label)).collect()
    });
    refused.into_inner().unwrap()
}

/// Writes a kernel in a language and validates the SPIR-V; returns a missing type or a complaint. Devices get no kernel with such a type.
fn write(
    item: &Item,
    checked: &Checked<'_>,
    language: Language,
    spirv_val: Option<&SpirvVal>,
) -> Result<Option<&'static str>, String> {
    let translation = match checked.write(language) {
        Err(TranslateError::Type { ty, .. }) if !item.is_given_with(language.offered()) => {
            return Ok(Some(ty));
        }
        translation => translation.map_err(|error| error.to_string())?,
    };
    match (translation.code, spirv_val) {
        (Code::Words(words), Some(spirv_val)) => spirv_val.check(&words)?,
        (Code::Text(text), _) if !text.contains(&translation.entry_point) => {
            return Err(format!("no `{}` in\n{text}", translation.entry_point));
        }
        _ => {}
    }
    Ok(None)
}

/// Languages lack eleven types between them; each refuses some kernel.
#[test]
fn every_kernel_in_every_language() {
    let refused = check_all(&sample(&KERNELS));
    say(&format!("permutations: {} distinct kernels; refused: {refused:?}", KERNELS.len()));
    assert_eq!(refused.len(), 11, "{refused:?}");
}

/// Some operators in workgroups of other sizes.
#[test]
fn other_workgroup_sizes_in_every_language() {
    let operators = [
        (Op::Sum, Element::F32),
        (Op::Max, Element::F32),
        (Op::Product, Element::F64),
        (Op::Sum, Element::F16),
        (Op::WideSum, Element::I64),
        (Op::WideProduct, Element::I32),
    ];
    for workgroup_size in [1, 64, 1024] {
        let kernels = reductions(operators.map(|(op, element)| over(op, element)).into(), workgroup_size);
        assert!(kernels.len() > RUNGS.len(), "{workgroup_size}: {}", kernels.len());
        check_all(&sample(&kernels));
    }
}
