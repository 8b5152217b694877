//! Small pieces of text for pages.

/// Text as it may stand in HTML, in an attribute too.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // XML has no other control characters.
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => safe.push(c),
        }
    }
    safe
}

/// A count, as a power of two where it is one: 2²⁴.
pub fn power(n: u64) -> String {
    if !n.is_power_of_two() || n <= 512 {
        return crate::table::count(n);
    }
    let digits = n.ilog2().to_string();
    let raised = digits
        .bytes()
        .map(|digit| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][usize::from(digit - b'0')]);
    format!("2{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_place() {
        assert_eq!(escape("<a href=\"x\">&'\u{1}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
    }

    #[test]
    fn powers_are_raised() {
        assert_eq!([power(1 << 24), power(1000)], ["2²⁴", "1 000"]);
    }
}
