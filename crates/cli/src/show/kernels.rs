//! The kernels that `halofold show` knows: rungs of the ladder, and variants of stencils.

use std::fmt::Display;

use halofold::adapter::HELPFUL_FEATURES;
use halofold::ladder::Rung;
use halofold::reduce::Op;
use halofold::reduce::plan::{Stage, Writes};
use halofold::stencil::{Border, Borders, Config, Dims, Grid, STENCILS, Variant};
use halofold::wgpu::{Features, Limits};
use halofold_measure::{Job, Kernel};

use super::ShowArgs;
use super::translate::{Language, TranslateError, stage_name, translate};
use crate::failure::Failure;
use crate::lists::each_once;
use crate::named;

const LARGEST_WORKGROUP: u32 = 1024;

/// The grids, in 2D and in 3D: a buffer of any device holds them.
const GRIDS: [Grid; 2] = [Grid::plane(1024, 1024), Grid { planes: 256, rows: 256, cols: 256 }];

fn limits() -> Limits {
    Limits {
        max_compute_invocations_per_workgroup: LARGEST_WORKGROUP,
        max_compute_workgroup_size_x: LARGEST_WORKGROUP,
        max_compute_workgroup_storage_size: 64 << 10,
        ..Limits::default()
    }
}

pub fn listing() -> String {
    format!("rungs: {}\nstencils: {}\n", named::rungs().join(", "), named::variants().join(", "))
}

pub fn named(name: &str, args: &ShowArgs) -> Result<(String, Kernel), Failure> {
    if let Ok(rung) = Rung::named(name) {
        let of_stencils = [
            ("--stencil", args.stencil.is_some()),
            ("--boundary", args.boundary.is_some()),
            ("--block", args.block.is_some()),
            ("--rhs", args.rhs),
        ];
        refuse(of_stencils, "a stencil")?;
        return of_rung(rung, args);
    }
    if named::variants().contains(&name) {
        let of_rungs = [
            ("--op", args.op.is_some()),
            ("--workgroup", args.workgroup.is_some()),
            ("--finish", args.finish.is_some()),
            ("--stage", args.stage.is_some()),
        ];
        refuse(of_rungs, "a rung")?;
        return of_variant(name, args);
    }
    Err(refusal!("unknown kernel `{name}`\n{}", listing().trim_end()))
}

/// Refuses options of other kernels, if they are given.
fn refuse(options: [(&str, bool); 4], of: &str) -> Result<(), Failure> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(refusal!("{option}: only for {of}")),
        None => Ok(()),
    }
}

/// A variant's kernel over a large grid, on a device of the language's back end.
fn of_variant(name: &str, args: &ShowArgs) -> Result<(String, Kernel), Failure> {
    let first = || STENCILS.iter().copied().find(|stencil| Variant::named(stencil, name).is_ok());
    let stencil = args.stencil.or_else(first).expect("each variant serves a stencil");
    let variant = Variant::named(stencil, name).map_err(Failure::usage)?;
    let grid = GRIDS[usize::from(stencil.dims == Dims::Three)];
    let border = args.boundary.unwrap_or(Border::Fixed);
    let mut config = Config::new(stencil, variant, args.element, grid).with_borders(Borders::all(border));
    if let Some(block) = args.block {
        config = config.with_block(block);
    }
    if args.rhs {
        config = config.with_rhs();
    }
    let offered = args.language.offered();
    config.subgroups = variant.is_blocked() && !args.no_subgroups && offered.contains(Features::SUBGROUP);
    config.check(offered, &limits()).map_err(|error| never_offered(&error, args.language))?;
    Ok((format!("{name}: {} of {}", stencil.name, args.element), Kernel::of_stencil(&config)))
}

/// A rung's kernel for a long input, on a device of the language's back end that has all that such a device may have.
fn of_rung(rung: &'static Rung, args: &ShowArgs) -> Result<(String, Kernel), Failure> {
    let (op, element, language) = (args.op.unwrap_or(Op::Sum), args.element, args.language);
    let mut job = crate::rung::job(rung, op, element, &limits(), u64::MAX)?;
    if let Some(workgroup) = args.workgroup {
        job.tuning = job.tuning.with_workgroup_size(workgroup);
    }
    job.subgroups = !args.no_subgroups;
    job.finish = args.finish.unwrap_or(job.finish);
    job.check(HELPFUL_FEATURES, &limits()).map_err(Failure::usage)?;
    let stage = stage(&job, args.stage.as_deref().unwrap_or("elements"))?;
    let kernel = |features: Features| {
        let unused = if job.subgroups { Features::empty() } else { Features::SUBGROUP };
        Kernel::of(&job.monoid(), stage, features - unused).expect("the job has the stage")
    };
    let offered = language.offered();
    if let Err(error) = job.check(offered, &limits()) {
        return Err(match translate(&kernel(HELPFUL_FEATURES), language) {
            // That the language lacks a type says more than that no device offers the feature.
            Err(error @ TranslateError::Type { .. }) => Failure::usage(error),
            _ => never_offered(&error, language),
        });
    }
    let title =
        format!("{}: {op} of {element}, finish {}, stage {}", rung.name(), job.finish, stage_name(stage));
    Ok((title, kernel(offered)))
}

/// The stage of that name as a large input has it: its elements become partial results, and these become the result.
fn stage(job: &Job, requested: &str) -> Result<Stage, Failure> {
    let stages = job.stages(&limits());
    let named = || stages.iter().filter(|stage| stage_name(**stage) == requested);
    let writes = if requested == "elements" { Writes::Partials } else { Writes::Results };
    let usual = named().find(|stage| stage.writes == writes);
    usual.or_else(|| named().next()).copied().ok_or_else(|| {
        let mut offered = each_once(stages.iter().map(|stage| stage_name(*stage)));
        offered.sort_unstable();
        let name = job.rung.name();
        refusal!("`{name}` has no stage `{requested}`; it has {}", offered.join(", "))
    })
}

/// The failure of a check of what a language's back end offers: a feature is missing on all of its devices, not on one.
fn never_offered(error: &impl Display, language: Language) -> Failure {
    let nowhere = format!("wgpu offers on no device that runs {language}");
    Failure::usage(error.to_string().replace("this device lacks or was created without", &nowhere))
}
