//! Every case on one device.

use halofold::adapter::HELPFUL_FEATURES;
use halofold_cases::{Case, End, Scene, any_adapter, parts};

use crate::common::in_turn;

/// Returns what is wrong. A refusal has to name a feature that the device lacks, or the back end that cannot.
fn wrong(case: &Case, scene: &Scene) -> Option<String> {
    let end = pollster::block_on(case.run(scene));
    let missing = (HELPFUL_FEATURES - scene.device.features()).iter_names().map(|(name, _)| name);
    let mut reasons = missing.chain(["OpenGL"]);
    let complaints = scene.complaints();
    let what = match end {
        _ if !complaints.is_empty() => complaints.join("; "),
        End::Right => return None,
        End::Refused(error) if reasons.any(|reason| error.contains(reason)) => return None,
        other => format!("{other:?}"),
    };
    Some(format!("{}: {what}", case.name))
}

#[test]
fn results_equal_the_cpus_on_every_adapter() {
    let adapter = any_adapter();
    let (device, queue) = pollster::block_on(halofold::adapter::open(&adapter)).unwrap();
    let scene = Scene::on((device, queue));
    for (turn, part) in parts(&adapter.get_info().name).iter().enumerate() {
        // A dozen of each part on a software adapter.
        let some = in_turn(&part.cases, part.cases.len().div_ceil(12), turn);
        let all_wrong: Vec<_> = some.filter_map(|case| wrong(case, &scene)).collect();
        assert!(all_wrong.is_empty(), "{}:\n{}", part.title, all_wrong.join("\n"));
    }
}
