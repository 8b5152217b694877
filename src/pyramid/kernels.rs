//! Kernels of pyramids.

use wgpu::{TextureFormat, TextureSampleType};

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::kernel::{Access, Kernel, Slot};
use crate::gpu::{SettingError, texels};
use crate::map::{Map, texels_refused};
use crate::reduce::{Monoid, Op};
use crate::shader::{self, Composer, Piece, rooms};

/// Columns, and rows, of invocations in a workgroup.
pub(super) const SIDE: u32 = 16;

/// Columns, and rows, of a workgroup's tile in texels.
pub(super) const TILE: u32 = 64;

/// The most levels that a workgroup makes from its tile.
pub(super) const MOST_LEVELS: u32 = 6;

/// The binding in group 0 of the first level written. The others follow.
pub(super) const FIRST_LEVEL: u32 = 4;

/// Accumulators in workgroup memory: `kept` in `shaders/pyramid/halve.wgsl`.
const KEPT: u64 = 1245;

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// True if it reads a level of the pyramid, false if it reads the source texture.
    pub(super) of_level: bool,
    /// The number of levels that it writes.
    pub(super) levels: u32,
}

/// The operator and maps of a pyramid.
#[derive(Clone, Debug)]
pub struct Config {
    operator: Monoid,
    /// The map of the source's texels, and the map of a level's texels to numbers.
    maps: [Map; 2],
    pub(super) format: TextureFormat,
}

impl Config {
    pub(super) fn new(op: Op, map: Map) -> Result<Self, Error> {
        let (format, numbers) = match op {
            Op::Min | Op::Max => (TextureFormat::R32Float, "r"),
            Op::MinMax => (TextureFormat::Rg32Float, "rg"),
            _ => {
                let message = format!("`{op}` has no pyramid: use min, max or min-max");
                return Err(Error::setting("operator", message));
            }
        };
        map.sample.ok_or_else(texels_refused)?;
        map.returns(Element::F32.name())?;
        if map.parameters.is_some() {
            let message = "the map of a pyramid declares none: write them into its text as constants";
            return Err(Error::setting("parameters", message));
        }
        let level = Map::components(TextureSampleType::Float { filterable: false }, numbers)?;
        Ok(Config { operator: op.over(Element::F32)?, maps: [map, level], format })
    }

    /// Returns the map of the texels that a kernel reads.
    pub(super) fn map(&self, of_level: bool) -> &Map {
        &self.maps[usize::from(of_level)]
    }

    /// Returns the sample type that a kernel reads.
    pub(super) fn sample(&self, of_level: bool) -> TextureSampleType {
        self.map(of_level).sample.expect("both are maps of texels")
    }

    /// Returns the bytes of workgroup memory.
    pub(super) fn workgroup_bytes(&self) -> u64 {
        KEPT * self.operator.acc_size()
    }

    /// Composes the WGSL of a step.
    pub(super) fn compose(&self, step: Step) -> String {
        let map = self.map(step.of_level);
        // The bits of a texel's numbers, and an accumulator per number.
        let (numbers, parts) = match map.channels() {
            1 => ("i32".to_owned(), &[""][..]),
            several => (format!("vec{several}<i32>"), &[".x", ".y", ".z", ".w"][..several as usize]),
        };
        let each = parts.iter().map(|part| format!("map(numbers{part}, 0u)"));
        let all = each.reduce(|all, number| format!("combine({all}, {number})")).unwrap_or_default();
        let load = format!(
            "fn load_bounds(at: vec2<u32>) -> Acc {{\n    let numbers = element_of(at);\n    return {all};\n}}"
        );
        Composer::of(&[rooms::PYRAMID, rooms::SHARED, rooms::OPERATORS])
            .define("texels", true)
            .provide("operator", self.operator.typed_pieces())
            .provide("texel", map.of_texels(Some(&numbers)))
            .provide("map", vec![Piece::new("generated: a texel's bounds", load).importing("shared/texels")])
            .generate("outputs", "the levels that are written", self.stored_levels(step.levels))
            .compose("pyramid/halve", map.extensions())
    }

    /// Generates the textures of `levels` levels, and `store`, which writes a texel.
    fn stored_levels(&self, levels: u32) -> String {
        let (format, bits, zeros) = match self.format {
            TextureFormat::Rg32Float => ("rg32float", "vec2<f32>", "0.0, 0.0"),
            _ => ("r32float", "f32", "0.0, 0.0, 0.0"),
        };
        let (mut textures, mut cases) = (String::new(), String::new());
        for (level, binding) in (1..=levels).zip(FIRST_LEVEL..) {
            textures += &format!(
                "@group(0) @binding({binding}) var level_{level}: texture_storage_2d<{format}, write>;\n"
            );
            cases += &format!("        case {level}u: {{ textureStore(level_{level}, at, texel); }}\n");
        }
        format!(
            "const LEVELS: u32 = {levels}u;\n{textures}\n\
             fn store(level: u32, at: vec2<u32>, acc: Acc) {{\n    \
             let texel = vec4<f32>(bitcast<{bits}>(finish(acc, 1u)), {zeros});\n    \
             switch level {{\n{cases}        default: {{}}\n    }}\n}}"
        )
    }

    /// Returns the bindings of group 0 that a step declares.
    pub(super) fn slots(&self, step: Step) -> Vec<Slot> {
        let stored =
            (FIRST_LEVEL..).take(step.levels as usize).map(|slot| (slot, Access::Store(self.format)));
        texels::slots(self.sample(step.of_level)).into_iter().chain(stored).collect()
    }

    pub(super) fn kernel(&self, step: Step) -> Kernel {
        let source = if step.of_level { "level" } else { "texels" };
        let label = shader::label(&["pyramid", self.operator.name(), source]);
        Kernel::new(label, self.compose(step), self.slots(step), Vec::new())
    }
}

/// Composes a kernel for inspection; a [`Pyramid`](crate::pyramid::Pyramid) composes its own. It makes 1 to 6 levels from the source or, with
/// `of_level`, from a level of the pyramid. Returns its label and its WGSL, whose entry point is `main`.
///
/// # Errors
///
/// [`Error::Setting`] for another operator than [`Pyramid::new`](crate::pyramid::Pyramid::new) takes, or another number of levels; those of a map.
pub fn kernel(op: Op, map: Map, of_level: bool, levels: u32) -> Result<(String, String), Error> {
    SettingError::unless("levels", levels, 1..=MOST_LEVELS)?;
    let kernel = Config::new(op, map)?.kernel(Step { of_level, levels });
    Ok((kernel.label, kernel.wgsl))
}
