//! The most frequent element.

use wgpu::{Device, Limits};

use crate::element::{Element, Value};
use crate::operation::device::{Memory, OnDevice, Operation, Step};
use crate::operation::kernel::Access::{Read, Write};
use crate::operation::kernel::{Kernel, Slot};
use crate::operation::limits::{LimitError, needs};
use crate::operation::{OperationError, Options, Pass, input};
use crate::rank::counting::{UNIFORM, check, over, over_memory, unless_long};
use crate::rank::pipeline::{Params, WORKGROUP, composer};
use crate::rank::values;
use crate::reduce::BufferRange;
use crate::shader;

/// Bytes of the places in workgroup memory: see `shaders/rank/tally.wgsl`.
const PLACES: u32 = 8 * 1025;

const TALLY: Step = "rank/tally";
const MOST: Step = "rank/most";
const MODE: Step = "rank/mode";

/// A description of the mode: the most frequent of all elements, of equally frequent ones the smallest, and how many there are. It is a plain
/// value; [`Mode::on`] brings it to a device.
///
/// ```
/// use halofold::rank::Mode;
/// use halofold::{Element, Value};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let grades: Vec<i32> = [3, -1, 2, -1, 3, 5].repeat(100);
/// # let grades = buffer(bytemuck::cast_slice(&grades));
/// let mode: Vec<(Value, u32)> = Mode::new(Element::I32)?.on(&device)?.of(&grades).wait(&queue)?;
/// # assert_eq!(mode, [(Value::Signed(-1), 200)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The output is a value, of which one of 16 bits becomes an `f32`, and a `u32`, the count. −0 is 0, and all NaNs are one value, the largest. Of no
/// elements, the value is NaN, or 0 if it is an integer, and the count 0. Both are the same on every device, in every run.
///
/// Elements are counted in a hash table, by one read. It has 12 bytes for each element of 32 bits, in two bindings: so wgpu's default limit of
/// 128 MiB allows 22 million elements, and 2 GiB allow 357 million. A table for elements of 16 bits takes 768 KiB at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    element: Element,
}

impl Mode {
    /// Describes the mode of elements of 16 or 32 bits.
    ///
    /// # Errors
    ///
    /// Elements have 64 bits.
    pub fn new(element: Element) -> Result<Self, OperationError> {
        unless_long(element, ": convert others to one of these")?;
        Ok(Mode { element })
    }

    /// Makes the operation on a device.
    ///
    /// # Errors
    ///
    /// The device has too low a limit.
    pub fn on(self, device: &Device) -> Result<OnDevice<Mode>, OperationError> {
        OnDevice::with_config(device, self, Options::default())
    }

    /// Composes the kernels, for inspection: the label of each, its WGSL, whose entry point is `main`, and the values of its overrides.
    pub fn kernels(&self) -> impl Iterator<Item = (String, String, Vec<(&'static str, f64)>)> {
        self.steps().iter().map(|step| self.composed(step).shown())
    }

    fn composed(&self, step: Step) -> Kernel {
        let wgsl = composer(self.element).choose("result", "rank/results/element").compose(step, &[]);
        Kernel::new(shader::label(&[step]), wgsl, slots(step), vec![("WG", WORKGROUP.into())])
    }

    /// The places of the table for so many elements, but for the last: half as many again as there can be different ones.
    fn room(&self, len: u64) -> u64 {
        3 * len.min(1 << (8 * self.element.size())).div_ceil(2)
    }
}

/// The bindings of a kernel. 0 and 3 are the input, 1 the output, 4 the largest count and its key, 7 and 8 the table.
fn slots(step: Step) -> &'static [Slot] {
    match step {
        TALLY => &[(0, Read), (3, Read), (7, Write), (8, Write), UNIFORM],
        MOST => &[(4, Write), (7, Write), (8, Write), UNIFORM],
        _ => &[(1, Write), (4, Write), UNIFORM],
    }
}

#[allow(private_interfaces, reason = "users name an operation on a device, not the trait")]
impl Operation for Mode {
    const LABEL: &'static str = "halofold::mode";
    type Params = Params;
    type Value = (Value, u32);
    type Error = OperationError;

    fn check_on(&self, device: &Device) -> Result<(), OperationError> {
        let limits = &device.limits();
        check(self.steps(), slots, limits)?;
        Ok(needs!(limits, max_compute_workgroup_storage_size, PLACES)?)
    }

    fn steps(&self) -> &'static [Step] {
        &[TALLY, MOST, MODE]
    }

    fn kernel(&self, step: Step, _: &Device) -> Kernel {
        self.composed(step)
    }

    fn memory(&self, input: BufferRange, _: &Limits) -> Result<Vec<Memory>, OperationError> {
        let places = 4 * (self.room(input.len) + 1);
        let sizes = [(4, 8), (7, places), (8, places)];
        Ok(sizes.map(|(slot, size)| Memory { slot, size, contents: Vec::new() }).into())
    }

    fn item(&self) -> u64 {
        self.element.size()
    }

    fn output(&self, _: u64) -> u64 {
        8
    }

    fn values(&self, _: u64, output: &[u8]) -> Vec<(Value, u32)> {
        let number: u32 = bytemuck::pod_read_unaligned(&output[4..8]);
        values::of(self.element, &output[..4]).into_iter().map(|value| (value, number)).collect()
    }

    fn plan_over(
        &self,
        input: BufferRange,
        _: Option<BufferRange>,
        limits: &Limits,
    ) -> Result<Vec<Pass<Step, Params>>, OperationError> {
        let windows = input::windows::<OperationError>(input, self.item(), (1, 0), limits)?;
        let room = self.room(input.len);
        LimitError::unless_bound(limits, 4 * (room + 1))
            .map_err(|error| error.of("the table of elements").or("give fewer elements"))?;
        let mut passes: Vec<_> =
            windows.iter().map(|window| over(TALLY, window, [0, room], limits)).collect();
        if !passes.is_empty() {
            passes.extend([0, 1].map(|round| over_memory(MOST, room.div_ceil(4), [round, room], limits)));
        }
        passes.push(over_memory(MODE, 1, [0, room], limits));
        Ok(passes)
    }
}
