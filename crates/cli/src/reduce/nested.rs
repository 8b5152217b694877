//! Values as nested lists.

/// The most values per dimension that text shows: of more, the first and last few.
const SHOWN: usize = 3;

/// Formats the values of an array in C order as nested lists. If `is_short`, long arrays are abbreviated as in NumPy.
pub fn nested(dims: &[u64], values: &[String], is_short: bool) -> String {
    let [len, inner @ ..] = dims else { return values[0].clone() };
    let (len, size) = (*len as usize, inner.iter().product::<u64>() as usize);
    let item = |at: usize| nested(inner, &values[at * size..][..size], is_short);
    let items: Vec<_> = if is_short && len > 2 * SHOWN {
        (0..SHOWN).map(item).chain(["...".to_owned()]).chain((len - SHOWN..len).map(item)).collect()
    } else {
        (0..len).map(item).collect()
    };
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_abbreviated() {
        let text = |dims: &[u64]| {
            let values: Vec<_> = (0..dims.iter().product::<u64>()).map(|x| x.to_string()).collect();
            nested(dims, &values, values.len() > 1000)
        };
        assert_eq!([text(&[]), text(&[2, 2]), text(&[2, 0])], ["0", "[[0, 1], [2, 3]]", "[[], []]"]);
        assert_eq!(text(&[1001]), "[0, 1, 2, ..., 998, 999, 1000]");
        assert!(text(&[7, 1000]).starts_with("[[0, 1, 2, ..., 997, 998, 999], [1000, "));
    }
}
