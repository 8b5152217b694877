// Minimum and maximum in one pass: the input is read once instead of twice, and reading it is all that takes time.
//
// The accumulator is (~least, greatest), in keys that order as the elements do (shared/order.wgsl).
// Flipping all bits turns the order of integers around, so one vector `max` serves both.
//
// Here NaNs cost nothing on the way. A NaN's raw key lies beyond one of the infinities, hence the least or the greatest key
// does, once there is a NaN anywhere: `finish` looks for that, and no element has to be looked at. `min` alone cannot do
// so: it would miss a NaN at the upper end.
#import order

alias Acc = vec2<Key>;

fn map(elem: Elem, index: u32) -> Acc {
    let key = raw_key(elem);
    return Acc(~key, key);
}

fn identity() -> Acc {
    return Acc(lowest(), lowest());
}

fn combine(a: Acc, b: Acc) -> Acc {
    return max(a, b);
}

// The minimum, then the maximum.
fn finish(acc: Acc, n: u32) -> Acc {
    var least = ~acc.x;
    var greatest = acc.y;
    // Of nothing there is no least key: what stands there is the identity, not a NaN.
    if n != 0u && (is_nan_key(least) || is_nan_key(greatest)) {
        least = lowest();
        greatest = highest();
    }
    return Acc(from_key(least, lowest()), from_key(greatest, highest()));
}

// Keys that no element has been asked about: cheaper than `to_key` where `finish` can still tell NaNs.
#ifdef float
fn raw_key(elem: Elem) -> Key {
    return flip(bits(elem));
}

fn is_nan_key(key: Key) -> bool {
    return key > INFINITY || key < flip(INFINITY | lowest());
}
#else
fn raw_key(elem: Elem) -> Key {
    return elem;
}

fn is_nan_key(key: Key) -> bool {
    return false;
}
#endif
