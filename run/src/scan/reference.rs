//! The CPU's prefixes beside the GPU's, from elements that are read a second time.

use halofold::reduce::Scalar;
use halofold::reduce::reference::{self, Expected};

use super::{Along, ScanArgs};
use crate::failure::Failure;
use crate::files::Source;
use crate::reduce::c_order;
use crate::reduce::check::Check;
use crate::reduce::file::Work;
use crate::reduce::layout::Axis;
use crate::reduce::parts::Part;

/// Elements that are looked at together.
const AT_ONCE: u64 = 4096;

/// The expected results of the next elements of a line.
type Line = Box<dyn FnMut(&[u8]) -> Vec<Expected>>;

/// The CPU's side.
pub struct Reference {
    source: Source,
    part: Part,
    is_exclusive: bool,
    /// Lines that lie among each other, and the elements of each.
    lines: Vec<Line>,
    len: u64,
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
        let mut reference = Reference {
            source,
            part,
            is_exclusive: args.exclusive,
            lines: Vec::new(),
            len,
            turned: is_turned.then(|| work.shape.clone()),
            before: 0,
            check: Check::Right,
        };
        reference.lines = (0..among).filter_map(|_| reference.line()).collect();
        Ok(reference)
    }

    /// A line before its first element.
    fn line(&self) -> Option<Line> {
        reference::running(self.part.op?, self.part.element, self.part.accuracy, self.is_exclusive)
    }

    /// Judges the results of the next elements, by so many combinations in a row.
    pub fn judge(&mut self, results: &[Scalar], depth: u64) -> Result<(), Failure> {
        let size = self.part.element.size() as usize;
        let among = self.lines.len() as u64;
        let elements = self.elements(results.len() * size)?;
        let mut at = 0;
        while at < results.len() {
            let (line, place) = ((self.before % among) as usize, self.before / among % self.len);
            if let Some(anew) = self.line().filter(|_| place == 0) {
                self.lines[line] = anew;
            }
            let most = if among > 1 { 1 } else { AT_ONCE.min(self.len - place) };
            let end = results.len().min(at + most as usize);
            let expected = self.lines[line](&elements[at * size..end * size]);
            for (expected, result) in expected.iter().zip(&results[at..end]) {
                let check = match Check::of(expected.judge(*result, depth)) {
                    Check::Wrong(why) => Check::Wrong(format!("at element {}: {why}", self.before)),
                    other => other,
                };
                self.check.worsen(&check);
                self.before += 1;
            }
            at = end;
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
