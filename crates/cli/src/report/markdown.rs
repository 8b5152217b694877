//! The page: facts about the machines, then tables, all as Markdown.

use std::fmt::Write as _;

use super::machines::Machine;
use super::{ladder, library, published, stencils, tables};
use crate::record;
use crate::row::Status;

/// The page: the machines, every ladder with the machines side by side, the documents, stencils and the library.
pub fn page(machines: &[Machine]) -> String {
    // Of machines beside the given ones only what these have, too.
    let is_beside = |name: &str| machines.iter().any(|machine| machine.is_beside && machine.name == name);
    let mut entries = ladder::entries(machines);
    for of in [published::entries, stencils::entries, library::entries] {
        let all = of(machines);
        let given: Vec<_> =
            all.iter().filter(|entry| !is_beside(entry.machine)).map(|entry| &entry.title).collect();
        let is_shown: Vec<_> = all.iter().map(|entry| given.contains(&&entry.title)).collect();
        entries
            .extend(all.into_iter().zip(is_shown).filter_map(|(entry, is_shown)| is_shown.then_some(entry)));
    }
    let mut text = String::new();
    let is_shown =
        |machine: &&Machine| !machine.is_beside || entries.iter().any(|entry| entry.machine == machine.name);
    // Writing to a string cannot fail, here and below.
    for machine in machines.iter().filter(is_shown) {
        let _ = writeln!(text, "**{}**: {}\n", escape(&machine.name), escape(&facts(machine)));
    }
    for table in tables::of(entries) {
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

fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}

fn facts(machine: &Machine) -> String {
    let reductions = machine.rows.iter().map(|row| row.status);
    let stencils = machine.stencils.iter().map(|row| row.status);
    let library = machine.library.iter().map(|row| row.status);
    let all: Vec<_> = reductions.chain(stencils).chain(library).collect();
    let count = |status| all.iter().filter(|known| **known == status).count();
    let [right, wrong, skipped] = [Status::Pass, Status::Fail, Status::Skipped].map(count);
    let rows = format!("{right} right, {wrong} wrong, {skipped} skipped");
    let clock = |name: &str| if name == "gpu" { "GPU timestamps" } else { "wall clock" }.to_owned();
    let facts = [
        ("", ladder::headline(machine)),
        ("rows", rows),
        ("read peak", machine.spread(|record| record.peak.read_gb_per_s, "GB/s")),
        ("copy peak", machine.spread(|record| record.peak.copy_gb_per_s, "GB/s")),
        ("times", machine.texts(|record| clock(record.peak.timing.name()))),
        ("driver", machine.texts(|record| record.adapter.driver.clone())),
        ("kind", machine.texts(|record| kind(&record.adapter.device_type).to_owned())),
        ("subgroups", machine.texts(|record| range(record.adapter.subgroup_range))),
        ("system", machine.texts(|record| record.os.clone())),
        ("date", machine.texts(record::day)),
        ("versions", machine.texts(|record| versions(&record.halofold, &record.wgpu))),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    known
        .map(|(name, value)| format!("{name} {value}").trim_start().to_owned())
        .collect::<Vec<_>>()
        .join("; ")
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

fn range([least, most]: [u32; 2]) -> String {
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}
