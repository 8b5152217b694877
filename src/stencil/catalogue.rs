//! The variants of the stencils as data: one entry per kernel and unroll factor.

use crate::gpu::error::Error;
use crate::parse;
use crate::stencil::shape::Block;
use crate::stencil::stencils::{Dims, FIVE_POINT, NINE_POINT, SEVEN_POINT, Stencil, TWENTY_SEVEN_POINT};

/// How the invocations of a workgroup map to cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mapping {
    /// One invocation per cell, starting with the first cell; no workgroup memory.
    Cells,
    /// The thesis's DIR: one invocation per computed cell, and a tile in workgroup memory with a halo around it.
    Direct,
    /// The thesis's SOL: one invocation per loaded cell. The outermost invocations of a workgroup compute
    /// nothing, and neighbouring workgroups overlap by two cells.
    Overlapped,
    /// Several cells per invocation, four side by side where rows allow it; no workgroup memory.
    Strips,
    /// Rows (2D) or planes (3D) stream through several steps in the registers of a workgroup. In 2D, teams of lanes take the steps
    /// one after the other. In 3D, each team takes all steps of its rows.
    Pipeline,
}

/// The stencils that a kernel supports.
#[derive(Clone, Copy, Debug)]
pub(super) enum Serves {
    /// All stencils of these dimensions.
    All(Dims),
    /// These stencils, all with the same number of dimensions.
    Only(&'static [&'static Stencil]),
}

use Serves::{All, Only};

/// One kernel.
#[derive(Debug)]
#[non_exhaustive]
pub struct Variant {
    /// Its name, as on the command line. Variants for different stencils may share a name.
    pub name: &'static str,
    /// The stencils that it supports.
    serves: Serves,
    /// Its name in the thesis; empty for kernels that are not in the thesis.
    pub document: &'static str,
    /// The map from invocations to cells.
    pub mapping: Mapping,
    /// Planes per iteration of the loop over planes; 1 in 2D.
    pub unroll: u32,
    /// True if the planes of an iteration share common sums.
    pub shares_sums: bool,
    /// The kernel's file under `shaders/`, without its extension. It opens with an essay.
    pub file: &'static str,
}

macro_rules! variant {
    ($name:literal, $serves:expr, $file:literal, $document:literal, $mapping:ident) => {
        variant!($name, $serves, $file, $document, $mapping, 1, false)
    };
    ($name:literal, $serves:expr, $file:literal, $document:literal, $mapping:ident, $unroll:literal, $shares:literal) => {
        Variant {
            name: $name,
            serves: $serves,
            document: $document,
            mapping: Mapping::$mapping,
            unroll: $unroll,
            shares_sums: $shares,
            file: concat!("stencil/", $file),
        }
    };
}

/// All variants: 2D before 3D, the thesis's in its order, others before and after them.
/// The last variant that supports a stencil is the fastest on a large GPU.
#[rustfmt::skip]
pub static VARIANTS: &[Variant] = &[
    variant!("direct-global", All(Dims::Two), "2d/direct_global", "", Cells),
    variant!("dir-smem", Only(&[&FIVE_POINT]), "2d/dir_smem", "DIR_SMEM", Direct),
    variant!("dir-reg", Only(&[&FIVE_POINT]), "2d/dir_reg", "DIR_REG", Direct),
    variant!("dir-fusion", Only(&[&FIVE_POINT]), "2d/dir_fusion", "DIR_FUSION", Direct),
    variant!("dir-fusion-diag", Only(&[&FIVE_POINT]), "2d/dir_fusion_diag", "DIR_FUSION_DIAG", Direct),
    variant!("sol-smem", Only(&[&FIVE_POINT]), "2d/sol_smem", "SOL_SMEM", Overlapped),
    variant!("sol-reg", Only(&[&FIVE_POINT]), "2d/sol_reg", "SOL_REG", Overlapped),
    variant!("register-rows", Only(&[&FIVE_POINT]), "2d/register_rows", "", Strips),
    variant!("register-rows", Only(&[&NINE_POINT]), "2d/register_rows_box", "", Strips),
    variant!("time-pipeline", Only(&[&FIVE_POINT, &NINE_POINT]), "2d/time_pipeline", "", Pipeline),
    variant!("direct-global", All(Dims::Three), "3d/direct_global", "", Cells),
    variant!("dir-smem", Only(&[&TWENTY_SEVEN_POINT]), "3d/dir_smem", "DIR_SMEM", Direct),
    variant!("dir-fusion", Only(&[&TWENTY_SEVEN_POINT]), "3d/dir_fusion", "DIR_FUSION", Direct),
    variant!("dir-fusion2", Only(&[&TWENTY_SEVEN_POINT]), "3d/dir_fusion2", "DIR_FUSION2", Direct),
    variant!("dir-unroll2", Only(&[&TWENTY_SEVEN_POINT]), "3d/dir_unroll", "DIR_UNROLL2", Direct, 2, false),
    variant!("dir-unroll4", Only(&[&TWENTY_SEVEN_POINT]), "3d/dir_unroll", "DIR_UNROLL4", Direct, 4, false),
    variant!("dir-unroll2-cse", Only(&[&TWENTY_SEVEN_POINT]), "3d/dir_unroll", "DIR_UNROLL2_CSE", Direct, 2, true),
    variant!("dir-unroll4-cse", Only(&[&TWENTY_SEVEN_POINT]), "3d/dir_unroll", "DIR_UNROLL4_CSE", Direct, 4, true),
    variant!("sol-smem", Only(&[&TWENTY_SEVEN_POINT]), "3d/sol_smem", "SOL_SMEM", Overlapped),
    variant!("sol-unroll2", Only(&[&TWENTY_SEVEN_POINT]), "3d/sol_unroll", "SOL_UNROLL2", Overlapped, 2, false),
    variant!("sol-unroll4", Only(&[&TWENTY_SEVEN_POINT]), "3d/sol_unroll", "SOL_UNROLL4", Overlapped, 4, false),
    variant!("sol-unroll8", Only(&[&TWENTY_SEVEN_POINT]), "3d/sol_unroll", "SOL_UNROLL8", Overlapped, 8, false),
    variant!("sol-unroll2-cse", Only(&[&TWENTY_SEVEN_POINT]), "3d/sol_unroll", "SOL_UNROLL2_CSE", Overlapped, 2, true),
    variant!("sol-unroll4-cse", Only(&[&TWENTY_SEVEN_POINT]), "3d/sol_unroll", "SOL_UNROLL4_CSE", Overlapped, 4, true),
    variant!("sol-unroll8-cse", Only(&[&TWENTY_SEVEN_POINT]), "3d/sol_unroll", "SOL_UNROLL8_CSE", Overlapped, 8, true),
    variant!("plane-sums", Only(&[&TWENTY_SEVEN_POINT, &SEVEN_POINT]), "3d/plane_sums", "", Strips),
    variant!("time-planes", Only(&[&TWENTY_SEVEN_POINT, &SEVEN_POINT]), "3d/time_planes", "", Pipeline),
];

impl Variant {
    /// Finds a stencil's variant by name.
    pub fn named(stencil: &'static Stencil, name: &str) -> Result<&'static Variant, Error> {
        let kinds = format!("variants of the {} stencil", stencil.name);
        parse::named(("variant", &kinds), stencil.variants(), |variant| variant.name, name)
    }

    /// Returns true if this variant supports a stencil.
    pub fn serves(&self, stencil: &Stencil) -> bool {
        match self.serves {
            All(dims) => dims == stencil.dims,
            Only(stencils) => stencils.contains(&stencil),
        }
    }

    /// Returns the dimensions of its grids.
    pub fn dims(&self) -> Dims {
        match self.serves {
            All(dims) => dims,
            Only(stencils) => stencils[0].dims,
        }
    }

    /// Returns the cells of its tile in workgroup memory. A time-blocked kernel's memory depends on more than
    /// the block: see [`Config::workgroup_bytes`](crate::stencil::Config::workgroup_bytes).
    pub fn tile(&self, block: Block) -> u64 {
        let (rows, cols) = match self.mapping {
            Mapping::Cells | Mapping::Strips | Mapping::Pipeline => return 0,
            Mapping::Direct => (u64::from(block.rows) + 2, u64::from(block.cols) + 2),
            Mapping::Overlapped => (u64::from(block.rows), u64::from(block.cols)),
        };
        let planes = match self.dims() {
            Dims::Two => 1,
            Dims::Three => u64::from(self.unroll) + 2,
        };
        rows.saturating_mul(cols).saturating_mul(planes)
    }

    /// Returns true if it supports every stencil and border of its dimensions.
    pub const fn is_general(&self) -> bool {
        matches!(self.serves, All(_))
    }

    /// Returns true if it keeps a tile in workgroup memory.
    pub(crate) const fn has_tile(&self) -> bool {
        matches!(self.mapping, Mapping::Direct | Mapping::Overlapped)
    }

    /// Returns true if it takes several steps per sweep over memory.
    pub const fn is_blocked(&self) -> bool {
        matches!(self.mapping, Mapping::Pipeline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::stencils::STENCILS;

    #[test]
    fn names_are_unique_and_found() {
        for &stencil in STENCILS {
            for variant in stencil.variants() {
                let found = Variant::named(stencil, variant.name).unwrap();
                assert!(std::ptr::eq(found, variant), "{}", variant.name);
            }
        }
        assert!(VARIANTS.iter().all(|variant| STENCILS.iter().any(|stencil| variant.serves(stencil))));
        let message = Variant::named(&FIVE_POINT, "dir-unroll2").unwrap_err().to_string();
        assert!(message.contains("dir-fusion-diag") && !message.contains("plane-sums"), "{message}");
    }

    #[test]
    fn every_stencil_has_a_general_kernel_and_a_fastest_one() {
        for stencil in STENCILS {
            let general = stencil.variants().filter(|variant| matches!(variant.serves, All(_)));
            assert_eq!(general.count(), 1, "{}", stencil.name);
        }
        assert_eq!(FIVE_POINT.fastest().name, "time-pipeline");
        assert_eq!(TWENTY_SEVEN_POINT.fastest().name, "time-planes");
        assert_eq!(TWENTY_SEVEN_POINT.fastest_step().name, "plane-sums");
    }
}
