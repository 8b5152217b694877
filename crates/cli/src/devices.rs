//! `halofold devices`: lists adapters with their limits, features and types.

use halofold::wgpu::{self, Features};
use halofold::{Element, adapter};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::gpu::{adapters, combined};
use crate::output::{cell, print, print_json};
use crate::table::{self, Column};

#[derive(clap::Args)]
pub struct DevicesArgs {
    /// Print drivers, limits and features, too.
    #[arg(long)]
    verbose: bool,
    /// Print one JSON array of adapters.
    #[arg(long, conflicts_with = "verbose")]
    json: bool,
}

const FEATURES: [(Features, &str); 8] = [
    (Features::SUBGROUP, "subgroup rungs"),
    (Features::SHADER_F16, "f16"),
    (Features::SHADER_F64, "f64"),
    (Features::SHADER_INT64, "i64 and u64"),
    (Features::SHADER_INT64_ATOMIC_ALL_OPS, "64-bit atomic rungs"),
    (Features::SHADER_INT64_ATOMIC_MIN_MAX, "part of 64-bit atomics"),
    (Features::SHADER_FLOAT32_ATOMIC, "native f32 atomic sums"),
    (Features::TIMESTAMP_QUERY, "GPU time"),
];

type Numbered = (usize, wgpu::Adapter);

pub fn run(args: DevicesArgs) -> Result<(), Failure> {
    let adapters = adapters()?;
    let all = combined(&adapters);
    let adapters: Vec<Numbered> = adapters.into_iter().enumerate().collect();
    if args.json {
        return print_json(&adapters.iter().map(|one| as_json(one, &all)).collect::<Vec<_>>());
    }
    let mut text = match args.verbose {
        true => adapters.iter().map(|one| details(one, &all)).collect::<Vec<_>>().join("\n"),
        false => table::render(columns(), &adapters, false),
    };
    if all.len() > 1 {
        let all: Vec<_> = all.iter().map(usize::to_string).collect();
        text += &format!("\ntogether, by --adapters all: {}\n", all.join(", "));
    }
    print(&table::fitted(&text, false))
}

/// The adapter's index; 0 is the default.
fn number((index, _): &Numbered) -> String {
    if *index == 0 { "0 (default)".to_owned() } else { index.to_string() }
}

fn columns() -> Vec<Column<Numbered>> {
    let narrow = [Element::U32, Element::I32, Element::F32];
    let more = move |(_, adapter): &Numbered| {
        types(adapter)
            .into_iter()
            .filter(|element| !narrow.contains(element))
            .map(Element::name)
            .collect::<Vec<_>>()
    };
    vec![
        Column::words("adapter", number),
        Column::words("name", |(_, adapter): &Numbered| adapter.get_info().name),
        Column::words("back end", |(_, adapter): &Numbered| {
            let info = adapter.get_info();
            format!("{}, {}", info.backend, kind(&info))
        }),
        Column::words("wide types", move |one| more(one).join(" ")),
    ]
}

fn types(adapter: &wgpu::Adapter) -> Vec<Element> {
    let has = |element: &Element| adapter.features().contains(element.feature());
    Element::ALL.into_iter().filter(has).collect()
}

fn features(adapter: &wgpu::Adapter, has: bool) -> Vec<String> {
    let kept = FEATURES.iter().filter(|(feature, _)| adapter.features().contains(*feature) == has);
    kept.map(|(feature, what)| format!("{} ({what})", adapter::feature_names(*feature))).collect()
}

fn as_json((index, adapter): &Numbered, all: &[usize]) -> Value {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let has_subgroups = adapter.features().contains(Features::SUBGROUP);
    json!({
        "index": index,
        "name": info.name,
        "backend": info.backend.to_string(),
        "kind": kind(&info),
        "driver": format!("{} {}", info.driver, info.driver_info).trim(),
        // The bus address distinguishes equal cards.
        "pci": Some(&info.device_pci_bus_id).filter(|address| !address.is_empty()),
        "in_all": all.contains(index),
        "subgroup_size": has_subgroups.then_some([info.subgroup_min_size, info.subgroup_max_size]),
        "features": features(adapter, true),
        "missing_features": features(adapter, false),
        "types": types(adapter).into_iter().map(Element::name).collect::<Vec<_>>(),
        "limits": {
            "max_buffer_size": limits.max_buffer_size,
            "max_storage_buffer_binding_size": limits.max_storage_buffer_binding_size,
            "max_compute_invocations_per_workgroup": limits.max_compute_invocations_per_workgroup,
            "max_compute_workgroup_storage_size": limits.max_compute_workgroup_storage_size,
            "max_compute_workgroups_per_dimension": limits.max_compute_workgroups_per_dimension,
            "min_storage_buffer_offset_alignment": limits.min_storage_buffer_offset_alignment,
        },
    })
}

/// Formats the keys of an adapter, one per line.
fn details(one: &Numbered, all: &[usize]) -> String {
    fn text(value: &Value) -> String {
        match value {
            Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{name} {value}"));
                fields.collect::<Vec<_>>().join(", ").replace('_', " ")
            }
            other => cell(other),
        }
    }
    let Value::Object(mut fields) = as_json(one, all) else { return String::new() };
    let head = format!("{}: {}\n", number(one), text(&fields["name"]));
    fields.retain(|name, value| !["index", "name"].contains(&name.as_str()) && !text(value).is_empty());
    let lines = fields.iter().map(|(name, value)| format!("  {}: {}\n", name.replace('_', " "), text(value)));
    head + &lines.collect::<String>()
}

fn kind(info: &wgpu::AdapterInfo) -> &'static str {
    match info.device_type {
        _ if adapter::is_software(info) => "software",
        wgpu::DeviceType::DiscreteGpu => "discrete GPU",
        wgpu::DeviceType::IntegratedGpu => "integrated GPU",
        wgpu::DeviceType::VirtualGpu => "virtual GPU",
        wgpu::DeviceType::Cpu | wgpu::DeviceType::Other => "other",
    }
}
