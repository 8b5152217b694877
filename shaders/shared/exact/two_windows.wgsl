// Two windows, for data of two scales in long inputs of numbers of one word.
#import io
#import operator
#import format
#import exact/batch
#import exact/limbs
#import exact/moving

// The second window, and the sum in it; without one, its tag is zero.
var<private> in_second: Acc;

// A second window takes registers, which the smallest and the largest workgroups do not have: of the small ones there are several to a core
// if an invocation takes few, and in those of 1024 it has no more than 64. They move the first window instead.
fn has_second() -> bool {
    return WG == 256u || WG == 512u;
}

// Numbers in a window, and zeros in place of others.
fn held(x: Numbers, window: u32) -> Numbers {
    return select(vec4<u32>(0u), x, magnitudes(x) - vec4<u32>(window << 24u) < vec4<u32>(SPAN << 24u));
}

// Adds the numbers of a batch to their windows, if the two hold all of them. Returns whether that is so; the sums of those in the first are
// then in `in_first`.
fn second_takes(batch: Batch, window: u32) -> bool {
    if !has_second() || in_second.tag == 0u {
        return false;
    }
    let other = in_second.tag & WINDOW;
    let a = held(batch.a, window);
    let b = held(batch.b, window);
    let c = held(batch.c, window);
    let d = held(batch.d, window);
    let e = held(batch.a ^ a, other);
    let f = held(batch.b ^ b, other);
    let g = held(batch.c ^ c, other);
    let h = held(batch.d ^ d, other);
    // If both windows hold all numbers, at most a zero's sign is left.
    let left = (batch.a ^ a ^ e) | (batch.b ^ b ^ f) | (batch.c ^ c ^ g) | (batch.d ^ d ^ h);
    if largest(magnitudes(left)) != 0u {
        return false;
    }
    in_first = sums_of(Batch(a, b, c, d), window);
    in_second = settled(in_second, sums_of(Batch(e, f, g, h), other), 0u);
    return true;
}

fn choose_window(acc: Acc, batch: Batch) -> Acc {
    if !has_second() {
        return moved(acc, batch);
    }
    let next = without_second(acc);
    in_second.tag = other_window(batch, acc.tag & WINDOW, SPAN);
    return next;
}

// The second window's sum goes to the limbs, if there is one.
fn without_second(acc: Acc) -> Acc {
    if in_second.tag == 0u {
        return acc;
    }
    spill(in_second);
    in_second = identity();
    return Acc(acc.sum, acc.tag | SPILLED);
}

fn finished(acc: Acc, window: u32) -> Acc {
    if has_second() {
        return without_second(acc);
    }
    return returned(acc, window);
}
