//! The number of launches in which the partials of one result are combined, and the adapters on which one
//! launch is not reliable.

use wgpu::{AdapterInfo, Backend};

/// The number of launches in which several workgroups combine their partials to one result, for reductions of whole and of strided inputs.
/// In other shapes no workgroup reads what another one writes in the same launch.
///
/// With one launch the last workgroup to finish collects the partials that the others have published. This is
/// faster, but it relies on the order in which a GPU performs atomic operations on different addresses. No
/// specification guarantees that order: WGSL's atomics are relaxed. All specifications guarantee the order
/// between two launches. `docs/determinism.md` explains this; an ignored test, `tests/device/one_launch.rs`, tries
/// whether one launch fails on an adapter.
///
/// With two launches the exact sum of a buffer is that of one segment. Exact sums of
/// several buffers, of a stride, or of a count on the GPU only have one launch.
///
/// Both ways combine the elements in the same order, so floats have the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Launches {
    /// One launch, unless the device's adapter is listed as one on which that fails (`src/gpu/launches.rs`). Without a device, one launch.
    #[default]
    ByAdapter,
    /// One launch, on every adapter.
    One,
    /// Two launches, of which the second has one workgroup.
    Two,
}

impl Launches {
    /// Resolves the choice for an adapter: one launch or two.
    #[must_use]
    pub fn on(self, adapter: &AdapterInfo) -> Self {
        match self {
            Launches::ByAdapter if failed(FAILED, adapter).is_some() => Launches::Two,
            Launches::ByAdapter => Launches::One,
            chosen => chosen,
        }
    }
}

/// Adapters on which the last workgroup of a launch has missed a partial that another one had published.
///
/// One row per case. No case is known. The first row that matches counts.
const FAILED: &[Failed] = &[];

/// A row of [`FAILED`]. An empty text matches every adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Failed {
    /// A part of the adapter's name, in lower case.
    name: &'static str,
    /// The back end, or `None` for all.
    backend: Option<Backend>,
    /// A part of the driver's name and version, `driver driver_info`, in lower case.
    driver: &'static str,
}

impl Failed {
    fn applies(&self, adapter: &AdapterInfo) -> bool {
        let driver = format!("{} {}", adapter.driver, adapter.driver_info).to_lowercase();
        adapter.name.to_lowercase().contains(self.name)
            && self.backend.is_none_or(|backend| backend == adapter.backend)
            && driver.contains(self.driver)
    }
}

fn failed<'a>(rows: &'a [Failed], adapter: &AdapterInfo) -> Option<&'a Failed> {
    rows.iter().find(|row| row.applies(adapter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(name: &str, backend: Backend, driver: &str, driver_info: &str) -> AdapterInfo {
        let (driver, driver_info) = (driver.to_owned(), driver_info.to_owned());
        let info = AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, backend);
        AdapterInfo { name: name.to_owned(), driver, driver_info, ..info }
    }

    #[test]
    fn a_row_applies_where_all_of_it_does() {
        let row = Failed { name: "example 7", backend: Some(Backend::Vulkan), driver: "exdrv 12." };
        let rows = [row];
        let of = |name, backend, driver, info| failed(&rows, &adapter(name, backend, driver, info));
        assert_eq!(of("Vendor Example 700", Backend::Vulkan, "ExDrv", "12.3"), Some(&row));
        assert_eq!(of("Vendor Example 600", Backend::Vulkan, "ExDrv", "12.3"), None);
        assert_eq!(of("Vendor Example 700", Backend::Gl, "ExDrv", "12.3"), None);
        assert_eq!(of("Vendor Example 700", Backend::Vulkan, "ExDrv", "13.0"), None);
        let all = [Failed { name: "", backend: Some(Backend::Gl), driver: "" }];
        assert!(failed(&all, &adapter("anything", Backend::Gl, "", "")).is_some());
    }

    #[test]
    fn rows_are_in_lower_case() {
        let is_lower = |text: &str| text == text.to_lowercase();
        assert!(FAILED.iter().all(|row| is_lower(row.name) && is_lower(row.driver)));
    }

    #[test]
    fn an_explicit_choice_holds_on_every_adapter() {
        let any = adapter("any", Backend::Vulkan, "any", "1");
        for chosen in [Launches::One, Launches::Two] {
            assert_eq!(chosen.on(&any), chosen);
        }
        assert_eq!(Launches::ByAdapter.on(&any), Launches::One);
    }
}
