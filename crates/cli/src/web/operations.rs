//! The library's other operations: every operator over whole inputs, the other shapes, histograms, order statistics, results of groups, prefixes, selections.

use halofold::group::{ById, ByKey};
use halofold::histogram;
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::plan::Stage;
use halofold::reduce::{Arity, BufferRange, Monoid, Op, Options, Plan, Shape};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::wgpu::Features;
use halofold::{Element, OperationError, Pass};
use serde_json::{Value, json};

use super::ladder::features;
use super::plans::{Plans, distinct, same_text};
use super::texts::Texts;
use super::{INVOCATIONS, LENGTHS, limits};
use crate::lists::each_once;

/// The elements that one result is made of.
#[derive(Clone, Copy)]
enum Task {
    /// Everything.
    Whole,
    /// Everything, added to what the output holds.
    Accumulate,
    /// Segments of one length.
    Fixed(u64),
    /// Segments between offsets, so long.
    Offsets(u64),
    /// Columns of an array with this many of them.
    Columns(u64),
}

impl Task {
    /// The name that a row of a record has for it, and the number that goes with it.
    fn described(self) -> (&'static str, u64) {
        match self {
            Task::Whole => ("whole", 1),
            Task::Accumulate => ("accumulate", 1),
            Task::Fixed(len) => ("fixed", len),
            Task::Offsets(len) => ("offsets", len),
            Task::Columns(inner) => ("columns", inner),
        }
    }

    /// Its shape over this many elements, and how many of them it takes; `None` if they do not come out even.
    fn shape(self, n: u64) -> Option<(Shape, u64)> {
        let even = |len: u64| n.is_multiple_of(len);
        match self {
            Task::Whole => Some((Shape::Whole, n)),
            Task::Accumulate => Some((Shape::Accumulate, n)),
            Task::Fixed(len) => even(len).then_some((Shape::Segments { len }, n)),
            Task::Offsets(len) => even(len).then_some((Shape::Offsets { count: n / len }, n)),
            Task::Columns(inner) => {
                even(inner).then_some((Shape::Axis { outer: 1, len: n / inner, inner }, n))
            }
        }
    }
}

/// The shapes beside whole inputs, by the operators that a visitor knows.
const SHAPES: [(Op, Element, Task); 8] = [
    (Op::Sum, Element::U32, Task::Accumulate),
    (Op::Sum, Element::F32, Task::Fixed(4)),
    (Op::Sum, Element::F32, Task::Fixed(256)),
    (Op::ArgMin, Element::F32, Task::Fixed(1024)),
    (Op::Sum, Element::F32, Task::Offsets(64)),
    (Op::Max, Element::I32, Task::Offsets(1024)),
    (Op::Sum, Element::F32, Task::Columns(256)),
    (Op::MinMax, Element::U32, Task::Columns(64)),
];

/// The type of whole inputs: floats where an operator has them, else integers; and some over other types.
fn whole() -> impl Iterator<Item = (Op, Element, Task)> {
    let first = |op: Op| if op.is_over(Element::F32) { Element::F32 } else { Element::U32 };
    let others = [
        (Op::Sum, Element::F16),
        (Op::WideSum, Element::I32),
        (Op::Mean, Element::I32),
        (Op::Variance, Element::I32),
        (Op::L1, Element::I32),
    ];
    let all = Op::ALL.iter().map(move |&op| (op, first(op))).chain(others);
    all.map(|(op, element)| (op, element, Task::Whole))
}

/// One line an operation: the modules of its stages, and a plan for each length.
pub fn export(texts: &mut Texts, plans: &mut Plans) -> Vec<String> {
    whole().chain(SHAPES).filter_map(|work| line(work, texts, plans)).collect()
}

/// `None` if WebGPU cannot express it.
fn line((op, element, task): (Op, Element, Task), texts: &mut Texts, plans: &mut Plans) -> Option<String> {
    let monoid = op.over(element).expect("the lists have only what is defined");
    if !(monoid.features() - Features::SHADER_F16).is_empty() {
        return None;
    }
    let limits = limits(INVOCATIONS[0]);
    let options = Options::default();
    let made: Vec<_> = LENGTHS.iter().map(|&n| plan(&monoid, task, n)).collect();
    let shape = made.iter().flatten().next().map(|(shape, _)| *shape)?;
    let used = |stage: &Stage| {
        let launches = made.iter().flatten().flat_map(|(_, plan)| plan.launches());
        launches.into_iter().any(|launch| same_text(&launch.stage, stage))
    };
    let stages: Vec<_> =
        distinct(options.stages(&monoid, shape.kind(), &limits)).into_iter().filter(used).collect();
    let modules: Option<Vec<Vec<_>>> = [true, false]
        .into_iter()
        .map(|subgroups| {
            let compose = |stage: &Stage| monoid.compose(*stage, features(element, subgroups));
            stages.iter().map(|stage| Some(texts.add(&compose(stage)?))).collect()
        })
        .collect();
    let numbers: Vec<_> =
        made.iter().map(|made| made.as_ref().map(|(_, plan)| plans.add(&monoid, plan, &stages))).collect();
    let (shape, number) = task.described();
    let line = json!({
        "op": op.name(), "type": element.name(), "shape": shape, "number": number, "item": monoid.stride(),
        "acc": monoid.acc_size(), "out": monoid.out_size(), "modules": modules?, "plans": numbers,
    });
    Some(line.to_string())
}

/// The plan of a task, if elements come out even.
fn plan(monoid: &Monoid, task: Task, n: u64) -> Option<(Shape, Plan)> {
    let (shape, len) = task.shape(n)?;
    let input = BufferRange { offset: 0, len };
    let second = (monoid.arity() == Arity::Two).then_some(input);
    let plan = Options::default().plan(monoid, shape, &[input], second, &limits(INVOCATIONS[0]));
    Some((shape, plan.expect("every length offered fits every device")))
}

/// Bins of the histograms.
const BINS: [u32; 2] = [256, 4096];

/// One line a histogram of `u32`: its modules and, for each length, its passes.
pub fn histograms(texts: &mut Texts) -> Vec<String> {
    BINS.into_iter().map(|bins| histogram(bins, texts).to_string()).collect()
}

fn histogram(bins: u32, texts: &mut Texts) -> Value {
    let limits = limits(INVOCATIONS[0]);
    let config = histogram::Histogram::new(histogram::Keys::Numbers, bins, &limits);
    let steps = [histogram::CLEAR, histogram::COUNT];
    let number = |step| usize::from(step == histogram::COUNT);
    let passes = |&len: &u64| -> Value {
        let plan = config
            .plan(BufferRange { offset: 0, len }, &limits)
            .expect("every length offered fits every device");
        let pass = |pass: &Pass<_, _>| json!([number(pass.step), pass.grid, pass.params]);
        plan.iter().map(pass).collect()
    };
    json!({
        "bins": bins,
        "modules": steps.map(|step| texts.add(&config.compose(step))),
        "constants": steps.map(|step| config.overrides(step)),
        "passes": LENGTHS.iter().map(passes).collect::<Vec<_>>(),
    })
}

/// The quantiles, the number of largest elements and the number of groups that the page asks for.
const QUARTILES: [f64; 3] = [0.25, 0.5, 0.75];
const TOP: u32 = 32;
const GROUPS: u32 = 1000;

/// The elements that a selection keeps.
const HALF: &str = "fn keep(elem: Elem, index: u32) -> bool { return elem < 0.5; }";

/// One line an operation that is planned as passes: order statistics, results by id and by key, prefixes, selections.
pub fn passes(texts: &mut Texts) -> Vec<String> {
    let limits = limits(INVOCATIONS[0]);
    let sum = |element| Op::Sum.over(element).expect("every type has a sum");
    macro_rules! line {
        ($op:expr, $shape:expr, $element:expr, $title:expr, $of:expr, ($($first:expr),*), ($($second:expr),*)) => {{
            let of = $of.expect("it is defined");
            let planned =
                |input: BufferRange| Ok((of.plan(input, $($second(input),)* &limits)?, of.scratch(input, &limits)?));
            let kernels = of.kernels($($first,)* &limits).collect();
            let (modules, constants, plans) = planned_passes(kernels, planned, texts);
            let line = json!({
                "op": $op, "shape": $shape, "type": $element.name(), "title": $title,
                "modules": modules, "constants": constants, "plans": plans,
            });
            line.to_string()
        }};
    }
    let none = Features::empty();
    vec![
        line!(
            "quartiles",
            "uniform",
            Element::F32,
            "quartiles of f32",
            Quantiles::new(Element::F32, QUARTILES),
            (),
            ()
        ),
        line!(
            format!("top-{TOP}"),
            "uniform",
            Element::F32,
            format!("the {TOP} largest of f32"),
            TopK::new(Element::F32, TOP),
            (),
            ()
        ),
        line!(
            format!("sum-and-count-by-{GROUPS}-ids"),
            "random",
            Element::F32,
            format!("sums and counts of f32 by {GROUPS} ids"),
            ById::new(Element::F32, GROUPS).map(|by_id| by_id.sum().count()),
            (),
            (|ids| ids)
        ),
        line!(
            "sum-by-key",
            "runs-1-256",
            Element::F32,
            "sums of f32 by key, runs of 1 to 256",
            ByKey::new(Element::U32, sum(Element::F32)),
            (none),
            (Some)
        ),
        line!(
            "prefix-sums",
            "uniform",
            Element::U32,
            "prefix sums of u32",
            Scan::new(sum(Element::U32)),
            (none),
            ()
        ),
        line!(
            "select-half",
            "uniform",
            Element::F32,
            "the smaller half of f32, selected",
            Select::new(Element::F32, HALF),
            (none),
            ()
        ),
    ]
}

/// A kernel as its label, its WGSL, and the values of its overrides.
type Labelled = (String, String, Vec<(&'static str, f64)>);

/// Memory as a binding, bytes and words.
type Scratch = Vec<(u32, u64, Vec<u32>)>;

/// The modules that plans launch, the constants of each, and for each length its passes and its memory.
fn planned_passes<P: serde::Serialize>(
    kernels: Vec<Labelled>,
    planned: impl Fn(BufferRange) -> Result<(Vec<Pass<&'static str, P>>, Scratch), OperationError>,
    texts: &mut Texts,
) -> (Vec<usize>, Vec<Value>, Vec<Value>) {
    let planned = LENGTHS
        .map(|len| planned(BufferRange { offset: 0, len }).expect("every length offered fits every device"));
    let is_kernel = |label: &str, step: &str| label.ends_with(&step.replace('/', "."));
    let steps = planned.iter().flat_map(|(passes, _)| passes).map(|pass| pass.step);
    let steps = each_once(steps);
    let kernel =
        |step: &&str| kernels.iter().find(|(label, ..)| is_kernel(label, step)).expect("it has a kernel");
    let number = |step: &str| steps.iter().position(|known| *known == step);
    let plan = |(passes, memory): &(Vec<Pass<&'static str, P>>, Scratch)| {
        let passes: Vec<_> =
            passes.iter().map(|pass| json!([number(pass.step), pass.grid, pass.params])).collect();
        json!([passes, memory])
    };
    let modules = steps.iter().map(|step| texts.add(&kernel(step).1)).collect();
    let constants = steps.iter().map(|step| json!(kernel(step).2)).collect();
    (modules, constants, planned.iter().map(plan).collect())
}
