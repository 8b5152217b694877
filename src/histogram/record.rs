//! A histogram on a device.

use wgpu::{Features, Limits, TextureSampleType};

use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::io::{OneInput, OneOutput, Output, ResultOf};
use crate::gpu::kernel::{Driver, Kernel};
use crate::gpu::limits::SettingError;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::parameters::Parameters;
use crate::gpu::range::{BufferRange, Inputs};
use crate::histogram::config::{Histogram, TABLE};
use crate::histogram::keys::Keys;
use crate::histogram::plan::{CLEAR, COUNT};
use crate::histogram::tuning::Method;
use crate::shader;

impl Base for Histogram {
    const LABEL: &'static str = "halofold::histogram";

    fn on_driver(self, driver: Driver) -> Self {
        Histogram { in_storage: self.in_storage || driver.miscounts, ..self }
    }

    fn check_settings(&self) -> Result<(), Error> {
        let made = self.map.as_ref().map(|map| self.channels_of(map));
        let channels = made.map_or(1..=16, |channels| channels..=channels);
        SettingError::unless("channels", self.channels, channels)?;
        SettingError::unless(
            "bins of all channels",
            u64::from(self.bins) * u64::from(self.channels),
            1..=65_536,
        )?;
        SettingError::unless("stride", self.stride, 1..=u32::MAX)?;
        self.map.as_ref().map_or(Ok(()), |map| map.returns(self.keys.wgsl().0))?;
        self.keys.check(self.bins)
    }

    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        self.check(limits)?;
        self.map
            .as_ref()
            .map_or(Ok(()), |map| map.check(features, &self.kernel(COUNT, features, limits).wgsl))
    }

    fn steps(&self) -> Vec<Step> {
        if self.add { vec![COUNT] } else { vec![CLEAR, COUNT] }
    }

    fn kernel(&self, step: Step, _: Features, limits: &Limits) -> Kernel {
        let tuning = self.tuning_on(limits);
        let file = match (step, tuning.method) {
            (CLEAR, _) => "histogram/clear",
            (_, Method::Workgroup { .. }) => "histogram/workgroup",
            (_, Method::Storage) => "histogram/storage",
        };
        let overrides = self.overrides(step, tuning);
        Kernel::new(shader::label(&[file]), self.compose(file), self.slots(step), overrides)
    }

    fn item(&self) -> u64 {
        self.map.as_ref().map_or(u64::from(4 * self.keys.wgsl().1 * self.channels), |map| map.stride)
    }

    fn memory(&self, _: BufferRange, _: &Limits) -> Result<Vec<Memory>, Error> {
        let table = (self.keys != Keys::Numbers).then(|| Memory::list(TABLE, self.keys.table(self.bins)));
        Ok(table.into_iter().collect())
    }

    fn outputs(&self, _: u64) -> Vec<Output> {
        vec![Output::new("counts", self.output())]
    }

    fn parameters(&self) -> (&str, Option<Parameters>) {
        (Self::LABEL, self.map.as_ref().and_then(|map| map.parameters))
    }

    fn sample(&self) -> Option<TextureSampleType> {
        self.map.as_ref().and_then(|map| map.sample)
    }

    fn takes_all(&self) -> bool {
        self.stride == 1 && self.first == 0
    }

    fn counted(self) -> Option<Self> {
        self.takes_all().then_some(self)
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        self.passes(inputs.first, limits)
    }
}

impl OneInput for Histogram {}
impl OneOutput for Histogram {}

impl ResultOf<Histogram> for u32 {
    fn results(_: &Histogram, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        Ok(bytemuck::pod_collect_to_vec(outputs[0]))
    }
}
