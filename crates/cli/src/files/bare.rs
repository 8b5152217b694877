//! The description of bare elements, which have no header: their type and their shape.

use std::str::FromStr;

use super::Stored;
use super::header::excerpt;

/// The type and dimensions of bare little-endian elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bare {
    pub stored: Stored,
    /// The dimensions; empty for one dimension.
    pub(super) dimensions: Dimensions,
}

#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Input")]
pub struct BareArgs {
    /// Type of bare little-endian elements: f32, f64, f16, u8, i8, u16, i16, u32, i32, u64, i64 or bool.
    #[arg(long, value_name = "TYPE", value_parser = stored)]
    raw: Option<Stored>,
    /// Shape of an array of bare elements, as in 480,640. The last dimension is contiguous. One may be -1: it follows from
    /// the file's size.
    #[arg(long, value_name = "N,...", requires = "raw", allow_hyphen_values = true)]
    shape: Option<Dimensions>,
}

impl BareArgs {
    pub fn bare(&self) -> Option<Bare> {
        Some(Bare { stored: self.raw?, dimensions: self.shape.clone().unwrap_or_default() })
    }
}

fn stored(name: &str) -> Result<Stored, String> {
    Stored::of_name(name).ok_or_else(|| {
        let name = excerpt(name);
        format!("`{name}` is no type; there are f32, f64, f16, u8, i8, u16, i16, u32, i32, u64, i64 and bool, all little-endian")
    })
}

/// Dimensions of an array, of which one may follow from the size of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dimensions(Vec<Option<u64>>);

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
    /// The dimensions of this many elements: one, if none were named.
    pub(super) fn of(&self, elements: u64) -> Vec<u64> {
        if self.0.is_empty() {
            return vec![elements];
        }
        let known = self.0.iter().flatten().fold(1u64, |all, len| all.saturating_mul(*len));
        self.0.iter().map(|len| len.unwrap_or(elements.checked_div(known).unwrap_or(0))).collect()
    }
}
