// The values that a function of an application makes of the elements: `value`. A value is a 32-bit float, rounded as the function rounds it.
#import exact/formats/*
#import exact/elements/*
#import <map>

#ifdef pair
fn numbers(x: Floats, y: Floats, which: Lanes) -> Numbers {
    let a = bitcast<vec4<f32>>(x);
    let b = bitcast<vec4<f32>>(y);
    return chosen(vec4<f32>(value(a.x, b.x), value(a.y, b.y), value(a.z, b.z), value(a.w, b.w)), which);
}
#else
fn numbers(x: Floats, which: Lanes) -> Numbers {
    let a = bitcast<vec4<f32>>(x);
    return chosen(vec4<f32>(value(a.x), value(a.y), value(a.z), value(a.w)), which);
}
#endif

fn chosen(values: vec4<f32>, which: Lanes) -> Numbers { return select(vec4<u32>(0x80000000u), bitcast<vec4<u32>>(values), which != vec4<u32>(0u)); }
