//! Counts on the command line: 16777216, 16_777_216, 2^24, 1e6, 16M or 16Mi.

use std::fmt::Display;

/// Factors by name: of a thousand, and with an `i` of 1024.
const UNITS: [(&str, u64); 6] =
    [("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000)];

pub fn counts<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: TryFrom<u64> + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text| {
        let count = T::try_from(parse_count(text)?).ok();
        let within = count.filter(|count| (least..=most).contains(count));
        within.ok_or_else(|| format!("`{text}` is not from {least} to {most}"))
    }
}

fn parse_count(text: &str) -> Result<u64, String> {
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
    use super::{counts, parse_count};

    #[test]
    fn counts_are_read() {
        let read = ["0", "1_000", "2^24", "1e6", "3M", "4Mi", "2k"].map(|text| parse_count(text).unwrap());
        assert_eq!(read, [0, 1000, 1 << 24, 1_000_000, 3_000_000, 4 << 20, 2000]);
        let few = counts(1u32, 512);
        assert_eq!([few("2^9"), few("0"), few("1k")].map(|count| count.ok()), [Some(512), None, None]);
        assert_eq!(counts(0, u32::MAX)("4Gi"), Err("`4Gi` is not from 0 to 4294967295".to_owned()));
    }
}
