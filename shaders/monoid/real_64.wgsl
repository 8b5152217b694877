// What operators ask of 64-bit floats beyond arithmetic: the twin of real_32.wgsl.

alias Real = f64;

fn not_a_number(zero: u32) -> Real {
    return bitcast<f64>(0x7ff8000000000000lu | u64(zero));
}

fn root(x: Real) -> Real {
    if (bitcast<u64>(x) & 0x7ffffffffffffffflu) >= 0x7ff0000000000000lu {
        return x;
    }
    return sqrt(x);
}
