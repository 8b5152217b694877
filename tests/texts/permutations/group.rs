//! The kernels of results by id: every type, with one result and with all, with one slice of groups and several. And of runs of keys: of two kinds of
//! keys, with values of every type, with accumulators of a number and of several, and without values. And of keys in any order, of every type.

use std::collections::HashSet;

use crate::translate;
use halofold::Element;
use halofold::group::{ById, ByKey, GroupBy};
use halofold::reduce::Op;
use halofold::wgpu::{Features, Limits};
use halofold_measure::Kernel;

/// The results that are asked for.
type Asked = fn(ById) -> ById;
type AskedByKey = fn(GroupBy) -> GroupBy;

/// Every kernel.
pub fn kernels() -> Vec<(String, Kernel)> {
    [by_id(), by_key(), group_by()].concat()
}

fn by_id() -> Vec<(String, Kernel)> {
    let mut kernels = Vec::new();
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
            kernels.extend(by_id.kernels(&Limits::default()).map(|(label, wgsl, overrides)| {
                let kernel = Kernel { wgsl, entry_point: "main", overrides, label };
                (format!("{}: {name} of {element} by {groups} groups", kernel.label), kernel)
            }));
        }
    }
    kernels
}

fn by_key() -> Vec<(String, Kernel)> {
    let limits = Limits::default();
    let mut kernels = Vec::new();
    let mut add = |of: String, by_key: ByKey| {
        kernels.extend(by_key.kernels(Features::all(), &limits).map(|(label, wgsl, overrides)| {
            let kernel = Kernel { wgsl, entry_point: "main", overrides, label };
            (format!("{} of {of}", kernel.label), kernel)
        }));
    };
    for key in [Element::U32, Element::F32, Element::U64] {
        add(format!("lengths of {key}"), ByKey::lengths(key).unwrap());
    }
    for element in Element::ALL {
        let by_key = ByKey::new(Element::U32, Op::Sum.over(element).unwrap()).unwrap();
        add(format!("sum of {element}"), by_key);
    }
    let exact = Op::Sum.over(Element::F32).unwrap().exact().unwrap();
    add("exact sum of f32".to_owned(), ByKey::new(Element::U32, exact).unwrap());
    let places = ByKey::new(Element::U32, Op::ArgMax.over(Element::F32).unwrap()).unwrap();
    add("arg-max of f32".to_owned(), places);
    let mut seen = HashSet::new();
    kernels.retain(|(_, kernel)| seen.insert((kernel.wgsl.clone(), format!("{:?}", kernel.overrides))));
    kernels
}

fn group_by() -> Vec<(String, Kernel)> {
    let mut kernels = Vec::new();
    let cases: [(&str, Element, u32, AskedByKey); 4] = [
        ("sums", Element::U32, 256, |by| by.sum().count()),
        ("sums", Element::I32, 4096, |by| by.sum().count()),
        ("sums", Element::F32, 65_536, |by| by.sum().count()),
        ("variances", Element::U32, 256, |by| by.variance().sample_variance()),
    ];
    for (name, key, groups, ask) in cases {
        let group_by = ask(GroupBy::new(key, Element::F32, groups).unwrap());
        kernels.extend(group_by.kernels(&Limits::default()).map(|(label, wgsl, overrides)| {
            let kernel = Kernel { wgsl, entry_point: "main", overrides, label };
            (format!("{}: {name} by {groups} keys of {key}", kernel.label), kernel)
        }));
    }
    kernels
}

#[test]
fn results_by_group_in_every_language() {
    super::valid_in_every_language(kernels());
}

/// Every device has as much.
#[test]
fn workgroup_memory_of_results_by_group_is_16_kib() {
    for (name, kernel) in kernels() {
        let takes = translate::check(&kernel).unwrap().facts.workgroup_memory_bytes;
        assert!(takes <= 16 << 10, "{name}: {takes}");
    }
}
