//! The description of bare elements, which have no header: their type, their byte order and their shape.

use std::str::FromStr;

use super::Stored;
use super::grammar::excerpt;
use super::header::interpret;

/// The type of bare elements, and their dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bare {
    /// The type.
    pub stored: Stored,
    /// True if their byte order is not this machine's.
    pub(super) swap: bool,
    /// The dimensions; none of a run of elements.
    pub(super) dimensions: Dimensions,
}

/// Options that describe bare elements.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct BareArgs {
    /// The files hold bare elements: u32, i32, f32, f64, i64, u64, f16, u16, i16, u8, i8 (these names count bits, and the bytes are
    /// little-endian), bool (a byte), or a type as NumPy writes it with its byte order, such as '>f4', whose names count bytes.
    #[arg(long, value_name = "TYPE")]
    raw: Option<Bare>,
    /// The dimensions of the array in a file of bare elements, as in 480,640, the last of which runs fastest. One may be -1: it follows from
    /// the size of the file.
    #[arg(long, value_name = "N,...", requires = "raw", allow_hyphen_values = true)]
    shape: Option<Dimensions>,
}

impl BareArgs {
    /// The description of the files, if they are bare elements.
    pub fn bare(&self) -> Option<Bare> {
        let bare = self.raw.clone()?;
        Some(bare.with_dimensions(self.shape.clone().unwrap_or_default()))
    }

    /// True if they are bare elements without dimensions.
    pub fn is_run(&self) -> bool {
        self.raw.is_some() && self.shape.is_none()
    }
}

/// Dimensions of an array, of which one may follow from the size of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dimensions(Vec<Option<u64>>);

/// A name that is no type.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "unknown type `{0}`; the types are u32, i32, f32, f64, i64, u64, f16, u8, i8, u16, i16, bool, and NumPy's with a byte \
     order, as in >f4"
)]
pub struct UnknownType(String);

impl Bare {
    /// The same as an array of these dimensions.
    pub fn with_dimensions(self, dimensions: Dimensions) -> Self {
        Bare { dimensions, ..self }
    }
}

/// Little-endian elements.
impl From<Stored> for Bare {
    fn from(stored: Stored) -> Self {
        Bare { stored, swap: cfg!(target_endian = "big"), dimensions: Dimensions::default() }
    }
}

impl FromStr for Bare {
    type Err = UnknownType;

    fn from_str(name: &str) -> Result<Self, UnknownType> {
        if let Some(stored) = Stored::of_name(name) {
            return Ok(stored.into());
        }
        // Without a byte order NumPy's short names count bytes where those of types here count bits.
        let is_numpys = name.starts_with(['<', '>', '=', '|']) || name.len() > 2;
        let described = interpret(name).filter(|_| is_numpys);
        let (stored, swap) = described.ok_or_else(|| UnknownType(excerpt(name)))?;
        Ok(Bare { swap, ..stored.into() })
    }
}

impl FromStr for Dimensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let dimension = |text: &str| match text.trim() {
            "-1" => Some(None),
            number => number.parse().ok().map(Some),
        };
        let dimensions: Option<Vec<_>> = text.split(',').map(dimension).collect();
        let open = |dimensions: &Vec<Option<u64>>| dimensions.iter().filter(|len| len.is_none()).count();
        let dimensions = dimensions.filter(|dimensions| open(dimensions) <= 1);
        let form =
            || "a shape is whole numbers, as in 480,640; one may be -1, which follows from the file's size";
        dimensions.map(Dimensions).ok_or_else(|| form().to_owned())
    }
}

impl Dimensions {
    /// True if none were named.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if one follows from the size of the file.
    pub(super) fn is_open(&self) -> bool {
        self.0.contains(&None)
    }

    /// The dimensions of this many elements.
    pub(super) fn of(&self, elements: u64) -> Vec<u64> {
        let known = self.0.iter().flatten().fold(1u64, |all, len| all.saturating_mul(*len));
        self.0.iter().map(|len| len.unwrap_or(elements.checked_div(known).unwrap_or(0))).collect()
    }
}

#[cfg(test)]
mod tests {
    use halofold::Element;

    use super::*;

    #[test]
    fn names_count_bits_and_numpys_have_a_byte_order() {
        let of = |name: &str| name.parse::<Bare>().map(|bare| (bare.stored, bare.swap));
        let swap = cfg!(target_endian = "big");
        for (name, stored, swap) in [
            ("i8", Stored::I8, swap),
            ("<i8", Element::I64.into(), swap),
            (">f4", Element::F32.into(), !swap),
            ("|u1", Stored::U8, false),
            ("=f2", Element::F16.into(), false),
            ("float64", Element::F64.into(), false),
            ("bool", Stored::Bool, swap),
        ] {
            assert_eq!(of(name).unwrap(), (stored, swap), "{name}");
        }
        for name in ["f4", "i4", "?", ">c8", "float", ">>f4", ""] {
            assert!(of(name).unwrap_err().to_string().contains("as in >f4"), "{name}");
        }
    }

    #[test]
    fn one_dimension_follows_from_the_others() {
        let of = |text: &str, elements| text.parse::<Dimensions>().map(|dimensions| dimensions.of(elements));
        assert_eq!(of("2, 3", 6), Ok(vec![2, 3]));
        assert_eq!(of("-1,3", 12), Ok(vec![4, 3]));
        assert_eq!(of("-1,0", 0), Ok(vec![0, 0]));
        for text in ["", "-1,-1", "2,", "2x3", "-2"] {
            assert!(of(text, 4).is_err(), "{text}");
        }
    }
}
