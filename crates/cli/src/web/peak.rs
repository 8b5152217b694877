//! The measurement of memory peaks: plans of the reading and copying kernels that the page tries.

use halofold_measure::Form;
use serde_json::{Map, Value, json};

use super::{INVOCATIONS, limits};

pub fn peaks() -> Vec<Value> {
    let one = |(invocations, software): (u32, bool)| {
        let limits = limits(invocations);
        let bytes = Form::bytes(&limits, software);
        let [read, copy] = Form::tried(&limits, software)
            .map(|forms| forms.iter().map(|form| plan(form, bytes)).collect::<Vec<_>>());
        json!({ "invocations": invocations, "software": software, "read": read, "copy": copy })
    };
    INVOCATIONS.into_iter().flat_map(|most| [(most, false), (most, true)]).map(one).collect()
}

/// The plan of a form over buffers of this many bytes.
fn plan(form: &Form, bytes: u64) -> Value {
    let part =
        |binding, of, size| json!({ "binding": binding, "of": of, "index": 0, "offset": 0, "size": size });
    json!({
        "halofold": halofold_plan::VERSION,
        "label": form.kernel,
        "modules": [form.wgsl],
        "pipelines": [{
            "label": form.kernel, "module": 0, "entry": "main", "constants": form.constants.map(|(name, value)| (name.to_owned(), json!(value))).into_iter().collect::<Map<_, _>>(),
            "bindings": [[0, "read-only-storage"], [1, "storage"], [2, "uniform"]],
        }],
        "buffers": [{ "size": 256, "words": [bytes / 16, form.workgroups[0]] }],
        "inputs": ["source"],
        "outputs": [{ "name": "sink", "size": bytes, "fields": ["u32"] }],
        "dispatches": [{
            "pipeline": 0, "workgroups": form.workgroups,
            "bindings": [part(0, "input", Some(bytes)), part(1, "output", Some(bytes)), part(2, "buffer", Some(256))],
        }],
        "depth": null,
    })
}
