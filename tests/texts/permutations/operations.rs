//! The kernels of operations beside reductions and stencils, and the program's own.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::translate;
use halofold::histogram::{Histogram, Keys, Method as Counting, Tuning};
use halofold::reduce::{Op, length_kernel};
use halofold::wgpu::{Features, Limits, TextureSampleType};
use halofold::{Cut, Map, Planned as _, pyramid};
use halofold_cases::{Plain, operations};
use halofold_measure::{Form, Kernel};

use super::catalogue::generous;
use super::item::{Item, Key};

/// Every device has that much workgroup memory, in bytes.
pub const MEMORY_EVERYWHERE: u64 = 16 << 10;

/// The row of the program's own kernels in the table of kernels and compilers.
pub const PROGRAM: &str = "the program's own";

/// Every distinct kernel of every operation, of the program's memory measurement, and the one that applies a count on the GPU.
pub fn kernels() -> Vec<Item> {
    let mut kernels = Kernels::default();
    operations().iter().for_each(|plain| kernels.add(plain));
    pyramids(&mut kernels);
    for forms in Form::tried(&generous(), false) {
        let kernel = Kernel::from(&forms[0]);
        let name = format!("{} {:?}", kernel.entry_point, kernel.overrides);
        kernels.insert(PROGRAM, &name, 0..=MEMORY_EVERYWHERE, kernel);
    }
    let (wgsl, overrides) = length_kernel();
    let label = "length".to_owned();
    kernels.insert(
        "length",
        "a count",
        0..=MEMORY_EVERYWHERE,
        Kernel { wgsl, entry_point: "main", overrides, label },
    );
    kernels.items
}

/// Kernels, each once in each row.
#[derive(Default)]
struct Kernels {
    items: Vec<Item>,
    seen: HashSet<(String, Key)>,
}

impl Kernels {
    /// The kernels of an operation: all but histograms have memory for them on every device.
    fn add(&mut self, plain: &Plain) {
        let of = &plain.name;
        for kernel in plain.kernels.iter().cloned() {
            let own = kernel.label.trim_start_matches("halofold.").replace('.', "/");
            let (row, memory) = match plain.operation {
                "Histogram" => ("histogram", 0..=u64::MAX),
                "Scan" | "Select" => ("scan", 0..=MEMORY_EVERYWHERE),
                _ => (&*own, 0..=MEMORY_EVERYWHERE),
            };
            self.insert(row, of, memory, kernel.into());
        }
    }

    fn insert(&mut self, row: &str, operation: &str, memory: RangeInclusive<u64>, kernel: Kernel) {
        let label = format!("{} of {operation}", kernel.label);
        let item = Item { memory, ..Item::new(row, label, kernel) };
        if self.seen.insert((row.to_owned(), item.key())) {
            self.items.push(item);
        }
    }
}

/// Every operator, source and number of levels, in the memory that [`pyramid`] promises to devices.
fn pyramids(kernels: &mut Kernels) {
    let red = || Map::components(TextureSampleType::Depth, "r").unwrap();
    let rgb = || Map::components(TextureSampleType::Float { filterable: false }, "rgb").unwrap();
    let sources = [("depth", red(), false), ("colours", rgb(), false), ("a level", red(), true)];
    for (op, memory) in [(Op::Min, 4980), (Op::Max, 4980), (Op::MinMax, 9960)] {
        for (source, map, of_level) in &sources {
            for levels in [1, 4, 6] {
                let (label, wgsl) = pyramid::kernel(op, map.clone(), *of_level, levels).unwrap();
                let kernel = Kernel { wgsl, entry_point: "main", overrides: Vec::new(), label };
                let of = format!("{levels} levels, {op}, of {source}");
                kernels.insert("pyramid", &of, memory..=memory, kernel);
            }
        }
    }
}

#[test]
fn pyramid_of_too_few_or_many_levels_is_refused() {
    for levels in [0, 7] {
        let map = Map::components(TextureSampleType::Depth, "r").unwrap();
        let error = pyramid::kernel(Op::Min, map, false, levels).unwrap_err().to_string();
        assert_eq!(error, format!("levels of {levels}: it can be 1 to 6"));
    }
}

/// A configuration is checked for the memory that its kernel takes.
#[test]
fn histogram_of_too_much_memory_is_refused() {
    for (bins, copies, slices) in [(256, 32, 1), (1000, 2, 3), (65_536, 1, 6)] {
        let method = Counting::Workgroup { copies, slices, merge: false };
        let tuning = Tuning::of(&Limits::default(), bins, 0).with_workgroup_size(256).with_method(method);
        let config = Histogram::new(Keys::Numbers, bins).with_tuning(tuning);
        let kernels = config.kernels(Cut::All, Features::all(), &Limits::default()).unwrap();
        let kernel = kernels.into_iter().next_back().expect("a kernel that counts").into();
        let takes = translate::check(&kernel).unwrap().facts.workgroup_memory_bytes as u32;
        for (memory, fits) in [(takes, true), (takes - 4, false)] {
            let limits = Limits { max_compute_workgroup_storage_size: memory, ..Limits::default() };
            assert_eq!(config.check(&limits).is_ok(), fits, "{config:?}: {takes}");
        }
    }
}
