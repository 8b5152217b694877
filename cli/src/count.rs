//! Counts on the command line: 16777216, 16_777_216 or 2^24.

/// Reads a count.
///
/// # Errors
///
/// A message that says what a count looks like.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    let count = match plain.split_once('^') {
        Some(("2", power)) => power.parse::<u32>().ok().and_then(|power| 1u64.checked_shl(power)),
        Some(_) => None,
        None => plain.parse().ok(),
    };
    count.ok_or_else(|| format!("`{text}` is no count; write 16777216, 16_777_216 or 2^24"))
}

#[cfg(test)]
mod tests {
    use super::parse_count;

    #[test]
    fn counts_are_read() {
        assert_eq!(parse_count("0"), Ok(0));
        assert_eq!(parse_count("1_000"), Ok(1000));
        assert_eq!(parse_count("2^24"), Ok(1 << 24));
        for wrong in ["", "-1", "2^64", "3^2", "1e6", "2^", "2^^3"] {
            assert!(parse_count(wrong).is_err(), "{wrong}");
        }
    }
}
