//! The kernels of order statistics: every type, of one rank and of several, with results that are elements
//! and results between them.

use halofold::Element;
use halofold::rank::{Method, Quantiles, TopK};
use halofold::wgpu::Limits;
use halofold_measure::Kernel;

use super::listed::Listed;

/// Every distinct kernel.
pub fn kernels() -> Vec<(String, Kernel)> {
    let limits = Limits::default();
    let mut all = Listed::default();
    for element in Element::ALL {
        for quantiles in [&[0.5][..], &[0.25, 0.5, 0.75]] {
            for method in [Method::Linear, Method::Lower] {
                let of = format!("{} quantiles ({method})", quantiles.len());
                let quantiles = Quantiles::new(element, quantiles.iter().copied()).unwrap();
                let quantiles = quantiles.with_method(method);
                all.add(&format!("{of} of {element}"), quantiles.kernels(&limits));
            }
        }
        let nth = Quantiles::nth(element, [7]);
        all.add(&format!("a rank of {element}"), nth.kernels(&limits));
        let largest = TopK::new(element, 10).unwrap();
        all.add(&format!("the largest of {element}"), largest.kernels(&limits));
        let many = TopK::new(element, 1000).unwrap().rows(1024);
        all.add(&format!("the largest of rows of {element}"), many.kernels(&limits));
        let most = TopK::new(element, 1 << 20).unwrap();
        all.add(&format!("a million of the largest of {element}"), most.kernels(&limits));
        let segments = largest.clone().segment_offsets([0, 100, 5000]);
        all.add(&format!("the largest of segments of {element}"), segments.kernels(&limits));
        let median = Quantiles::new(element, [0.5]).unwrap().segment_offsets([0, 100, 5000]);
        all.add(&format!("the median of segments of {element}"), median.kernels(&limits));
        let smallest = largest.smallest();
        all.add(&format!("the smallest of {element}"), smallest.kernels(&limits));
    }
    all.into_kernels()
}
