//! The kernels of results by id: every type, with one result and with all, with one slice of groups and several. And of runs of keys: of two kinds of
//! keys, with values of every type, with accumulators of a number and of several, and without values. And of keys in any order, of every type.

use halofold::Element;
use halofold::group::{ById, ByKey, GroupBy};
use halofold::reduce::Op;
use halofold::wgpu::{Features, Limits};
use halofold_measure::Kernel;

use super::listed::Listed;

/// The results that are asked for.
type Asked = fn(ById) -> ById;
type AskedByKey = fn(GroupBy) -> GroupBy;

/// Every distinct kernel.
pub fn kernels() -> Vec<(String, Kernel)> {
    let mut all = Listed::default();
    by_id(&mut all);
    by_key(&mut all);
    group_by(&mut all);
    all.into_kernels()
}

fn by_id(all: &mut Listed) {
    for element in [Element::F32, Element::I32, Element::U32] {
        let cases: [(&str, u32, Asked); 5] = [
            ("sums", 4096, ById::sum),
            ("minima and counts", 256, |by_id| by_id.min().count()),
            ("means", 65_536, ById::mean),
            ("variances", 65_536, |by_id| by_id.variance().sample_variance()),
            // As many as the eight storage buffers that every device has.
            ("many results", 256, |by_id| by_id.min().max().count().mean().sum().variance()),
        ];
        for (name, groups, ask) in cases {
            let by_id = ask(ById::new(element, groups).unwrap());
            all.add(&format!("{name} of {element} by {groups} groups"), by_id.kernels(&Limits::default()));
        }
    }
}

fn by_key(all: &mut Listed) {
    let mut add = |of: &str, by_key: ByKey| all.add(of, by_key.kernels(Features::all(), &Limits::default()));
    for key in [Element::U32, Element::F32, Element::U64] {
        add(&format!("lengths of {key}"), ByKey::lengths(key).unwrap());
    }
    for element in Element::ALL {
        let by_key = ByKey::new(Element::U32, Op::Sum.over(element).unwrap()).unwrap();
        add(&format!("sum of {element}"), by_key);
    }
    let exact = Op::Sum.over(Element::F32).unwrap().exact().unwrap();
    add("exact sum of f32", ByKey::new(Element::U32, exact).unwrap());
    let places = ByKey::new(Element::U32, Op::ArgMax.over(Element::F32).unwrap()).unwrap();
    add("arg-max of f32", places);
}

fn group_by(all: &mut Listed) {
    let cases: [(&str, Element, u32, AskedByKey); 4] = [
        ("sums", Element::U32, 256, |by| by.sum().count()),
        ("sums", Element::I32, 4096, |by| by.sum().count()),
        ("sums", Element::F32, 65_536, |by| by.sum().count()),
        ("variances", Element::U32, 256, |by| by.variance().sample_variance()),
    ];
    for (name, key, groups, ask) in cases {
        let group_by = ask(GroupBy::new(key, Element::F32, groups).unwrap());
        all.add(&format!("{name} by {groups} keys of {key}"), group_by.kernels(&Limits::default()));
    }
}
