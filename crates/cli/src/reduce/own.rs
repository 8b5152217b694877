//! Custom operators in WGSL (`--wgsl`).

use std::fs;
use std::path::{Path, PathBuf};

use halofold::ladder::{Finish, Rung, Setup};
use halofold::reduce::{Arity, Both, Monoid, Numbers, Reduce, Scalar, Tuning};
use halofold::wgpu;
use halofold::{Compiled, Element, Options};

use super::block::Block;
use super::op;
use super::states::{output_buffer, shape};
use crate::failure::Failure;
use crate::files::Stored;
use crate::gpu::Gpu;

/// The rung that combines neighbours in order, so that operators need not commute.
const IN_ORDER: &str = "interleaved-modulo-pair";

pub type LineResults = Vec<Vec<Option<Scalar>>>;

pub struct Own {
    path: PathBuf,
    pub name: String,
    text: String,
    arity: Arity,
}

impl Own {
    pub fn read(path: &Path, is_pair: bool) -> Result<Self, Failure> {
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| refusal!("--wgsl {}: {error}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Own { path: path.to_owned(), name, text, arity: if is_pair { Arity::Two } else { Arity::One } })
    }

    fn over(&self, element: Element) -> Result<Monoid, Failure> {
        let monoid = Monoid::custom(&self.name, element, self.arity, &self.text);
        let refused = |why: String| refusal!("{}: {why}", self.path.display());
        let monoid = monoid.map_err(|error| refused(error.to_string()))?;
        if monoid.parameters_size().is_some() {
            return Err(refused(
                "parameters come from an application: write their values as constants".to_owned(),
            ));
        }
        Ok(monoid)
    }

    pub fn dtypes(&self, element: Element) -> Result<Vec<Stored>, Failure> {
        let numbers = self.over(element)?.out_elements().unwrap_or_default();
        Ok(numbers.into_iter().map(|number| op::widened(number).into()).collect())
    }

    /// Computes the numbers of each line's result, and the GPU time. Lines without elements give `finish(identity(), 0)`.
    pub fn results(
        &self,
        gpu: &Gpu,
        block: &Block,
        lines: usize,
    ) -> Result<(LineResults, Option<f64>), Failure> {
        let monoid = self.over(block.element)?;
        let mut results = vec![Vec::new(); lines];
        let reducer = gpu.attempt(|| {
            Compiled::new(&gpu.device, in_order(&monoid, gpu), &Options::default()).map_err(Failure::usage)
        })?;
        let mut gpu_ms = Some(0.0);
        for batch in &block.lines.batches {
            let run = || {
                let first = block.slice(0, batch);
                let reduction = match self.arity {
                    Arity::Two => reducer.of(Both { first, second: block.slice(1, batch) }),
                    _ => reducer.of(first),
                };
                let reduction = reduction.shape(shape(batch));
                let plan = reduction.plan().map_err(Failure::usage)?;
                let output = output_buffer(gpu, plan.output());
                let prepared = reduction.bind(&output).map_err(Failure::usage)?;
                let record = |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass);
                let (mut bytes, ms) = gpu.read_results("halofold reduce", &output, record)?;
                bytes.truncate(batch.lines.len() * reducer.operation().monoid().out_size() as usize);
                Ok((reducer.results::<Vec<Numbers>>(&bytes).map_err(Failure::usage)?, ms))
            };
            let (numbers, ms) = gpu.attempt(run)?;
            gpu_ms = gpu_ms.zip(ms).map(|(all, ms)| all + ms);
            for (line, numbers) in batch.lines.iter().zip(numbers) {
                results[*line as usize] =
                    numbers.0.into_iter().map(|value| Some(Scalar::One(value))).collect();
            }
        }
        Ok((results, gpu_ms))
    }
}

/// The reduction of whole inputs in element order.
fn in_order(monoid: &Monoid, gpu: &Gpu) -> Reduce {
    let rung = Rung::named(IN_ORDER).expect("the ladder has it; another would take another order");
    let tuning = Tuning::of(rung.kernel, &gpu.device.limits(), 0);
    // Two accumulators of at most 128 bytes per invocation fit the 16 KiB of every device.
    let most = if monoid.acc_size() <= 32 { 256 } else { 64 };
    let tuning = tuning.with_workgroup_size(tuning.workgroup_size.min(most));
    Reduce::new(monoid.clone()).with_rung(Setup { rung, finish: Finish::Repeat, tuning })
}
