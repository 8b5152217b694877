//! `halofold show`: the exact code of a kernel as each back end gets it, and its static facts. No GPU is needed.

mod reduction;
mod single;
mod subject;
pub(crate) mod translate;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::ladder::Finish;
use halofold::stencil::{Block, Border, Stencil};
use halofold::wgpu::Limits;
use halofold_measure::{Job, Kernel};
use rspirv::binary::Disassemble as _;

use crate::count::counts;
use crate::failure::Failure;
use crate::output::print;
use crate::reserved::Reserved;
use reduction::Reduction;
use subject::{Subject, listing};
use translate::{Access, Code, Facts, Language, Translation, stage_name, translate};

/// The largest workgroup that any back end runs.
const LARGEST_WORKGROUP: u32 = 1024;

/// Options of `halofold show`.
#[derive(clap::Args)]
pub struct ShowArgs {
    /// The kernel: a rung of the ladder, a kernel of another shape, of histograms, of order statistics, of pyramids or of stencils. Without
    /// it, all are listed.
    kernel: Option<String>,
    /// As wgsl (the text that wgpu is given), spirv (for Vulkan), msl (Metal), hlsl (DX12) or glsl (OpenGL).
    #[arg(long = "as", value_name = "LANGUAGE", default_value = "wgsl")]
    language: Language,
    /// Element type: u32, i32, f32, f64, i64, u64 or f16.
    #[arg(long = "type", value_name = "TYPE", default_value = "f32")]
    element: Element,
    /// Operator of a reduction: any of `halofold reduce`. Default: sum; of a pyramid: min-max.
    #[arg(long)]
    op: Option<Op>,
    /// Invocations in a rung's workgroup: a power of two. Default: the rung's own, as for long inputs.
    #[arg(long, value_name = "SIZE", value_parser = counts(0, u32::MAX))]
    workgroup: Option<u32>,
    /// Finish that combines partial results: host, repeat, one-workgroup, atomic or last-workgroup. Default: the rung's own.
    #[arg(long)]
    finish: Option<Finish>,
    /// Kernel among those of a name. A reduction has elements, the default, and partials, which reads partial results; a shape
    /// has chunks, elements to partial results; an atomic total has seed and seal. quantiles and top-k have the names of files in
    /// shaders/rank, such as sift, the default. convergence has begin, resume, count and decide; halo has gather and scatter.
    #[arg(long)]
    stage: Option<String>,
    /// The stencil of a variant, by the number of its points. Default: the first that the variant steps.
    #[arg(long, alias = "points", value_name = "POINTS")]
    stencil: Option<&'static Stencil>,
    /// Borders of a stencil's grid. Default: fixed.
    #[arg(long, value_name = "fixed|reflect|mirror|wrap|constant=C")]
    boundary: Option<Border>,
    /// The shape of a stencil's workgroup. Default: the variant's own.
    #[arg(long, value_name = "ROWSxCOLS")]
    block: Option<Block>,
    /// Add a right-hand side to every new cell of a stencil.
    #[arg(long)]
    rhs: bool,
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
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let Some(name) = &args.kernel else { return print(&format!("{}\n", listing())) };
    let (title, kernel) = kernel(name, args)?;
    let translation = translate(&kernel, args.language).map_err(Failure::usage)?;
    let facts = header(&title, &kernel, &translation, args.language);
    match (&translation.code, &args.output) {
        (Code::Words(words), Some(file)) => write(file, &little_endian(words)),
        (Code::Words(words), None) => print(&as_comment(&facts, ";", &disassembly(words)?)),
        (Code::Text(text), Some(file)) => write(file, as_comment(&facts, "//", text).as_bytes()),
        (Code::Text(text), None) => print(&as_comment(&facts, "//", text)),
    }
}

/// The kernel of a name, and its title.
fn kernel(name: &str, args: &ShowArgs) -> Result<(String, Kernel), Failure> {
    let subject = Subject::named(name, args.stencil)?;
    args.check(subject)?;
    let (op, element) = (args.op.unwrap_or(Op::Sum), args.element);
    match subject {
        Subject::Rung(_) | Subject::Shape(..) | Subject::Residual => {
            let (of, reduction) = match subject {
                Subject::Rung(rung) => {
                    let job = job(args, crate::rung::job(rung, op, element, &limits(), u64::MAX)?);
                    (format!("{op} of {element}, finish {}", job.finish), Reduction::of_rung(&job))
                }
                Subject::Shape(name, kind) => {
                    let monoid = op.over(element).map_err(Failure::usage)?;
                    (
                        format!("{op} of {element}"),
                        Reduction::of_shape(name, monoid, kind, !args.no_subgroups),
                    )
                }
                _ => {
                    let (stencil, variant) = subject::USUAL;
                    let monoid = single::config(args, stencil, variant)?.residual();
                    (format!("over {element}"), Reduction::of_residual(monoid, !args.no_subgroups))
                }
            };
            reduction.check()?;
            let stage = reduction.stage(args.stage.as_deref().unwrap_or("elements"))?;
            let title = format!("{name}: {of}, stage {}", stage_name(stage));
            Ok((title, reduction.kernel(stage, args.language)?))
        }
        Subject::Length => Ok((name.to_owned(), single::length())),
        Subject::Histogram(kernel) => {
            Ok((format!("{name} of {element}"), single::histogram(kernel, element)?))
        }
        Subject::Quantiles | Subject::TopK => {
            let kernel = single::rank(args, matches!(subject, Subject::TopK))?;
            Ok((format!("{name} of {element}: {}", kernel.label), kernel))
        }
        Subject::Pyramid => {
            let op = args.op.unwrap_or(Op::MinMax);
            Ok((format!("{name} of {op}"), single::pyramid(op, element)?))
        }
        Subject::Variant(stencil, variant) => {
            let config = single::config(args, stencil, variant)?;
            Ok((format!("{name}: {} of {element}", stencil.name), Kernel::of_stencil(&config)))
        }
        Subject::Between(stages) => {
            let (stencil, variant) = subject::USUAL;
            let kernel =
                single::between(&single::config(args, stencil, variant)?, stages, args.stage.as_deref())?;
            Ok((format!("{name} of {element}, stage {}", kernel.entry_point), kernel))
        }
    }
}

/// A rung's job with the options that were given.
fn job(args: &ShowArgs, mut job: Job) -> Job {
    if let Some(workgroup) = args.workgroup {
        job.tuning = job.tuning.with_workgroup_size(workgroup);
    }
    job.subgroups = !args.no_subgroups;
    job.finish = args.finish.unwrap_or(job.finish);
    job
}

impl ShowArgs {
    /// Refuses options of other kernels.
    fn check(&self, subject: Subject) -> Result<(), Failure> {
        let is_rung = matches!(subject, Subject::Rung(_));
        let is_reduction = is_rung || matches!(subject, Subject::Shape(..));
        let has_op = is_reduction || matches!(subject, Subject::Pyramid);
        let is_stencil = matches!(subject, Subject::Variant(..));
        let is_staged =
            matches!(subject, Subject::Quantiles | Subject::TopK | Subject::Residual | Subject::Between(_));
        let has_stages = is_reduction || is_staged;
        let options = [
            ("--workgroup", self.workgroup.is_some(), is_rung, "a rung"),
            ("--finish", self.finish.is_some(), is_rung, "a rung"),
            ("--op", self.op.is_some(), has_op, "a reduction or a pyramid"),
            ("--stage", self.stage.is_some(), has_stages, "a name with several kernels"),
            ("--stencil", self.stencil.is_some(), is_stencil, "a stencil"),
            ("--boundary", self.boundary.is_some(), is_stencil, "a stencil"),
            ("--block", self.block.is_some(), is_stencil, "a stencil"),
            ("--rhs", self.rhs, is_stencil, "a stencil"),
        ];
        match options.iter().find(|(_, given, fits, _)| *given && !fits) {
            Some((option, _, _, what)) => Err(Failure::Usage(format!("{option}: only for {what}"))),
            None => Ok(()),
        }
    }
}

/// The lines above the code.
fn header(title: &str, kernel: &Kernel, translation: &Translation, language: Language) -> String {
    let Facts { workgroup_size: [x, y, z], workgroup_memory_bytes, barriers, .. } = &translation.facts;
    let mut text = format!("halofold {title}\n");
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
    for binding in &translation.facts.bindings {
        let _ = writeln!(
            text,
            "binding: group {}, slot {}: {} {}: {}",
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
            kernel: Some(rung.to_owned()),
            language,
            element,
            op: None,
            workgroup: None,
            finish: None,
            stage: None,
            stencil: None,
            boundary: None,
            block: None,
            rhs: false,
            no_subgroups: false,
            output: None,
        }
    }

    fn message(args: ShowArgs) -> String {
        match run(&args) {
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
        assert!(
            message(ShowArgs { stage: Some("seal".to_owned()), ..f32("tile") })
                .contains("elements, partials")
        );
        let sieve = ShowArgs { stage: Some("sieve".to_owned()), ..f32("quantiles") };
        assert!(message(sieve).contains("sample, pick, sift, digits, finish"));
        assert!(message(ShowArgs { op: Some(Op::WideSum), ..f32("tile") }).contains("wide-sum"));
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
            kernel("single-pass", &args).expect("it is all right").1.wgsl
        };
        assert!(text(false).contains("subgroupAdd(") && !text(true).contains("subgroupAdd("));
    }

    #[test]
    fn the_disassembly_names_instructions() {
        let args = args("sequential", Element::F32, Language::Spirv);
        let (_, kernel) = kernel("sequential", &args).expect("it is all right");
        let Code::Words(words) = translate(&kernel, Language::Spirv).unwrap().code else { panic!("words") };
        let text = disassembly(&words).expect("it is SPIR-V");
        for instruction in ["OpEntryPoint GLCompute", "OpControlBarrier", "OpFAdd"] {
            assert!(text.contains(instruction), "{instruction}");
        }
    }

    #[test]
    fn every_kernel_is_shown_in_every_language() {
        for name in subject::names() {
            for language in Language::ALL {
                // Some back ends have no atomics on floats, and OpenGL no subgroup operations.
                let adds = name == "accumulate" || name.ends_with("-atomic");
                let element = if adds { Element::U32 } else { Element::F32 };
                match kernel(name, &args(name, element, language)) {
                    Ok((title, kernel)) => {
                        assert!(title.starts_with(name), "{title}");
                        translate(&kernel, language).unwrap_or_else(|error| panic!("{name}: {error}"));
                    }
                    Err(Failure::Usage(message)) => {
                        assert!(message.contains("needs SUBGROUP"), "{name} as {language}: {message}");
                    }
                    Err(other) => panic!("{name}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn names_are_listed_by_group() {
        let message = message(args("time-machine", Element::F32, Language::Wgsl));
        for part in
            ["unknown kernel `time-machine`", "rungs: global-adjacent", "stencils: direct-global", "halo"]
        {
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn variants_are_shown_for_each_of_their_stencils() {
        let title = |stencil: Option<&str>| {
            let stencil = stencil.map(|name| name.parse().unwrap());
            let args = ShowArgs { stencil, ..args("time-pipeline", Element::F32, Language::Wgsl) };
            kernel("time-pipeline", &args).map(|(title, _)| title)
        };
        assert_eq!(title(None).unwrap(), "time-pipeline: 5-point of f32");
        assert_eq!(title(Some("9")).unwrap(), "time-pipeline: 9-point of f32");
        assert!(matches!(title(Some("27")), Err(Failure::Usage(message)) if message.contains("time-planes")));
    }

    #[test]
    fn options_of_other_kernels_are_refused() {
        let plain = |name| args(name, Element::F32, Language::Wgsl);
        assert!(message(ShowArgs { rhs: true, ..plain("tile") }).contains("--rhs: only for a stencil"));
        assert!(message(ShowArgs { op: Some(Op::Max), ..plain("halo") }).contains("--op"));
        assert!(message(ShowArgs { workgroup: Some(64), ..plain("segments") }).contains("--workgroup"));
    }
}
