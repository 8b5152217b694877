//! One machine's ladder as a short Markdown table: the README's, which a test holds against the records it is made of.

use std::fmt::Write as _;

use halofold::reduce::ladder::Rung;

use super::machines::{Machine, works};
use super::page::first;
use crate::failure::Failure;
use crate::row::Row;
use crate::table;

/// The table with a line above it that says where and of what.
pub fn table(machines: &[Machine]) -> Result<String, Failure> {
    let [machine] = machines else {
        return Err(Failure::Usage(format!(
            "--readme takes the records of one machine; these are of {}: {}",
            machines.len(),
            machines.iter().map(|machine| machine.name.as_str()).collect::<Vec<_>>().join(", ")
        )));
    };
    let work = *works(machines)
        .first()
        .ok_or_else(|| Failure::usage("--readme: there is no ladder in these records"))?;
    let ladders = machine.ladders(work);
    let Some((main, longer)) = ladders.split_first() else {
        return Err(Failure::usage("--readme: there is no ladder in these records"));
    };
    let lengths: Vec<_> = ladders.iter().map(|ladder| table::power(ladder.n)).collect();
    let mut text = format!("The `{}` of {} `{}` on {}", work.0, lengths.join(" and "), work.1, machine.name);
    // Writing to a string cannot fail, here and below.
    if !machine.origins.is_empty() {
        let day = machine.told(|record| record.date.chars().take(10).collect());
        let driver = machine.told(|record| record.adapter.driver.clone());
        let peak = machine.told(|record| table::digits(record.peak.read_gb_per_s));
        let _ = write!(text, ", driver {driver}, {day}; read peak {peak} GB/s");
    }
    text.push_str(":\n\n| rung | from | time | GB/s | % of peak | step |");
    for ladder in longer {
        let _ = write!(text, " at {} | % of peak |", table::power(ladder.n));
    }
    text.push_str("\n|---|---|---:|---:|---:|---:|");
    text.push_str(&"---:|---:|".repeat(longer.len()));
    text.push('\n');
    for row in &main.rows {
        let _ = write!(
            text,
            "| `{}` | {} | {} | {} | {} | {} |",
            row.what.rung,
            Rung::named(&row.what.rung).map_or("", |rung| rung.document),
            time(row),
            table::optional(row.figures.gb_per_s),
            percent(row),
            row.figures.step_speedup.map(|step| format!("{step:.2}×")).unwrap_or_default(),
        );
        for ladder in longer {
            let cells = first(&ladder.rows, &row.what.rung).map(|row| (time(row), percent(row)));
            let (time, percent) = cells.unwrap_or_default();
            let _ = write!(text, " {time} | {percent} |");
        }
        text.push('\n');
    }
    Ok(text)
}

/// A row's time, or why it has none.
fn time(row: &Row) -> String {
    row.time().map_or_else(|| table::status(row), |ms| table::time(Some(ms)))
}

fn percent(row: &Row) -> String {
    table::tenths(row.figures.percent_of_read_peak)
}
