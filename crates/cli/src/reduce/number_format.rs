//! Numbers in the format that a request names, as C's `printf` and NumPy's `savetxt` write them.

use std::str::FromStr;

use halofold::Value;

/// Digits behind the point where a format names none.
const PRECISION: usize = 6;

/// A format for each number of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFormat {
    /// `%d`: whole, digits behind the point are cut off.
    Whole,
    /// `%.3e`: with an exponent.
    Exponent(usize),
    /// `%.3f`: without one.
    Fixed(usize),
    /// `%.3g`: so many digits in all, as is shorter.
    General(usize),
}

impl FromStr for NumberFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = || {
            let directive = text.strip_prefix('%').filter(|rest| rest.is_ascii())?;
            let (digits, letter) = directive.split_at_checked(directive.len().checked_sub(1)?)?;
            let precision = match digits.strip_prefix('.') {
                Some(digits) => digits.parse::<u8>().ok()?.into(),
                None if digits.is_empty() => PRECISION,
                None => return None,
            };
            match letter {
                "d" if digits.is_empty() => Some(NumberFormat::Whole),
                "e" => Some(NumberFormat::Exponent(precision)),
                "f" => Some(NumberFormat::Fixed(precision)),
                "g" => Some(NumberFormat::General(precision.max(1))),
                _ => None,
            }
        };
        parsed()
            .ok_or("the formats are %d, %e, %f and %g, the last three also with digits, 0 to 255, as in %.3f")
    }
}

impl NumberFormat {
    /// A value as text.
    pub fn text(self, value: Value) -> String {
        let x = value.as_f64();
        if x.is_nan() {
            return "nan".to_owned();
        }
        if x.is_infinite() {
            return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
        }
        match (self, value) {
            // Adding zero takes the sign off it.
            (NumberFormat::Whole, Value::F32(_) | Value::F64(_)) => format!("{:.0}", x.trunc() + 0.0),
            (NumberFormat::Whole, integer) => integer.to_string(),
            (NumberFormat::Exponent(digits), _) => with_exponent(x, digits),
            (NumberFormat::Fixed(digits), _) => format!("{x:.digits$}"),
            (NumberFormat::General(digits), _) => general(x, digits),
        }
    }
}

/// With an exponent of two digits or more, and its sign.
fn with_exponent(x: f64, digits: usize) -> String {
    let (mantissa, exponent) = parts(x, digits);
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// The number between 1 and 10, rounded, and the power of ten.
fn parts(x: f64, digits: usize) -> (String, i32) {
    let text = format!("{x:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// So many digits without zeros at the end, with an exponent where the number is very large or small.
fn general(x: f64, digits: usize) -> String {
    let (_, exponent) = parts(x, digits - 1);
    let text = match usize::try_from(digits as i32 - 1 - exponent) {
        Ok(behind) if exponent >= -4 => format!("{x:.behind$}"),
        _ => with_exponent(x, digits - 1),
    };
    let (number, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that C and Python write.
    #[test]
    fn numbers_are_those_of_printf() {
        for (format, x, text) in [
            ("%d", -2.9, "-2"),
            ("%d", -0.3, "0"),
            ("%f", 2.5, "2.500000"),
            ("%.0f", 2.5, "2"),
            ("%.3f", -0.0004, "-0.000"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.1e", 9.96e-101, "1.0e-100"),
            ("%g", 100_000.0, "100000"),
            ("%g", 1e6, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001234, "1.234e-05"),
            ("%.3g", 999.5, "1e+03"),
            ("%.0g", 0.25, "0.2"),
            ("%g", 0.0, "0"),
            ("%.2f", f64::NEG_INFINITY, "-inf"),
            ("%d", f64::NAN, "nan"),
        ] {
            assert_eq!(format.parse::<NumberFormat>().unwrap().text(Value::F64(x)), text, "{format} of {x}");
        }
        let whole = |value| NumberFormat::Whole.text(value);
        assert_eq!(whole(Value::Wide(-1 << 100)), "-1267650600228229401496703205376");
        for text in ["", "%", "f", "%.f", "%.3d", "%5.2f", "%.256f", "%s", "%.3f ", "%é"] {
            assert!(text.parse::<NumberFormat>().is_err(), "{text}");
        }
    }
}
