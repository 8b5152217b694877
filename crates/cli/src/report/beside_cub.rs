//! The README's table of three rows: times of the library beside CUB's. A test compares it with the records it is made of.

use super::machines::Machine;
use super::markdown::{head, line};
use crate::failure::Failure;
use crate::row::{LibraryWork, Row};
use crate::table;

/// A piece of work, and the shape that each side's row of it has. CUB takes segments of one length as offsets that are computed.
struct Piece {
    text: &'static str,
    op: &'static str,
    element: &'static str,
    n: u64,
    segments: Option<u64>,
    shapes: [&'static str; 2],
}

/// The names of the rows, and the headings of their columns.
const SIDES: [(&str, &str); 3] = [
    ("halofold", "halofold, independent"),
    ("halofold-chained", "halofold, dependent"),
    ("cub", "CUB, dependent"),
];

/// One piece of work of each kind, over a gigabyte.
const PIECES: [Piece; 3] = [
    Piece {
        text: "sum of 2^28 `f32`",
        op: "sum",
        element: "f32",
        n: 1 << 28,
        segments: None,
        shapes: ["whole", "whole"],
    },
    Piece {
        text: "sums of its 2^20 segments of 256",
        op: "sum",
        element: "f32",
        n: 1 << 28,
        segments: Some(1 << 20),
        shapes: ["fixed", "computed-offsets"],
    },
    Piece {
        text: "histogram of 2^28 `u32`, 256 bins",
        op: "histogram-256",
        element: "u32",
        n: 1 << 28,
        segments: None,
        shapes: ["random", "random"],
    },
];

/// The table; an error that names the missing rows.
pub fn table(machines: &[Machine]) -> Result<String, Failure> {
    let mut text = String::new();
    let headings = SIDES.map(|(_, heading)| heading);
    head(&mut text, 1, ["work"].into_iter().chain(headings).map(str::to_owned));
    for piece in &PIECES {
        let mut cells = vec![piece.text.to_owned()];
        for (name, _) in SIDES {
            let lacking =
                || format!("--readme: these records have neither a ladder nor {} by {name}", piece.text);
            let ms = piece.time(machines, name).ok_or_else(|| Failure::Usage(lacking()))?;
            cells.push(table::time(Some(ms)));
        }
        line(&mut text, cells.into_iter());
    }
    Ok(text)
}

impl Piece {
    /// The time of this work by one of the sides.
    fn time(&self, machines: &[Machine], name: &str) -> Option<f64> {
        let shape = self.shapes[usize::from(name == "cub")];
        let is_it = |row: &&Row<LibraryWork>| {
            let LibraryWork { name: by, op, shape: of, element, n, segments } = &row.what;
            (by.as_str(), op.as_str(), of.as_str(), element.as_str()) == (name, self.op, shape, self.element)
                && (*n, *segments) == (self.n, self.segments)
        };
        machines.iter().flat_map(|machine| &machine.library).filter(is_it).find_map(Row::time)
    }
}
