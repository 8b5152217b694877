//! The kernels of results by id: every type, with one result and with all, with one slice of groups and several.

use halofold::Element;
use halofold::group::ById;
use halofold::wgpu::Limits;
use halofold_measure::translate::Kernel;

/// The results that are asked for.
type Asked = fn(ById) -> ById;

/// Every kernel.
pub fn kernels() -> Vec<(String, Kernel)> {
    let mut kernels = Vec::new();
    for element in [Element::F32, Element::I32, Element::U32] {
        let cases: [(&str, u32, Asked); 4] = [
            ("sums", 4096, ById::sum),
            ("minima and counts", 256, |by_id| by_id.min().count()),
            ("means", 65_536, ById::mean),
            ("all results", 256, |by_id| by_id.min().max().count().mean().sum()),
        ];
        for (name, groups, ask) in cases {
            let by_id = ask(ById::new(element, groups).unwrap());
            kernels.extend(by_id.kernels(&Limits::default()).map(|(label, wgsl, overrides)| {
                let kernel = Kernel { wgsl, entry_point: "main", overrides, label };
                (format!("{}: {name} of {element} by {groups} groups", kernel.label), kernel)
            }));
        }
    }
    kernels
}

#[test]
fn results_by_id_in_every_language() {
    super::valid_in_every_language(kernels());
}

/// Every device has as much.
#[test]
fn workgroup_memory_of_results_by_id_is_16_kib() {
    for (name, kernel) in kernels() {
        let takes = kernel.check().unwrap().facts().workgroup_memory_bytes;
        assert!(takes <= 16 << 10, "{name}: {takes}");
    }
}
