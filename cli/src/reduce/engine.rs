//! What reduces the files: compiled kernels, and the memory that pieces pass through.
//!
//! Three things go on at the same time: a thread reads the piece after next from the disk, the host uploads the next one, and
//! the GPU reduces this one. Two slots on the GPU and two buffers on the host take turns. Several GPUs take pieces in turn; what each piece
//! gives is added up in the order of the file, so results do not depend on how many equal GPUs there are.

use halofold::Element;
use halofold::reduce::reference::Expected;
use halofold::reduce::{Answer, Extent, Op, Plan, Reducer};

use super::ahead::{self, Buffers};
use super::check::{self, Check};
use super::file::Work;
use super::help;
use super::layout::{Layout, Share};
use super::op;
use super::place::Turned;
use super::slot::{self, Kernel, Slot};
use super::tally::Tally;
use super::unpack::Unpack;
use crate::failure::Failure;
use crate::gpu::{self, Gpu};
use crate::input::{Source, Stored};

/// Reduces one file after the other, piece by piece.
pub struct Engine<'a> {
    lanes: Vec<Lane<'a>>,
    /// Bytes of a piece on a GPU, at most.
    piece: u64,
    /// Two pieces on the host, aligned for any element: one is reduced, the next one read.
    host: [Buffers; 2],
    /// Whether the CPU computes everything as well.
    verify: bool,
}

/// One GPU's part of it.
struct Lane<'a> {
    gpu: &'a Gpu,
    /// One for each operator and element type that the files need.
    kernels: Vec<Kernel>,
    unpack: Unpack,
    slots: [Slot; 2],
    /// The slot of the next piece.
    turn: usize,
    flight: Option<Flight>,
}

/// A piece that the GPU is reducing.
struct Flight {
    slot: usize,
    share: Share,
    /// Its elements, if the host has to look among them for what the GPU finds.
    kept: Option<Vec<u8>>,
    /// What the CPU makes of it, for each kernel; nothing if it was not asked.
    expected: Option<Vec<Vec<Expected>>>,
}

impl<'a> Engine<'a> {
    /// Checks that the adapters can do all that is asked, and compiles it, for pieces of up to `piece` bytes of each of
    /// so many inputs.
    pub fn new(
        gpus: &'a [Gpu],
        work: &[Work],
        ops: &[Op],
        inputs: usize,
        piece: u64,
        verify: bool,
    ) -> Result<Self, Failure> {
        let largest = gpus.iter().map(|gpu| gpu.device.limits().max_buffer_size).min().unwrap_or(0);
        // A piece ends between two elements of whatever type, and has room for one.
        let piece = (piece.min(largest) / 8 * 8).max(8);
        let unpacked = |work: &Work| {
            let most = most(gpus, work.stored, piece);
            work.len.map_or(most, |len| len.min(most)) * work.stored.element().size()
        };
        let size = work.iter().map(unpacked).max().unwrap_or(0).next_multiple_of(8).max(8);
        // The most bytes of a piece of that size, as it lies in its file. A short file, too, is asked for a whole piece.
        let stored = |work: &Work| most(gpus, work.stored, size) * work.stored.size();
        let room = |bytes: Option<u64>| bytes.unwrap_or(0).next_multiple_of(8);
        let packed = room(work.iter().filter(|work| work.stored.is_packed()).map(stored).max());
        let words = room(work.iter().map(stored).max()).max(8) as usize / 8;
        let host = || vec![vec![0; words]; inputs];
        let lane = |gpu| {
            let kernels = kernels(gpu, work, ops, |stored| most(gpus, stored, piece))?;
            let slot = |number| Slot::new(gpu, number, inputs, [size, packed], kernels.len());
            let (slots, unpack) = gpu.attempt(|| Ok(([slot(0), slot(1)], Unpack::new(gpu, work))))?;
            Ok(Lane { gpu, kernels, unpack, slots, turn: 0, flight: None })
        };
        let lanes = gpus.iter().map(lane).collect::<Result<_, Failure>>()?;
        Ok(Engine { lanes, piece: size, host: [host(), host()], verify })
    }

    /// Lets every tally have all elements of a file, or of two that go together; tells `advance` after each piece how
    /// many bytes it had.
    pub fn reduce(
        &mut self,
        work: &Work,
        sources: &mut [Source],
        tallies: &mut [Tally],
        mut advance: impl FnMut(u64),
    ) -> Result<(), Failure> {
        let Engine { lanes, piece, host, verify } = self;
        let job = Job::new(work, &lanes[0].kernels, tallies);
        let elements = most(lanes.iter().map(|lane| lane.gpu), work.stored, *piece);
        let shares = work.layout.shares(elements).map_err(Failure::usage)?;
        let (count, mut next) = (lanes.len(), 0);
        ahead::pieces(sources, host, shares, |share, pieces| {
            let landed = lanes[next].exchange(&job, share, pieces, *verify)?;
            next = (next + 1) % count;
            landed.map_or(Ok(()), |landed| landed.tell(&job, tallies))?;
            advance(pieces.iter().map(|piece| piece.len() as u64).sum());
            Ok(())
        })?;
        // What is still under way, the oldest piece first.
        for at in (next..count).chain(0..next) {
            lanes[at].land(&job)?.map_or(Ok(()), |landed| landed.tell(&job, tallies))?;
        }
        tallies.iter_mut().try_for_each(|tally| tally.end(&work.layout))
    }
}

impl Lane<'_> {
    /// Takes a piece, and gives what became of the one before.
    fn exchange(
        &mut self,
        job: &Job<'_>,
        share: Share,
        pieces: &[&[u8]],
        verify: bool,
    ) -> Result<Option<Landed>, Failure> {
        let slot = self.turn;
        // Goes up while the GPU is still busy with the piece before.
        self.gpu.attempt(|| {
            self.slots[slot].load(self.gpu, job.stored, pieces);
            Ok(())
        })?;
        let landed = self.land(job)?;
        let Lane { gpu, kernels, unpack, slots, .. } = self;
        gpu.attempt(|| {
            slots[slot].launch(gpu, kernels, &job.used, (unpack, job.stored), (job.layout, &share))
        })?;
        let expected = verify.then(|| job.expect(kernels, &share, pieces));
        let kept = job.turned.as_ref().map(|_| pieces[0].to_vec());
        self.flight = Some(Flight { slot, share, kept, expected });
        self.turn = 1 - slot;
        Ok(landed)
    }

    /// Waits for the piece that is under way, if there is one.
    fn land(&mut self, job: &Job<'_>) -> Result<Option<Landed>, Failure> {
        let Lane { gpu, kernels, slots, flight, .. } = self;
        flight.take().map(|flight| job.land(gpu, slots, kernels, flight)).transpose()
    }
}

/// One file's share of the engine.
struct Job<'a> {
    stored: Stored,
    layout: &'a Layout,
    /// How searches count places, if not in the order of memory.
    turned: Option<Turned>,
    /// The kernels it uses.
    used: Vec<usize>,
    /// For each tally, where in `used` its parts are.
    wanted: Vec<Vec<usize>>,
}

/// The outcomes of a piece, as `used` orders them, and what the CPU says.
struct Landed {
    share: Share,
    outcomes: Vec<(slot::Outcome, Check)>,
}

impl<'a> Job<'a> {
    fn new(work: &'a Work, kernels: &[Kernel], tallies: &[Tally]) -> Self {
        let mut used = Vec::new();
        let mut place = |op: Op| {
            let found = kernels.iter().position(|kernel| is(kernel, op, work.stored.element()));
            let number = found.expect("every part has a reducer for every element type of the files");
            used.iter().position(|seen| *seen == number).unwrap_or_else(|| {
                used.push(number);
                used.len() - 1
            })
        };
        let wanted =
            tallies.iter().map(|tally| tally.parts().iter().map(|&op| place(op)).collect()).collect();
        let turned = work.turned().filter(|_| used.iter().any(|&number| op::is_search(kernels[number].op)));
        Job { stored: work.stored, layout: &work.layout, turned, used, wanted }
    }

    /// What the CPU makes of a piece.
    fn expect(&self, kernels: &[Kernel], share: &Share, pieces: &[&[u8]]) -> Vec<Vec<Expected>> {
        let pieces: Vec<_> = pieces.iter().map(|piece| self.stored.widened(piece)).collect();
        let one = |&number: &usize| {
            let op = kernels[number].op;
            let second = pieces.get(1).map(|piece| &**piece).filter(|_| op == Op::Dot);
            check::expected(op, self.stored.element(), share, &pieces[0], second)
        };
        self.used.iter().map(one).collect()
    }

    /// Waits for a piece.
    fn land(
        &self,
        gpu: &Gpu,
        slots: &[Slot; 2],
        kernels: &[Kernel],
        flight: Flight,
    ) -> Result<Landed, Failure> {
        let all = gpu.attempt(|| slots[flight.slot].collect(gpu))?;
        let judged = all.into_iter().enumerate().map(|(place, made)| {
            let kernel = &kernels[self.used[place]];
            let mut outcome = kernel.outcome(made);
            let check = flight.expected.as_ref().map_or(Check::Unchecked, |expected| {
                check::judge(kernel.op, self.layout, &flight.share, &expected[place], &outcome)
            });
            outcome.place = self.place(&flight, &outcome);
            (outcome, check)
        });
        Ok(Landed { share: flight.share, outcomes: judged.collect() })
    }
}

impl Job<'_> {
    /// Where a search found its element, if that is not counted in the order of memory.
    fn place(&self, flight: &Flight, outcome: &slot::Outcome) -> Option<u64> {
        let turned = self.turned.as_ref()?;
        let Some(Answer::At { index, .. }) = outcome.answers.first() else { return None };
        Some(turned.first(flight.kept.as_ref()?, flight.share.before, u64::from(*index)))
    }
}

impl Landed {
    /// Adds the outcomes to the tallies that want them.
    fn tell(&self, job: &Job<'_>, tallies: &mut [Tally]) -> Result<(), Failure> {
        for (tally, wanted) in tallies.iter_mut().zip(&job.wanted) {
            let outcomes: Vec<_> = wanted
                .iter()
                .map(|&place| {
                    let (outcome, check) = &self.outcomes[place];
                    (outcome, check)
                })
                .collect();
            tally.add(&self.share, &outcomes)?;
        }
        Ok(())
    }
}

fn is(kernel: &Kernel, op: Op, element: Element) -> bool {
    (kernel.op, kernel.element) == (op, element)
}

/// The elements of a piece, at most: on a GPU they take `piece` bytes. Where they are unpacked, one binding holds all of them.
fn most<'a>(gpus: impl IntoIterator<Item = &'a Gpu>, stored: Stored, piece: u64) -> u64 {
    let binding = |gpu: &Gpu| gpu.device.limits().max_storage_buffer_binding_size;
    let bytes = if stored.is_packed() { gpus.into_iter().map(binding).fold(piece, u64::min) } else { piece };
    bytes / stored.element().size()
}

/// The reductions that all files and operators need, each of which compiles its kernels once, for pieces of at most so many elements.
fn kernels(
    gpu: &Gpu,
    work: &[Work],
    ops: &[Op],
    most: impl Fn(Stored) -> u64,
) -> Result<Vec<Kernel>, Failure> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for (work, op) in work.iter().flat_map(|work| ops.iter().map(move |op| (work, *op))) {
        let element = work.stored.element();
        let refused = |why: String| Failure::Usage(format!("{}: {why}", work.path));
        if !op.is_over(element) {
            return Err(refused(format!("`{op}` is not defined for {}", work.stored)));
        }
        let shares = work.layout.shares(most(work.stored));
        let shares = shares.map_err(|error| refused(gpu::explain(&error)))?;
        let first = shares.take(1).next();
        for part in op::parts(op, element) {
            let Ok(monoid) = part.over(element) else { continue };
            if let Some(share) = first.filter(|_| work.len.is_some()) {
                // What a device cannot bind is better known before anything is read.
                let extent = Extent { offset: 0, len: share.elements() };
                let second = (part == Op::Dot).then_some(extent);
                let shape = slot::shape(&work.layout, &share);
                Plan::of(&monoid, shape, &[extent], second, &gpu.device.limits())
                    .map_err(|error| refused(gpu::explain(&error)))?;
            }
            if !kernels.iter().any(|kernel| is(kernel, part, element)) {
                let missing = monoid.features() - gpu.device.features();
                let lacking = |error| refused(gpu::explain(&error) + &help::instead(op, work, missing));
                let reducer = gpu.attempt(|| Reducer::new(&gpu.device, monoid).map_err(lacking))?;
                kernels.push(Kernel { op: part, element, reducer });
            }
        }
    }
    Ok(kernels)
}
