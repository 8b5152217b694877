//! A file that passes through the GPUs as often as its results need: reductions, histograms, and elements by their ranks.

use std::collections::BTreeMap;
use std::fmt::Display;

use halofold::histogram::{Histogram, Keys, Map};
use halofold::{Slice, Value};
use indicatif::ProgressBar;

use crate::failure::Failure;
use crate::files::{Bare, Source, Stored};
use crate::gpu::Gpu;
use crate::reduce::buffers::{Kernel, Operation, output_buffer, recorded};
use crate::reduce::engine::Engine;
use crate::reduce::file::{self, Work};
use crate::reduce::layout::Share;
use crate::reduce::parts::Part;
use crate::reduce::ranked::{Lines, refused};
use crate::reduce::steps::{Reduced, Steps};
use crate::reduce::totals::{OperatorResults, Wanted};
use crate::reduce::{kernels, reduce};
use crate::transport::{Alone, Transport as _};
use crate::{keys, output, progress};

/// Histograms of digits that are counted in one pass.
const AT_ONCE: usize = 16;

/// A file on its way through the GPUs.
pub(crate) struct Passes<'a> {
    gpus: &'a [Gpu],
    pub work: Work,
    /// The type of its elements, also where their patterns are counted.
    stored: Stored,
    raw: Option<Bare>,
    /// The bytes of a piece, at most.
    piece: u64,
    /// The bytes of the results of an element, if each has its own; 0 otherwise.
    pub result: u64,
    /// True if no progress is drawn.
    pub is_quiet: bool,
    /// True if pieces take turns.
    pub in_turn: bool,
    /// The number of elements that the last pass found.
    pub n: u64,
    /// The time on the GPU for the last result, if it tells.
    pub gpu_ms: Option<f64>,
}

impl<'a> Passes<'a> {
    /// None yet, of a file that bare elements are described for, if it has no header.
    pub fn new(gpus: &'a [Gpu], work: Work, raw: Option<Bare>, piece: u64) -> Self {
        let stored = work.stored;
        Passes {
            gpus,
            work,
            stored,
            raw,
            piece,
            result: 0,
            is_quiet: false,
            in_turn: false,
            n: 0,
            gpu_ms: None,
        }
    }

    /// Reduces the file; if there is a mask, what it keeps. `refused` explains why a GPU has no such reductions.
    pub fn reduced(
        &mut self,
        wanted: Wanted<'_>,
        mask: Option<&mut Work>,
        refused: impl FnOnce(Failure) -> Failure,
    ) -> Result<Vec<OperatorResults>, Failure> {
        let works = &[self.work.described()];
        let inputs = if wanted.is_masked { 2 } else { 1 };
        let kernels = |gpu: &Gpu, most: &dyn Fn(Stored) -> u64| kernels::of_ops(gpu, works, &[wanted], most);
        Engine::with(self.gpus, works, (inputs, self.piece), kernels, |engine| {
            let mut engine = engine.map_err(refused)?;
            let (mut sources, bar) = self.open(mask)?;
            let (on, all) = ((&mut engine, &self.gpus[0]), (wanted, None, true));
            let totals = reduce(on, &Alone, &self.work, &mut sources, all, |bytes| bar.inc(bytes))?;
            bar.finish_and_clear();
            self.n = totals.n();
            Ok(totals.into_each().collect())
        })
    }

    /// A mask of its elements from one to another.
    pub fn mask_between(&self, ends: [Value; 2]) -> Result<Work, Failure> {
        self.work.mask_between(ends, self.raw.as_ref())
    }

    /// Counts each pattern of elements of 8 and 16 bits: the numbers that are there, and how often, in the order of patterns.
    pub fn patterns(&mut self) -> Result<Vec<(Value, u64)>, Failure> {
        let stored = self.stored;
        self.work.take_patterns();
        let counts = self.counted(&Keys::Numbers, 1 << (8 * stored.size()), &[None])?.remove(0);
        let found = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        Ok(found.map(|(bits, count)| (keys::of_pattern(stored, bits as u16), count)).collect())
    }

    /// Finds elements by their ranks, from 0 in order, among those that are no NaN: their number, and the elements. `ranks` names the ranks
    /// when it knows that number, and the one of all elements.
    ///
    /// A histogram of the first digits of 16 bits says with which digit each element begins, then one of the next digits of those that begin so,
    /// and so on. So elements of 32 bits pass twice, and those of 64 bits four times; more often where there are very many ranks. Shorter
    /// ones pass once.
    pub fn at_ranks(
        &mut self,
        ranks: impl FnOnce(u64, u64) -> Vec<u64>,
    ) -> Result<(u64, BTreeMap<u64, Value>), Failure> {
        if self.stored.size() <= 2 {
            let mut found = self.patterns()?;
            found.retain(|(x, _)| !x.as_f64().is_nan());
            let kept = found.iter().map(|(_, count)| count).sum();
            let ranks = ranks(kept, self.n).into_iter();
            let nth = in_order(found);
            return Ok((kept, ranks.map(|rank| (rank, nth(rank))).collect()));
        }
        let element = self.stored.element();
        let mut counted = self.next_digits(&[Vec::new()])?;
        let mut gpu_ms = self.gpu_ms;
        let kept = counted[&Vec::new()].iter().sum();
        let ranks = ranks(kept, self.n);
        let mut searches: Vec<_> = ranks.iter().map(|rank| (Vec::new(), *rank)).collect();
        loop {
            for (digits, left) in &mut searches {
                let counts = counted[digits].iter().zip(0..=u16::MAX);
                for (count, digit) in counts {
                    if *left < *count {
                        digits.push(digit);
                        break;
                    }
                    *left -= count;
                }
            }
            let mut beginnings: Vec<_> = searches.iter().map(|(digits, _)| digits.clone()).collect();
            if beginnings.first().is_none_or(|digits| digits.len() as u64 == element.size() / 2) {
                break;
            }
            beginnings.sort_unstable();
            beginnings.dedup();
            counted.clear();
            for beginnings in beginnings.chunks(AT_ONCE) {
                counted.extend(self.next_digits(beginnings)?);
                gpu_ms = gpu_ms.zip(self.gpu_ms).map(|(all, ms)| all + ms);
            }
        }
        self.gpu_ms = gpu_ms;
        let found = searches.into_iter().map(|(digits, _)| keys::of_digits(element, &digits));
        Ok((kept, ranks.into_iter().zip(found).collect()))
    }

    /// Counts the digits that follow in the elements that begin with some digits.
    fn next_digits(&mut self, beginnings: &[Vec<u16>]) -> Result<BTreeMap<Vec<u16>, Vec<u64>>, Failure> {
        let map = |digits: &Vec<u16>| Some(keys::digit_map(self.stored.element(), digits));
        let maps: Vec<_> = beginnings.iter().map(map).collect();
        let counts = self.counted(&Keys::Numbers, 1 << 16, &maps)?;
        Ok(beginnings.iter().cloned().zip(counts).collect())
    }

    /// Passes the file through a histogram of each of some maps of its elements.
    pub fn counted(
        &mut self,
        keys: &Keys,
        bins: u32,
        maps: &[Option<Map>],
    ) -> Result<Vec<Vec<u64>>, Failure> {
        let part = Part::own(self.work.stored.element());
        let mut counts = vec![vec![0u64; bins as usize]; maps.len()];
        let kernels = |gpu: &Gpu, work: &Work| {
            let limits = gpu.device.limits();
            let kernel = |map: &Option<Map>| {
                let config = Histogram::new(keys.clone(), bins, &limits);
                let config = match map {
                    Some(map) => config.with_map(map.clone(), &limits),
                    None => config,
                };
                let histogram = gpu.attempt(|| config.on(&gpu.device).map_err(|why| refused(work, why)));
                let histogram = histogram?;
                let bind = move |gpu: &Gpu, input: Slice<'_>| {
                    let output = output_buffer(gpu, histogram.config().output());
                    Ok(recorded(histogram.of(input).into(&output).map_err(Failure::usage)?, output))
                };
                Ok(Kernel { part, operation: Operation::Other(Box::new(bind)) })
            };
            maps.iter().map(kernel).collect()
        };
        self.through(kernels, |_, left| {
            for (counts, left) in counts.iter_mut().zip(left) {
                let states: Vec<u32> = bytemuck::pod_collect_to_vec(&left.states);
                counts.iter_mut().zip(states).for_each(|(count, more)| *count += u64::from(more));
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// Makes room for whole blocks of lines in a piece.
    pub fn make_room(&mut self, lines: &Lines) {
        let block = lines.blocks[1].saturating_mul(self.work.stored.element().size());
        self.piece = self.piece.max(block.div_ceil(8).saturating_mul(8));
    }

    /// Passes the file through kernels, and their states of each piece to `take`. Whole lines are in one piece.
    pub fn through(
        &mut self,
        kernels: impl Fn(&Gpu, &Work) -> Result<Vec<Kernel>, Failure> + Sync,
        mut take: impl FnMut(&Share, &[Reduced]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let works = &[self.work.described()];
        let largest = self.gpus.iter().map(|gpu| gpu.device.limits().max_buffer_size).min().unwrap_or(0);
        let piece = fitting(self.piece, [self.work.stored.element().size(), self.result], largest);
        let kernels = |gpu: &Gpu, _: &dyn Fn(Stored) -> u64| kernels(gpu, &works[0]);
        Engine::with(self.gpus, works, (1, piece), kernels, |engine| {
            let mut engine = engine?;
            let block = self.work.lines.as_ref().map_or(0, |lines| lines.blocks[1]);
            let most = engine.elements(&self.work);
            if block > most {
                return Err(self.refused(format!(
                "the lines along these axes lie among others in blocks of {block} elements, and a GPU takes {most} at once: save the array \
                 with these axes last, by numpy.moveaxis and numpy.ascontiguousarray, or cut it"
            )));
            }
            let (mut sources, bar) = self.open(None)?;
            let (mut n, mut gpu_ms) = (0, Some(0.0));
            let steps = Steps::counting(&self.work, engine.kernels().len(), self.in_turn);
            engine.run(&self.work, &mut sources, &steps, Alone.place(), |share, left| {
                take(&share, &left)?;
                for left in left {
                    gpu_ms = gpu_ms.zip(left.gpu_ms).map(|(all, ms)| all + ms);
                }
                n += share.elements();
                bar.inc(share.elements() * self.stored.size());
                Ok(())
            })?;
            bar.finish_and_clear();
            (self.n, self.gpu_ms) = (n, gpu_ms);
            Ok(())
        })
    }

    /// Opens the file, and a mask of it, for a pass.
    fn open(&mut self, mask: Option<&mut Work>) -> Result<(Vec<Source>, ProgressBar), Failure> {
        let sources = file::open(&mut self.work, mask, self.raw.as_ref())?;
        let bytes = self.work.bytes().unwrap_or(0);
        let bar = if self.is_quiet { ProgressBar::hidden() } else { progress::bytes(bytes) };
        bar.set_message(output::visible(&self.work.path, &[]));
        Ok((sources, bar))
    }

    /// A refusal that names the file.
    pub fn refused(&self, why: impl Display) -> Failure {
        refused(&self.work, why)
    }
}

/// The bytes of a piece, at most, if its elements and their results are to fit buffers: the bytes of one of each, and those of a buffer.
fn fitting(piece: u64, [item, result]: [u64; 2], largest: u64) -> u64 {
    piece.min(largest / item.max(result) * item)
}

/// Orders numbers, each of which is there so many times: the number of a rank from 0, or a NaN beyond.
pub(crate) fn in_order(mut found: Vec<(Value, u64)>) -> impl Fn(u64) -> Value {
    found.sort_by(|(a, _), (b, _)| a.as_f64().total_cmp(&b.as_f64()));
    move |rank| {
        let mut through = 0;
        let holds = |(_, count): &&(Value, u64)| {
            through += count;
            rank < through
        };
        found.iter().find(holds).map_or(Value::F64(f64::NAN), |(x, _)| *x)
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn results_that_are_longer_than_elements_fit_a_buffer() {
        assert_eq!(fitting(1 << 30, [4, 0], 1 << 28), 1 << 28);
        assert_eq!(fitting(1 << 30, [4, 8], 1 << 28), 1 << 27);
        assert_eq!(fitting(1 << 20, [2, 4], 1 << 28), 1 << 20);
        assert_eq!(fitting(1 << 30, [8, 4], 100), 96);
    }
}
