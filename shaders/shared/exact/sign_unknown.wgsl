// Zero: no launch has 2^31 workgroups. But no compiler knows it, so a word with this bit may be negative for all it knows.
#import io

fn sign_unknown() -> u32 {
    return params.groups & 0x80000000u;
}
