//! One pass over the file: a thread reads slabs, this one has them computed, a third writes them.
//!
//! Two buffers for each way: while the GPU steps a slab, the next one is read and the one before is written.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use halofold::wgpu::Device;
use rayon::prelude::*;

use super::device::{Flight, Layout, SlabDevice, Slabs, Upload, words};
use super::writer::Writer;
use super::{Cells, StreamError};
use crate::error_scopes::in_error_scopes;
use crate::staging::Staging;
use crate::stepping::Round;

/// Bytes that a thread reads from a file at once: few enough that they are still in the cache when they are copied on.
const CHUNK: u64 = 256 << 10;

/// Threads that read: one copies some 2 GB/s out of the system's cache of files, and a bus takes 30.
const THREADS: u32 = 16;

/// The buffers on their way that are free.
pub(super) struct Buffers {
    pub uploads: Vec<Upload>,
    pub downloads: Vec<Staging>,
}

impl Buffers {
    pub fn new(device: &SlabDevice) -> Result<Self, StreamError> {
        Ok(Buffers {
            uploads: vec![device.upload()?, device.upload()?],
            downloads: vec![device.download(), device.download()],
        })
    }
}

/// The files that slabs are read from.
pub(super) struct Sources<'a> {
    pub cells: &'a dyn Cells,
    pub rhs: Option<&'a dyn Cells>,
    pub slabs: Slabs,
    /// Bytes read.
    pub read: u64,
}

impl Sources<'_> {
    /// Reads a slab and its halo.
    fn fill(&mut self, slab: u32, upload: &Upload) -> Result<(), StreamError> {
        let held = self.slabs.held(slab)?;
        self.read += fill(self.cells, &held, &upload.cells)?;
        if let (Some(rhs), Some(staging)) = (self.rhs, &upload.rhs) {
            self.read += fill(rhs, &held, staging)?;
        }
        Ok(())
    }
}

/// Reads parts of a grid to the beginning of a buffer, one after the other, by several threads: one reads slower than a bus. Returns the
/// bytes of the file that this took.
fn fill(cells: &dyn Cells, parts: &[Range<u64>], staging: &Staging) -> Result<u64, StreamError> {
    let all = parts.iter().map(|part| part.end - part.start).sum::<u64>();
    let begun = AtomicU64::new(0);
    let some = |_| {
        let (mut bounce, mut read) = (vec![0; CHUNK as usize], 0);
        loop {
            let start = begun.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= all {
                return Ok(read);
            }
            let chunk = start..all.min(start + CHUNK);
            bounce.truncate(words(0..chunk.end - start).end as usize);
            read += read_chunk(cells, parts, chunk, &mut bounce)?;
            staging.view_mut(start..start + bounce.len() as u64)?.copy_from_slice(&bounce);
        }
    };
    (0..THREADS).into_par_iter().map(some).try_reduce(|| 0, |one, other| Ok(one + other))
}

/// Reads a chunk of the parts, counted from the beginning of the first. Returns the bytes of the file that this took.
fn read_chunk(
    cells: &dyn Cells,
    parts: &[Range<u64>],
    chunk: Range<u64>,
    into: &mut [u8],
) -> Result<u64, StreamError> {
    let (mut begin, mut read) = (0, 0);
    for part in parts {
        let end = begin + part.end - part.start;
        let [from, to] = [begin, end].map(|at| at.clamp(chunk.start, chunk.end));
        if from < to {
            let into = &mut into[(from - chunk.start) as usize..(to - chunk.start) as usize];
            read += cells.read_at(part.start + from - begin, into)?;
        }
        begin = end;
    }
    Ok(read)
}

/// The part of a run that a pass does.
pub(super) struct RestOfPass<'a> {
    /// The slabs that are not done.
    pub slabs: Range<u32>,
    /// The steps of each of them.
    pub round: Round,
    /// A flag that ends the pass early.
    pub stop: &'a AtomicBool,
}

/// Steps the rest of a pass. Returns false if it was stopped before its end.
pub(super) fn run(
    rest: &RestOfPass<'_>,
    device: &mut SlabDevice,
    buffers: &mut Buffers,
    sources: &mut Sources<'_>,
    writer: &mut Writer,
    mut on_slab: impl FnMut(u32),
) -> Result<bool, StreamError> {
    let (empty, to_fill) = mpsc::channel();
    let (filled, to_step) = mpsc::sync_channel(2);
    let (stepped, to_write) = mpsc::channel();
    let (written, free) = mpsc::channel();
    buffers.uploads.drain(..).for_each(|upload| drop(empty.send(upload)));
    buffers.downloads.drain(..).for_each(|download| drop(written.send(download)));
    let slabs = rest.slabs.clone();
    let gpu = device.device().clone();
    thread::scope(|scope| {
        let reader = scope.spawn(move || read(sources, slabs, to_fill, &filled));
        let writing = scope.spawn(move || write(writer, &gpu, &to_write, &written));
        let computed = compute(rest, device, &to_step, &free, |flight| {
            let Flight { slab, upload, download, layout, .. } = flight;
            // A thread that has failed takes nothing; it says why below.
            let _ = empty.send(upload);
            let _ = stepped.send((slab, download, layout));
            on_slab(slab);
        });
        // Now both threads find that nothing more comes.
        drop((empty, stepped, to_step));
        let (left, read) = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        buffers.uploads.extend(left.try_iter());
        buffers.downloads.extend(free.try_iter());
        written.and(read).and(computed)
    })
}

/// Computes the slabs that were read. While the host waits for one, the next one is queued on the GPU.
fn compute(
    rest: &RestOfPass<'_>,
    device: &mut SlabDevice,
    to_step: &Receiver<(u32, Upload)>,
    free: &Receiver<Staging>,
    mut done: impl FnMut(Flight),
) -> Result<bool, StreamError> {
    let mut before: Option<Flight> = None;
    let mut submitted = rest.slabs.start;
    while !rest.stop.load(Ordering::Relaxed) {
        // Nothing more comes: everything was read, or a thread failed.
        let Ok((slab, upload)) = to_step.recv() else { break };
        let Ok(download) = free.recv() else { break };
        let flight = device.submit(slab, rest.round, upload, download)?;
        submitted = slab + 1;
        if let Some(flight) = before.replace(flight) {
            device.wait(&flight)?;
            done(flight);
        }
    }
    if let Some(flight) = before {
        device.wait(&flight)?;
        done(flight);
    }
    Ok(submitted == rest.slabs.end)
}

/// Reads slabs into the buffers that come back. Returns the unused buffers, and the error if there was one.
fn read(
    sources: &mut Sources<'_>,
    slabs: Range<u32>,
    to_fill: Receiver<Upload>,
    filled: &SyncSender<(u32, Upload)>,
) -> (Receiver<Upload>, Result<(), StreamError>) {
    for slab in slabs {
        let Ok(upload) = to_fill.recv() else { break };
        if let Err(error) = sources.fill(slab, &upload) {
            return (to_fill, Err(error));
        }
        if filled.send((slab, upload)).is_err() {
            break;
        }
    }
    (to_fill, Ok(()))
}

/// Writes slabs as they come, and returns their buffers.
fn write(
    writer: &mut Writer,
    device: &Device,
    to_write: &Receiver<(u32, Staging, Layout)>,
    written: &Sender<Staging>,
) -> Result<(), StreamError> {
    for (slab, download, layout) in to_write {
        let view = download.view(..)?;
        if let Err(error) = writer.write(slab, &view[layout.own], &view[layout.change]) {
            // Keeps the slabs written so far, if there is room for that; if not, the checkpoint before is good.
            let _ = writer.keep();
            return Err(error);
        }
        drop(view);
        in_error_scopes(device, || {
            download.unmap();
            Ok(())
        })?;
        let _ = written.send(download);
    }
    Ok(())
}
