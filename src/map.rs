//! Maps of elements and of texels, in WGSL, for operations whose kernels read what a map returns.

use wgpu::{Features, TextureSampleType};

use crate::element::Element;
use crate::gpu::error::{Error, FeatureError, WgslError};
use crate::gpu::kernel::Slot;
use crate::gpu::parameters::Parameters;
use crate::gpu::texels;
use crate::reduce::analysis::{map_of, texel_map_of};
use crate::reduce::elem::Elem;
use crate::shader::{self, Piece};

/// Bytes that plans count for a texel. No binding holds it, but plans cut inputs as if one did.
const TEXEL: u64 = 4;

/// A function of an element, or of a texel of a texture, to its key, or to a key for each of two to four channels.
///
/// ```
/// use halofold::{Element, Map};
///
/// // The brightness of pixels of four bytes.
/// let brightness = "fn map(elem: Elem, index: u32) -> f32 {
///     return dot(unpack4x8unorm(elem).rgb, vec3(0.2126, 0.7152, 0.0722));
/// }";
/// assert_eq!(Map::custom(Element::U32, brightness)?.channels(), 1);
/// // Two components of points of twelve bytes, each counted by itself.
/// let floor = "struct Elem { x: f32, y: f32, z: f32 }
/// fn map(elem: Elem, index: u32) -> vec2<f32> { return vec2(elem.x, elem.z); }";
/// assert_eq!(Map::custom_struct(12, floor)?.channels(), 2);
/// # Ok::<_, halofold::Error>(())
/// ```
///
/// A map of texels makes an operation read textures: see [`Texels`](crate::Texels).
///
/// # Parameters
///
/// A map can read one variable that your application binds, such as an exposure that changes from frame to frame. Its text declares it as
/// that of [an operator](crate::reduce::Monoid::custom) does, at binding 9 (`uniform`) or 10 (`storage`).
/// [`Request::with_parameters`](crate::Request::with_parameters) or [`Reduction::with_parameters`](crate::reduce::Reduction::with_parameters) binds a
/// buffer to it. Kernels read the buffer when they run, so nothing is compiled or bound again. An operation whose own text declares parameters, and a
/// pyramid, refuse such a map.
///
/// ```
/// use halofold::histogram::{Histogram, Keys, Map};
/// use halofold::{Compiled, Element, Options};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let samples = buffer(bytemuck::cast_slice(&[0.1f32, 0.2, 0.4, 0.8]));
/// # let gain = buffer(bytemuck::cast_slice(&[2f32]));
/// let amplified = "@group(0) @binding(9) var<uniform> gain: f32;
/// fn map(elem: Elem, index: u32) -> f32 { return gain * elem; }";
/// let spread = Histogram::new(Keys::Ranges { low: 0.0, high: 1.0 }, 2).with_map(Map::custom(Element::F32, amplified)?);
/// let spread = Compiled::new(&device, spread, &Options::default())?;
/// let counts: Vec<u32> = spread.of(&samples).with_parameters(&gain).run(&queue)?;
/// # assert_eq!(counts, [2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The declaration of `Elem`, unless it is in the text, and the text.
    text: String,
    /// Bytes from one element to the next.
    pub(crate) stride: u64,
    /// The type of the samples, if it is a map of texels.
    pub(crate) sample: Option<TextureSampleType>,
    /// The type that it returns.
    returns: String,
    /// The features that its text needs.
    pub(crate) features: Features,
    /// The parameters that its text declares.
    pub(crate) parameters: Option<Parameters>,
}

impl Map {
    /// Makes a map from your WGSL: `fn map(elem: Elem, index: u32) -> Key`, and the functions that it calls.
    ///
    /// `Elem` is the element type, and `index` the element's number in the input. `Key` is a number, or a vector of two to four: the
    /// keys of as many channels. The operation says of which type: [`histogram::Keys`](crate::histogram::Keys) has that of each kind. The text may declare functions, constants and types, and one variable of [parameters](Map#parameters). Each
    /// invocation runs it on its own. This call parses and checks it on the CPU.
    ///
    /// # Errors
    ///
    /// The error names the line of `wgsl` that is wrong.
    pub fn custom(element: Element, wgsl: &str) -> Result<Self, Error> {
        Map::of(Elem::Number { element, wgsl: element.name() }, wgsl)
    }

    /// Makes a map of elements of your own type, which `wgsl` declares by the name `Elem`. `stride` is the number of bytes from one
    /// element to the next: that of `array<Elem>` in WGSL.
    ///
    /// # Errors
    ///
    /// The errors of [`Map::custom`], and [`WgslError::Stride`](crate::WgslError::Stride).
    pub fn custom_struct(stride: u64, wgsl: &str) -> Result<Self, Error> {
        Map::of(Elem::Declared { stride }, wgsl)
    }

    /// Makes the map of a word to its four bytes, the lowest first: the channels of a pixel in RGBA8, each with keys from 0 to 255.
    pub fn bytes() -> Self {
        let bytes = "(vec4(elem) >> vec4(0u, 8u, 16u, 24u)) & vec4(255u)";
        let text = format!("fn map(elem: Elem, index: u32) -> vec4<u32> {{\n    return {bytes};\n}}");
        Map::custom(Element::U32, &text).expect("the map is halofold's own")
    }

    /// Makes a map of texels from your WGSL: `fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> Key`, and the functions that it calls.
    ///
    /// `texel` has the four components of the texel's format, as `textureLoad` gives them; of depth the first is the depth. It is a `vec4<i32>` for
    /// [`TextureSampleType::Sint`], a `vec4<u32>` for [`TextureSampleType::Uint`], and a `vec4<f32>` for the others, which are one and the same here.
    /// `at` is the texel's column and row in its level. `Key` is what [`Map::custom`] says, or the type of an operator's elements
    /// ([`Monoid::of_texels`](crate::reduce::Monoid::of_texels)). `format.sample_type(None, None)` is the type of a format's samples.
    ///
    /// # Errors
    ///
    /// The error names the line of `wgsl` that is wrong.
    pub fn texels(sample: TextureSampleType, wgsl: &str) -> Result<Self, Error> {
        shader::apart(wgsl, "_map_", &["map_texel"], |text| {
            let (returns, features, parameters) = texel_map_of(texels::channel(sample), text)?;
            let text = text.to_owned();
            Ok(Map { text, stride: TEXEL, sample: Some(sample), returns, features, parameters })
        })
    }

    /// Makes the map of a texel to one of its components, or to as many channels as the letters name: `"r"`, `"rgb"`, `"a"`. They are one to
    /// four of `r`, `g`, `b`, `a`, or of `x`, `y`, `z`, `w`. Of depth only `r` is defined. The keys have the type of the samples: `f32`, `i32` or `u32`.
    ///
    /// # Errors
    ///
    /// The letters are no swizzle of WGSL.
    ///
    /// ```
    /// use halofold::Map;
    /// use halofold::wgpu::TextureSampleType;
    ///
    /// assert_eq!(Map::components(TextureSampleType::Uint, "rgb")?.channels(), 3);
    /// let error = Map::components(TextureSampleType::Uint, "rx").unwrap_err();
    /// assert!(error.to_string().contains("`rx` names no components"));
    /// # Ok::<_, halofold::Error>(())
    /// ```
    pub fn components(sample: TextureSampleType, letters: &str) -> Result<Self, Error> {
        let named = ["rgba", "xyzw"].iter().any(|set| letters.chars().all(|letter| set.contains(letter)));
        if !named || !(1..=4).contains(&letters.len()) {
            let remedy = "use one to four of r, g, b, a, or of x, y, z, w";
            return Err(Error::setting("components", format!("`{letters}` names no components: {remedy}")));
        }
        let channel = texels::channel(sample);
        let key =
            if letters.len() == 1 { channel.to_owned() } else { format!("vec{}<{channel}>", letters.len()) };
        let map = format!(
            "fn map_texel(texel: vec4<{channel}>, at: vec2<u32>) -> {key} {{ return texel.{letters}; }}"
        );
        Map::texels(sample, &map)
    }

    /// Makes the map of a texel of floats to its relative luminance: 0.2126 R + 0.7152 G + 0.0722 B, of linear colours with the primaries
    /// of Rec. 709 and sRGB.
    pub fn luminance() -> Self {
        let luminance = "dot(texel.rgb, vec3<f32>(0.2126, 0.7152, 0.0722))";
        let map = format!("fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> f32 {{ return {luminance}; }}");
        Map::texels(TextureSampleType::Float { filterable: false }, &map).expect("the map is halofold's own")
    }

    fn of(elem: Elem, wgsl: &str) -> Result<Self, Error> {
        shader::apart(wgsl, "_map_", &["Elem", "map"], |text| {
            let (returns, features, parameters) = map_of(elem, text)?;
            let (text, stride) = (elem.alias() + text, elem.stride());
            Ok(Map { text, stride, sample: None, returns, features, parameters })
        })
    }

    /// The bindings of group 0 that it takes: those of texels, and that of its parameters.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        let texels = self.sample.map(texels::slots).into_iter().flatten();
        texels.chain(self.parameters.map(|parameters| parameters.slot()))
    }

    /// Checks that the text of an operation that takes the map declares no parameters besides.
    pub(crate) fn check_beside(&self, declared: Option<Parameters>) -> Result<(), Error> {
        if declared.and(self.parameters).is_none() {
            return Ok(());
        }
        let message = "the operation and its map declare some: let the text of one declare all";
        Err(Error::setting("parameters", message))
    }

    /// The declarations for kernels that read texels: the type of their components, the map, and an element of what it returns. An
    /// operator may read the bits of a number as a number of another type, `wgsl`.
    pub(crate) fn of_texels(&self, wgsl: Option<&str>) -> Vec<Piece> {
        let Map { returns, sample, .. } = self;
        let channel = sample.map_or("f32", texels::channel);
        let (mapped, as_element) = match wgsl {
            Some(wgsl) if wgsl != returns => (wgsl, format!("bitcast<{wgsl}>(value)")),
            _ => (&**returns, "value".to_owned()),
        };
        let types = format!(
            "alias Channel = {channel};\nalias Mapped = {mapped};\n\n\
             fn as_element(value: {returns}) -> Mapped {{\n    return {as_element};\n}}"
        );
        vec![
            Piece::new("generated: a texel's types", types),
            Piece::foreign("the map of a texel", self.text.clone()),
        ]
    }

    /// The number of keys that it returns.
    pub fn channels(&self) -> u32 {
        let number = self.returns.strip_prefix("vec").and_then(|rest| rest.chars().next()?.to_digit(10));
        number.unwrap_or(1)
    }

    /// The type of an element, its map if there is one, and `visit`, which calls `count_in(channel, key, counter)` for each channel with the
    /// bits of a key of this type, `Word`. Without a map an element is its keys.
    pub(crate) fn visit(map: Option<&Map>, channels: u32, key: &str) -> Vec<Piece> {
        let word = if key == "f32" { "u32" } else { key };
        let (elem, keys) = match (map, channels) {
            (Some(map), _) if map.sample.is_some() => {
                (Piece::new("generated: a mapped texel", "alias Elem = Mapped;"), "elem")
            }
            (Some(map), _) => (Piece::foreign("the map", map.text.clone()), "map(elem, index)"),
            (None, 1) => (Piece::new("generated: an element", format!("alias Elem = {word};")), "elem"),
            (None, _) => {
                let fields: String =
                    (0..channels).map(|channel| format!("    key{channel}: {word},\n")).collect();
                (Piece::new("generated: an element", format!("struct Elem {{\n{fields}}}")), "elem")
            }
        };
        let bits = if map.is_some() && key != word { "bitcast<u32>" } else { "" };
        let calls = (0..channels).map(|channel| {
            let part = match (map, channels) {
                (_, 1) => String::new(),
                (Some(_), _) => format!("[{channel}]"),
                (None, _) => format!(".key{channel}"),
            };
            format!("    count_in({channel}u, {bits}(keys{part}), counter);\n")
        });
        let calls: String = calls.collect();
        let visit = format!(
            "alias Word = {word};\n\nfn visit(elem: Elem, index: u32, counter: ptr<function, Counter>) {{\n    let keys = {keys};\n{calls}}}"
        );
        vec![elem, Piece::new("generated: the keys of an element", visit)]
    }

    /// The extensions of WGSL that a module with this map enables.
    pub(crate) fn extensions(&self) -> &'static [&'static str] {
        if self.features.contains(Features::SHADER_F16) { &["f16"] } else { &[] }
    }

    /// Checks the type of its keys.
    pub(crate) fn returns(&self, needed: &'static str) -> Result<(), Error> {
        let vector = format!("vec{}<{needed}>", self.channels());
        let fits = [needed, &vector].contains(&&*self.returns);
        if fits { Ok(()) } else { Err(WgslError::Key { returns: self.returns.clone(), needed }.into()) }
    }

    /// Checks that a device can run it, and the composed kernel.
    pub(crate) fn check(&self, offered: Features, composed: &str) -> Result<(), Error> {
        let missing = self.features - offered;
        if !missing.is_empty() {
            return Err(FeatureError { what: "the map".to_owned(), features: missing }.into());
        }
        Ok(WgslError::unless_valid(composed)?)
    }
}

/// The error of texels for an operator that cannot read them, or of a map of elements in the place of one of texels.
pub(crate) fn texels_refused() -> Error {
    let message = "texels go with an operator of one input over f32, i32 or u32, or over a type of its own, and a map of texels \
                   (`Map::texels`)";
    Error::setting("texels", message)
}
