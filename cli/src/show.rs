//! `halofold show`: the exact code of a rung as each back end gets it, and its static facts. No GPU is needed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use halofold::Element;
use halofold::adapter::HELPFUL_FEATURES;
use halofold::reduce::ladder::{Coverage, Finish, Rung};
use halofold::reduce::plan::{Stage, Writes};
use halofold::reduce::{Op, ReduceError};
use halofold::wgpu::{Features, Limits};
use halofold_measure::Job;
use halofold_measure::translate::{
    Access, Code, Facts, Kernel, Language, TranslateError, Translation, stage_name,
};
use rspirv::binary::Disassemble as _;

use crate::count::counts;
use crate::failure::Failure;
use crate::output::print;
use crate::reserved::Reserved;

/// The largest workgroup that any back end runs.
const LARGEST_WORKGROUP: u32 = 1024;

/// Options of `halofold show`.
#[derive(clap::Args)]
pub struct ShowArgs {
    /// The rung.
    rung: String,
    /// As wgsl (the text that wgpu is given), spirv (for Vulkan), msl (Metal), hlsl (DX12) or glsl (OpenGL).
    #[arg(long = "as", value_name = "LANGUAGE", default_value = "wgsl")]
    language: Language,
    /// Element type: u32, i32, f32, f64, i64, u64 or f16.
    #[arg(long = "type", value_name = "TYPE", default_value = "f32")]
    element: Element,
    /// Operator: any of `halofold reduce`.
    #[arg(long, default_value = "sum")]
    op: Op,
    /// Invocations in a workgroup: a power of two. Default: the rung's own, as for long inputs.
    #[arg(long, value_name = "SIZE", value_parser = counts(0, u32::MAX))]
    workgroup: Option<u32>,
    /// Finish that combines partial results: host, repeat, one-workgroup, atomic or last-workgroup. Default: the rung's own.
    #[arg(long)]
    finish: Option<Finish>,
    /// Kernel of the rung: the one that reads the elements, the one that reads partial results, or one of those around
    /// an atomic total.
    #[arg(long, default_value = "elements", value_parser = ["elements", "partials", "seed", "seal"])]
    stage: String,
    /// Use workgroup memory where subgroup operations are optional.
    #[arg(long)]
    no_subgroups: bool,
    /// Write to a file instead; SPIR-V is then written as a binary module.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A device that has everything.
fn limits() -> Limits {
    Limits {
        max_compute_invocations_per_workgroup: LARGEST_WORKGROUP,
        max_compute_workgroup_size_x: LARGEST_WORKGROUP,
        max_compute_workgroup_storage_size: 64 << 10,
        ..Limits::default()
    }
}

/// Runs the subcommand.
pub fn run(args: ShowArgs) -> Result<(), Failure> {
    let job = job(&args)?;
    let stage = stage(&job, &args.stage)?;
    let kernel = kernel(&job, stage, args.language)?;
    let translation = kernel.translate(args.language).map_err(Failure::usage)?;
    let facts = header(&job, stage, &kernel, &translation, args.language);
    match (&translation.code, &args.output) {
        (Code::Words(words), Some(file)) => write(file, &little_endian(words)),
        (Code::Words(words), None) => print(&as_comment(&facts, ";", &disassembly(words)?)),
        (Code::Text(text), Some(file)) => write(file, as_comment(&facts, "//", text).as_bytes()),
        (Code::Text(text), None) => print(&as_comment(&facts, "//", text)),
    }
}

/// The job that the arguments ask for.
fn job(args: &ShowArgs) -> Result<Job, Failure> {
    let rung = Rung::named(&args.rung).map_err(Failure::usage)?;
    let mut job = crate::rung::job(rung, args.op, args.element, &limits(), u64::MAX)?;
    if let Some(workgroup) = args.workgroup {
        job.tuning = job.tuning.with_workgroup_size(workgroup);
    }
    job.subgroups = !args.no_subgroups;
    job.finish = args.finish.unwrap_or(job.finish);
    job.check(HELPFUL_FEATURES, &limits()).map_err(Failure::usage)?;
    Ok(job)
}

/// The stage of that name as a large input has it: elements to partial results, and those to the result.
fn stage(job: &Job, wanted: &str) -> Result<Stage, Failure> {
    let stages = job.stages(&limits());
    let named = || stages.iter().filter(|stage| stage_name(**stage) == wanted);
    let writes = if wanted == "elements" { Writes::Partials } else { Writes::Results };
    let usual = named().find(|stage| stage.writes == writes && stage.kernel.coverage != Coverage::One);
    usual.or_else(|| named().next()).copied().ok_or_else(|| {
        let mut offered: Vec<_> = stages.iter().map(|stage| stage_name(*stage)).collect();
        offered.sort_unstable();
        offered.dedup();
        Failure::Usage(format!(
            "`{}` that finishes by `{}` has no stage `{}`; it has {}",
            job.rung.name(),
            job.finish,
            wanted,
            offered.join(", ")
        ))
    })
}

/// The kernel on a device of the language's back end that has all that such a device may have.
fn kernel(job: &Job, stage: Stage, language: Language) -> Result<Kernel, Failure> {
    let allowed = |features: Features| {
        if job.subgroups { features } else { features - Features::SUBGROUP }
    };
    let translatable = Kernel::of(&job.monoid(), stage, allowed(HELPFUL_FEATURES))
        .map_or(Ok(()), |kernel| kernel.translate(language).map(|_| ()));
    let offered = allowed(language.offered());
    let runs = job.check(offered, &limits());
    match (Kernel::of(&job.monoid(), stage, offered), runs) {
        (Some(kernel), Ok(())) => Ok(kernel),
        // That the language lacks a type says more than that no device offers the feature.
        (_, Err(error)) => Err(match translatable {
            Err(error @ TranslateError::Type { .. }) => Failure::usage(error),
            _ => Failure::Usage(never_offered(&error, language)),
        }),
        (None, Ok(())) => Err(Failure::usage("the operator has no such kernel")),
    }
}

/// Error text for code that naga can write but no wgpu device of this back end accepts.
fn never_offered(error: &ReduceError, language: Language) -> String {
    let backend = match language {
        Language::Wgsl | Language::Spirv => "Vulkan",
        Language::Msl => "Metal",
        Language::Hlsl => "DX12",
        Language::Glsl => "OpenGL",
    };
    match error {
        ReduceError::MissingFeature { name, feature, .. } => {
            let names: Vec<_> = feature.iter_names().map(|(name, _)| name).collect();
            format!("`{name}` needs {}, which wgpu offers on no {backend} device", names.join(" and "))
        }
        error => error.to_string(),
    }
}

/// The lines above the code.
fn header(job: &Job, stage: Stage, kernel: &Kernel, translation: &Translation, language: Language) -> String {
    let Facts { workgroup_size: [x, y, z], workgroup_memory_bytes, barriers, .. } = &translation.facts;
    let mut text = format!(
        "halofold {}: {} of {}, finish {}, stage {}\n",
        job.rung.name(),
        job.op,
        job.element,
        job.finish,
        stage_name(stage),
    );
    let _ = writeln!(text, "{language}: {}", language.assumption());
    let _ = writeln!(text, "entry point: {}, workgroup of {x} x {y} x {z}", translation.entry_point);
    if !kernel.overrides.is_empty() {
        let values: Vec<_> =
            kernel.overrides.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(text, "overrides: {}", values.join(", "));
    }
    let _ = writeln!(text, "workgroup memory: {workgroup_memory_bytes} bytes");
    let _ =
        writeln!(text, "barriers: {} outside of loops, {} a step in loops", barriers.once, barriers.per_step);
    let operations = &translation.facts.subgroup_operations;
    let operations = if operations.is_empty() { "none".to_owned() } else { operations.join(", ") };
    let _ = writeln!(text, "subgroup operations: {operations}");
    for binding in &translation.facts.bindings {
        let _ = writeln!(
            text,
            "binding: group {}, slot {}: var<{}> {}: {}",
            binding.group,
            binding.slot,
            Access::name(binding.access),
            binding.name,
            binding.ty,
        );
    }
    text
}

/// The facts as a comment, and the code below it.
fn as_comment(facts: &str, mark: &str, code: &str) -> String {
    let mut text = String::with_capacity(facts.len() + code.len() + 64);
    for line in facts.lines() {
        let _ = writeln!(text, "{mark} {line}");
    }
    text.push('\n');
    text.push_str(code.trim_end());
    text.push('\n');
    text
}

fn disassembly(words: &[u32]) -> Result<String, Failure> {
    let module = rspirv::dr::load_words(words).map_err(|error| Failure::Usage(format!("rspirv: {error}")))?;
    Ok(module.disassemble())
}

fn little_endian(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Reserved::open("--output", file)?.write(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(rung: &str, element: Element, language: Language) -> ShowArgs {
        ShowArgs {
            rung: rung.to_owned(),
            language,
            element,
            op: Op::Sum,
            workgroup: Some(256),
            finish: None,
            stage: "elements".to_owned(),
            no_subgroups: false,
            output: None,
        }
    }

    fn message(args: ShowArgs) -> String {
        match run(args) {
            Err(Failure::Usage(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let f32 = |rung| args(rung, Element::F32, Language::Wgsl);
        assert!(message(f32("sequentiel")).contains("single-pass"));
        assert!(message(ShowArgs { workgroup: Some(100), ..f32("tile") }).contains("power of two"));
        for workgroup in [2048, 1 << 30, 1 << 31] {
            assert!(
                message(ShowArgs { workgroup: Some(workgroup), ..f32("tile") }).contains("1024"),
                "{workgroup}"
            );
        }
        assert!(message(ShowArgs { workgroup: Some(0), ..f32("tile") }).contains("power of two"));
        assert!(message(ShowArgs { finish: Some(Finish::Atomic), ..f32("tile") }).contains("repeat, host"));
        assert!(message(ShowArgs { stage: "seal".to_owned(), ..f32("tile") }).contains("elements, partials"));
        assert!(message(ShowArgs { op: Op::WideSum, ..f32("tile") }).contains("wide-sum"));
        assert!(message(ShowArgs { no_subgroups: true, ..f32("subgroup-add") }).contains("options turn off"));
    }

    #[test]
    fn a_type_that_a_back_end_lacks_is_named() {
        let message = |rung, element, language| message(args(rung, element, language));
        assert_eq!(
            message("tile", Element::F64, Language::Msl),
            "msl cannot express f64: Metal has no 64-bit floats"
        );
        assert_eq!(
            message("subgroup-add", Element::F32, Language::Glsl),
            "`subgroup-add` needs SUBGROUP, which wgpu offers on no OpenGL device"
        );
    }

    #[test]
    fn subgroups_are_left_out_on_request() {
        let text = |no_subgroups| {
            let args = ShowArgs { no_subgroups, ..args("single-pass", Element::F32, Language::Wgsl) };
            let job = job(&args).expect("it is all right");
            let stage = stage(&job, "elements").expect("it has one");
            kernel(&job, stage, Language::Wgsl).expect("WGSL has everything").wgsl
        };
        assert!(text(false).contains("subgroupAdd(") && !text(true).contains("subgroupAdd("));
    }

    #[test]
    fn the_disassembly_names_instructions() {
        let job = job(&args("sequential", Element::F32, Language::Spirv)).expect("it is all right");
        let stage = stage(&job, "elements").expect("it has one");
        let kernel = kernel(&job, stage, Language::Spirv).expect("Vulkan has everything");
        let Code::Words(words) = kernel.translate(Language::Spirv).unwrap().code else { panic!("words") };
        let text = disassembly(&words).expect("it is SPIR-V");
        for instruction in ["OpEntryPoint GLCompute", "OpControlBarrier", "OpFAdd"] {
            assert!(text.contains(instruction), "{instruction}");
        }
    }
}
