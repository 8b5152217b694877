// Keys that are integers as wide as the elements: constants and comparisons.

#ifdef float
#ifdef bits_64
alias Key = i64;
const SIGN_BIT: u32 = 63u;
const INFINITY: i64 = 0x7ff0000000000000li;
const NOT_A_NUMBER: i64 = 0x7ff8000000000000li;
fn highest() -> Key { return 0x7fffffffffffffffli; }
#else
alias Key = i32;
const SIGN_BIT: u32 = 31u;
const INFINITY: i32 = 0x7f800000i;
const NOT_A_NUMBER: i32 = 0x7fc00000i;
fn highest() -> Key { return 0x7fffffffi; }
#endif

// Returns all ones if the sign bit is set, otherwise zero.
fn sign_mask(bits: Key) -> Key { return bits >> SIGN_BIT; }
#else
alias Key = Elem;
#ifdef signed
#ifdef bits_64
fn highest() -> Key { return 0x7fffffffffffffffli; }
#else
fn highest() -> Key { return 0x7fffffffi; }
#endif
#else
fn highest() -> Key { return ~Key(0); }
#endif
#endif

fn is_above(a: Key, b: Key) -> bool { return a > b; }
fn is_same(a: Key, b: Key) -> bool { return a == b; }
fn lesser(a: Key, b: Key) -> Key { return min(a, b); }
fn greater(a: Key, b: Key) -> Key { return max(a, b); }
