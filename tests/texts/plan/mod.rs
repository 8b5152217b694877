//! Plans, checked against the kernels' own arithmetic. No GPU is needed.
//!
//! Random operators, shapes, rungs, tunings, lengths up to 2^32 - 1, offsets and limits: a plan covers each element and writes each result
//! once, stays within every limit, and hands on partial results without a gap. If there is no plan, the named limit is in the way.

mod case;
mod check;
mod errors;
mod histogram;
mod offsets;
mod parts;
mod whole;

use self::case::{Case, of_rungs, of_shapes};
use proptest::prelude::*;

fn holds(case: &Case) -> check::Checked {
    match case.plan() {
        Ok(plan) => check::plan(case, &plan),
        Err(error) => errors::justified(case, &error),
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(100_000))]

    #[test]
    fn plans_of_rungs_hold(case in of_rungs()) {
        holds(&case)?;
    }
}

proptest! {
    #![proptest_config(config(20_000))]

    #[test]
    fn plans_of_shapes_hold(case in of_shapes()) {
        holds(&case)?;
    }
}
