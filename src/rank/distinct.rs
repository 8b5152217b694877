//! The number of distinct values.

use std::f64::consts::LN_2;

use wgpu::{Device, Limits};

use crate::element::Element;
use crate::operation::device::{Memory, OnDevice, Operation, Step};
use crate::operation::kernel::Access::{Read, Write};
use crate::operation::kernel::{Kernel, Slot};
use crate::operation::limits::{LimitError, needs};
use crate::operation::{OperationError, Options, Pass, input};
use crate::rank::counting::{UNIFORM, check, over, over_memory, unless_long};
use crate::rank::pipeline::{Params, WORKGROUP, composer};
use crate::reduce::BufferRange;
use crate::shader::{self, Composer};

/// Registers of an estimate, and the bits of a hash that a register has seen: see `shaders/rank/registers.wgsl`.
const REGISTERS: usize = 1 << 14;
const BITS: usize = 50;

/// Bytes of the registers of a workgroup.
const FOURS: u32 = REGISTERS as u32;

/// The most slices into which keys are cut: each takes a read.
const MOST_SLICES: u64 = 64;

const CLEAR: Step = "histogram/clear";
const MARK: Step = "rank/mark";
const ONES: Step = "rank/ones";
const REGISTER: Step = "rank/registers";

/// A description of the number of distinct values among all elements, exact or estimated. It is a plain value; [`Distinct::on`] brings it to a
/// device.
///
/// ```
/// use halofold::Element;
/// use halofold::rank::Distinct;
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let ids: Vec<u32> = (0..5000).map(|i| i % 700).collect();
/// # let ids = buffer(bytemuck::cast_slice(&ids));
/// let registers: Vec<u32> = Distinct::estimated(Element::U32).on(&device)?.of(&ids).wait(&queue)?;
/// let estimate: f64 = Distinct::estimate(&registers);
/// # assert!((estimate - 700.0).abs() < 21.0, "{estimate}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Values are equal as NumPy's `unique` takes them: −0 is 0, and all NaNs are one value.
///
/// The exact number is a `u32`. It takes a bit for each value that the type has: 8 KiB for elements of 16 bits, and 512 MiB for 32 bits.
/// On a device whose bindings are smaller, the bits are cut into slices, and all elements are read once for each: four times with wgpu's
/// default limit of 128 MiB.
///
/// The estimate is made from 2^14 registers, a `u32` each, which are the output. It takes one read, no memory besides, and elements of any
/// type. Its standard error is 0.8 % (1.04 / √2^14), and one estimate of a thousand is wrong by more than 2.7 %. [`Distinct::estimate`] computes it, and
/// [`Distinct::merge`] makes registers of several parts those of the whole. Registers are the same on every device.
#[derive(Clone, Debug, PartialEq)]
pub struct Distinct {
    element: Element,
    is_exact: bool,
}

impl Distinct {
    /// Describes the exact number for elements of 16 or 32 bits.
    ///
    /// # Errors
    ///
    /// Elements have 64 bits.
    pub fn new(element: Element) -> Result<Self, OperationError> {
        unless_long(element, ": estimate the number of others")?;
        Ok(Distinct { element, is_exact: true })
    }

    /// Describes an estimate, by HyperLogLog.
    pub fn estimated(element: Element) -> Self {
        Distinct { element, is_exact: false }
    }

    /// Makes the operation on a device.
    ///
    /// # Errors
    ///
    /// The device has too low a limit.
    pub fn on(self, device: &Device) -> Result<OnDevice<Distinct>, OperationError> {
        OnDevice::with_config(device, self, Options::default())
    }

    /// Adds what the registers of other elements have seen.
    ///
    /// # Panics
    ///
    /// One has more registers than the other.
    pub fn merge(registers: &mut [u32], other: &[u32]) {
        assert_eq!(registers.len(), other.len(), "registers of one kind");
        registers.iter_mut().zip(other).for_each(|(register, other)| *register = (*register).max(*other));
    }

    /// Estimates the number of distinct values that registers have seen, 0 if they have seen none. Small numbers and large ones take no correction.
    ///
    /// The formula is Ertl's (New cardinality estimation algorithms for HyperLogLog sketches, 2017).
    pub fn estimate(registers: &[u32]) -> f64 {
        let number = registers.len() as f64;
        // Registers by their ranks.
        let mut with = [0.0; BITS + 2];
        registers.iter().for_each(|rank| with[(*rank as usize).min(BITS + 1)] += 1.0);
        let full = number * full(1.0 - with[BITS + 1] / number);
        let sum = (1..=BITS).rev().fold(full, |sum, rank| 0.5 * (sum + with[rank]));
        number * number / (2.0 * LN_2 * (sum + number * empty(with[0] / number)))
    }

    /// Composes the kernels, for inspection: the label of each, its WGSL, whose entry point is `main`, and the values of its overrides.
    pub fn kernels(&self) -> impl Iterator<Item = (String, String, Vec<(&'static str, f64)>)> {
        self.steps().iter().map(|step| self.composed(step).shown())
    }

    /// Words of the output.
    fn words(&self) -> usize {
        if self.is_exact { 1 } else { REGISTERS }
    }

    /// Words of the bitmap, and of a slice of it that a device can bind.
    fn bitmap(&self, limits: &Limits) -> [u64; 2] {
        let words = (1 << (8 * self.element.size())) / 32;
        let bound = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
        [words, words.min(1 << bound.max(1).ilog2())]
    }

    fn composed(&self, step: Step) -> Kernel {
        let composer = if step == CLEAR { Composer::default() } else { composer(self.element) };
        let mut overrides = vec![("WG", WORKGROUP.into())];
        if step == CLEAR {
            overrides.push(("COUNTERS", self.words() as f64));
        }
        Kernel::new(shader::label(&[step]), composer.compose(step, &[]), slots(step), overrides)
    }
}

/// The bindings of a kernel. 0 and 3 are the input, 1 the output, 7 a slice of the bitmap.
fn slots(step: Step) -> &'static [Slot] {
    match step {
        CLEAR => &[(1, Write), UNIFORM],
        MARK => &[(0, Read), (3, Read), (7, Write), UNIFORM],
        ONES => &[(1, Write), (7, Write), UNIFORM],
        _ => &[(0, Read), (1, Write), (3, Read), UNIFORM],
    }
}

/// The sum of `x` and of x^(2^k) 2^(k-1) over all k from 1 on, for a share of empty registers.
fn empty(x: f64) -> f64 {
    let (mut power, mut weight, mut sum) = (x, 0.5, x);
    // Once all registers are empty it grows without end.
    while power > 0.0 && sum.is_finite() {
        power *= power;
        weight *= 2.0;
        sum += power * weight;
    }
    sum
}

/// A third of 1 - x - the sum of (1 - x^(2^-k))^2 2^-k over all k from 1 on, for a share of registers that are not full.
fn full(x: f64) -> f64 {
    let (mut root, mut weight, mut sum) = (x, 1.0, 1.0 - x);
    while root < 1.0 && weight > 0.0 {
        root = root.sqrt();
        weight *= 0.5;
        sum -= (1.0 - root).powi(2) * weight;
    }
    sum / 3.0
}

#[allow(private_interfaces, reason = "users name an operation on a device, not the trait")]
impl Operation for Distinct {
    const LABEL: &'static str = "halofold::distinct";
    type Params = Params;
    type Value = u32;
    type Error = OperationError;

    fn check_on(&self, device: &Device) -> Result<(), OperationError> {
        let limits = &device.limits();
        check(self.steps(), slots, limits)?;
        LimitError::unless_bound(limits, self.output(0)).map_err(|error| error.of("the output"))?;
        if self.is_exact {
            let least = 4 * self.bitmap(limits)[0].div_ceil(MOST_SLICES);
            let error = |error: LimitError| error.of("a bit for each value").or("estimate the number");
            return Ok(LimitError::unless_bound(limits, least).map_err(error)?);
        }
        Ok(needs!(limits, max_compute_workgroup_storage_size, FOURS)?)
    }

    fn steps(&self) -> &'static [Step] {
        if self.is_exact { &[CLEAR, MARK, ONES] } else { &[CLEAR, REGISTER] }
    }

    fn kernel(&self, step: Step, _: &Device) -> Kernel {
        self.composed(step)
    }

    fn memory(&self, _: BufferRange, limits: &Limits) -> Result<Vec<Memory>, OperationError> {
        let [_, words] = self.bitmap(limits);
        let bitmap = Memory { slot: 7, size: 4 * words, contents: Vec::new() };
        Ok(if self.is_exact { vec![bitmap] } else { Vec::new() })
    }

    fn item(&self) -> u64 {
        self.element.size()
    }

    fn output(&self, _: u64) -> u64 {
        4 * self.words() as u64
    }

    fn values(&self, _: u64, output: &[u8]) -> Vec<u32> {
        bytemuck::pod_collect_to_vec(output)
    }

    fn plan_over(
        &self,
        input: BufferRange,
        _: Option<BufferRange>,
        limits: &Limits,
    ) -> Result<Vec<Pass<Step, Params>>, OperationError> {
        let windows = input::windows::<OperationError>(input, self.item(), (1, 0), limits)?;
        let mut passes = vec![over_memory(CLEAR, self.words() as u64, [0, 0], limits)];
        if !self.is_exact {
            passes.extend(windows.iter().map(|window| over(REGISTER, window, [0, 0], limits)));
            return Ok(passes);
        }
        let [all, words] = self.bitmap(limits);
        for slice in (0..all / words).take_while(|_| !windows.is_empty()) {
            passes.extend(windows.iter().map(|window| over(MARK, window, [slice, words], limits)));
            passes.push(over_memory(ONES, words / 16, [slice, words], limits));
        }
        Ok(passes)
    }
}
