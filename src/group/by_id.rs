//! Results by id as an operation.

use wgpu::{Features, Limits};

use crate::element::Value;
use crate::gpu::error::{DataError, Error};
use crate::gpu::kernel::Kernel;
use crate::gpu::limits::{self, SettingError, needs};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::{BufferError, Pass};
use crate::group::aggregate::Aggregate;
use crate::group::plan::{APART, COUNT, FINISH, OFFSETS, PARTED, PUT, TABLES, VARIANCE};
use crate::group::spec::GroupById;
use crate::reduce::{BufferRange, Numbers};

/// All kernels. The last one is only for variances.
const STEPS: &[Step] = &[TABLES, COUNT, OFFSETS, PUT, PARTED, APART, FINISH, VARIANCE];

impl GroupById {
    /// Bytes of an array of results.
    fn array(&self) -> u64 {
        4 * u64::from(self.groups)
    }
}

impl Base for GroupById {
    const LABEL: &'static str = "halofold::group_by_id";
    type Value = Numbers;

    fn counting_in_storage(self) -> Self {
        GroupById { in_storage: true, ..self }
    }

    fn check_on(&self, _: Features, limits: &Limits) -> Result<(), Error> {
        SettingError::unless("results of a group", self.aggregates.len() as u64, 1..=u32::MAX)?;
        limits::check_all(self.steps().iter().map(|step| self.bindings(step)), limits)
            .map_err(|error| error.or("ask for fewer results"))?;
        needs!(limits, max_compute_invocations_per_workgroup, 32u32)?;
        needs!(limits, max_compute_workgroup_storage_size, 1024u32)?;
        Ok(self.check_states(limits)?)
    }

    fn steps(&self) -> &'static [Step] {
        if self.has_squares() { STEPS } else { &STEPS[..STEPS.len() - 1] }
    }

    fn kernel(&self, step: Step, _: Features, limits: &Limits) -> Kernel {
        self.composed(step, limits)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        self.check_states(limits)?;
        let sizes = self.order(input.len, limits).into_iter().flatten();
        let order = (7..).zip(sizes).map(|(slot, size)| Memory::scratch(slot, size));
        Ok([Memory::zeros(4, self.states())].into_iter().chain(order).collect())
    }

    fn item(&self) -> u64 {
        4
    }

    fn second_item(&self) -> Option<u64> {
        Some(4)
    }

    fn outputs(&self, _: u64) -> Vec<u64> {
        let mut sizes = vec![self.array(); self.aggregates.len()];
        sizes.push(4);
        sizes
    }

    fn check_results(&self, _: u64, output: &[u8]) -> Result<(), Error> {
        let number = output.last_chunk().copied().map_or(0, u32::from_le_bytes);
        if number == 0 { Ok(()) } else { Err(DataError::Ids { number, groups: self.groups }.into()) }
    }

    fn values(&self, _: u64, output: &[u8]) -> Vec<Numbers> {
        let arrays: Vec<_> = output.chunks(self.array() as usize).zip(&self.aggregates).collect();
        let value = |id: usize, (array, aggregate): &(&[u8], &Aggregate)| -> Value {
            aggregate.result(self.element).read(&array[4 * id..][..4])
        };
        let numbers = |id| Numbers(arrays.iter().map(|array| value(id, array)).collect());
        (0..self.groups as usize).map(numbers).collect()
    }

    fn plan_over(
        &self,
        input: BufferRange,
        second: Option<BufferRange>,
        limits: &Limits,
    ) -> Result<Vec<Pass>, Error> {
        let ids = second.ok_or(BufferError::SecondInput { is_needed: true })?;
        self.passes(input, ids, limits)
    }
}
