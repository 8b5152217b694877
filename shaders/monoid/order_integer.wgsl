// Integers are their own keys.

fn lowest() -> Key {
    return ~highest();
}

fn to_key(elem: Elem, nan: Key) -> Key {
    return elem;
}

fn from_key(key: Key, nan: Key) -> Key {
    return key;
}
