//! Errors of pyramids.

use crate::operation::{LimitError, SettingError, TextureError};
use crate::reduce::{MonoidError, Op};

/// Errors of a pyramid that cannot be made or prepared. Each message names the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PyramidError {
    /// An operator that has no pyramid.
    #[error("`{0}` has no pyramid: use min, max or min-max")]
    Op(Op),
    /// A map that makes no float of a texel, or that the device cannot run.
    #[error(transparent)]
    Map(#[from] MonoidError),
    /// A limit of the device that is too low.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A setting that is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A source that cannot be read.
    #[error("the source: {0}")]
    Source(TextureError),
    /// A target that cannot be written.
    #[error("the target: {0}")]
    Target(TextureError),
    /// A target of another size than half the source's.
    #[error(
        "the first level of the target is {found:?} texels, where this source needs {needed:?}: create the target with that size, or begin at another level"
    )]
    Size {
        /// The width and the height of the first level written.
        found: [u32; 2],
        /// Half of the source's.
        needed: [u32; 2],
    },
    /// A source that is one of the levels written.
    #[error("the source is a level of the target: write to the levels after it")]
    InPlace,
    /// A pyramid that reads a level of the texture that it writes, on OpenGL, which cannot bind one texture for both.
    #[error(
        "OpenGL does not write some levels of a texture while it reads another one: make fewer levels, in one dispatch, of another texture"
    )]
    OpenGl,
    /// A pyramid of [`Op::MinMax`] on OpenGL, whose shaders do not store `Rg32Float`.
    #[error(
        "OpenGL stores no pairs of floats in textures: make a pyramid of min and one of max, or use another back end"
    )]
    OpenGlFormat,
}
