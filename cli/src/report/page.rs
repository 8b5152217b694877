//! The HTML page: everything in one file, no scripts.

use std::fmt::Write as _;

use super::bars::{Bar, Bars};
use super::library;
use super::lines;
use super::machines::{Ladder, Machine, Work, side_by_side, works};
use super::published::{Document, documents};
use super::stencils;
use super::text::{escape, power};
use crate::row::{Row, Status};
use crate::table;

/// Colours and places, for light and dark, wide and narrow.
const STYLE: &str = include_str!("style.css");

/// Peaks this close are one.
const SAME_PEAK: f64 = 1.001;

/// The page.
pub fn html(machines: &[Machine]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>halofold: reductions and stencils compared</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{} on {}</h1>\n\
         <p class=\"note\">By halofold {}. GB/s are 10⁹ bytes a second; the line in the charts is what a kernel that only reads (for \
         stencils: only copies) reaches on the same machine; more is possible where the data fits a cache. Times are medians.</p>\n",
        subject(machines),
        match machines.len() {
            1 => escape(&machines[0].name),
            count => format!("{count} machines"),
        },
        env!("CARGO_PKG_VERSION"),
    );
    section(&mut page, "Machines", &machines.iter().map(card).collect::<String>());
    for work in works(machines) {
        let title = format!("{} of {}", escape(work.0), escape(work.1));
        let charts: String = machines.iter().filter_map(|machine| ladder_chart(machine, work)).collect();
        section(&mut page, &title, &charts);
        page.push_str(&comparison(machines, work));
        let by_size: String = machines.iter().filter_map(|machine| size_chart(machine, work)).collect();
        if !by_size.is_empty() {
            section(&mut page, &format!("{title}: time by size"), &by_size);
        }
    }
    for document in documents(machines) {
        section(&mut page, &escape(&document.title), &published_chart(&document));
        page.push_str(&published_table(&document));
    }
    for comparison in stencils::comparisons(machines) {
        section(&mut page, &escape(&comparison.title()), &comparison.figures());
        for sheet in comparison.sheets() {
            page.push_str(&sheet.html());
        }
    }
    for section in library::sections(machines) {
        self::section(&mut page, section.title, &section.figures());
        page.push_str(&section.sheet().html());
    }
    page + "</body>\n</html>\n"
}

/// What was measured.
fn subject(machines: &[Machine]) -> String {
    let any = |has: fn(&Machine) -> bool, word| machines.iter().any(has).then_some(word);
    let all = [
        any(|machine| !machine.rows.is_empty(), "reductions"),
        any(|machine| !machine.stencils.is_empty(), "stencils"),
        any(|machine| !machine.library.is_empty(), "the library"),
    ];
    let words: Vec<_> = all.into_iter().flatten().collect();
    let text = match words.as_slice() {
        [first, second, third] => format!("{first}, {second} and {third}"),
        some => some.join(" and "),
    };
    let (first, rest) = text.split_at(text.len().min(1));
    first.to_uppercase() + rest
}

/// A heading and figures that stand side by side where there is room.
fn section(page: &mut String, title: &str, figures: &str) {
    // Writing to a string cannot fail, here and below.
    let _ = write!(page, "<h2>{title}</h2>\n<div class=\"figures\">\n{figures}</div>\n");
}

/// What is known of a machine, by name.
pub fn facts(machine: &Machine) -> Vec<(&'static str, String)> {
    let reductions = machine.rows.iter().map(|row| row.status);
    let others = machine.stencils.iter().map(|row| row.status);
    let library = machine.library.iter().map(|row| row.status);
    let all = || reductions.clone().chain(others.clone()).chain(library.clone());
    let count = |status| all().filter(|known| *known == status).count();
    let rows = format!(
        "{} right, {} wrong, {} skipped",
        count(Status::Pass),
        count(Status::Fail),
        count(Status::Skipped)
    );
    if machine.origins.is_empty() {
        return vec![("rows", rows)];
    }
    let clock = |name: &str| if name == "gpu" { "GPU timestamps" } else { "wall clock" }.to_owned();
    let mut facts = vec![
        ("read peak", machine.spread(|record| record.peak.read_gb_per_s, "GB/s")),
        ("copy peak", machine.spread(|record| record.peak.copy_gb_per_s, "GB/s")),
        ("times", machine.told(|record| clock(&record.peak.timing))),
        ("driver", machine.told(|record| record.adapter.driver.clone())),
        ("kind", machine.told(|record| record.adapter.device_type.clone())),
        (
            "subgroups",
            machine.told(|record| record.adapter.subgroup_range.map(|n| n.to_string()).join(" to ")),
        ),
        ("features", machine.told(|record| record.adapter.features.join(", "))),
        ("system", machine.told(|record| record.os.clone())),
        ("date", machine.told(|record| record.date.clone())),
        ("versions", machine.told(|record| format!("halofold {}, wgpu {}", record.halofold, record.wgpu))),
        ("rows", rows),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn card(machine: &Machine) -> String {
    let mut html = format!("<figure>\n<h3>{}</h3>\n<dl>\n", escape(&machine.name));
    for (name, value) in facts(machine) {
        let _ = writeln!(html, "<dt>{name}</dt><dd>{}</dd>", escape(&value));
    }
    html + "</dl>\n</figure>\n"
}

/// The ladder as bars of percent of the read peak, or of GB/s where no peak is known.
fn ladder_chart(machine: &Machine, work: Work<'_>) -> Option<String> {
    let Ladder { n, rows } = machine.ladder(work)?;
    let label = read_peak(&rows)
        .map_or("read peak".to_owned(), |peak| format!("read peak {} GB/s", table::digits(peak)));
    let chart = Bars {
        title: format!("{} of {} on {}, {}", work.0, work.1, machine.name, power(n)),
        ceiling: Some((100.0, label)),
        reach: 0.0,
        bars: rows.iter().map(|row| bar(row)).collect(),
    };
    let name = escape(&machine.name);
    Some(format!("<figure>\n<h3>{name}, {} elements</h3>\n{}</figure>\n", power(n), chart.svg()))
}

/// The read peak that the rows' percentages are of; `None` if they are of different runs with different peaks.
fn read_peak(rows: &[&Row]) -> Option<f64> {
    let peaks = || {
        rows.iter().filter_map(|row| Some(100.0 * row.figures.gb_per_s? / row.figures.percent_of_read_peak?))
    };
    let (lowest, highest) = (peaks().fold(f64::INFINITY, f64::min), peaks().fold(0.0, f64::max));
    (highest > 0.0 && highest < SAME_PEAK * lowest).then_some(highest)
}

fn bar(row: &Row) -> Bar {
    let value = row.figures.percent_of_read_peak.filter(|_| row.status == Status::Pass);
    let text = match value {
        Some(percent) => format!("{} GB/s · {percent:.1} %", table::optional(row.figures.gb_per_s)),
        None => table::status(row),
    };
    let hint = match &row.reason {
        Some(reason) => format!("{}: {reason}", row.what.rung),
        None => format!("{}: {}", row.what.rung, table::time(row.time())),
    };
    Bar { label: row.what.rung.clone(), value, text, hint }
}

/// The first row of a rung.
pub fn first<'a>(rows: &[&'a Row], rung: &str) -> Option<&'a Row> {
    rows.iter().copied().find(|row| row.what.rung == rung)
}

/// The machines side by side, rung by rung.
fn comparison(machines: &[Machine], work: Work<'_>) -> String {
    let (ladders, rungs) = side_by_side(machines, work);
    let mut html = String::from("<div class=\"scroll\"><table>\n<thead><tr><th rowspan=\"2\">rung</th>");
    for (machine, ladder) in &ladders {
        let _ = write!(html, "<th colspan=\"3\">{}, {}</th>", escape(&machine.name), power(ladder.n));
    }
    html.push_str("</tr>\n<tr>");
    for _ in &ladders {
        html.push_str("<th>time</th><th>GB/s</th><th>% peak</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for rung in rungs {
        let _ = write!(html, "<tr><th>{}</th>", escape(rung));
        for (_, ladder) in &ladders {
            html.push_str(&cells(first(&ladder.rows, rung)));
        }
        html.push_str("</tr>\n");
    }
    html + "</tbody>\n</table></div>\n"
}

/// Time, bandwidth and percentage of a row.
fn cells(row: Option<&Row>) -> String {
    let Some(row) = row else { return "<td></td><td></td><td></td>".to_owned() };
    match row.time() {
        Some(ms) => format!(
            "<td>{}</td><td>{}</td><td>{}</td>",
            table::time(Some(ms)),
            table::optional(row.figures.gb_per_s),
            row.figures.percent_of_read_peak.map(|percent| format!("{percent:.1}")).unwrap_or_default()
        ),
        None => {
            let reason = escape(row.reason.as_deref().unwrap_or_default());
            format!("<td colspan=\"3\" class=\"note\" title=\"{reason}\">{}</td>", table::status(row))
        }
    }
}

fn size_chart(machine: &Machine, work: Work<'_>) -> Option<String> {
    let series = machine.series(work);
    let title = format!("{} of {} on {}: time by size", work.0, work.1, machine.name);
    let chart = lines::chart(&title, &series);
    (!series.is_empty()).then(|| format!("<figure>\n<h3>{}</h3>\n{chart}</figure>\n", escape(&machine.name)))
}

/// The document as one more machine: bars of its own published figures.
fn published_chart(document: &Document<'_>) -> String {
    let bars: Vec<_> = document.lines.iter().filter_map(published_bar).collect();
    if bars.is_empty() {
        return "<p class=\"note\">The document publishes no figures for these rows.</p>\n".to_owned();
    }
    let chart = Bars { title: format!("published: {}", document.title), ceiling: None, reach: 0.0, bars };
    format!("<figure>\n<h3>Published</h3>\n{}</figure>\n", chart.svg())
}

fn published_bar(line: &super::published::Line<'_>) -> Option<Bar> {
    let rate = line.rate?;
    let label = format!("{} · {}", line.name, line.rung);
    let text = format!("{} GB/s", table::digits(rate));
    let hint = format!("{label}: {}", table::time(line.ms));
    Some(Bar { label, value: Some(rate), text, hint })
}

fn published_table(document: &Document<'_>) -> String {
    let mut html = String::from(
        "<div class=\"scroll\"><table>\n<thead><tr><th>row</th><th class=\"word\">rung</th><th>published</th><th>published GB/s</th>",
    );
    for machine in &document.machines {
        let _ = write!(html, "<th>{}</th>", escape(&machine.name));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for line in &document.lines {
        let (name, rung) = (escape(line.name), escape(line.rung));
        let (ms, rate) = (table::time(line.ms), table::optional(line.gb_per_s));
        let _ = write!(html, "<tr><th>{name}</th><td class=\"word\">{rung}</td><td>{ms}</td><td>{rate}</td>");
        for ms in &line.measured {
            let _ = write!(html, "<td>{}</td>", table::time(*ms));
        }
        html.push_str("</tr>\n");
    }
    html + "</tbody>\n</table></div>\n"
}
