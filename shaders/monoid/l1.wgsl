// L1 norm of floats: the sum of magnitudes. Floats of 16 bits are added in 32.
//
// All terms have one sign, so the sum's error is small beside the result itself. (Integers: wide_sum.wgsl, of magnitudes.)

fn map(elem: Elem, index: u32) -> Acc {
    return abs(Acc(elem));
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let m = abs(vec4<Acc>(v));
    return (m.x + m.y) + (m.z + m.w);
}

fn identity() -> Acc {
    return Acc(0);
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a + b;
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
