//! Reduces files on all GPUs, each of which takes the next piece when it is free.
//!
//! States of the pieces are added up in the order of the file, so results do not depend on how many equal GPUs there are, or on
//! which of them is faster. A GPU whose kernels are not compiled yet holds up no other: it joins them when it is ready.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{iter, mem, thread};

use halofold::wgpu;

use super::buffers::{Kernel, Room};
use super::file::Work;
use super::layout::Share;
use super::reader::PieceReader;
use super::steps::{Reduced, Steps};
use super::worker::{Done, SETS, Worker};
use crate::failure::Failure;
use crate::files::{Source, Stored};
use crate::gpu::{self, Gpu};
use crate::joined::joined;

/// The number of pieces that may be begun but not yet taken, per GPU, whatever their states take: enough where another GPU is ten times slower.
const WAITING: u64 = 32;

/// The time after which those who wait for a GPU look if it is still needed.
const SOON: Duration = Duration::from_millis(2);

/// Reduces one file after the other, piece by piece.
pub struct Engine<'a> {
    gpus: &'a [Gpu],
    /// The GPUs that are ready, with their numbers: at least one.
    ready: Vec<Numbered<'a>>,
    /// The others, as they become ready.
    late: Mutex<Receiver<Result<Numbered<'a>, Failure>>>,
    /// True for each GPU that has taken pieces.
    took: Vec<bool>,
    /// Bytes of a piece on a GPU, at most.
    piece: u64,
}

/// A GPU with its number.
type Numbered<'a> = (usize, Worker<'a>);

impl<'a> Engine<'a> {
    /// Compiles for each GPU the reductions of `kernels`, for pieces of up to this many elements of a type, and allocates buffers for
    /// pieces of up to `piece` bytes of each of this many inputs. As soon as one GPU is ready, or cannot be made so, it passes the engine to `run`.
    pub fn with<T>(
        gpus: &'a [Gpu],
        work: &[Work],
        (inputs, piece): (usize, u64),
        kernels: impl Fn(&Gpu, &dyn Fn(Stored) -> u64) -> Result<Vec<Kernel>, Failure> + Sync,
        run: impl FnOnce(Result<Engine<'a>, Failure>) -> T,
    ) -> T {
        // One binding holds all elements that are unpacked.
        let is_bound = work.iter().any(Work::is_unpacked);
        let limit = |limits: wgpu::Limits| match is_bound {
            true => limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
            false => limits.max_buffer_size,
        };
        let largest = gpus.iter().map(|gpu| limit(gpu.device.limits())).min().unwrap_or(0);
        // A piece ends between two elements of whatever type, and has room for one.
        let piece = (piece.min(largest) / 8 * 8).max(8);
        let unpacked = |work: &Work| {
            let most = most(work.stored, piece);
            work.len.map_or(most, |len| len.min(most)) * work.stored.element().size()
        };
        let size = work.iter().map(unpacked).max().unwrap_or(0).next_multiple_of(8).max(8);
        // The most bytes of a piece of that size, as it lies in its file. A short file, too, is asked for a whole piece.
        let stored = |work: &Work| most(work.stored, size) * work.stored.size();
        let bytes = |bytes: Option<u64>| bytes.unwrap_or(0).next_multiple_of(8);
        let packed = bytes(work.iter().filter(|work| work.is_unpacked()).map(stored).max());
        let staged = bytes(work.iter().map(stored).max()).max(8);
        // Memory that is never used would be made all the same.
        let pieces = |work: &Work| work.len.map(|len| len.div_ceil(most(work.stored, size)).max(1) as usize);
        let pieces = work.iter().map(|work| pieces(work).unwrap_or(SETS)).max();
        let room = Room {
            sets: pieces.map_or(SETS, |pieces| pieces.min(SETS)),
            inputs,
            unpacked: size,
            packed,
            staged,
        };
        let worker = |number: usize| {
            let kernels = kernels(&gpus[number], &|stored| most(stored, piece))?;
            Ok((number, Worker::new(&gpus[number], kernels, work, room)?))
        };
        thread::scope(|scope| {
            let (ready, late) = mpsc::channel();
            let start = |number| {
                let (worker, ready) = (&worker, ready.clone());
                // The receiver is gone where nothing is to be reduced any more.
                scope.spawn(move || drop(ready.send(worker(number))))
            };
            let starts: Vec<_> = (0..gpus.len()).map(start).collect();
            // Whoever waits for a GPU learns that none is left to come.
            drop(ready);
            let first = late.recv().unwrap_or_else(|_| Err(Failure::usage("no GPU became ready")));
            let (late, took) = (Mutex::new(late), vec![false; gpus.len()]);
            let ended = run(first.map(|first| Engine { gpus, ready: vec![first], late, took, piece: size }));
            starts.into_iter().for_each(joined);
            ended
        })
    }

    /// The elements of a piece of a file, at most.
    pub fn elements(&self, work: &Work) -> u64 {
        most(work.stored, self.piece)
    }

    /// The reductions that each GPU has compiled.
    pub fn kernels(&self) -> &[Kernel] {
        self.ready[0].1.kernels()
    }

    /// Reduces this process's pieces of a file, or of two that go together, and passes the states of each to `take`, in their
    /// order. `place` is the number of the process, and the number of processes.
    pub fn run(
        &mut self,
        work: &Work,
        sources: &mut [Source],
        steps: &Steps<'_>,
        place: [usize; 2],
        mut take: impl FnMut(Share, Vec<Reduced>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let elements = self.elements(work);
        let shares = work.shares_of(elements, place).map_err(Failure::usage)?;
        let gpus = self.gpus.len();
        let reader = &PieceReader::new(sources, shares, (gpus, WAITING * gpus as u64));
        let (done, received) = mpsc::channel();
        let late = &self.late;
        let ready = self.ready.drain(..).map(Some);
        // Its clones are those of the GPUs at work.
        let at_work = &Arc::new(());
        let (workers, taken) = thread::scope(|scope| {
            let start = |worker: Option<Numbered<'a>>| {
                let (done, begun) = (done.clone(), worker.as_ref().map(|_| at_work.clone()));
                scope.spawn(move || {
                    let _panic = reader.read_ahead().stop_on_panic();
                    // A GPU that is not ready when the others have done everything is left for the next file.
                    let next = || loop {
                        match late.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SOON) {
                            Err(RecvTimeoutError::Timeout) if Arc::strong_count(at_work) > 1 => {}
                            came => break came.ok(),
                        }
                    };
                    let Some(worker) = worker.map(Ok).or_else(next) else { return Ok(None) };
                    let _at_work = begun.unwrap_or_else(|| at_work.clone());
                    let (number, mut worker) = worker.inspect_err(|_| reader.read_ahead().stop())?;
                    worker.run([number, gpus], reader, steps, &done);
                    Ok(Some((number, worker)))
                })
            };
            let workers: Vec<_> = ready.chain(iter::repeat_with(|| None)).take(gpus).map(start).collect();
            drop(done);
            let _panic = reader.read_ahead().stop_on_panic();
            let taken = in_order(received, |share, part| {
                reader.read_ahead().take(Reduced::bytes(&part));
                take(share, part)
            });
            // After an error no more pieces are wanted.
            reader.read_ahead().stop();
            (workers.into_iter().map(joined).collect::<Result<Vec<_>, Failure>>(), taken)
        });
        self.ready = workers?.into_iter().flatten().collect();
        self.took.iter_mut().enumerate().for_each(|(gpu, took)| *took |= reader.has_taken(gpu));
        taken
    }

    /// The names of the GPUs that have taken pieces since the last call; of all of them, if there was none.
    pub fn names(&mut self) -> String {
        let took = mem::replace(&mut self.took, vec![false; self.gpus.len()]);
        let is_named = |number: usize| took[number] || !took.contains(&true);
        gpu::names(self.gpus.iter().enumerate().filter(|(number, _)| is_named(*number)).map(|(_, gpu)| gpu))
    }
}

/// The elements of a piece, at most: on a GPU they take `piece` bytes.
fn most(stored: Stored, piece: u64) -> u64 {
    piece / stored.element().size()
}

/// Passes pieces to `take` by their numbers, in whatever order they come.
fn in_order<T>(
    received: Receiver<Done<T>>,
    mut take: impl FnMut(Share, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, piece) in received {
        early.insert(number, piece);
        while let Some(piece) = early.remove(&next) {
            let (share, part) = piece?;
            take(share, part)?;
            next += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::{fs, ptr};

    use halofold::{Element, Slice};

    use super::*;
    use crate::files::Bare;
    use crate::reduce::buffers::{Operation, Record, output_buffer};
    use crate::reduce::file;
    use crate::reduce::parts::Part;

    const PIECES: usize = 64;

    /// The pieces that each of two GPUs takes, of which the second one is slow: it is ready after the end, or takes so long for each.
    fn taken(gpus: &[Gpu], slow: Option<f32>) -> [usize; 2] {
        let path = std::env::temp_dir().join(format!("halofold-engine-{}", std::process::id()));
        fs::write(&path, vec![0; PIECES << 12]).unwrap();
        let raw: Bare = "f32".parse().unwrap();
        let mut work = [Work::whole(&path, Some(&raw)).unwrap()];
        let mut sources = file::open(&mut work[0], None, Some(&raw)).unwrap();
        fs::remove_file(&path).unwrap();
        let (taken, is_over) = (Arc::new([0; 2].map(AtomicUsize::new)), AtomicBool::new(false));
        let seconds = slow.unwrap_or(0.0);
        let kernels = |gpu: &Gpu, _: &dyn Fn(Stored) -> u64| {
            let number = gpus.iter().position(|other| ptr::eq(gpu, other)).unwrap();
            for waited in 0.. {
                if number == 0 || slow.is_some() || is_over.load(Ordering::Relaxed) {
                    break;
                }
                assert!(waited < 10_000, "the end waits for a GPU that is not ready");
                thread::sleep(Duration::from_millis(1));
            }
            let taken = taken.clone();
            let bind = move |gpu: &Gpu, _: Slice<'_>| {
                let taken = taken.clone();
                let record: Record = Box::new(move |_, _| {
                    taken[number].fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_secs_f32(seconds * number as f32));
                });
                Ok((record, output_buffer(gpu, 4)))
            };
            Ok(vec![Kernel { part: Part::own(Element::F32), operation: Operation::Other(Box::new(bind)) }])
        };
        let steps = Steps::counting(&work[0], 1, false);
        let mut pieces = 0;
        let count = |_, _| {
            pieces += 1;
            Ok(())
        };
        let ran = Engine::with(gpus, &work, (1, 1 << 12), kernels, |engine| {
            let ran = engine?.run(&work[0], &mut sources, &steps, [0, 1], count);
            is_over.store(true, Ordering::Relaxed);
            ran
        });
        ran.unwrap();
        assert_eq!(pieces, PIECES);
        [0, 1].map(|number| taken[number].load(Ordering::Relaxed))
    }

    #[test]
    fn a_slow_gpu_is_not_waited_for() {
        let adapters = gpu::adapters().unwrap();
        if adapters[0].get_info().backend == wgpu::Backend::Gl {
            eprintln!("skipped: OpenGL has one device at a time");
            return;
        }
        let gpus = [0; 2].map(|nth| Gpu::open(&adapters[nth]).unwrap());
        assert_eq!(taken(&gpus, None), [PIECES, 0]);
        assert_eq!(taken(&gpus, Some(1.0)), [PIECES - 1, 1]);
    }

    #[test]
    fn pieces_are_taken_in_their_order_up_to_the_first_that_failed() {
        let share = Share { plane: 0, before: 0, outer: 1, len: 1, inner: 1, completes: false };
        let (done, received) = mpsc::channel();
        for number in [2, 0, 4, 1, 5] {
            done.send((number, Ok((share, number)))).unwrap();
        }
        done.send((6, Err(Failure::usage("later")))).unwrap();
        done.send((3, Err(Failure::usage("first")))).unwrap();
        drop(done);
        let mut taken = Vec::new();
        let result = in_order(received, |_, number| {
            taken.push(number);
            Ok(())
        });
        assert!(matches!(result, Err(Failure::Usage(why)) if why == "first"));
        assert_eq!(taken, [0, 1, 2]);
    }
}
