//! A table with groups of columns, as data: HTML and Markdown show the same.

use maud::{Markup, html};

/// A table.
pub struct Sheet<'a> {
    /// The heading of the column of names.
    pub subject: &'static str,
    /// Columns that belong together, from left to right.
    pub groups: Vec<Group<'a>>,
    /// The lines from top to bottom.
    pub lines: Vec<Line>,
}

/// Columns under one name.
pub struct Group<'a> {
    /// Of a machine.
    pub name: String,
    /// The columns' names.
    pub columns: Vec<&'a str>,
}

/// A line: as many cells as there are columns in all groups.
pub struct Line {
    /// Its name.
    pub name: String,
    /// The text of each cell; empty where a machine has no such row.
    pub cells: Vec<String>,
}

impl Sheet<'_> {
    /// The table in HTML, to be scrolled sideways where it is too wide.
    pub fn html(&self) -> Markup {
        html! {
            div class="scroll" {
                table {
                    thead {
                        tr {
                            th rowspan="2" { (self.subject) }
                            @for Group { name, columns } in &self.groups { th colspan=(columns.len()) { (name) } }
                        }
                        tr {
                            @for column in self.groups.iter().flat_map(|group| &group.columns) { th { (column) } }
                        }
                    }
                    tbody {
                        @for Line { name, cells } in &self.lines {
                            tr { th { (name) } @for cell in cells { td { (cell) } } }
                        }
                    }
                }
            }
        }
    }
}
