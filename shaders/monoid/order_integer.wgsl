// Integers are their own keys.

fn lowest() -> Acc {
    return ~highest();
}

fn to_key(elem: Elem, nan: Acc) -> Acc {
    return elem;
}

fn from_key(key: Acc, nan: Acc) -> Acc {
    return key;
}
