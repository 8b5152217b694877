//! Counts on the command line: 16777216, 16_777_216, 2^24, 1e6, 16M or 16Mi.

/// Factors by name: of a thousand, and with an `i` of 1024.
const UNITS: [(&str, u64); 6] =
    [("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000)];

/// Reads a count.
///
/// # Errors
///
/// A message that says what a count looks like.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    let powers = |base: &str, exponent: &str| base.parse::<u64>().ok()?.checked_pow(exponent.parse().ok()?);
    let unit = UNITS.iter().find_map(|(name, factor)| Some((plain.strip_suffix(name)?, factor)));
    let count = if let Some(("2", exponent)) = plain.split_once('^') {
        powers("2", exponent)
    } else if let Some((number, exponent)) = plain.split_once(['e', 'E']) {
        powers("10", exponent).and_then(|power| number.parse::<u64>().ok()?.checked_mul(power))
    } else if let Some((number, factor)) = unit {
        number.parse::<u64>().ok().and_then(|number| number.checked_mul(*factor))
    } else {
        plain.parse().ok()
    };
    count
        .ok_or_else(|| format!("`{text}` is not a count; write 16777216, 16_777_216, 2^24, 1e6, 16M or 16Mi"))
}

#[cfg(test)]
mod tests {
    use super::parse_count;

    #[test]
    fn counts_are_read() {
        assert_eq!(parse_count("0"), Ok(0));
        assert_eq!(parse_count("1_000"), Ok(1000));
        assert_eq!(parse_count("2^24"), Ok(1 << 24));
        assert_eq!([parse_count("1e6"), parse_count("3M")], [Ok(1_000_000), Ok(3_000_000)]);
        assert_eq!([parse_count("4Mi"), parse_count("2k")], [Ok(4 << 20), Ok(2000)]);
        for wrong in ["", "-1", "2^64", "3^2", "1e", "1.5e6", "e6", "1e20", "M", "1T", "2^", "2^^3"] {
            assert!(parse_count(wrong).is_err(), "{wrong}");
        }
    }
}
