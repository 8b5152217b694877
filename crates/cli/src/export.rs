//! `halofold export`: a plan as JSON, for a WebGPU host in any language.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::count::counts;
use crate::failure::Failure;
use crate::output::{print, written};
use crate::reserved::Reserved;

/// Settings that are lists.
const LISTS: [&str; 8] = ["q", "nth", "results", "offsets", "weights", "range", "edges", "axis"];

#[derive(clap::Args)]
#[command(after_help = crate::examples::EXPORT)]
pub struct ExportArgs {
    /// An operator (sum, mean, arg-max …), or quantiles, top-k, histogram, scan, select, unique, run-lengths, reduce-runs, group-by-id, group-by-key, jacobi.
    operation: String,
    /// Settings, such as type=f32, rows=1000 or q=0.25,0.75: docs/plan.md lists them. Operators take f32 where no type is given.
    #[arg(value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    /// Elements of each input: 1000, 1e6, 2^20.
    #[arg(long, default_value = "0", value_parser = counts(0, u64::MAX))]
    n: u64,
    /// Limits of the device: WebGPU's defaults, or a JSON file with an object of limits by WebGPU's names.
    #[arg(long, default_value = "default", value_name = "default|FILE")]
    limits: String,
    /// Use subgroup operations: for a device with that feature.
    #[arg(long)]
    subgroups: bool,
    /// Write the plan to a file.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Reads a setting: lists are separated by commas, and what is no JSON is text.
fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("a setting is NAME=VALUE")?;
    let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    let list = LISTS.contains(&name).then(|| value.split(',').map(read).collect());
    Ok((name.to_owned(), list.unwrap_or_else(|| read(value))))
}

pub fn run(args: &ExportArgs) -> Result<(), Failure> {
    let plan = halofold_plan::plan(request(args)?).map_err(|error| refusal!("{error}"))?;
    let text = format!("{plan:#}\n");
    let Some(path) = &args.output else { return print(&text) };
    Reserved::open("--output", path)?.write(&text)?;
    written(path);
    Ok(())
}

fn request(args: &ExportArgs) -> Result<Value, Failure> {
    let limits = match &*args.limits {
        "default" => json!({}),
        file => {
            let text = fs::read_to_string(file).map_err(|error| refusal!("--limits {file}: {error}"))?;
            serde_json::from_str(&text).map_err(|error| refusal!("--limits {file}: {error}"))?
        }
    };
    let is_operator = args.operation.parse::<halofold::reduce::Op>().is_ok();
    let name = if is_operator { "reduce" } else { &args.operation };
    let operator = is_operator.then(|| [("op", &*args.operation), ("type", "f32")]);
    let named = [("name", name)].into_iter().chain(operator.into_iter().flatten());
    let named = named.map(|(name, value)| (name.to_owned(), json!(value)));
    let settings: Map<_, _> = named.chain(args.settings.iter().cloned()).collect();
    let host = json!({ "limits": limits, "subgroups": args.subgroups });
    Ok(json!({ "operation": settings, "len": args.n, "host": host }))
}
