//! The CPU's prefixes beside the GPU's.

use halofold::reduce::reference::{self, Expected};

use super::AT_ONCE;
use crate::failure::Failure;
use crate::reduce::block::Block;
use crate::reduce::parts::Part;
use crate::reduce::verify::Check;

/// The expected results of the next elements of a line.
type Line = Box<dyn FnMut(&[u8]) -> Vec<Expected>>;

pub struct Reference {
    part: Part,
    is_exclusive: bool,
    line: Line,
}

impl Reference {
    pub fn new(part: Part, is_exclusive: bool) -> Result<Self, Failure> {
        Ok(Reference { part, is_exclusive, line: line(part, is_exclusive)? })
    }

    /// Judges the results of a block's lines, made by at most `depth` combinations in a row. Only a line that does not begin in the block goes on
    /// where the last one ended.
    pub fn judge(&mut self, block: &Block, results: &[u8], (begins, depth): (bool, u64)) -> Check {
        let mut all = Check::Right;
        let item = self.part.element.size() as usize;
        for batch in &block.lines.batches {
            let size = results.len() / (batch.len * batch.lines.len());
            for (row, number) in batch.lines.iter().enumerate() {
                if begins && let Ok(line) = line(self.part, self.is_exclusive) {
                    self.line = line;
                }
                let elements = block.line(0, batch, row).chunks(AT_ONCE * item);
                let results = results[row * batch.len * size..][..batch.len * size].chunks(AT_ONCE * size);
                for (nth, (elements, results)) in elements.zip(results).enumerate() {
                    let judged =
                        (self.line)(elements).into_iter().zip(self.part.op.read(self.part.element, results));
                    for (place, (expected, answer)) in judged.enumerate() {
                        let check = Check::from(expected.judge(answer, depth));
                        all.worsen(
                            check.at(|| format!("element {} of line {number}", nth * AT_ONCE + place)),
                        );
                    }
                }
            }
        }
        all
    }
}

/// A line before its first element.
fn line(part: Part, is_exclusive: bool) -> Result<Line, Failure> {
    let running = reference::running(part.op, part.element, part.accuracy, is_exclusive);
    running.ok_or_else(|| Failure::usage("the CPU has no such operator of these elements"))
}
