//! `halofold --adapters`: one adapter, named several times, is several devices. Results of several have the bits of one.
//!
//! OpenGL has one device at a time: there it is one adapter in a list, which goes the same ways.

use std::fs;

use crate::files::{Folder, npy, parsed, refused};
use halofold::wgpu::Backend;
use serde_json::Value;

fn is_gl() -> bool {
    crate::files::preferred().get_info().backend == Backend::Gl
}

/// The preferred adapter, this many times.
pub fn times(count: usize) -> String {
    vec!["0"; if is_gl() { 1 } else { count }].join(",")
}

/// A grid of numbers that no sum hits exactly.
fn grid(shape: &[usize]) -> Vec<u8> {
    let count = shape.iter().product::<usize>() as u32;
    let cells =
        (0..count).map(|cell| (cell.wrapping_mul(2_654_435_769) >> 8) as f32 / (1 << 22) as f32 - 1.7);
    npy("<f4", false, shape, &cells.flat_map(f32::to_le_bytes).collect::<Vec<_>>())
}

#[test]
fn grids_in_slabs_are_those_of_one_adapter() {
    let folder = Folder::new("several-grids");
    for shape in [&[67, 40][..], &[23, 9, 12]] {
        folder.write("grid.npy", &grid(shape));
        for boundary in ["fixed", "reflect", "mirror", "wrap", "constant=2"] {
            let output = |more: &str| {
                let options = format!("--steps 19 --boundary {boundary} -o out.npy --json");
                let report: Value = parsed(&folder.run(&format!("stencil grid.npy {options} {more}")));
                (fs::read(folder.path("out.npy")).unwrap(), report)
            };
            let (one, _) = output("--adapter 0");
            for (used, halo) in [(3, "--halo 5"), (2, "")] {
                let more = format!("--adapters {} {halo}", times(used));
                let (several, report) = output(&more);
                assert!(one == several, "{shape:?} {boundary} {more}");
                let layers = report["layers"].as_array().unwrap();
                let counts = layers.iter().map(|count| count.as_u64().unwrap());
                assert_eq!(counts.sum::<u64>(), shape[0] as u64);
                assert_eq!(report["steps"], 19);
                let used = if is_gl() { 1 } else { used };
                assert_eq!(layers.len(), used);
                assert_eq!(report["adapter"].as_str().unwrap().split(" + ").count(), used);
            }
        }
    }
}

#[test]
fn a_halo_larger_than_a_slab_is_refused() {
    let folder = Folder::new("several-refused");
    folder.write("grid.npy", &grid(&[20, 31]));
    let said = if is_gl() { "through OpenGL" } else { "use fewer GPUs or a smaller halo" };
    refused(&folder.run("stencil grid.npy --steps 1 --adapters 0,0 --halo 11"), &[said]);
}
