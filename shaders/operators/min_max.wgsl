// Minimum and maximum in one pass: the input is read once instead of twice, and reading it takes nearly all of the time.
//
// The accumulator is (~least, greatest), in keys that order like the elements (shared/order.wgsl). Flipping all bits reverses the order, so one
// vector `max` serves both; keys in words have no such `max`.
//
// NaNs cost nothing per element: their raw keys lie beyond the infinities, so `finish` tests whether the least or the greatest key does.
#import operators/shared/order
#import operators/keys/*
#import operators/key_pair/*

fn map(elem: Elem, index: u32) -> Acc {
    let key = raw_key(elem);
    return Acc(~key, key);
}

fn identity() -> Acc { return Acc(lowest(), lowest()); }

// The minimum, then the maximum.
fn finish(acc: Acc, n: u32) -> Acc {
    var least = ~acc.x;
    var greatest = acc.y;
    // An empty input has no least key: the accumulator is the identity, not a NaN.
    if n != 0u && (is_nan_key(least) || is_nan_key(greatest)) {
        least = lowest();
        greatest = highest();
    }
    return Acc(from_key(least, lowest()), from_key(greatest, highest()));
}

// Raw keys, without a test for NaN: cheaper than `to_key`, if `finish` can still recognise NaNs.
#ifdef float
#import operators/shared/float_bits

fn raw_key(elem: Elem) -> Key { return flip(bits(elem)); }
fn is_nan_key(key: Key) -> bool { return is_above(key, INFINITY) || is_above(flip(INFINITY | lowest()), key); }
#else
fn raw_key(elem: Elem) -> Key { return elem; }
fn is_nan_key(key: Key) -> bool { return false; }
#endif
