//! The ladder: every rung for some operators, lengths and workgroup sizes.

use halofold::Element;
use halofold::ladder::{RUNGS, Rung};
use halofold::reduce::Op;
use halofold::wgpu::{Features, Limits};
use halofold_measure::Job;
use indexmap::IndexSet;
use serde_json::{Value, json};

use super::plans::{Plans, distinct};
use super::texts::Texts;
use super::{INVOCATIONS, LENGTHS, limits};

/// The operators and types that the page offers, the first chosen at the start.
const WORK: [(Op, Element); 5] = [
    (Op::Sum, Element::F32),
    (Op::Sum, Element::U32),
    (Op::Sum, Element::I32),
    (Op::Min, Element::F32),
    (Op::Xor, Element::U32),
];

/// The workgroup sizes that the page offers and the invocations that each needs: each rung's own, and some for all.
const SIZES: [(Option<u32>, u32); 5] = [
    (None, INVOCATIONS[0]),
    (Some(64), INVOCATIONS[0]),
    (Some(256), INVOCATIONS[0]),
    (None, INVOCATIONS[1]),
    (Some(1024), INVOCATIONS[1]),
];

/// The features that a browser may have, of those that kernels ask for.
fn features(subgroups: bool) -> Features {
    if subgroups { Features::SUBGROUP } else { Features::empty() }
}

pub fn rungs() -> Vec<String> {
    let rung = |rung: &'static Rung| json!({ "name": rung.name(), "document": rung.document, "finish": rung.finishes[0].name(), "improves": rung.improves });
    RUNGS.iter().map(|one| rung(one).to_string()).collect()
}

pub fn sizes() -> Vec<String> {
    SIZES.iter().map(|(size, invocations)| json!([size, invocations]).to_string()).collect()
}

/// Tables of plans as JSON, one row a workgroup size, one column a length: rungs and operators share them.
pub type Tables = IndexSet<String>;

/// One line an operator and type: for each rung the modules of its stages with subgroups and without, or why there are none, and
/// its table of plans.
pub fn cases(texts: &mut Texts, plans: &mut Plans, tables: &mut Tables) -> Vec<String> {
    let line = |(op, element): (Op, Element)| {
        let rungs: Vec<_> =
            RUNGS.iter().map(|rung| case((op, element), rung, texts, plans, tables)).collect();
        let monoid = op.over(element).expect("the list has only what is defined");
        json!({
            "op": op.name(), "type": element.name(), "item": monoid.stride(), "acc": monoid.acc_size(),
            "out": monoid.out_size(), "rungs": rungs,
        })
        .to_string()
    };
    WORK.into_iter().map(line).collect()
}

fn case(
    (op, element): (Op, Element),
    rung: &'static Rung,
    texts: &mut Texts,
    plans: &mut Plans,
    tables: &mut Tables,
) -> Value {
    let guaranteed = limits(INVOCATIONS[0]);
    let mut modules = |subgroups| {
        let job = tuned((op, element), rung, &guaranteed, (LENGTHS[0], None), subgroups);
        let features = features(subgroups);
        if let Err(error) = job.check(features, &guaranteed) {
            return json!(crate::failure::explain(&error));
        }
        let monoid = job.monoid();
        let stages = distinct(job.stages(&guaranteed));
        let modules: Option<Vec<_>> =
            stages.iter().map(|stage| Some(texts.add(&monoid.compose(*stage, features)?))).collect();
        json!(modules)
    };
    let modules = [modules(true), modules(false)];
    if !modules[0].is_array() {
        return json!({ "modules": modules });
    }
    // A row is the reason instead where workgroups of a size do not go.
    let table = SIZES.map(|(size, invocations)| {
        let limits = limits(invocations);
        let plan = |&len: &u64| {
            let job = tuned((op, element), rung, &limits, (len, size), true);
            let plan = job.plan(0, len, &limits)?;
            assert!(plan.results() == 1 && !plan.leaves_partials(), "nothing is left to the host");
            Ok(plans.add(&job.monoid(), &plan, &distinct(job.stages(&limits))))
        };
        let row: Result<Vec<_>, halofold::Error> = LENGTHS.iter().map(plan).collect();
        row.map_or_else(|error| json!(error.to_string()), |row| json!(row))
    });
    json!({ "modules": modules, "table": tables.insert_full(json!(table).to_string()).0 })
}

/// A rung as it is run for a length, with its own workgroup size or another.
fn tuned(
    (op, element): (Op, Element),
    rung: &'static Rung,
    limits: &Limits,
    (len, size): (u64, Option<u32>),
    subgroups: bool,
) -> Job {
    let job = Job::new(rung, op, element, limits, len).expect("the list has only what is defined");
    let tuning = size.map_or(job.tuning, |size| job.tuning.with_workgroup_size(size));
    Job { tuning, subgroups, ..job }
}
