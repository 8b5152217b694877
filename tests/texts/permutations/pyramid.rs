//! The kernels of pyramids: every operator, source and number of levels.

use crate::translate;
use halofold::Map;
use halofold::pyramid;
use halofold::reduce::Op;
use halofold::wgpu::TextureSampleType;
use halofold_measure::Kernel;

pub fn kernels() -> Vec<(String, Kernel)> {
    let red = || Map::components(TextureSampleType::Depth, "r").unwrap();
    let rgb = || Map::components(TextureSampleType::Float { filterable: false }, "rgb").unwrap();
    let sources = [("depth", red(), false), ("colours", rgb(), false), ("a level", red(), true)];
    let mut kernels = Vec::new();
    for op in [Op::Min, Op::Max, Op::MinMax] {
        for (source, map, of_level) in &sources {
            for levels in [1, 4, 6] {
                let (label, wgsl) = pyramid::kernel(op, map.clone(), *of_level, levels).unwrap();
                let kernel = Kernel { wgsl, entry_point: "main", overrides: Vec::new(), label };
                kernels.push((format!("{levels} levels, {op}, of {source}"), kernel));
            }
        }
    }
    kernels
}

#[test]
fn numbers_of_levels_out_of_range_are_refused() {
    for levels in [0, 7] {
        let map = Map::components(TextureSampleType::Depth, "r").unwrap();
        let error = pyramid::kernel(Op::Min, map, false, levels).unwrap_err().to_string();
        assert_eq!(error, format!("levels of {levels}: it can be 1 to 6"));
    }
}

/// [`pyramid`] promises this to devices.
#[test]
fn workgroup_memory_of_pyramids_is_ten_kib() {
    for (name, kernel) in kernels() {
        let takes = translate::check(&kernel).unwrap().facts.workgroup_memory_bytes;
        assert_eq!(takes, if name.contains("min-max") { 9960 } else { 4980 }, "{name}");
    }
}
