//! Rows by length: two tables, and the size where the GPU overtakes the CPU.

use halofold::Element;
use halofold::reduce::Op;
use halofold_measure::cpu;

use crate::row::{Row, Status};
use crate::table::{self, Column, Layout};

/// A ladder of several lengths. It has one row for every size and series, size by size; fewer after an interrupt.
pub struct BySize<'a> {
    pub adapter: String,
    pub clock: &'static str,
    pub operator: Op,
    pub element: Element,
    pub sizes: &'a [u64],
    /// The rows' names at every size: the CPU's, then the rungs'.
    pub series: Vec<String>,
}

fn end_to_end(row: &Row) -> Option<f64> {
    row.figures.wall_ms_median.filter(|_| row.status == Status::Pass)
}

impl BySize<'_> {
    pub fn head(&self) -> String {
        let head = format!(
            "{}\n{} of {}, {} to {} elements, generated data; the CPU on 1 and on {} threads\n\n\
             Time of the reduction itself (rungs: {})\n\n",
            self.adapter,
            self.operator,
            self.element,
            table::power(self.sizes[0]),
            table::power(self.sizes[self.sizes.len() - 1]),
            cpu::threads(),
            self.clock,
        );
        table::fitted(&head, false)
    }

    /// The table of a line for every size, a column for every series.
    pub fn times(&self, time: fn(&Row) -> Option<f64>) -> Layout<Vec<Row>> {
        let size = Column::number("n", |rows: &Vec<Row>| table::power(rows[0].what.n)).with_width(4);
        let series = self.series.iter().enumerate().map(|(at, name)| {
            let cell =
                move |row: &Row| time(row).map_or_else(|| table::status(row), |ms| table::time(Some(ms)));
            let heading = name.trim_start_matches("cpu-").to_owned();
            Column::number(heading, move |rows: &Vec<Row>| rows.get(at).map_or_else(String::new, cell))
                .with_width(8)
        });
        Layout::new([size].into_iter().chain(series).collect(), &[], true)
    }

    pub fn rest(&self, rows: &[Row]) -> String {
        let lines = self.times(end_to_end);
        let table: String = rows.chunks(self.series.len()).map(|rows| lines.line(&rows.to_vec())).collect();
        let what =
            "\nEnd to end: from submission to the value on the host (the input is already in GPU memory)\n\n";
        let below = format!("\n{}{}", self.crossover(rows), table::remarks(rows));
        table::fitted(what, false) + &lines.head() + &table + &table::fitted(&below, false)
    }

    /// The smallest size at which some rung brings the value to the host before one CPU thread has it, in a sentence.
    fn crossover(&self, rows: &[Row]) -> String {
        let beats = |rows: &[Row]| {
            let cpu_ms = rows.iter().find(|row| row.what.rung == cpu::rung(false)).and_then(end_to_end)?;
            let rungs = rows.iter().filter(|row| !row.is_cpu());
            let times = rungs.filter_map(|row| Some((row.what.rung.clone(), end_to_end(row)?, cpu_ms)));
            times.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, ms, _)| *ms < cpu_ms)
        };
        let beaten: Vec<_> = rows.chunks(self.series.len()).map(beats).collect();
        let Some(at) = beaten.iter().position(Option::is_some) else {
            let last = self.sizes[self.sizes.len() - 1];
            return format!("End to end, no rung beats one CPU thread up to n = {}.\n", table::power(last));
        };
        let (rung, ms, cpu_ms) = beaten[at].as_ref().expect("it is there");
        // A single lucky size is no crossover.
        let is_always = beaten[at..].iter().all(Option::is_some);
        format!(
            "End to end, the GPU first beats one CPU thread at n = {} ({rung}: {} against {}){}.\n",
            table::power(self.sizes[at]),
            table::time(Some(*ms)),
            table::time(Some(*cpu_ms)),
            if is_always { "" } else { ", though not at every larger size" },
        )
    }
}
