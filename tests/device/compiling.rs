//! Pipelines are compiled the first time that one is needed, and never again. The log says which.

use crate::common::compiled;
use halofold::histogram::{Histogram, Keys};
use halofold::rank::Quantiles;
use halofold::stencil::{Config, FIVE_POINT, Grid, Grids, Jacobi, Until, Variant, Weights};
use halofold::{Compiled, Element, Kernels, Options};
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
    assert_eq!(compiled(|| histogram.compile()).0, 0);

    let kernels = Kernels::default();
    let options = Options::default().with_kernels(&kernels);
    let all = |operation: Quantiles| Compiled::new(&scene.device, operation, &options).unwrap().compile();
    let quantile = |q: f64| Quantiles::new(Element::F32, [q]);
    assert!(compiled(|| all(quantile(0.5))).0 > 5);
    assert_eq!(compiled(|| all(quantile(0.75))).0, 0, "another quantile has the same kernels");
    assert!(compiled(|| all(quantile(0.5).rows(100))).0 <= 1, "rows have a kernel of their own length");
    assert_eq!(scene.complaints(), Vec::<String>::new());
}
