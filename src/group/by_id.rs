//! Results by id as an operation.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::Pass;
use crate::gpu::error::{DataError, Error};
use crate::gpu::io::{Output, ResultOf};
use crate::gpu::kernel::{Driver, Kernel};
use crate::gpu::limits::{self, SettingError, needs};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::Inputs;
use crate::group::aggregate::not_grouped;
use crate::group::io::{self, Group};
use crate::group::plan::{APART, COLLECT, COUNT, FINISH, OFFSETS, PARTED, PUT, TABLES, VARIANCE};
use crate::group::spec::GroupById;
use crate::reduce::{BufferRange, FromResults};

/// The kernels for all results.
const STEPS: &[Step] = &[TABLES, COUNT, OFFSETS, PUT, PARTED, APART, FINISH];

impl Base for GroupById {
    const LABEL: &'static str = "halofold::group_by_id";
    const INPUTS: [&'static str; 2] = ["values", "keys"];

    fn on_driver(self, driver: Driver) -> Self {
        let in_storage = self.in_storage || driver.miscounts;
        GroupById { in_storage, is_software: self.is_software || driver.is_software, ..self }
    }

    fn check_settings(&self) -> Result<(), Error> {
        SettingError::unless("groups", self.groups, 1..=u32::MAX)?;
        if !matches!(self.element, Element::F32 | Element::U32 | Element::I32) {
            return Err(not_grouped(self.element));
        }
        Ok(SettingError::unless("results of a group", self.aggregates.len() as u64, 1..=u32::MAX)?)
    }

    fn check_on(&self, _: Features, limits: &Limits) -> Result<(), Error> {
        limits::check_all(self.steps().iter().map(|step| self.bindings(step, limits)), limits)
            .map_err(|error| error.or("ask for fewer results"))?;
        needs!(limits, max_compute_invocations_per_workgroup, 32u32)?;
        needs!(limits, max_compute_workgroup_storage_size, 1024u32)?;
        Ok(self.check_states(limits)?)
    }

    fn steps(&self) -> Vec<Step> {
        let [variance, collect] = [(VARIANCE, self.has_squares()), (COLLECT, self.keys.is_some())]
            .map(|(step, is)| is.then_some(step));
        STEPS.iter().copied().chain(variance).chain(collect).collect()
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

    fn element(&self) -> Option<Element> {
        Some(self.element)
    }

    fn item(&self) -> u64 {
        4
    }

    fn second_item(&self) -> Option<u64> {
        Some(4)
    }

    fn outputs(&self, _: u64) -> Vec<Output> {
        let size = 4 * u64::from(self.groups);
        let results = self.aggregates.iter().map(|aggregate| Output::new(aggregate.name(), size));
        results.chain([Output::new("rejected", 4)]).collect()
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        Ok([self.adding(inputs.two()?, limits)?, self.finished(limits)?].concat())
    }
}

impl<V: FromResults> ResultOf<GroupById> for Group<u32, V> {
    fn results(operation: &GroupById, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let groups = operation.groups;
        match outputs.last().map_or(0, |rejected| io::number(rejected)) {
            0 => Group::read(operation, 0..groups, outputs),
            number => Err(DataError::Ids { number: number as u32, groups }.into()),
        }
    }
}
