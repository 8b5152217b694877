//! `halofold show`: the code of a kernel as each back end receives it, with its static facts. No GPU is needed.

mod kernels;
pub(crate) mod translate;

use std::path::{Path, PathBuf};

use halofold::Element;
use halofold::ladder::{Finish, Rung};
use halofold::reduce::Op;
use halofold::stencil::{Block, Border, Stencil};
use halofold_measure::Kernel;
use similar::TextDiff;

use crate::count::counts;
use crate::failure::Failure;
use crate::named;
use crate::output::print;
use crate::reserved::Reserved;
use crate::table;
use translate::facts::{Binding, Facts};
use translate::{Code, Language, Translation, translate};

/// Each file of a composed module begins so.
pub const HEADING: &str = "// ==== ";

#[derive(clap::Args)]
#[command(after_help = crate::examples::SHOW)]
pub struct ShowArgs {
    /// A rung of the ladder, or a variant of a stencil. Without it, all are listed.
    #[arg(value_parser = named::kernel(), hide_possible_values = true)]
    kernel: Option<String>,
    /// Print the changes from another rung's code to this one's, without essays.
    #[arg(long, value_name = "RUNG", value_parser = named::rung(), hide_possible_values = true, conflicts_with_all = ["language", "module"], help_heading = "Kernel")]
    diff: Option<&'static Rung>,
    /// Print the whole module, with helpers, instead of essay and kernel. Files and other languages always have all of it.
    #[arg(long, help_heading = "Kernel")]
    module: bool,
    /// Language: wgsl (what wgpu receives), spirv (Vulkan; binary, needs -o), msl (Metal), hlsl (DX12) or glsl (OpenGL).
    #[arg(long = "as", value_name = "LANGUAGE", default_value = "wgsl", value_parser = named::parsed::<Language>(|| Language::ALL.map(Language::name).to_vec()), hide_possible_values = true, help_heading = "Kernel")]
    language: Language,
    /// Element type.
    #[arg(long = "type", value_name = "TYPE", default_value = "f32", value_parser = named::element(), help_heading = "Kernel")]
    element: Element,
    /// Operator of a rung, any of `halofold reduce`. Default: sum.
    #[arg(long, value_parser = named::op(), hide_possible_values = true, help_heading = "Rungs")]
    op: Option<Op>,
    /// Invocations per workgroup of a rung, a power of two. Default: the rung's own for long inputs.
    #[arg(long, value_name = "SIZE", value_parser = counts(0, u32::MAX), help_heading = "Rungs")]
    workgroup: Option<u32>,
    /// Finish that combines partial results. Default: the rung's own.
    #[arg(long, value_parser = named::finish(), help_heading = "Rungs")]
    finish: Option<Finish>,
    /// Kernel of a rung: elements (default) or partials, which reads partial results; with an atomic total also seed and seal.
    #[arg(long, help_heading = "Rungs")]
    stage: Option<String>,
    /// Stencil of a variant, by number of points. Default: the first that the variant supports.
    #[arg(long, alias = "points", value_name = "POINTS", value_parser = named::stencil(), hide_possible_values = true, help_heading = "Stencils")]
    stencil: Option<&'static Stencil>,
    /// Borders of a stencil's grid. Default: fixed.
    #[arg(long, value_name = "fixed|reflect|mirror|wrap|constant=C", value_parser = named::border(), hide_possible_values = true, help_heading = "Stencils")]
    boundary: Option<Border>,
    /// Shape of a stencil's workgroup. Default: the variant's own.
    #[arg(long, value_name = "ROWSxCOLS", help_heading = "Stencils")]
    block: Option<Block>,
    /// Add a right-hand side to every new cell of a stencil.
    #[arg(long, help_heading = "Stencils")]
    rhs: bool,
    /// Use workgroup memory where subgroup operations are optional.
    #[arg(long, help_heading = "Rungs")]
    no_subgroups: bool,
    /// Write to a file instead.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    let Some(name) = &args.kernel else { return print(&table::fitted(&kernels::listing(), false)) };
    let (title, kernel) = kernels::named(name, args)?;
    if let Some(other) = args.diff {
        let (_, before) = kernels::named(other.name(), args)?;
        return print(&difference([(other.name(), &before), (name, &kernel)]));
    }
    let translation = translate(&kernel, args.language).map_err(Failure::usage)?;
    let facts = header(&title, &kernel, &translation, args.language);
    match (&translation.code, &args.output) {
        (Code::Words(words), Some(file)) => {
            write(file, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
        }
        (Code::Words(_), None) => Err(Failure::usage(
            "--as spirv: a module is binary: name a file, -o FILE.spv; spirv-dis prints it",
        )),
        (Code::Text(text), Some(file)) => write(file, as_comment(&facts, text).as_bytes()),
        (Code::Text(text), None) if args.language == Language::Wgsl && !args.module => {
            let own = own_file(text);
            let rest = text.lines().count() - own.lines().count();
            let end = format!("{HEADING}{rest} more lines, the helpers of this kernel: --module\n");
            print(&(as_comment(&facts, own) + "\n" + &end))
        }
        (Code::Text(text), None) => print(&as_comment(&facts, text)),
    }
}

/// Returns the first file of a composed module: the kernel's essay and code.
fn own_file(wgsl: &str) -> &str {
    let mut starts =
        wgsl.match_indices(HEADING).map(|(at, _)| at).filter(|at| *at == 0 || wgsl[..*at].ends_with('\n'));
    let (start, end) = (starts.next().unwrap_or(0), starts.next().unwrap_or(wgsl.len()));
    wgsl[start..end].trim_end()
}

/// Formats the changes from one kernel's own code to another's.
fn difference([before, after]: [(&str, &Kernel); 2]) -> String {
    let is_essay = |line: &&str| line.is_empty() || line.starts_with("//");
    let code = |kernel: &Kernel| {
        let lines = own_file(&kernel.wgsl).lines().skip_while(is_essay);
        lines.map(|line| line.to_owned() + "\n").collect::<String>()
    };
    let [old, new] = [before.1, after.1].map(code);
    TextDiff::from_lines(&old, &new).unified_diff().context_radius(3).header(before.0, after.0).to_string()
}

/// Facts above the code: entry point, workgroup, bindings.
fn header(title: &str, kernel: &Kernel, translation: &Translation, language: Language) -> Vec<String> {
    let Facts { workgroup_size: [x, y, z], workgroup_memory_bytes, bindings } = &translation.facts;
    let mut lines = vec![
        format!("halofold {title}"),
        format!("{language}: {}", language.assumption()),
        format!("entry point: {}, workgroup of {x} x {y} x {z}", translation.entry_point),
    ];
    if !kernel.overrides.is_empty() {
        let values: Vec<_> =
            kernel.overrides.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        lines.push(format!("overrides: {}", values.join(", ")));
    }
    lines.push(format!("workgroup memory: {workgroup_memory_bytes} bytes"));
    for Binding { group, slot, name, access, ty } in bindings {
        lines.push(format!("binding: group {group}, slot {slot}: {} {name}: {ty}", access.name()));
    }
    lines
}

fn as_comment(facts: &[String], code: &str) -> String {
    let lines: String = facts.iter().flat_map(|line| ["// ", line, "\n"]).collect();
    format!("{lines}\n{}\n", code.trim_end())
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Reserved::open("--output", file)?.write(bytes)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use halofold::ladder::RUNGS;
    use halofold::stencil::VARIANTS;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ShowArgs,
    }

    fn kernel(request: &str) -> Result<(String, Kernel), Failure> {
        let args = Line::parse_from(["show"].into_iter().chain(request.split(' '))).args;
        kernels::named(args.kernel.as_deref().expect("it is named"), &args)
    }

    #[test]
    fn subgroups_are_left_out_on_request() {
        let has_subgroups = |request| kernel(request).unwrap().1.wgsl.contains("subgroupAdd(");
        assert!(has_subgroups("single-pass") && !has_subgroups("single-pass --no-subgroups"));
    }

    #[test]
    fn every_kernel_is_shown_in_every_language() {
        for name in RUNGS.iter().map(Rung::name).chain(VARIANTS.iter().map(|variant| variant.name)) {
            for language in Language::ALL {
                // Some back ends lack atomics on floats; OpenGL lacks subgroup operations.
                let element = if name.ends_with("-atomic") { Element::U32 } else { Element::F32 };
                match kernel(&format!("{name} --as {language} --type {element}")) {
                    Ok((title, kernel)) => {
                        assert!(title.starts_with(name), "{title}");
                        translate(&kernel, language).unwrap_or_else(|error| panic!("{name}: {error}"));
                    }
                    Err(error) => assert!(error.to_string().contains("needs SUBGROUP"), "{name}: {error}"),
                }
            }
        }
    }

    #[test]
    fn rungs_differ_in_their_code() {
        let [before, after] = ["interleaved-strided", "sequential"].map(|name| kernel(name).unwrap().1);
        let text = difference([("interleaved-strided", &before), ("sequential", &after)]);
        assert!(text.starts_with("--- interleaved-strided\n+++ sequential\n@@ "), "{text}");
        assert!(
            text.contains("\n+    for (var s = WG >> 1u; s > 0u; s >>= 1u) {\n") && !text.contains("What it")
        );
        for name in RUNGS.iter().map(Rung::name) {
            let wgsl = kernel(name).unwrap().1.wgsl;
            let own = own_file(&wgsl);
            let has_code =
                ["\nfn main(", "\nfn kernel("].iter().any(|code| own.contains(code)) || name == "exact";
            assert!(own.contains(&format!("\n// {name}: ")) && has_code, "{name}: {own}");
        }
    }
}
