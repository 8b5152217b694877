//! The axes that a request names.

use std::str::FromStr;

/// Axes along which an array is reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axes {
    /// All that it has.
    All,
    /// These, counted from 0, or from the end if they are negative.
    Named(Vec<i64>),
}

impl FromStr for Axes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Axes::All);
        }
        let numbers = text.split(',').map(|number| number.trim().parse().ok());
        let named = numbers.collect::<Option<_>>().map(Axes::Named);
        named.ok_or_else(|| "axes are whole numbers, as in 0, -1 or 0,2; or the word all".to_owned())
    }
}

impl Axes {
    /// Their numbers in an array of so many dimensions.
    pub fn of(&self, dimensions: usize) -> Result<Vec<usize>, String> {
        let Axes::Named(named) = self else { return Ok((0..dimensions).collect()) };
        let count = dimensions as i64;
        let mut numbers = Vec::new();
        for axis in named {
            if !(-count..count).contains(axis) {
                let range = match count {
                    0 => "an array of no dimension has none".to_owned(),
                    n => format!("an array of {n} has {} to {}", -n, n - 1),
                };
                return Err(format!("--axis {axis}: {range}"));
            }
            let number = axis.rem_euclid(count) as usize;
            if numbers.contains(&number) {
                return Err(format!("--axis {axis}: is named twice"));
            }
            numbers.push(number);
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_count_from_either_end() {
        let of = |text: &str, dimensions| text.parse::<Axes>()?.of(dimensions);
        assert_eq!(of("1", 4), Ok(vec![1]));
        assert_eq!(of("-1, 0", 3), Ok(vec![2, 0]));
        assert_eq!(of("all", 2), Ok(vec![0, 1]));
        assert!(of("0,-2", 2).unwrap_err().contains("twice"));
        assert!(of("2", 2).unwrap_err().contains("-2 to 1"));
        assert!(of("-3", 2).is_err() && of("0", 0).is_err() && of("", 1).is_err() && of("0,", 1).is_err());
    }
}
