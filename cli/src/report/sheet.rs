//! A table with groups of columns, as data: HTML and Markdown show the same.

use std::fmt::Write as _;

use super::text::escape;

/// A table.
pub struct Sheet<'a> {
    /// What its lines are.
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
    /// What it is about.
    pub name: String,
    /// What there is to say; empty where there is nothing.
    pub cells: Vec<String>,
}

impl Sheet<'_> {
    /// The table in HTML, to be scrolled sideways where it is too wide.
    pub fn html(&self) -> String {
        let mut html = format!(
            "<div class=\"scroll\"><table>\n<thead><tr><th rowspan=\"2\">{}</th>",
            escape(self.subject)
        );
        for Group { name, columns } in &self.groups {
            // Writing to a string cannot fail, here and below.
            let _ = write!(html, "<th colspan=\"{}\">{}</th>", columns.len(), escape(name));
        }
        html.push_str("</tr>\n<tr>");
        for column in self.groups.iter().flat_map(|group| &group.columns) {
            let _ = write!(html, "<th>{}</th>", escape(column));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for Line { name, cells } in &self.lines {
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            let _ = writeln!(html, "<tr><th>{}</th>{cells}</tr>", escape(name));
        }
        html + "</tbody>\n</table></div>\n"
    }
}
