//! The kernels that are no operation of the library's: they measure memory, unpack files, and run between the reductions of
//! `halofold stress`.

use halofold_measure::translate::Kernel;

/// Every one of them, by what it is.
pub fn kernels() -> Vec<(String, Kernel)> {
    let unpack = |bits, signed, truth| [("BITS", bits), ("SIGNED", signed), ("TRUTH", truth)].to_vec();
    let read =
        (include_str!("../../measure/shaders/read.wgsl"), "main", vec![("WG", 256.0), ("GROUPS", 64.0)]);
    let copy =
        (include_str!("../../measure/shaders/copy.wgsl"), "main", vec![("WG", 256.0), ("VECTORS", 4.0)]);
    let file = include_str!("../../cli/src/reduce/unpack.wgsl");
    let unpacked = [unpack(8.0, 0.0, 1.0), unpack(8.0, 1.0, 0.0), unpack(16.0, 0.0, 0.0)];
    let between = include_str!("../../cli/src/stress/between.wgsl");
    let kernels = [("read", read), ("copy", copy)].into_iter();
    let kernels = kernels.chain(unpacked.map(|overrides| ("unpack", (file, "unpack", overrides))));
    let kernels =
        kernels.chain(["change", "press", "poison"].map(|entry| ("stress", (between, entry, Vec::new()))));
    let named = |(name, (wgsl, entry_point, overrides)): (&str, (&str, &'static str, Vec<_>))| {
        let kernel = Kernel { wgsl: wgsl.to_owned(), entry_point, overrides };
        (format!("{name} {entry_point} {:?}", kernel.overrides), kernel)
    };
    kernels.map(named).collect()
}

#[test]
fn the_programs_own_in_every_language() {
    crate::valid_in_every_language(kernels());
}
