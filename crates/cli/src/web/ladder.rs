//! The ladder: plans of every rung for some operators, lengths and workgroup sizes.

use halofold::Element;
use halofold::data::Host;
use halofold::ladder::{RUNGS, Rung, Setup};
use halofold::reduce::{BufferRange, Op, Reduce, Shape};
use halofold::wgpu::Features;
use halofold_measure::Job;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{INVOCATIONS, LENGTHS, limits};
use crate::failure::explain;

/// The operators and types that the page offers, the first chosen at the start.
const WORK: [(Op, Element); 5] = [
    (Op::Sum, Element::F32),
    (Op::Sum, Element::U32),
    (Op::Sum, Element::I32),
    (Op::Min, Element::F32),
    (Op::Xor, Element::U32),
];

/// The workgroup sizes that the page offers and the invocations that each needs: each rung's own, and some for all.
pub const SIZES: [(Option<u32>, u32); 5] = [
    (None, INVOCATIONS[0]),
    (Some(64), INVOCATIONS[0]),
    (Some(256), INVOCATIONS[0]),
    (None, INVOCATIONS[1]),
    (Some(1024), INVOCATIONS[1]),
];

pub fn rungs() -> Vec<Value> {
    let rung = |rung: &'static Rung| json!({ "name": rung.name(), "document": rung.document, "finish": rung.finishes[0].name(), "improves": rung.improves });
    RUNGS.iter().map(rung).collect()
}

/// For each operator and type the plans of each rung: with subgroups and without, by workgroup size.
pub fn cases() -> Vec<Value> {
    let case = |work: (Op, Element)| {
        let rung = |rung| {
            let plans = |subgroups, size| plans(work, rung, subgroups, size);
            let with = SIZES.map(|size| plans(true, size));
            // Most kernels have no subgroup operations.
            let is_same = plans(false, SIZES[0]) == with[0];
            let without = if is_same { with.clone() } else { SIZES.map(|size| plans(false, size)) };
            [with, without]
        };
        let rungs: Vec<_> = RUNGS.par_iter().map(rung).collect();
        json!({ "op": work.0.name(), "type": work.1.name(), "rungs": rungs })
    };
    WORK.into_iter().map(case).collect()
}

/// The plans of a rung by length, or the reason why there are none. A plan also has the `workgroups` that read elements, and `workgroup_size`.
fn plans(
    (op, element): (Op, Element),
    rung: &'static Rung,
    subgroups: bool,
    (size, invocations): (Option<u32>, u32),
) -> Value {
    let features = if subgroups { Features::SUBGROUP } else { Features::empty() };
    let host = Host { features, limits: limits(invocations), ..Host::default() };
    let plan = |&len: &u64| {
        let job = Job::new(rung, op, element, &host.limits, len).expect("the list has only what is defined");
        let tuning = size.map_or(job.tuning, |size| job.tuning.with_workgroup_size(size));
        let job = Job { tuning, subgroups, ..job };
        job.check(features, &host.limits)?;
        let reduce = Reduce::new(job.monoid()).with_rung(Setup { rung, finish: job.finish, tuning });
        let data = reduce.data(Shape::Whole, &[BufferRange { offset: 0, len }], None, &host)?;
        let plan = job.plan(0, len, &host.limits)?;
        let mut json = halofold_plan::json(&data, &(element, vec![element]));
        json["workgroups"] = json!(plan.workgroups());
        json["workgroup_size"] = json!(tuning.workgroup_size);
        Ok(json)
    };
    let plans: Result<Vec<_>, halofold::Error> = LENGTHS.iter().map(plan).collect();
    plans.map_or_else(|error| json!(explain(&error)), |plans| json!(plans))
}
