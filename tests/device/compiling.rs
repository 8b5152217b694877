//! Pipelines are compiled the first time that one is needed, and never again. The log says which.

use crate::common::compiled;
use halofold::histogram::{Histogram, Keys};
use halofold::rank::Quantiles;
use halofold::reduce::Op;
use halofold::scan::Scan;
use halofold::stencil::{Config, FIVE_POINT, Grid, Grids, Jacobi, Until, Variant, Weights};
use halofold::{Compiled, Cut, Element, Kernels, Options};
use halofold_cases::{Scene, any_adapter, compile};

#[test]
fn pipelines_are_compiled_once_and_when_needed() {
    let adapter = any_adapter();
    let scene = Scene::open(&adapter, adapter.limits()).unwrap();
    let [first, second] = [(); 2].map(|()| scene.room(4 * 64).unwrap());
    let grids = Grids::new(&first, &second);
    let variant = Variant::named(&FIVE_POINT, "register-rows").unwrap();
    let config = Config::new(&FIVE_POINT, variant, Element::F32, Grid::plane(8, 8));
    let (count, jacobi) = compiled(|| compile(&scene.device, Jacobi::new(config, FIVE_POINT.usual)).unwrap());
    assert_eq!(count, 0, "making a stencil compiles nothing");
    assert_eq!(compiled(|| jacobi.bind(grids).unwrap()).0, 1);
    assert_eq!(compiled(|| jacobi.clone().bind(grids).unwrap()).0, 0);
    // begin, resume, count, decide; the residual's reduction, and its length.
    assert_eq!(compiled(|| jacobi.bind_until(grids, Until::new(0.1)).unwrap()).0, 6);
    assert_eq!(compiled(|| jacobi.bind_until(grids, Until::new(0.2).with_every(3)).unwrap()).0, 0);
    let same = jacobi.reweighted(FIVE_POINT.dyadic).unwrap();
    assert_eq!(compiled(|| same.bind_until(grids, Until::new(0.1)).unwrap()).0, 0);
    // A centre with a weight of its own is another kernel, which shares nothing.
    let (count, other) = compiled(|| jacobi.reweighted(Weights::new(&[0.5, 0.125, 0.0, 0.0])).unwrap());
    assert_eq!(count, 0);
    assert_eq!(compiled(|| other.compile()).0, 1);
    assert_eq!(compiled(|| other.bind(grids).unwrap()).0, 0);
    assert!(compiled(|| other.compile_until().unwrap()).0 >= 5);
    // The kernel that reads a length is compiled with the first length.
    assert!(compiled(|| other.bind_until(grids, Until::new(0.1)).unwrap()).0 <= 1);

    let numbers = Histogram::new(Keys::Numbers, 64);
    let (count, histogram) = compiled(|| compile(&scene.device, numbers).unwrap());
    assert_eq!(count, 0, "making a histogram compiles nothing");
    assert_eq!(compiled(|| histogram.of(&first).bind(&second).unwrap()).0, 2);
    assert_eq!(compiled(|| histogram.of(&first).bind(&second).unwrap()).0, 0);
    assert_eq!(compiled(|| histogram.compile(Cut::All).unwrap()).0, 0);

    let kernels = Kernels::default();
    let options = Options::default().with_kernels(&kernels);
    let quantile = |q| Compiled::new(&scene.device, Quantiles::new(Element::F32, [q]), &options).unwrap();
    assert!(compiled(|| quantile(0.5).compile(Cut::All).unwrap()).0 > 5);
    let all = compiled(|| quantile(0.75).compile(Cut::All).unwrap()).0;
    assert_eq!(all, 0, "another quantile has the same kernels");
    assert_eq!(scene.complaints(), Vec::<String>::new());
}

#[test]
fn other_row_lengths_compile_only_kernels_that_differ() {
    let adapter = any_adapter();
    let scene = Scene::open(&adapter, adapter.limits()).unwrap();
    let [input, output] = [(); 2].map(|()| scene.room(4 * 4096).unwrap());
    let median = compile(&scene.device, Quantiles::new(Element::F32, [0.5])).unwrap();
    let medians = |cut: Cut| compiled(|| median.of(&input).cut(cut).bind(&output).unwrap()).0;
    assert_eq!(medians(Cut::Rows(64)), 1, "a workgroup of 64 invocations");
    assert_eq!(medians(Cut::Rows(512)), 0, "the same workgroup");
    assert_eq!(medians(Cut::Rows(2048)), 1, "a workgroup of 128 invocations");
    assert_eq!(medians(Cut::Segments([0, 100, 300].into())), 1, "segments");
    assert_eq!(medians(Cut::Segments([5, 9, 300, 301].into())), 0, "other segments");
    let sum = Scan::new(Op::Sum.over(Element::U32).unwrap());
    let sums = compile(&scene.device, sum).unwrap();
    let sums = |cut: Cut| compiled(|| sums.of(&input).cut(cut).bind(&output).unwrap()).0;
    for cut in [Cut::Rows(64), Cut::Segments([7].into()), Cut::All] {
        assert!(sums(cut.clone()) > 0, "{cut:?}");
    }
    for cut in [Cut::Rows(4096), Cut::Segments([1, 2, 3].into()), Cut::All] {
        assert_eq!(sums(cut.clone()), 0, "{cut:?}");
    }
    assert_eq!(scene.complaints(), Vec::<String>::new());
}
