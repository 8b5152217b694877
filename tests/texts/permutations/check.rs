//! Every list of kernels, by the project's rules and in every language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use halofold::Element;
use halofold::reduce::ladder::{Finish, RUNGS};
use halofold::reduce::{Accuracy, Monoid, Op, Options, ReduceError, ShapeKind, Strategy, length_kernel};
use halofold::wgpu::{Features, Limits};
use halofold_measure::Kernel;

use super::catalogue::{self, Distinct, ways};
use super::item::{Item, Met, sample};
use super::operations::MEMORY_EVERYWHERE;
use super::refusals::REFUSALS;
use super::spirv_val::SpirvVal;
use super::{KERNELS, MONOIDS, in_parallel, lints, operations, operators, say, stencils};
use crate::translate::{self, Checked, Code, Language, TranslateError};

/// How often each language refused a kernel for each type.
type Refused = BTreeMap<(&'static str, &'static str), usize>;

/// Checks that kernels keep the project's rules and take the memory that is foreseen, and writes them in all
/// languages.
pub fn check_all<T: AsRef<Item>>(items: &[&T]) -> Refused {
    let refused = Mutex::new(Refused::new());
    // A program that is started for each kernel takes longer than all that comes before it.
    let mut met = Met::new(true, false);
    let with_validator = |item: &&T| (item.as_ref().clone(), met.is_new(item.as_ref()));
    let items: Vec<_> = items.iter().map(with_validator).collect();
    in_parallel(&items, |(item, is_validated)| {
        let checked = match translate::check(&item.kernel) {
            Ok(checked) => checked,
            Err(error) => return vec![format!("{}: {error}", item.label)],
        };
        let mut complaints = lints::broken_rules(&item.kernel);
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

/// Writes a kernel in a language and validates the SPIR-V; returns the type for which it is refused, or a complaint.
fn write(
    item: &Item,
    checked: &Checked<'_>,
    language: Language,
    spirv_val: Option<&SpirvVal>,
) -> Result<Option<&'static str>, String> {
    let must: Vec<_> = item.foreseen.must.iter().filter(|(by, _)| *by == language).collect();
    match checked.write(language) {
        Err(TranslateError::Type { ty, .. }) if item.foreseen.may.contains(&(language, ty)) => Ok(Some(ty)),
        Err(error) => Err(format!("{error}\n(foreseen: {must:?})")),
        Ok(_) if !must.is_empty() => Err(format!("to be refused for {must:?}, but was written")),
        Ok(translation) => match (translation.code, spirv_val) {
            (Code::Words(words), Some(spirv_val)) => spirv_val.check(&words).map(|()| None),
            (Code::Text(text), _) if !text.contains(&translation.entry_point) => {
                Err(format!("no `{}` in\n{text}", translation.entry_point))
            }
            _ => Ok(None),
        },
    }
}

#[test]
fn every_permutation_in_every_language() {
    let refused = check_all(&sample(&KERNELS.kernels));
    let (permutations, kernels) = (KERNELS.permutations, KERNELS.kernels.len());
    say(&format!("permutations: {permutations}, {kernels} distinct kernels; refused: {refused:?}"));
}

/// The kernels of operations beside reductions and stencils, the program's own, and the one that applies a count on
/// the GPU.
#[test]
fn operations_in_every_language() {
    let (wgsl, overrides) = length_kernel();
    let length = Kernel { wgsl, entry_point: "main", overrides, label: "length".to_owned() };
    let mut items = [operations::kernels(), operations::of_program()].concat();
    items.push(Item { memory: 0..=MEMORY_EVERYWHERE, ..Item::new("length", "a count".to_owned(), length) });
    check_all(&items.iter().collect::<Vec<_>>());
}

#[test]
fn every_stencil_in_every_language() {
    let items = stencils::permutations();
    say(&format!("permutations: {} distinct kernels of the stencils", items.len()));
    check_all(&sample(&items));
}

/// Some operators in workgroups of other sizes, and exact residuals in every launch that they may take.
#[test]
fn other_workgroup_sizes_and_residuals_in_every_language() {
    let operators = [
        (Op::Sum, Element::F32),
        (Op::Max, Element::F32),
        (Op::Product, Element::F64),
        (Op::Sum, Element::F16),
        (Op::WideSum, Element::I64),
        (Op::WideProduct, Element::I32),
    ];
    let operators = operators.map(|(op, element)| op.over(element).unwrap());
    let residuals = operators::exact_residuals();
    let sizes = [1, 64, 1024].map(|size| (&operators[..], size, RUNGS.len()));
    for (monoids, workgroup_size, least) in sizes.into_iter().chain([(&residuals[..], 256, 8)]) {
        let distinct = Distinct::of(monoids, workgroup_size);
        assert!(distinct.kernels.len() > least, "{workgroup_size}: {}", distinct.kernels.len());
        check_all(&sample(&distinct.kernels));
    }
}

/// Every operator goes through every form and every rung, and every reason to refuse a kernel is met.
#[test]
fn nothing_is_left_out() {
    for monoid in MONOIDS.iter() {
        for (form, options) in ways(256) {
            let op = monoid.op().expect("it is one of halofold's own");
            let known = (catalogue::asker(form, &options), op, monoid.element());
            let is_exact = options.accuracy == Accuracy::Exact;
            let excused = match options.strategy {
                Strategy::Rung { finish: Finish::Atomic, .. } => !fits_a_word(monoid),
                Strategy::Rung { rung, .. } if rung.name() == "exact" => {
                    has_no_exact_form(monoid, form, &options)
                }
                Strategy::Fastest if is_exact => has_no_exact_form(monoid, form, &options),
                _ => form == ShapeKind::Accumulate && monoid.accumulates().is_none(),
            };
            assert_eq!(KERNELS.met.contains(&known), !excused, "{known:?}");
        }
    }
    let met = KERNELS.kernels.iter().flat_map(|entry| &entry.item.foreseen.must);
    let names = |(language, ty): (Language, &'static str)| (language.name(), ty);
    let met: BTreeSet<_> = met.map(|refusal| names(*refusal)).collect();
    assert_eq!(met, REFUSALS.map(|(language, ty, _)| names((language, ty))).into());
}

fn has_no_exact_form(monoid: &Monoid, form: ShapeKind, options: &Options<'_>) -> bool {
    let checked = options.check(monoid, form, Features::all(), &Limits::default());
    matches!(checked, Err(ReduceError::NotExact { .. }))
}

/// Returns true if an atomic word takes accumulators and turns into the result.
fn fits_a_word(monoid: &Monoid) -> bool {
    let bits = |ty: &str| match ty {
        "u32" | "i32" | "f32" => Some(32),
        "u64" | "i64" | "f64" => Some(64),
        _ => None,
    };
    let [acc, out] = [monoid.acc_type(), monoid.out_type()].map(bits);
    acc.is_some() && acc == out
}
