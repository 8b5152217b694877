//! Remedies where an adapter lacks features that a reduction needs.

use halofold::Element;
use halofold::wgpu;

use crate::gpu;

/// The end of a message that says that features are `missing`: nothing if none is. A reduction that `has_exact_form` needs no features without
/// --fast.
pub fn instead(has_exact_form: bool, element: Element, missing: wgpu::Features) -> String {
    if missing.is_empty() {
        return String::new();
    }
    let mut ways = Vec::new();
    if has_exact_form {
        ways.push("without --fast it is computed in 32-bit integers, on every adapter".to_owned());
    }
    ways.extend(gpu::elsewhere(missing));
    if ways.is_empty() && element.is_float() && element != Element::F32 {
        ways.push("save the array with 32 bits, array.astype('f4')".to_owned());
    }
    if ways.is_empty() {
        ways.push("no adapter of this machine has it".to_owned());
    }
    format!("; {}", ways.join("; "))
}
