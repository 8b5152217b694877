//! The CPU's prefixes beside the GPU's, from elements that are read a second time.

use halofold::reduce::reference::{self, Expected};

use super::kernel::Prefixes;
use super::{AT_ONCE, Along, ScanArgs};
use crate::failure::Failure;
use crate::files::Source;
use crate::reduce::c_order;
use crate::reduce::check::Check;
use crate::reduce::file::Work;
use crate::reduce::layout::Axis;
use crate::reduce::parts::Part;

/// The expected results of the next elements of a line.
type Line = Box<dyn FnMut(&[u8]) -> Vec<Expected>>;

/// The CPU's side.
pub struct Reference {
    source: Source,
    part: Part,
    is_exclusive: bool,
    /// The line of the next elements.
    line: Line,
    /// The elements of each line, and the lines that lie among each other.
    len: u64,
    among: u64,
    /// The dimensions of an array that is one piece, and comes in another order than C's.
    turned: Option<Vec<u64>>,
    /// Elements so far.
    before: u64,
    check: Check,
}

impl Reference {
    /// Before the first element.
    pub fn new(args: &ScanArgs, work: &Work, along: &Along, part: Part) -> Result<Self, Failure> {
        let source = Source::open_widening(&args.file, args.raw.bare().as_ref()).map_err(Failure::usage)?;
        let axis = along.axis.map(|axis| Axis::new(vec![axis], true, &along.shape, along.fortran));
        let (len, among) = axis.map_or((along.shape[0], 1), |axis| (axis.len, axis.inner));
        let is_turned = along.axis.is_none() && !along.lines.places.is_empty();
        Ok(Reference {
            source,
            part,
            is_exclusive: args.exclusive,
            line: line(part, args.exclusive)?,
            len,
            among,
            turned: is_turned.then(|| work.shape.clone()),
            before: 0,
            check: Check::Right,
        })
    }

    /// Judges the results of the next elements, by so many combinations in a row. Lines that lie among each other are whole, and are judged one after
    /// the other: so one of them at a time needs memory.
    pub fn judge(&mut self, results: &[u8], prefixes: &Prefixes, depth: u64) -> Result<(), Failure> {
        let [item, size] = [self.part.element.size(), prefixes.size()].map(|size| size as usize);
        let count = (results.len() / size) as u64;
        let elements = self.elements(count as usize * item)?;
        let first = self.before;
        while self.before < first + count {
            let (number, from) = (self.before / self.len, self.before % self.len);
            if from == 0 {
                self.line = line(self.part, self.is_exclusive)?;
            }
            let to = self.len.min(from + AT_ONCE).min(from + first + count - self.before);
            let (block, beside) = (number / self.among, number % self.among);
            let index = |place| (block * self.len + place) * self.among + beside;
            let some = |bytes: &[u8], size: usize| -> Vec<u8> {
                let at = |place| (index(place) - first) as usize * size;
                (from..to).flat_map(|place| &bytes[at(place)..][..size]).copied().collect()
            };
            let expected = (self.line)(&some(&elements, item));
            let answers = prefixes.answers(&some(results, size));
            for ((expected, answer), place) in expected.iter().zip(answers).zip(from..) {
                let check = match Check::of(expected.judge(answer, depth)) {
                    Check::Wrong(why) => Check::Wrong(format!("at element {}: {why}", index(place))),
                    other => other,
                };
                self.check.worsen(&check);
            }
            self.before += to - from;
        }
        Ok(())
    }

    /// The verdict on all results.
    pub fn check(self) -> Check {
        self.check
    }

    /// The next elements, so many bytes.
    fn elements(&mut self, bytes: usize) -> Result<Vec<u8>, Failure> {
        let mut elements = vec![0; bytes];
        self.source.read(&mut elements).map_err(Failure::usage)?;
        let Some(shape) = &self.turned else { return Ok(elements) };
        let size = self.part.element.size() as usize;
        let mut in_c_order = vec![0; bytes];
        for (index, element) in (0..).zip(elements.chunks_exact(size)) {
            in_c_order[c_order::turn(shape, index) as usize * size..][..size].copy_from_slice(element);
        }
        Ok(in_c_order)
    }
}

/// A line before its first element.
fn line(part: Part, is_exclusive: bool) -> Result<Line, Failure> {
    let running = part.op.and_then(|op| reference::running(op, part.element, part.accuracy, is_exclusive));
    running.ok_or_else(|| Failure::usage("the CPU has no such operator of these elements"))
}
