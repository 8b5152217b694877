//! The HTML page: everything in one file, no scripts.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::library;
use super::machines::{Ladder, Machine, Work, side_by_side, works};
use super::published::{Document, documents};
use super::stencils;
use crate::chart::{Bar, Bars};
use crate::row::{Row, Status};
use crate::table::{self, raised};

/// Colours and places, for light and dark, wide and narrow.
const STYLE: &str = include_str!("style.css");

/// Peaks this close are one.
const SAME_PEAK: f64 = 1.001;

/// The page.
pub fn html(machines: &[Machine]) -> Markup {
    let named = match machines {
        [machine] => machine.name.clone(),
        machines => format!("{} machines", machines.len()),
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "halofold: reductions and stencils compared" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (subject(machines)) " on " (named) }
                p class="note" {
                    "By halofold " (env!("CARGO_PKG_VERSION")) ". GB/s are 10⁹ bytes a second; the line in the charts is what a \
                     kernel that only reads reaches on the same machine; more is possible where the \
                     data fits a cache. Times are medians."
                }
                (section("Machines", &html! { @for machine in machines { (card(machine)) } }))
                @for work in works(machines) { (reductions(machines, work)) }
                @for document in documents(machines) {
                    (section(&document.title, &published_chart(&document)))
                    (published_table(&document))
                }
                @for comparison in stencils::comparisons(machines) {
                    h2 { (comparison.title()) }
                    @for sheet in comparison.sheets() { (sheet.html()) }
                }
                @for family in library::sections(machines) {
                    h2 { (family.title) }
                    @if !family.note.is_empty() { p class="note" { (family.note) } }
                    (family.sheet().html())
                }
            }
        }
    }
}

/// The ladders over some work.
fn reductions(machines: &[Machine], work: Work<'_>) -> Markup {
    let title = format!("{} of {}", work.0, work.1);
    let charts = machines.iter().filter_map(|machine| ladder_chart(machine, work));
    html! {
        (section(&title, &html! { @for chart in charts { (chart) } }))
        (comparison(machines, work))
    }
}

/// The kinds of rows on the page, in words.
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
fn section(title: &str, figures: &Markup) -> Markup {
    html! { h2 { (title) } div class="figures" { (figures) } }
}

/// A chart under its name.
fn figure(title: &str, chart: &Markup) -> Markup {
    html! { figure { h3 { (title) } (chart) } }
}

/// Facts about a machine, by name.
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
        ("times", machine.texts(|record| clock(record.peak.timing.name()))),
        ("driver", machine.texts(|record| record.adapter.driver.clone())),
        ("kind", machine.texts(|record| kind(&record.adapter.device_type).to_owned())),
        ("subgroups", machine.texts(|record| range(record.adapter.subgroup_range))),
        ("features", machine.texts(|record| record.adapter.features.join(", "))),
        ("system", machine.texts(|record| record.os.clone())),
        ("date", machine.texts(|record| record.date.chars().take(10).collect())),
        (
            "versions",
            machine.texts(|record| {
                let made_of = record.wgpu.strip_prefix("none: ").map(str::to_owned);
                let made_of = made_of.unwrap_or_else(|| format!("wgpu {}", record.wgpu));
                format!("halofold {}, {made_of}", record.halofold)
            }),
        ),
        ("rows", rows),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The type of adapter in words; wgpu's own name if there are none for it.
fn kind(device_type: &str) -> &str {
    match device_type {
        "DiscreteGpu" => "discrete GPU",
        "IntegratedGpu" => "integrated GPU",
        "VirtualGpu" => "virtual GPU",
        "Cpu" => "software, on the processor",
        other => other,
    }
}

/// Two numbers, or the one that both are.
fn range([least, most]: [u32; 2]) -> String {
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}

fn card(machine: &Machine) -> Markup {
    html! {
        figure {
            h3 { (machine.name) }
            dl { @for (name, value) in facts(machine) { dt { (name) } dd { (value) } } }
        }
    }
}

/// The ladder as bars of GB/s, beside the read peak where all rows have the same.
fn ladder_chart(machine: &Machine, work: Work<'_>) -> Option<Markup> {
    let Ladder { n, rows } = machine.ladder(work)?;
    let chart = Bars {
        title: format!("{} of {} on {}, {}", work.0, work.1, machine.name, raised(n)),
        ceiling: read_peak(&rows).map(|peak| (peak, format!("read peak {} GB/s", table::digits(peak)))),
        bars: rows.iter().map(|row| bar(row)).collect(),
    };
    Some(figure(&format!("{}, {} elements", machine.name, raised(n)), &chart.figure()))
}

/// The read peak that the rows' percentages are of; `None` if they are of different runs with different peaks.
pub fn read_peak(rows: &[&Row]) -> Option<f64> {
    let peaks = || {
        rows.iter().filter_map(|row| Some(100.0 * row.figures.gb_per_s? / row.figures.percent_of_read_peak?))
    };
    let (lowest, highest) = (peaks().fold(f64::INFINITY, f64::min), peaks().fold(0.0, f64::max));
    (highest > 0.0 && highest < SAME_PEAK * lowest).then_some(highest)
}

fn bar(row: &Row) -> Bar {
    let value = row.figures.gb_per_s.filter(|_| row.status == Status::Pass);
    let percent = row.figures.percent_of_read_peak.map(|percent| format!(" · {percent:.1} %"));
    let text = match value {
        Some(rate) => format!("{} GB/s{}", table::digits(rate), percent.unwrap_or_default()),
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
fn comparison(machines: &[Machine], work: Work<'_>) -> Markup {
    let (ladders, rungs) = side_by_side(machines, work);
    html! {
        div class="scroll" {
            table {
                thead {
                    tr {
                        th rowspan="2" { "rung" }
                        @for (machine, ladder) in &ladders { th colspan="3" { (machine.name) ", " (raised(ladder.n)) } }
                    }
                    tr { @for _ in &ladders { th { "time" } th { "GB/s" } th { "% peak" } } }
                }
                tbody {
                    @for rung in rungs {
                        tr { th { (rung) } @for (_, ladder) in &ladders { (shown(first(&ladder.rows, rung))) } }
                    }
                }
            }
        }
    }
}

/// Time, bandwidth and percentage of a row; without a time its status.
pub fn cells(row: &Row) -> [String; 3] {
    let figures = row.time().and(Some(&row.figures));
    [
        table::time_or_status(row),
        table::optional(figures.and_then(|figures| figures.gb_per_s)),
        table::tenths(figures.and_then(|figures| figures.percent_of_read_peak)),
    ]
}

/// The cells of a row that may not be there, or have no time: one for all then, with the reason.
fn shown(row: Option<&Row>) -> Markup {
    match row.filter(|row| row.time().is_none()) {
        Some(row) => {
            html! { td colspan="3" class="note" title=[row.reason.as_deref()] { (table::status(row)) } }
        }
        None => html! { @for cell in row.map(cells).unwrap_or_default() { td { (cell) } } },
    }
}

/// The document as one more machine: bars of its own published figures.
fn published_chart(document: &Document<'_>) -> Markup {
    let bars: Vec<_> = document.lines.iter().filter_map(published_bar).collect();
    if bars.is_empty() {
        return html! { p class="note" { "The document publishes no figures for these rows." } };
    }
    let chart = Bars { title: format!("published: {}", document.title), ceiling: None, bars };
    figure("Published", &chart.figure())
}

fn published_bar(line: &super::published::Line<'_>) -> Option<Bar> {
    let rate = line.rate?;
    let label = format!("{} · {}", line.name, line.rung);
    let text = format!("{} GB/s", table::digits(rate));
    let hint = format!("{label}: {}", table::time(line.ms));
    Some(Bar { label, value: Some(rate), text, hint })
}

fn published_table(document: &Document<'_>) -> Markup {
    html! {
        div class="scroll" {
            table {
                thead {
                    tr {
                        th { "row" } th class="word" { "rung" } th { "published" } th { "published GB/s" }
                        @for machine in &document.machines { th { (machine.name) } }
                    }
                }
                tbody {
                    @for line in &document.lines {
                        tr {
                            th { (line.name) }
                            td class="word" { (line.rung) }
                            td { (table::time(line.ms)) }
                            td { (table::optional(line.gb_per_s)) }
                            @for ms in &line.measured { td { (table::time(*ms)) } }
                        }
                    }
                }
            }
        }
    }
}
