//! Operations as JSON has them, and their plans by the library.

use halofold::data::{Data, Host};
use halofold::group::{GroupById, GroupByKey, ReduceRuns, RunLengths};
use halofold::histogram::{Histogram, Keys};
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::{Accuracy, Arity, BufferRange, Monoid, Op, Reduce, Shape};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::stencil::{Border, Borders, Config, Grid, Jacobi, Stencil, Variant, Weights};
use halofold::{Cut, Element, Planned};

use crate::Error;
use crate::settings::Settings;

const NAMES: &str = "reduce, quantiles, top-k, histogram, scan, select, unique, run-lengths, reduce-runs, group-by-id, group-by-key, jacobi";

/// A plan by the library.
pub(crate) struct Made {
    pub(crate) data: Data,
    /// The types of keys, and of the numbers of a value.
    pub(crate) types: (Element, Vec<Element>),
}

/// Plans an operation over inputs, for a host.
pub(crate) fn plan(s: &mut Settings, inputs: [BufferRange; 2], host: &Host) -> Result<Made, Error> {
    let name: String = s.need("name")?;
    if NAMES.split(", ").all(|known| known != name) {
        return Err(format!("unknown operation `{name}`; the operations are {NAMES}").into());
    }
    let key = s.take::<String>("key")?.map_or(Ok(Element::U32), |key| key.parse())?;
    match &*name {
        "reduce" => return reduce(s, inputs, host),
        "jacobi" => return jacobi(s, inputs, host),
        _ => {}
    }
    let cut = match s.take("offsets")?.map(Vec::into) {
        Some(offsets) => Cut::Segments(offsets),
        None => s.take("rows")?.map_or(Cut::All, Cut::Rows),
    };
    macro_rules! made {
        ($operation:expr, $value:expr, $second:expr) => {{
            let data = $operation.data(cut, inputs[0], $second, host)?;
            Ok(Made { data, types: (key, $value) })
        }};
        ($operation:expr, $value:expr) => {
            made!($operation, vec![$value], None)
        };
    }
    macro_rules! results {
        ($group:expr, $element:expr) => {{
            let mut group = $group;
            for result in s.need::<Vec<String>>("results")? {
                group = match &*result {
                    "count" => group.count(),
                    "sum" => group.sum(),
                    "mean" => group.mean(),
                    "min" => group.min(),
                    "max" => group.max(),
                    "variance" => group.variance(),
                    "sample_variance" => group.sample_variance(),
                    _ => return Err(format!("groups have no result `{result}`").into()),
                };
            }
            made!(group, vec![$element], Some(inputs[1]))
        }};
    }
    match &*name {
        "run-lengths" => made!(RunLengths::new(key), Element::U32),
        "histogram" => {
            let keys = match (s.take("range")?, s.take::<Vec<f32>>("edges")?) {
                (Some((low, high)), _) => Keys::Ranges { low, high },
                (_, Some(edges)) => Keys::Levels(edges.into()),
                _ => Keys::Numbers,
            };
            let histogram = Histogram::new(keys, s.need("bins")?);
            made!(if s.flag("add")? { histogram.adding() } else { histogram }, Element::U32)
        }
        "scan" | "reduce-runs" => {
            let monoid = operator(s)?;
            let exact = || monoid.exact().ok_or("`op` has no exact sums of this type");
            let monoid = if s.flag("exact")? { exact()? } else { monoid };
            let value = numbers(&monoid);
            if name == "reduce-runs" {
                return made!(ReduceRuns::new(key, monoid), value, Some(inputs[1]));
            }
            let scan = Scan::new(monoid);
            made!(if s.flag("exclusive")? { scan.exclusive() } else { scan }, value, None)
        }
        _ => {
            let element = s.element()?;
            // A 16-bit float becomes one of 32 bits.
            let stored = if element == Element::F16 { Element::F32 } else { element };
            match &*name {
                "quantiles" => match s.take::<Vec<u64>>("nth")? {
                    Some(ranks) => made!(Quantiles::nth(element, ranks), stored),
                    None => made!(Quantiles::new(element, s.need::<Vec<f64>>("q")?), Element::F32),
                },
                "top-k" => {
                    let top = TopK::new(element, s.need("k")?);
                    made!(if s.flag("smallest")? { top.smallest() } else { top }, stored)
                }
                "select" => {
                    let select = Select::new(element, &s.need::<String>("wgsl")?)?;
                    let is_indices = s.flag("indices")?;
                    let kept = if is_indices { Element::U32 } else { element };
                    made!(if is_indices { select.indices() } else { select }, kept)
                }
                "unique" => made!(Select::unique(element), element),
                "group-by-id" => results!(GroupById::new(element, s.need("groups")?), element),
                _ => results!(GroupByKey::new(key, element, s.need("groups")?), element),
            }
        }
    }
}

/// The operator: halofold's by its name, or one in WGSL.
fn operator(s: &mut Settings) -> Result<Monoid, Error> {
    let Some(wgsl) = s.take::<String>("wgsl")? else {
        return Ok(s.need::<String>("op")?.parse::<Op>()?.over(s.element()?)?);
    };
    let arity = if s.take("inputs")? == Some(2) { Arity::Two } else { Arity::One };
    Ok(match s.take("elementSize")? {
        Some(size) => Monoid::custom_struct("own", size, arity, &wgsl)?,
        None => Monoid::custom("own", s.element()?, arity, &wgsl)?,
    })
}

/// The numbers of a result: its words, if there are gaps between them.
fn numbers(monoid: &Monoid) -> Vec<Element> {
    let numbers = monoid.out_elements().unwrap_or_default();
    let is_dense = numbers.iter().map(|number| number.size()).sum::<u64>() == monoid.out_size();
    if is_dense { numbers } else { vec![Element::U32; (monoid.out_size() / 4) as usize] }
}

fn reduce(s: &mut Settings, inputs: [BufferRange; 2], host: &Host) -> Result<Made, Error> {
    let monoid = operator(s)?;
    let stride: Option<u64> = s.take("stride")?;
    // A length counts the elements that are taken.
    let taken = |input: BufferRange| input.len.div_ceil(stride.unwrap_or(1).max(1));
    let [first, second] = inputs.map(|input| BufferRange { len: taken(input), ..input });
    let shapes = [
        s.take("rows")?.map(|len| Shape::Segments { len }),
        stride.map(|stride| Shape::Strided { stride }),
        s.take("segments")?.map(|count| Shape::Offsets { count }),
        s.take("axis")?.map(|(outer, len, inner)| Shape::axis(outer, len, inner)),
        s.flag("accumulate")?.then_some(Shape::Accumulate),
    ];
    let mut shapes = shapes.into_iter().flatten();
    let shape = shapes.next().unwrap_or(Shape::Whole);
    if shapes.next().is_some() {
        return Err("a reduction has one of `rows`, `stride`, `segments`, `axis` and `accumulate`".into());
    }
    let second = (monoid.arity() == Arity::Two).then_some(second);
    let types = (Element::U32, numbers(&monoid));
    let accuracy = if s.flag("exact")? { Accuracy::Exact } else { Accuracy::Fast };
    let reduce = Reduce::new(monoid).with_accuracy(accuracy);
    Ok(Made { data: reduce.data(shape, &[first], second, host)?, types })
}

fn jacobi(s: &mut Settings, inputs: [BufferRange; 2], host: &Host) -> Result<Made, Error> {
    if host.count.is_some() || inputs.iter().any(|input| input.offset > 0) {
        let align = host.limits.min_storage_buffer_offset_alignment;
        return Err(format!("a grid starts at a multiple of {align} bytes, and has no count").into());
    }
    let stencil: &Stencil = s.need::<String>("stencil")?.parse()?;
    let grid: Grid = s.need::<String>("grid")?.parse()?;
    let variant = s.take::<String>("variant")?.map(|name| Variant::named(stencil, &name)).transpose()?;
    let border = s.take::<String>("border")?.map_or(Ok(Border::Fixed), |border| border.parse())?;
    let is_general = matches!(border, Border::Mirror | Border::Constant(_));
    let usual = if is_general { stencil.general() } else { stencil.fastest_step() };
    let weights: Vec<f64> = s.take("weights")?.unwrap_or_default();
    let weights = Weights::of(stencil, &weights).ok_or("`weights` has one for each class of cells")?;
    let element = s.element()?;
    let config = Config::new(stencil, variant.unwrap_or(usual), element, grid);
    let config = config.with_borders(Borders::all(border));
    let config = if s.flag("rhs")? { config.with_rhs() } else { config };
    let data = Jacobi::new(config, weights).data(host)?;
    Ok(Made { data, types: (element, vec![element]) })
}
