//! Modules as lists of pieces: most share most of their text.

use indexmap::IndexSet;

use crate::show::translate::browser_directive;

/// The first line of a piece in a composed module begins so.
pub const HEADING: &str = "// ==== ";

const GAP: &str = "\n\n";

/// Modules as numbers of pieces, and pieces as numbers of paragraphs. Variants of a piece share most of them.
#[derive(Default)]
pub struct Texts {
    pub paragraphs: IndexSet<String>,
    pub pieces: IndexSet<Vec<usize>>,
    pub modules: IndexSet<Vec<usize>>,
}

impl Texts {
    /// Takes a module apart and returns its number. A module is its pieces with an empty line between them, and so is a piece.
    pub fn add(&mut self, wgsl: &str) -> usize {
        let mut pieces = pieces(wgsl);
        assert_eq!(pieces.join(GAP), wgsl.trim_end(), "pieces are a module again");
        pieces.splice(0..0, browser_directive(wgsl));
        let numbers = pieces.into_iter().map(|piece| self.piece(piece)).collect();
        self.modules.insert_full(numbers).0
    }

    fn piece(&mut self, text: &str) -> usize {
        let numbers =
            text.split(GAP).map(|paragraph| self.paragraphs.insert_full(paragraph.to_owned()).0).collect();
        self.pieces.insert_full(numbers).0
    }
}

/// The pieces of a module, each from its heading on, without the empty lines at its end.
pub fn pieces(wgsl: &str) -> Vec<&str> {
    let mut starts: Vec<_> = wgsl
        .match_indices(HEADING)
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || wgsl[..*at].ends_with('\n'))
        .collect();
    // The text before the first heading is a piece, too.
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    starts.push(wgsl.len());
    starts.windows(2).map(|ends| wgsl[ends[0]..ends[1]].trim_end()).collect()
}
