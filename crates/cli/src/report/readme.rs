//! One machine's ladder as a short Markdown table: the README's, which a test compares with its records.

use std::fmt::Write as _;

use halofold::reduce::ladder::Rung;

use super::machines::{Machine, works};
use super::markdown::{first, head, line};
use crate::failure::Failure;
use crate::row::Row;
use crate::table;

/// The table, with a line above it that names the machine and the operation.
pub fn table(machines: &[Machine]) -> Result<String, Failure> {
    let [machine] = machines else {
        return Err(Failure::Usage(format!(
            "--readme takes the records of one machine; these are of {}: {}",
            machines.len(),
            machines.iter().map(|machine| machine.name.as_str()).collect::<Vec<_>>().join(", ")
        )));
    };
    let missing = || Failure::usage("--readme: there is no ladder in these records");
    let work = *works(machines).first().ok_or_else(missing)?;
    let ladders = machine.ladders(work);
    let (main, longer) = ladders.split_first().ok_or_else(missing)?;
    let lengths: Vec<_> = ladders.iter().map(|ladder| table::power(ladder.n)).collect();
    let mut text = format!("The `{}` of {} `{}` on {}", work.0, lengths.join(" and "), work.1, machine.name);
    // Writing to a string cannot fail.
    if !machine.origins.is_empty() {
        let day = machine.texts(|record| record.date.chars().take(10).collect());
        let driver = machine.texts(|record| record.adapter.driver.clone());
        let peak = machine.texts(|record| table::digits(record.peak.read_gb_per_s));
        let _ = write!(text, ", driver {driver}, {day}; read peak {peak} GB/s");
    }
    text.push_str(":\n\n");
    let own = ["rung", "from", "time", "GB/s", "% of peak", "step"].map(str::to_owned);
    let others =
        longer.iter().flat_map(|ladder| [format!("at {}", table::power(ladder.n)), "% of peak".to_owned()]);
    head(&mut text, 2, own.into_iter().chain(others));
    let timed = |row: &Row| [table::time_or_status(row), table::tenths(row.figures.percent_of_read_peak)];
    for row in &main.rows {
        let [time, percent] = timed(row);
        let own = [
            format!("`{}`", row.what.rung),
            Rung::named(&row.what.rung).map_or("", |rung| rung.document).to_owned(),
            time,
            table::optional(row.figures.gb_per_s),
            percent,
            row.figures.step_speedup.map(|step| format!("{step:.2}×")).unwrap_or_default(),
        ];
        let rows = longer.iter().map(|ladder| first(&ladder.rows, &row.what.rung));
        line(&mut text, own.into_iter().chain(rows.flat_map(|row| row.map(timed).unwrap_or_default())));
    }
    Ok(text)
}
