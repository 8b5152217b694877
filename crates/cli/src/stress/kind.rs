//! The reductions that run: operators with accumulators of one, two and eight words, by the library's own choice and by the rung in
//! small workgroups, of which many meet over few elements.

use halofold::Element;
use halofold::reduce::ladder::{Finish, Rung};
use halofold::reduce::{Arity, Launches, Monoid, Op, Options, Reducer, Strategy, Tuning};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::stress::elements::Question;

/// An accumulator of eight words, which are published one by one: the longer a workgroup takes for that, the likelier it is late.
const EIGHT_SUMS: &str = "
struct Acc { some: vec4<u32>, others: vec4<u32> }
fn map(elem: Elem, index: u32) -> Acc {
    return Acc(elem * vec4<u32>(1u, 2u, 3u, 4u), vec4<u32>(5u * elem, 6u * elem, 1u, elem + index));
}
fn identity() -> Acc { return Acc(); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.some + b.some, a.others + b.others); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";

/// Workgroup sizes of the rung, and the most workgroups. The fewer there are and the smaller they are, the sooner after the first one
/// the last one collects.
const TUNINGS: [(u32, u32); 5] = [(8, 2), (32, 8), (32, 1024), (64, 64), (256, 396)];

/// Items that an invocation of the fast kernels takes at least: with fewer there is one workgroup.
const PER_INVOCATION: usize = 16;

/// Bytes up to which the library uses a single workgroup.
const ALONE: usize = 256 << 10;

/// An operator, and how it is reduced.
pub struct Kind {
    pub question: Question,
    pub reducer: Reducer,
    /// The fewest elements of which several workgroups meet.
    pub least: usize,
    /// Operator, type and how it is reduced.
    pub name: String,
}

fn monoid(question: Question) -> Result<Monoid, Failure> {
    let of = |op: Op| op.over(Element::U32).map_err(Failure::usage);
    match question {
        Question::Sum => of(Op::Sum),
        Question::WideSum => of(Op::WideSum),
        Question::ArgMax => of(Op::ArgMax),
        Question::MinMax => of(Op::MinMax),
        Question::EightSums => {
            Monoid::custom("eight-sums", Element::U32, Arity::One, EIGHT_SUMS).map_err(Failure::usage)
        }
    }
}

/// All kinds that the adapter runs, and the operators that it lacks a feature for.
pub fn all(gpu: &Gpu, launches: Launches) -> Result<(Vec<Kind>, Vec<String>), Failure> {
    let (mut kinds, mut lacking) = (Vec::new(), Vec::new());
    for question in Question::ALL {
        let monoid = monoid(question)?;
        if !gpu.device.features().contains(monoid.features()) {
            lacking.push(monoid.name().to_owned());
            continue;
        }
        let mut add = |strategy, least, how: String| {
            let options = Options::default().with_strategy(strategy).with_launches(launches);
            let reducer = Reducer::with_options(&gpu.device, monoid.clone(), options);
            let reducer = reducer.map_err(Failure::usage)?;
            kinds.push(Kind { question, reducer, least, name: format!("{} of u32, {how}", monoid.name()) });
            Ok(())
        };
        add(Strategy::Fastest, ALONE / 4 + 1, "as the library tunes it".to_owned())?;
        for (workgroup_size, most) in TUNINGS {
            let strategy = rung(gpu, launches, workgroup_size, most)?;
            let how = format!("at most {most} workgroups of {workgroup_size}");
            add(strategy, PER_INVOCATION * workgroup_size as usize + 1, how)?;
        }
    }
    Ok((kinds, lacking))
}

/// The rung that the library itself would take, with these parameters.
fn rung(gpu: &Gpu, launches: Launches, workgroup_size: u32, most: u32) -> Result<Strategy, Failure> {
    let (name, finish) = match launches {
        Launches::Two => ("vectorized", Finish::OneWorkgroup),
        _ => ("single-pass", Finish::LastWorkgroup),
    };
    let rung = Rung::named(name).map_err(Failure::usage)?;
    let limits = gpu.device.limits();
    let tuning = Tuning::of(rung.kernel, &limits, 0);
    let tuning = tuning.with_workgroup_size(workgroup_size).with_max_workgroups(most);
    Ok(Strategy::Rung { rung, finish, tuning })
}
