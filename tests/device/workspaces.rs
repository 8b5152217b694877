//! Operations of all kinds over one workspace have the results that each has alone.

use halofold::group::{GroupById, GroupByKey, Pairs, ReduceRuns};
use halofold::rank::{Quantiles, TopK};
use halofold::reduce::{Op, Reduce};
use halofold::scan::Scan;
use halofold::select::Select;
use halofold::wgpu::{Buffer, BufferUsages};
use halofold::{Bound, Element, InputsOf, Planned, Workspace};

use crate::common::{Gpu, gpu, held, in_one_pass, read, room};

/// Binds an operation to outputs of its own.
type Bind<'a> = Box<dyn Fn(Option<&Workspace>) -> (Bound, Vec<Buffer>) + 'a>;

fn planned<'a, O: Planned + 'a>(
    gpu: &Gpu,
    operation: O,
    inputs: impl InputsOf<'a, O> + Copy + 'a,
) -> Bind<'a> {
    let compiled = gpu.compile(operation);
    Box::new(move |workspace| {
        let request = compiled.of(inputs);
        let request = workspace.into_iter().fold(request, |request, workspace| request.workspace(workspace));
        let (bound, outputs) = request.bind_new(BufferUsages::COPY_SRC).unwrap();
        (bound, outputs.iter().map(|(_, output)| output.clone()).collect())
    })
}

fn reduced<'a>(gpu: &'a Gpu, reduce: Reduce, input: &'a Buffer, row: u64) -> Bind<'a> {
    let compiled = gpu.compile(reduce);
    Box::new(move |workspace| {
        let reduction = compiled.of(input).segments(row);
        let reduction = workspace.into_iter().fold(reduction, |it, workspace| it.workspace(workspace));
        let output = room(gpu, reduction.plan().unwrap().output());
        (reduction.bind(&output).unwrap(), vec![output])
    })
}

#[test]
fn operations_of_all_kinds_share_one() {
    const LEN: u32 = 30_000;
    let gpu = gpu();
    let (element, sum) = (Element::U32, Op::Sum.over(Element::U32).unwrap());
    let words = |of: fn(u32) -> u32| held(gpu, &(0..LEN).map(of).collect::<Vec<_>>());
    let values = &words(|i| i.wrapping_mul(2_654_435_761));
    let (ids, runs) = (&words(|i| i.wrapping_mul(2_654_435_761) % 3000), &words(|i| i / 7));
    let keep = "fn keep(elem: Elem, index: u32) -> bool { return elem % 3u == 0u; }";
    let many = GroupById::new(element, 70_000).min().max().sum().count();
    let all: [Bind<'_>; 10] = [
        planned(gpu, Quantiles::new(element, [0.1, 0.5, 0.75]), values),
        planned(gpu, TopK::new(element, 300), values),
        planned(gpu, Scan::new(sum.clone()), values),
        planned(gpu, Select::new(element, keep).unwrap(), values),
        planned(gpu, GroupById::new(element, 3000).sum().variance(), Pairs { keys: ids, values }),
        planned(gpu, many, Pairs { keys: ids, values }),
        planned(gpu, GroupByKey::new(element, element, 4000).sum(), Pairs { keys: ids, values }),
        planned(gpu, ReduceRuns::new(element, sum.clone()), Pairs { keys: runs, values }),
        reduced(gpu, Reduce::new(sum.clone()), values, LEN.into()),
        reduced(gpu, Reduce::new(sum), values, 10_000),
    ];
    let contents = |outputs: &[Buffer]| outputs.iter().map(|output| read(gpu, output)).collect::<Vec<_>>();
    let alone = all.iter().map(|bind| {
        let (bound, outputs) = bind(None);
        gpu.clean(|| in_one_pass(gpu, |pass| bound.encode_in_pass(pass)));
        contents(&outputs)
    });
    let alone: Vec<_> = alone.collect();
    let workspace = Workspace::new(&gpu.device);
    // It has grown before the operations that run take its memory.
    all.iter().for_each(|bind| drop(bind(Some(&workspace))));
    let size = workspace.size();
    let shared: Vec<_> = all.iter().map(|bind| bind(Some(&workspace))).collect();
    assert_eq!(workspace.size(), size);
    // Each behind each other one.
    for step in [1, 3, 7, 9] {
        let order = (0..2 * all.len()).map(|nth| nth * step % all.len());
        gpu.clean(|| in_one_pass(gpu, |pass| order.for_each(|nth| shared[nth].0.encode_in_pass(pass))));
        for (nth, (alone, (_, outputs))) in alone.iter().zip(&shared).enumerate() {
            assert!(contents(outputs) == *alone, "operation {nth}, in steps of {step}");
        }
    }
}
