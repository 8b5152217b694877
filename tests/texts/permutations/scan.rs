//! The kernels of prefixes and of selections: every type, accumulators of a number and of several, rows, and 64-bit floats as pairs of words.

use halofold::Element;
use halofold::reduce::Op;
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::wgpu::{Features, Limits};
use halofold_measure::Kernel;

use super::listed::Listed;

/// Every distinct kernel.
pub fn kernels() -> Vec<(String, Kernel)> {
    let limits = Limits::default();
    let mut all = Listed::default();
    let mut add = |of: &str, element: Element, scan: Scan, features| {
        all.add(&format!("{of} of {element}"), scan.kernels(features, &limits));
    };
    // Every type, and every other operator with some of them.
    let others = [Op::Mean, Op::Min, Op::ArgMax].into_iter().cycle();
    for (element, other) in Element::ALL.into_iter().zip(others) {
        for op in [Op::Sum, other] {
            let scan = Scan::new(op.over(element).unwrap()).unwrap();
            add("prefixes", element, scan, Features::all());
        }
    }
    for element in [Element::F32, Element::F16, Element::U64] {
        let rows = Scan::new(Op::Sum.over(element).unwrap()).unwrap().rows(100).exclusive();
        add("exclusive prefixes of rows", element, rows, Features::all());
    }
    for element in [Element::F32, Element::F16] {
        let sum = Scan::new(Op::Sum.over(element).unwrap().exact().unwrap()).unwrap();
        add("exact prefixes", element, sum, Features::all());
    }
    let parts = Scan::new(Op::Sum.over(Element::F32).unwrap()).unwrap().continuing();
    add("prefixes of parts", Element::F32, parts, Features::all());
    for element in [Element::F32, Element::U64] {
        let segments = Scan::new(Op::Sum.over(element).unwrap()).unwrap().segment_offsets([5]);
        add("prefixes of segments", element, segments, Features::all());
    }
    let min = Scan::new(Op::Min.over(Element::F64).unwrap()).unwrap();
    add("prefixes without 64-bit integers", Element::F64, min, Features::empty());
    let wgsl = "fn keep(elem: Elem, index: u32) -> bool { return elem > Elem(1) || index == 7u; }";
    for element in Element::ALL {
        let select = Select::new(element, wgsl).unwrap();
        for (of, select) in [("selections", select.clone()), ("selected indices", select.indices())] {
            all.add(&format!("{of} of {element}"), select.kernels(Features::all(), &limits));
        }
    }
    all.into_kernels()
}
