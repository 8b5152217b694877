//! The adapter of a rank.

use std::sync::Arc;

use halofold::adapter;
use halofold::wgpu::{self, Adapter, AdapterInfo, Device, DeviceLostReason, Queue, RequestDeviceError};
use halofold_fleet::Member;

use crate::Ranks;

/// Errors that leave a rank without a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter at all.
    #[error(
        "no GPU adapter on this node: install a Vulkan driver (Mesa's software driver will do), and check what VK_DRIVER_FILES and WGPU_BACKEND name, if they are set"
    )]
    None,
    /// The adapter of this name gave no device.
    #[error("{0}: {1}")]
    Device(String, RequestDeviceError),
}

/// The device of a rank.
#[derive(Debug)]
#[non_exhaustive]
pub struct RankGpu {
    /// The device.
    pub device: Device,
    /// Its queue.
    pub queue: Queue,
    /// The adapter's own description.
    pub info: AdapterInfo,
    /// The number of the adapter on its node, from 0, and the count of those.
    pub place: [usize; 2],
}

impl RankGpu {
    /// Opens the adapter whose turn it is: the ranks of a node take its adapters one after the other, and begin again with the
    /// first.
    ///
    /// These are all [distinct](adapter::distinct) adapters of the kind of the best one: the CPU's software adapter has no turn beside
    /// GPUs, nor has a GPU a second one through another back end. With `WGPU_BACKEND` set, only those of that back end
    /// count. An error that is not caught and a lost device [end all ranks](Ranks::abort).
    ///
    /// # Errors
    ///
    /// There is no adapter, or it gives no device.
    pub fn open(ranks: &Ranks) -> Result<Self, GpuError> {
        let (adapter, place) = adapter_of(ranks)?;
        let info = adapter.get_info();
        let (device, queue) = pollster::block_on(adapter::open(&adapter))
            .map_err(|cause| GpuError::Device(info.name.clone(), cause))?;
        let (on_error, on_loss) = (ranks.end(), ranks.end());
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| on_error.all(error)));
        device.set_device_lost_callback(move |reason, message| {
            if reason != DeviceLostReason::Destroyed {
                on_loss.all(format_args!("the device was lost ({reason:?}): {message}"));
            }
        });
        Ok(RankGpu { device, queue, info, place })
    }

    /// The device, for a worker.
    pub(crate) fn member(&self) -> Member {
        Member { device: self.device.clone(), queue: self.queue.clone() }
    }
}

/// The adapter whose turn it is, as [`RankGpu::open`] opens it: which of the node's adapters it is, from 0, and of how many.
///
/// # Errors
///
/// There is no adapter.
pub fn adapter_of(ranks: &Ranks) -> Result<(Adapter, [usize; 2]), GpuError> {
    let mut all = pollster::block_on(adapter::list());
    let infos: Vec<_> = all.iter().map(|adapter| adapter.get_info()).collect();
    let place = turn(&infos, ranks.on_node()).ok_or(GpuError::None)?;
    Ok((all.swap_remove(place[0]), place))
}

/// The number of a rank's adapter among these, the best first, and the count of those that take turns.
fn turn(infos: &[AdapterInfo], on_node: usize) -> Option<[usize; 2]> {
    let mut turns = adapter::distinct(infos);
    let best = infos[*turns.first()?].device_type;
    turns.retain(|place| infos[*place].device_type == best);
    Some([turns[on_node % turns.len()], turns.len()])
}

#[cfg(test)]
mod tests {
    use halofold::wgpu::{AdapterInfo, Backend, DeviceType};

    use super::turn;

    #[test]
    fn ranks_take_adapters_in_turn() {
        let info = |kind, backend, address: &str| {
            let mut info = AdapterInfo::new(kind, backend);
            info.device_pci_bus_id = address.to_owned();
            info
        };
        let of = |backend| move |address| info(DeviceType::DiscreteGpu, backend, address);
        let (gpu, other) = (of(Backend::Vulkan), of(Backend::Dx12));
        let again = of(Backend::Gl)("");
        let (small, cpu) = (
            info(DeviceType::IntegratedGpu, Backend::Vulkan, "c"),
            info(DeviceType::Cpu, Backend::Vulkan, ""),
        );
        let turns = |infos: &[AdapterInfo]| [0, 1, 2, 3].map(|rank| turn(infos, rank).unwrap()[0]);
        assert_eq!(turns(&[gpu(""), gpu(""), gpu(""), cpu.clone()]), [0, 1, 2, 0]);
        assert_eq!(turns(&[gpu("a"), again.clone(), gpu("b"), again, cpu.clone()]), [0, 2, 0, 2]);
        assert_eq!(turns(&[gpu("a"), other("a"), other("b"), small.clone()]), [0, 2, 0, 2]);
        assert_eq!(turns(&[small, cpu.clone()]), [0; 4]);
        assert_eq!(turns(std::slice::from_ref(&cpu)), [0; 4]);
        assert_eq!(turn(&[gpu(""), gpu(""), cpu], 1), Some([1, 2]));
        assert_eq!(turn(&[], 0), None);
    }
}
