//! The kernels of order statistics: every type, of one rank and of several, with results that are elements
//! and results between them.

use std::collections::HashSet;

use crate::translate;
use halofold::Element;
use halofold::rank::{Method, Quantiles, TopK};
use halofold::wgpu::Limits;
use halofold_measure::Kernel;

/// Every distinct kernel.
pub fn kernels() -> Vec<(String, Kernel)> {
    let limits = Limits::default();
    let mut kernels = Vec::new();
    for element in Element::ALL {
        let with_name = |of: &str| {
            let name = format!("{of} of {element}");
            move |(label, wgsl, overrides)| {
                let kernel = Kernel { wgsl, entry_point: "main", overrides, label };
                (format!("{} of {name}", kernel.label), kernel)
            }
        };
        for quantiles in [&[0.5][..], &[0.25, 0.5, 0.75]] {
            for method in [Method::Linear, Method::Lower] {
                let of = format!("{} quantiles ({method})", quantiles.len());
                let quantiles = Quantiles::new(element, quantiles.iter().copied()).unwrap();
                let quantiles = quantiles.with_method(method);
                kernels.extend(quantiles.kernels(&limits).map(with_name(&of)));
            }
        }
        let nth = Quantiles::nth(element, [7]);
        kernels.extend(nth.kernels(&limits).map(with_name("a rank")));
        let largest = TopK::new(element, 10).unwrap();
        kernels.extend(largest.kernels(&limits).map(with_name("the largest")));
        let many = TopK::new(element, 1000).unwrap().rows(1024);
        kernels.extend(many.kernels(&limits).map(with_name("the largest of rows")));
        let most = TopK::new(element, 1 << 20).unwrap();
        kernels.extend(most.kernels(&limits).map(with_name("a million of the largest")));
        let segments = largest.clone().segment_offsets([0, 100, 5000]);
        kernels.extend(segments.kernels(&limits).map(with_name("the largest of segments")));
        let median = Quantiles::new(element, [0.5]).unwrap().segment_offsets([0, 100, 5000]);
        kernels.extend(median.kernels(&limits).map(with_name("the median of segments")));
        let smallest = largest.smallest();
        kernels.extend(smallest.kernels(&limits).map(with_name("the smallest")));
    }
    let mut seen = HashSet::new();
    kernels.retain(|(_, kernel)| seen.insert((kernel.wgsl.clone(), format!("{:?}", kernel.overrides))));
    kernels
}

#[test]
fn order_statistics_in_every_language() {
    super::valid_in_every_language(kernels());
}

/// Every device has as much.
#[test]
fn workgroup_memory_of_order_statistics_is_16_kib() {
    for (name, kernel) in kernels() {
        let takes = translate::check(&kernel).unwrap().facts.workgroup_memory_bytes;
        assert!(takes <= 16 << 10, "{name}: {takes}");
    }
}
