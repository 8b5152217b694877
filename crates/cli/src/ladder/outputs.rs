//! Places for the rows of a ladder: standard output and files.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output::{csv, print, print_json};
use crate::reserved::Reserved;
use crate::row::Row;

/// A path that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// Options for rows in other forms than the table.
#[derive(clap::Args)]
pub struct OutputArgs {
    /// Print one JSON array of rows instead of the table.
    #[arg(long)]
    json: bool,
    /// Write the rows as CSV; without a file, or as -, they are printed instead of the table.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = STANDARD_OUTPUT)]
    csv: Option<PathBuf>,
    /// Write a plot of times by size, for several sizes; - prints it instead of the table.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The same with open files.
pub struct Outputs {
    printed: Printed,
    csv: Option<Reserved>,
    svg: Option<Reserved>,
}

/// Form of the standard output: one only, so that another program can read it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Printed {
    Table,
    Json,
    Csv,
    Svg,
}

impl OutputArgs {
    /// True if a plot was asked for.
    pub fn wants_plot(&self) -> bool {
        self.svg.is_some()
    }

    /// Opens the files, so that a path that cannot be written is an error now and not after the work.
    pub fn reserve(&self) -> Result<Outputs, Failure> {
        let printed = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new(STANDARD_OUTPUT));
        let claims = [
            (self.json, "--json", Printed::Json),
            (printed(&self.csv), "--csv -", Printed::Csv),
            (printed(&self.svg), "--svg -", Printed::Svg),
        ];
        let claims: Vec<_> = claims.into_iter().filter(|(claimed, ..)| *claimed).collect();
        let printed = match claims[..] {
            [] => Printed::Table,
            [(_, _, printed)] => printed,
            [(_, first, _), (_, second, _), ..] => {
                return Err(Failure::Usage(format!("{first} and {second} both write to standard output")));
            }
        };
        let reserve = |option, path: &Option<PathBuf>| {
            let file = path.as_deref().filter(|path| *path != Path::new(STANDARD_OUTPUT));
            file.map(|path| Reserved::open(option, path)).transpose()
        };
        Ok(Outputs { printed, csv: reserve("--csv", &self.csv)?, svg: reserve("--svg", &self.svg)? })
    }
}

impl Outputs {
    /// Writes the files, then standard output, which its reader may close.
    pub fn write(
        self,
        rows: &[Row],
        table: impl FnOnce() -> String,
        plot: impl Fn() -> String,
    ) -> Result<(), Failure> {
        if let Some(file) = self.csv {
            file.write(&csv(rows)?)?;
        }
        if let Some(file) = self.svg {
            file.write(&plot())?;
        }
        match self.printed {
            Printed::Table => print(&table()),
            Printed::Json => print_json(&rows),
            Printed::Csv => print(&csv(rows)?),
            Printed::Svg => print(&plot()),
        }
    }
}
