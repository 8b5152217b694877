//! The measurement of memory peaks: the forms of the reading and copying kernels that the page tries.

use halofold_measure::Form;
use serde_json::{Value, json};

use super::texts::Texts;
use super::{INVOCATIONS, limits};

pub fn export(texts: &mut Texts) -> Vec<String> {
    let one = |(most, software): (u32, bool), texts: &mut Texts| {
        let limits = limits(most);
        let mut form = |form: &Form| -> Value {
            json!({ "module": texts.add(form.wgsl), "constants": form.constants, "grid": form.workgroups })
        };
        let [read, copy] =
            Form::tried(&limits, software).map(|forms| forms.iter().map(&mut form).collect::<Vec<_>>());
        let bytes = Form::bytes(&limits, software);
        json!({ "invocations": most, "software": software, "bytes": bytes, "read": read, "copy": copy })
            .to_string()
    };
    let kinds = INVOCATIONS.into_iter().flat_map(|most| [(most, false), (most, true)]);
    kinds.map(|kind| one(kind, texts)).collect()
}
