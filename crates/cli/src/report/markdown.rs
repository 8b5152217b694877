//! The page: facts about the machines, then tables, all as Markdown.

use std::fmt::Write as _;

use super::machines::Machine;
use super::{ladder, library, published, stencils};
use crate::row::Status;

pub struct Table {
    /// The heading above it.
    pub title: String,
    /// The number of columns that hold words; the others hold numbers.
    pub words: usize,
    pub head: Vec<String>,
    /// Its lines, a cell for each column. A cell is empty where a machine has no such row.
    pub lines: Vec<Vec<String>>,
}

/// The page: the machines, every ladder with the machines side by side, the documents, stencils and the library.
pub fn page(machines: &[Machine]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail, here and below.
    for machine in machines {
        let _ = writeln!(text, "**{}**: {}\n", escape(&machine.name), escape(&facts(machine)));
    }
    let tables = [ladder::tables, published::tables, stencils::tables, library::tables];
    for table in tables.into_iter().flat_map(|tables| tables(machines)) {
        let _ = writeln!(text, "### {}\n", escape(&table.title));
        line(&mut text, &table.head);
        let rule = (0..table.head.len()).map(|index| if index < table.words { "---" } else { "---:" });
        let _ = writeln!(text, "|{}|", rule.collect::<Vec<_>>().join("|"));
        table.lines.iter().for_each(|cells| line(&mut text, cells));
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

fn line(text: &mut String, cells: &[String]) {
    let cells: Vec<_> = cells.iter().map(|cell| escape(cell)).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// The headings of a machine's columns: its name stands before the first.
pub fn columns_of(machine: &str, names: &[&str]) -> Vec<String> {
    let mut names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    if let Some(first) = names.first_mut() {
        *first = format!("{machine}: {first}");
    }
    names
}

/// Text as it may stand in a cell.
fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}

/// Facts about a machine, each behind its name.
fn facts(machine: &Machine) -> String {
    let reductions = machine.rows.iter().map(|row| row.status);
    let stencils = machine.stencils.iter().map(|row| row.status);
    let library = machine.library.iter().map(|row| row.status);
    let all: Vec<_> = reductions.chain(stencils).chain(library).collect();
    let count = |status| all.iter().filter(|known| **known == status).count();
    let [right, wrong, skipped] = [Status::Pass, Status::Fail, Status::Skipped].map(count);
    let rows = format!("{right} right, {wrong} wrong, {skipped} skipped");
    if machine.origins.is_empty() {
        return format!("rows {rows}");
    }
    let clock = |name: &str| if name == "gpu" { "GPU timestamps" } else { "wall clock" }.to_owned();
    let facts = [
        ("read peak", machine.spread(|record| record.peak.read_gb_per_s, "GB/s")),
        ("copy peak", machine.spread(|record| record.peak.copy_gb_per_s, "GB/s")),
        ("times", machine.texts(|record| clock(record.peak.timing.name()))),
        ("driver", machine.texts(|record| record.adapter.driver.clone())),
        ("kind", machine.texts(|record| kind(&record.adapter.device_type).to_owned())),
        ("subgroups", machine.texts(|record| range(record.adapter.subgroup_range))),
        ("features", machine.texts(|record| record.adapter.features.join(", "))),
        ("system", machine.texts(|record| record.os.clone())),
        ("date", machine.texts(|record| record.date.chars().take(10).collect())),
        ("versions", machine.texts(|record| versions(&record.halofold, &record.wgpu))),
        ("rows", rows),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join("; ")
}

fn versions(halofold: &str, wgpu: &str) -> String {
    let other = wgpu.strip_prefix("none: ").map(str::to_owned);
    format!("halofold {halofold}, {}", other.unwrap_or_else(|| format!("wgpu {wgpu}")))
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
