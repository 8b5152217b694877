//! Plans as JSON. `scripts/test-js` runs such plans.

use serde_json::{Value, json};

use crate::files::{Folder, fine};

fn plan(arguments: &[&str]) -> Value {
    serde_json::from_str(&fine(&[&["export"], arguments].concat())).expect("a plan is JSON")
}

#[test]
fn plans_have_what_a_host_needs() {
    let sum = plan(&["sum", "--n", "2^20"]);
    assert_eq!((&sum["halofold"], &sum["inputs"]), (&json!(1), &json!(["elements"])));
    assert_eq!(sum["outputs"], json!([{ "name": "output", "size": 4, "fields": ["f32"] }]));
    let input = json!({ "binding": 0, "of": "input", "index": 0, "offset": 0, "size": 4 << 20 });
    assert_eq!(sum["dispatches"][0]["bindings"][0], input);

    let list = plan(&["group-by-id", "type=f32", "groups=9", "results=mean,count", "--n", "1000"]);
    let names: Vec<_> = list["outputs"].as_array().unwrap().iter().map(|output| &output["name"]).collect();
    assert_eq!(names, ["mean", "count", "rejected"]);
}

#[test]
fn limits_of_a_file_change_a_plan() {
    let folder = Folder::new("export");
    let limits = folder.path("limits.json");
    std::fs::write(&limits, r#"{ "maxComputeInvocationsPerWorkgroup": 64, "maxComputeWorkgroupSizeX": 64 }"#)
        .unwrap();
    let size = |limits: &str| plan(&["sum", "--limits", limits])["pipelines"][0]["constants"]["WG"].clone();
    assert_eq!([size("default"), size(&limits)], [256.0, 64.0]);
}
