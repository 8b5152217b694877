//! Text that is written out once for each register.

/// The texts of `0..count`, joined.
pub(super) fn each(count: u32, separator: &str, text: impl Fn(u32) -> String) -> String {
    (0..count).map(text).collect::<Vec<_>>().join(separator)
}

/// A struct with this many members of one type.
pub(super) fn repeated(name: &str, count: u32, member: &str, ty: &str) -> String {
    let members = each(count, "", |i| format!("    {member}{i}: {ty},\n"));
    format!("struct {name} {{\n{members}}}\n\n")
}
