//! The kernels of histograms: every step, kind of key and method.

use halofold::histogram::{Config, Keys, Method, Step, Tuning};
use halofold::wgpu::Limits;
use halofold_measure::translate::Kernel;

fn config(keys: Keys, bins: u32, workgroup_size: u32, method: Method) -> Config {
    let limits = Limits::default();
    let tuning = Tuning::of(&limits, bins, 0).with_workgroup_size(workgroup_size).with_method(method);
    Config::new(keys, bins, &limits).with_tuning(tuning)
}

/// Every kernel, at tunings that differ in every override.
pub fn kernels() -> Vec<(String, Kernel)> {
    let methods = [
        Method::Storage,
        Method::Workgroup { copies: 32, slices: 1, merge: false },
        Method::Workgroup { copies: 1, slices: 3, merge: true },
    ];
    let mut kernels = Vec::new();
    for keys in [Keys::Numbers, Keys::Ranges { low: -1.0, high: 1.0 }] {
        for method in methods {
            for (workgroup_size, bins) in [(64, 3), (256, 100), (1024, 256)] {
                let config = config(keys, bins, workgroup_size, method);
                for step in [Step::Clear, Step::Count] {
                    kernels.push((format!("{step:?} of {config:?}"), Kernel::of_histogram(&config, step)));
                }
            }
        }
    }
    kernels
}

#[test]
fn histograms_in_every_language() {
    super::valid_in_every_language(kernels());
}

/// A configuration is checked for the memory that its kernel takes.
#[test]
fn workgroup_memory_of_histograms_is_checked() {
    for (bins, copies, slices) in [(256, 32, 1), (1000, 2, 3), (65_536, 1, 6)] {
        let method = Method::Workgroup { copies, slices, merge: false };
        let config = config(Keys::Numbers, bins, 256, method);
        let takes =
            Kernel::of_histogram(&config, Step::Count).check().unwrap().facts().workgroup_memory_bytes;
        let with =
            |bytes: u64| Limits { max_compute_workgroup_storage_size: bytes as u32, ..Limits::default() };
        assert!(
            config.check(&with(takes)).is_ok() && config.check(&with(takes - 4)).is_err(),
            "{config:?}: {takes}"
        );
    }
}
