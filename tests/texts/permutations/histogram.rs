//! The kernels of histograms: every step, kind of key and method.

use crate::translate;
use halofold::Element;
use halofold::histogram::{CLEAR, COUNT, Histogram, Keys, Map, Method, Tuning};
use halofold::wgpu::{Limits, TextureSampleType};
use halofold_measure::Kernel;

fn config(keys: &Keys, bins: u32, workgroup_size: u32, method: Method) -> Histogram {
    let limits = Limits::default();
    let tuning = Tuning::of(&limits, bins, 0).with_workgroup_size(workgroup_size).with_method(method);
    Histogram::new(keys.clone(), bins, &limits).with_tuning(tuning)
}

/// The same histogram with a stride, with channels, with maps of an element and of a struct, and of a texture.
fn by_element(config: Histogram) -> [Histogram; 5] {
    let (limits, tuning) = (Limits::default(), config.tuning);
    let (ty, keys) = match config.keys {
        Keys::Ranges { .. } | Keys::Levels(_) => ("f32", "f32(x), f32(y)"),
        _ => ("u32", "x, y"),
    };
    let is_long = matches!(config.keys, Keys::U64Levels(_));
    let key = if is_long { "vec2<u32>" } else { ty };
    let element =
        format!("fn map(elem: Elem, index: u32) -> {key} {{ return {key}({ty}(max(elem, i32(index)))); }}");
    let pair = format!(
        "struct Elem {{ x: u32, y: u32, z: u32 }}
        fn map(elem: Elem, index: u32) -> vec2<{ty}> {{ let x = elem.x; let y = elem.z + index; return vec2({keys}); }}"
    );
    let texels = match ty {
        "f32" => Map::luminance(),
        _ => Map::components(TextureSampleType::Uint, if is_long { "rg" } else { "rgb" }).unwrap(),
    };
    let maps = [Map::custom(Element::I32, &element).unwrap(), Map::custom_struct(12, &pair).unwrap(), texels];
    let [one, two, texels] = maps.map(|map| config.clone().with_map(map, &limits));
    let with = [config.clone().with_stride(3, 1), config.with_channels(3, &limits), one, two, texels];
    with.map(|config| config.with_tuning(tuning))
}

/// Every kernel, at tunings that differ in every override.
pub fn kernels() -> Vec<(String, Kernel)> {
    let methods = [
        Method::Storage,
        Method::Workgroup { copies: 32, slices: 1, merge: false },
        Method::Workgroup { copies: 1, slices: 3, merge: true },
    ];
    let mut kernels = Vec::new();
    let kinds: [fn(u16) -> Keys; 5] = [
        |_| Keys::Numbers,
        |_| Keys::Ranges { low: -1.0, high: 1.0 },
        |bins| Keys::Levels((0..=bins).map(f32::from).collect()),
        |bins| Keys::U32Levels((0..=bins).map(u32::from).collect()),
        |bins| Keys::U64Levels((0..=bins).map(u64::from).collect()),
    ];
    let sizes = [(64, 3), (256, 100), (1024, 256)];
    for (nth, keys) in kinds.into_iter().enumerate() {
        // Sizes are overrides, which no text depends on: each method has one, with other keys another.
        for (method, (workgroup_size, bins)) in
            methods.into_iter().zip(sizes.into_iter().cycle().skip(nth + 1))
        {
            let config = config(&keys(bins as u16), bins, workgroup_size, method);
            for step in [CLEAR, COUNT] {
                kernels.push((format!("{step} of {config:?}"), Kernel::of_histogram(&config, step)));
            }
            kernels.extend(
                by_element(config)
                    .map(|config| (format!("by element: {config:?}"), Kernel::of_histogram(&config, COUNT))),
            );
        }
    }
    kernels
}

/// A configuration is checked for the memory that its kernel takes.
#[test]
fn workgroup_memory_of_histograms_is_checked() {
    for (bins, copies, slices) in [(256, 32, 1), (1000, 2, 3), (65_536, 1, 6)] {
        let method = Method::Workgroup { copies, slices, merge: false };
        let config = config(&Keys::Numbers, bins, 256, method);
        let takes =
            translate::check(&Kernel::of_histogram(&config, COUNT)).unwrap().facts.workgroup_memory_bytes;
        let with =
            |bytes: u64| Limits { max_compute_workgroup_storage_size: bytes as u32, ..Limits::default() };
        assert!(
            config.check(&with(takes)).is_ok() && config.check(&with(takes - 4)).is_err(),
            "{config:?}: {takes}"
        );
    }
}
