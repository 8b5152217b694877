//! Scratch memory that operations share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{Buffer, Device};

use crate::gpu::buffers;
use crate::gpu::error::Error;

/// Scratch memory for operations of any kind on one device. Operations that are recorded one after the other may share it, in one pass or
/// encoder or in several. It makes them wait for one another. A clone shares the memory.
///
/// It needs no size and no clearing: it grows when an operation is bound that needs more than it has. Operations that were bound before
/// keep the smaller buffers, so bind the largest first.
///
/// ```
/// use halofold::rank::Quantiles;
/// use halofold::reduce::{Op, Reduce};
/// use halofold::{Compiled, Element, Options, Workspace};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let elements = buffer(bytemuck::cast_slice(&[1.0f32, 5.0, 3.0]));
/// # let [median_to, sum_to] = [buffer(&[0; 4]), buffer(&[0; 4])];
/// let workspace = Workspace::new(&device);
/// let median = Compiled::new(&device, Quantiles::new(Element::F32, [0.5]), &Options::default())?;
/// let median = median.of(&elements).workspace(&workspace).bind(&median_to)?;
/// let sum = Compiled::new(&device, Reduce::new(Op::Sum.over(Element::F32)?), &Options::default())?;
/// let sum = sum.of(&elements).workspace(&workspace).bind(&sum_to)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Workspace {
    device: Device,
    buffers: Arc<Mutex<BTreeMap<Place, Buffer>>>,
}

/// A buffer among those of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// The contents do not matter before and after an operation.
    Any(usize),
    /// It is zero before and after an operation, which has at most one such buffer.
    Zeros,
    /// It is zero at first, and never in a workspace.
    Own,
    /// Its head, of tickets and the slots behind them, is zero before and after a reduction. No other operation takes it.
    Tickets,
}

impl Workspace {
    /// Makes an empty workspace.
    pub fn new(device: &Device) -> Self {
        Workspace { device: device.clone(), buffers: Arc::default() }
    }

    /// Bytes on the GPU that the next operation would find. Operations that were bound before it grew hold others.
    pub fn size(&self) -> u64 {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).values().map(Buffer::size).sum()
    }

    /// Checks that it is one of this device.
    pub(super) fn check(&self, device: &Device) -> Result<(), Error> {
        let error =
            || Error::setting("workspace", "a workspace of another device: make one on the operation's");
        if self.device == *device { Ok(()) } else { Err(error()) }
    }

    /// Returns memory of at least this size.
    pub(super) fn buffer(&self, place: Place, label: &str, size: u64) -> Buffer {
        let mut buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let held = buffers.get(&place).filter(|buffer| buffer.size() >= size);
        let buffer = held.cloned().unwrap_or_else(|| buffers::scratch(&self.device, label, size));
        buffers.insert(place, buffer.clone());
        buffer
    }
}
