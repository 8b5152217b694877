//! The dictionary in the header of a `.npy` file: the three keys of an array of numbers, and nothing else of Python.
//!
//! Each character is looked at once, nothing nests, and nothing is allocated but the shape: the bytes may come from anywhere.

use super::error::Fault;

/// The entries of a dictionary.
pub(crate) struct Dictionary<'a> {
    pub(crate) descr: &'a str,
    /// True if the first dimension runs fastest.
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
    /// The same as it is written.
    pub(crate) shape_text: &'a str,
}

type Parsed<T> = Result<T, Fault>;

fn malformed<T>(what: impl Into<String>) -> Parsed<T> {
    Err(Fault::Header(what.into()))
}

/// Reads a dictionary.
pub(crate) fn dictionary(text: &str) -> Parsed<Dictionary<'_>> {
    let mut rest = Rest(text.trim());
    if !rest.take('{') {
        return malformed(if text.trim().is_empty() { "it has no shape" } else { "it is not a dictionary" });
    }
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    while !rest.take('}') {
        let key = rest.string("a key")?;
        rest.expect(':')?;
        match key {
            "descr" => descr = Some(rest.descr()?),
            "fortran_order" => fortran = Some(rest.truth()?),
            "shape" => shape = Some(rest.shape()?),
            other => drop(rest.string(&format!("the value of `{}`", excerpt(other)))?),
        }
        if !rest.take(',') {
            rest.expect('}')?;
            break;
        }
    }
    if !rest.0.is_empty() {
        return malformed(format!("syntax error: `{}` behind the dictionary", excerpt(rest.0)));
    }
    match (descr, fortran, shape) {
        (Some(descr), Some(fortran), Some((shape, shape_text))) => {
            Ok(Dictionary { descr, fortran, shape, shape_text })
        }
        (None, ..) => malformed("it has no key `descr`"),
        (_, None, _) => malformed("it has no key `fortran_order`"),
        (_, _, None) => malformed("it has no shape"),
    }
}

/// The text that has not been read yet; it never begins with a space.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn skip(&mut self, rest: &'a str) {
        self.0 = rest.trim_start();
    }

    /// Takes a character if it comes next.
    fn take(&mut self, expected: char) -> bool {
        let rest = self.0.strip_prefix(expected);
        rest.inspect(|rest| self.skip(rest)).is_some()
    }

    fn expect(&mut self, expected: char) -> Parsed<()> {
        if self.take(expected) {
            return Ok(());
        }
        malformed(format!("syntax error: `{expected}` expected at `{}`", excerpt(self.0)))
    }

    /// A string in quotes. Backslashes, which no name of a type has, end the reading.
    fn string(&mut self, what: &str) -> Parsed<&'a str> {
        let quote = self.0.chars().next().filter(|first| ['\'', '"'].contains(first));
        let closed = quote.and_then(|quote| self.0[1..].split_once(quote));
        match closed.filter(|(text, _)| !text.contains('\\')) {
            Some((text, rest)) => {
                self.skip(rest);
                Ok(text)
            }
            None => malformed(format!("syntax error: {what} is not a string at `{}`", excerpt(self.0))),
        }
    }

    fn descr(&mut self) -> Parsed<&'a str> {
        if self.0.starts_with('[') {
            let end = self.0.rfind(']').map_or(self.0.len(), |end| end + 1);
            return Err(Fault::Dtype(excerpt(&self.0[..end])));
        }
        self.string("`descr`")
    }

    fn truth(&mut self) -> Parsed<bool> {
        for (word, truth) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.skip(rest);
                return Ok(truth);
            }
        }
        malformed(format!("`fortran_order` is not a bool at `{}`", excerpt(self.0)))
    }

    fn shape(&mut self) -> Parsed<(Vec<u64>, &'a str)> {
        let tuple = self.0.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let Some((text, rest)) = tuple else {
            return malformed(format!("the shape is not a tuple at `{}`", excerpt(self.0)));
        };
        self.skip(rest);
        Ok((dimensions(text)?, text))
    }
}

/// The numbers of a tuple, given the text between its parentheses.
fn dimensions(text: &str) -> Parsed<Vec<u64>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if !text.contains(',') {
        return malformed(format!("its shape ({}) is not a tuple", excerpt(text)));
    }
    let items = text.strip_suffix(',').unwrap_or(text);
    items.split(',').map(dimension).collect()
}

/// One number of a shape. Python 2 wrote an `L` after some.
fn dimension(item: &str) -> Parsed<u64> {
    let item = item.trim();
    let digits = item.strip_suffix('L').unwrap_or(item);
    let (digits, radix) = match digits.get(..2) {
        Some("0x" | "0X") => (&digits[2..], 16),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix).or_else(|_| {
        malformed(format!("the dimension `{}` is not a whole number from 0 to 2^64 - 1", excerpt(item)))
    })
}

/// As much of a file's text as belongs into a message, without control characters.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 100;
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut short: String = text.chars().take(LONGEST).map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}
