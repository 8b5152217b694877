// Count, sum and sum of squares of 32-bit integers, all exact, for
//
//     Σ (x - mean)²  =  (n Σx² - (Σx)²) / n
//
// The formula fails in floats, because it subtracts two large numbers. It does not if no digit is dropped: the sum has 64 bits and the sum of
// squares 96, also on GPUs without 64-bit integers, and the difference is computed in 128 bits. Only the quotient rounds. A float of an integer
// near 2^31 would lose seven bits, more than a deviation of fifty.
//
// Cost: five words of accumulator instead of three, four products of half-words for each square, and two additions with carries.
#import lib/lane/full_product
#import operators/shared/magnitude
#import operators/shared/real

struct Acc {
    // Two's complement.
    sum_low: u32,
    sum_high: u32,
    square_low: u32,
    square_mid: u32,
    square_high: u32,
}

// 1 if a sum of two words is less than one of them, so that it wrapped.
fn carry(sum: u32, term: u32) -> u32 { return select(0u, 1u, sum < term); }

fn map(elem: Elem, index: u32) -> Acc {
    let square = full_product(magnitude(elem), magnitude(elem));
#ifdef signed
    return Acc(bitcast<u32>(elem), bitcast<u32>(elem >> 31u), square.x, square.y, 0u);
#else
    return Acc(elem, 0u, square.x, square.y, 0u);
#endif
}

fn identity() -> Acc { return Acc(0u, 0u, 0u, 0u, 0u); }

fn combine(a: Acc, b: Acc) -> Acc {
    let sum_low = a.sum_low + b.sum_low;
    let low = a.square_low + b.square_low;
    let mid = a.square_mid + b.square_mid;
    let carried = mid + carry(low, a.square_low);
    return Acc(
        sum_low,
        a.sum_high + b.sum_high + carry(sum_low, a.sum_low),
        low,
        carried,
        a.square_high + b.square_high + carry(mid, a.square_mid) + carry(carried, mid),
    );
}

// The sum of two numbers of four words, the lowest first.
fn add(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let x = a.x + b.x;
    let y = a.y + b.y;
    let y_carried = y + carry(x, a.x);
    let z = a.z + b.z;
    let z_carried = z + carry(y, a.y) + carry(y_carried, y);
    let w = a.w + b.w + carry(z, a.z) + carry(z_carried, z);
    return vec4<u32>(x, y_carried, z_carried, w);
}

// The sum of squares around the mean.
fn squares(acc: Acc, n: u32) -> Real {
    // n Σx²
    let n0 = full_product(n, acc.square_low);
    let n1 = full_product(n, acc.square_mid);
    let n2 = full_product(n, acc.square_high);
    let left = add(vec4<u32>(n0, n2), vec4<u32>(0u, n1, 0u));
    // (Σx)², from the magnitude of Σx
    var low = acc.sum_low;
    var high = acc.sum_high;
#ifdef signed
    if (high >> 31u) != 0u {
        low = ~low + 1u;
        high = ~high + select(0u, 1u, low == 0u);
    }
#endif
    let mixed = vec4<u32>(0u, full_product(low, high), 0u);
    let right = add(add(vec4<u32>(full_product(low, low), full_product(high, high)), mixed), mixed);
    // The difference is the sum of the first number and the complement of the second, plus one.
    let difference = add(add(left, ~right), vec4<u32>(1u, 0u, 0u, 0u));
    let word = 4294967296.0;
    let float = ((f32(difference.w) * word + f32(difference.z)) * word + f32(difference.y)) * word + f32(difference.x);
    return float / f32(n);
}

// The mean square around the mean of n elements, divided by n - `less`.
fn mean_square(acc: Acc, n: u32, less: u32) -> Real {
    if n <= less {
        return not_a_number(n);
    }
    return squares(acc, n) / Real(n - less);
}

fn root_mean_square(acc: Acc, n: u32, less: u32) -> Real { return root(mean_square(acc, n, less)); }
