//! The plans of rungs.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::{self, LimitError, SettingError, needs};
use crate::gpu::pass::{Binding, Pass};
use crate::gpu::range::{BufferRange, ByteRange};
use crate::ladder::{Finish, Rung};
use crate::reduce::Tuning;
use crate::reduce::kernel::{Coverage, Kernel, SEAL, SEED};
use crate::reduce::plan::levels::Levels;
use crate::reduce::plan::ranges::Span;
use crate::reduce::plan::request::{Request, Whole};
use crate::reduce::plan::whole::items;
use crate::reduce::plan::{Params, Plan, Reads, Stage, Writes};

/// The number of partials that `Pairs` leaves to the host if the host finishes, as in the OpenCL tutorial.
const PAIRS_LEFT_TO_HOST: u64 = 64;

/// A rung, and how it runs: for whole inputs in the place of the fastest kernels ([`Reduce::with_rung`](crate::reduce::Reduce::with_rung)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The rung.
    pub rung: &'static Rung,
    /// Method that combines partial results: one of [`Rung::finishes`].
    pub finish: Finish,
    /// The tuning.
    pub tuning: Tuning,
}

impl Setup {
    /// A rung with its own way to finish, and the tuning for `bytes` bytes of input on a device with these limits.
    pub fn new(rung: &'static Rung, limits: &Limits, bytes: u64) -> Self {
        Setup { rung, finish: rung.finishes[0], tuning: Tuning::of(rung.kernel, limits, bytes) }
    }

    fn levels<'a>(&self, request: &'a Request<'a>) -> Levels<'a> {
        let kernel = self.rung.kernel;
        let (is_alone, leaves) = match self.finish {
            Finish::Host if kernel.coverage == Coverage::Pairs => (false, PAIRS_LEFT_TO_HOST),
            Finish::Host => (false, u64::MAX),
            Finish::Repeat => (false, self.tuning.leave.into()),
            _ => (true, 1),
        };
        let (reads, tuning) = (request.items(), self.tuning);
        Levels { request, kernel, tuning, reads, stride: 1, is_alone, leaves }
    }
}

impl Whole for Setup {
    fn kernel(&self) -> &'static Kernel {
        self.rung.kernel
    }

    fn check(&self, request: &Request<'_>) -> Result<(), Error> {
        let Setup { rung, finish, tuning: Tuning { workgroup_size, tile, .. } } = *self;
        let named = |error: LimitError| error.of(format!("`{}`", rung.name())).or("use a smaller workgroup");
        limits::check_workgroup([workgroup_size, 1], request.limits).map_err(named)?;
        // The unrolled trees start at 1024.
        SettingError::unless_power("workgroup_size", workgroup_size, 1..=1024)?;
        if matches!(rung.kernel.coverage, Coverage::Tiles(_)) {
            // Sixteen items an invocation at most.
            SettingError::unless_power("tile", tile, workgroup_size..=(16 * workgroup_size).min(1024))?;
        }
        // The last workgroup also shares a flag.
        let flag = if finish == Finish::LastWorkgroup { 4 } else { 0 };
        let items = u64::from(rung.kernel.workgroup_memory(workgroup_size, tile));
        let exact = request.monoid.format().map_or(0, |format| format.workgroup_memory(workgroup_size));
        let needed = items * request.monoid.acc.stride + exact + flag;
        needs!(request.limits, max_compute_workgroup_storage_size, needed).map_err(named)?;
        if !rung.finishes.contains(&finish) {
            let offered: Vec<_> = rung.finishes.iter().map(|finish| finish.name()).collect();
            let (rung, offered) = (rung.name(), offered.join(", "));
            let message = format!("`{rung}` does not finish by `{finish}`; it can by {offered}");
            return Err(Error::setting("finish", message));
        }
        Ok(())
    }

    fn stages(&self, request: &Request<'_>) -> Vec<Stage> {
        let (levels, elements, last) = (self.levels(request), request.items(), request.last());
        let mut stages = match self.finish {
            Finish::Atomic => {
                let one = |kernel| Stage { kernel, workgroup_size: 1, ..levels.stage(Reads::Elements, last) };
                vec![one(&SEED), levels.stage(elements, last), one(&SEAL)]
            }
            Finish::LastWorkgroup => vec![levels.stage(elements, last)],
            Finish::Host if self.rung.kernel.coverage != Coverage::Pairs => {
                vec![levels.stage(elements, last), levels.stage(elements, Writes::Partials)]
            }
            Finish::Host | Finish::Repeat | Finish::OneWorkgroup => levels.stages(),
        };
        stages.dedup();
        stages
    }

    fn plan(
        &self,
        request: &Request<'_>,
        parts: &[BufferRange],
        second: Option<BufferRange>,
    ) -> Result<Plan, Error> {
        self.check(request)?;
        let levels = self.levels(request);
        match self.finish {
            Finish::LastWorkgroup => {
                let stage = levels.stage(request.items(), request.last());
                // An explicit rung and finish hold whatever `Options::launches` says.
                let request = Request { in_two_launches: false, ..*request };
                let windows = request.windows(parts, second, u64::MAX);
                request.spread(&windows, stage, (self.tuning.max_workgroups, 1))
            }
            Finish::Atomic => through_total(&levels, &levels.windows(parts, second)),
            Finish::Host | Finish::Repeat | Finish::OneWorkgroup => {
                levels.through_scratch(&levels.windows(parts, second))
            }
        }
    }
}

/// Plans a rung that adds to one atomic word. The word starts as the identity, and a last dispatch may convert it to a result.
fn through_total(levels: &Levels<'_>, windows: &[Span]) -> Result<Plan, Error> {
    let mut plan = Plan::empty(1, levels.request.out_stride());
    let total = Some(Binding::Output(ByteRange { offset: 0, size: plan.output() }));
    let count = items(windows) as u32;
    let last = levels.request.last();
    let alone = |kernel, level| {
        let stage = Stage { kernel, workgroup_size: 1, ..levels.stage(Reads::Elements, last) };
        let params = Params { groups: 1, grid_row: 1, count, ..Params::default() };
        Pass::new(stage, [1, 1], params).at(level).between([None; 2], total)
    };
    plan.work.passes.push(alone(&SEED, 0));
    let stage = levels.stage(levels.request.items(), last);
    let results = levels.results_of(windows, u64::from(levels.tuning.max_workgroups));
    for (span, results) in windows.iter().zip(results) {
        plan.work.passes.push(levels.launch(stage, 1, (span, count), results, (total, 0))?);
    }
    // A state is the unchanged total.
    if last == Writes::Results && !levels.request.monoid.is_finished {
        plan.work.passes.push(alone(&SEAL, 2));
    }
    Ok(plan)
}
