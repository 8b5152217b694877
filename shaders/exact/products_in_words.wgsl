// A batch of sixteen products in words of 32 bits, for devices without 64-bit integers.
#import operator
#import three_sums

alias Sums = Shares;

// A batch without products yet.
fn begin_batch(acc: Acc) -> Sums {
    let none = vec4<u32>(0u);
    return Shares(none, none, none, none);
}

// Where sums of exponents, in the upper nine bits, are in the window, from its lowest one up.
fn places(exponents: vec4<u32>, window: u32) -> vec4<u32> {
    return exponents - vec4<u32>(window << 23u);
}

// A batch with four more products of normal factors, at these places, if they are wanted: significands are multiplied by
// halves of twelve bits.
fn add_products(sums: Sums, f: Factors, u: vec4<u32>, wanted: vec4<u32>) -> Sums {
    let a = ((f.v & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u)) & wanted;
    let b = (f.w & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    let a_high = a >> vec4<u32>(12u);
    let a_low = a & vec4<u32>(0xfffu);
    let b_high = b >> vec4<u32>(12u);
    let b_low = b & vec4<u32>(0xfffu);
    let lowest = a_low * b_low;
    let middle = a_high * b_low + a_low * b_high + (lowest >> vec4<u32>(12u));
    // The product's bits from the 24th on.
    let upper = a_high * b_high + (middle >> vec4<u32>(12u));
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(f.v ^ f.w) >> vec4<u32>(31u)) & wanted;
    // The lower word of the product is what 32-bit multiplication keeps.
    return both(sums, shares(a * b, upper >> vec4<u32>(3u), u >> vec4<u32>(23u), sign));
}
