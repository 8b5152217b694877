// Sixteen keys of an invocation, which are loaded before the first is used.
#import key_order

struct FourKeys {
    a: Keys,
    b: Keys,
    c: Keys,
    d: Keys,
}
