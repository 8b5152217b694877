//! One reduction with everything it needs, ready to be run, read and timed again and again.

use wgpu::{BufferUsages, Device, Queue};

use crate::Value;
use crate::read::{ReadError, Readback};
use crate::reduce::reference::{self, Expected, Verdict};
use crate::reduce::{Input, Job, Output, Prepared, ReduceError, Reduction, Workspace};

/// A job bound to its input, with an output of its own that the host can read.
#[derive(Debug)]
pub struct Trial {
    prepared: Prepared,
    job: Job,
    output: wgpu::Buffer,
    readback: Readback,
}

impl Trial {
    /// Compiles a job, plans it for an input and allocates what it needs.
    ///
    /// # Errors
    ///
    /// What [`Reduction::new`], [`Reduction::plan`] and [`Reduction::prepare`] say.
    pub fn new(device: &Device, job: Job, input: Input<'_>) -> Result<Self, ReduceError> {
        let reduction = Reduction::new(device, job)?;
        let plan = reduction.plan(input.offset, input.len)?;
        let workspace = Workspace::new(device, &plan);
        let output = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold::measure::result"),
            size: plan.output,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let target = Output { buffer: &output, offset: 0 };
        let prepared = reduction.prepare(device, input, target, &workspace)?;
        let readback = Readback::new(device, plan.output);
        Ok(Trial { prepared, job, output, readback })
    }

    /// The recorded reduction.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// Runs once and brings the value to the host.
    ///
    /// # Errors
    ///
    /// If the device is lost on the way.
    pub fn value(&self, device: &Device, queue: &Queue) -> Result<Value, ReadError> {
        let size = self.prepared.plan().output;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.prepared.encode(&mut encoder);
        self.readback.encode(&mut encoder, &self.output, 0, size)?;
        queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(device, size)?;
        let pair = self.job.accumulator;
        let value = reference::combine_partials(pair.operator, pair.element, &bytes);
        Ok(value.expect("an accumulator's operator is defined for its element"))
    }

    /// Runs once and holds the value against the reference's.
    ///
    /// # Errors
    ///
    /// If the device is lost on the way.
    pub fn verify(&self, device: &Device, queue: &Queue, expected: &Expected) -> Result<Verdict, ReadError> {
        Ok(expected.judge(self.value(device, queue)?, self.prepared.plan().depth))
    }
}
