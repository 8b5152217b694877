//! Maps of elements, in WGSL, for operations whose kernels read what a map returns.

use wgpu::{Device, Features};

use crate::element::Element;
use crate::reduce::{Elem, MonoidError, map_of};
use crate::shader::{self, Piece};

/// A function of an element to its key, or to a key for each of two to four channels.
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
/// # Ok::<_, halofold::reduce::MonoidError>(())
/// ```
///
/// A histogram takes a map, or elements of several channels, or every k-th element:
///
/// ```
/// # use halofold::wgpu::Limits;
/// use halofold::histogram::{Config, Keys, Map};
///
/// let limits = Limits::default();
/// // The four channels of every 16th pixel in RGBA8.
/// let colours = Config::new(Keys::Numbers, 256, &limits).with_map(Map::bytes(), &limits).with_stride(16, 0);
/// // Between the levels 0, 1, 10 and 100; elements are interleaved: left, right, left, right.
/// let levels = Keys::Levels([0.0, 1.0, 10.0, 100.0].into());
/// let sound = Config::new(levels, 3, &limits).with_channels(2, &limits);
/// assert_eq!((colours.output(), sound.output()), (4 * 4 * 256, 4 * 2 * 3));
/// # assert!(colours.check(&limits).is_ok() && sound.check(&limits).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The declaration of `Elem`, unless it is in the text, and the text.
    text: String,
    stride: u64,
    /// The type that it returns.
    returns: String,
    features: Features,
}

impl Map {
    /// Makes a map from your WGSL: `fn map(elem: Elem, index: u32) -> Key`, and the functions that it calls.
    ///
    /// `Elem` is the element type, and `index` the element's number in the input. `Key` is a number, or a vector of two to four: the
    /// keys of as many channels. The operation says of which type: `u32` for [`histogram::Keys::Numbers`](crate::histogram::Keys),
    /// `f32` for the others. The text may declare functions, constants and types, but no variables outside functions. Each
    /// invocation runs it on its own. This call parses and checks it on the CPU.
    ///
    /// # Errors
    ///
    /// The error names the line of `wgsl` that is wrong.
    pub fn custom(element: Element, wgsl: &str) -> Result<Self, MonoidError> {
        Map::of(Elem::Number { element, wgsl: element.name() }, wgsl)
    }

    /// Makes a map of elements of your own type, which `wgsl` declares by the name `Elem`. `stride` is the number of bytes from one
    /// element to the next: that of `array<Elem>` in WGSL.
    ///
    /// # Errors
    ///
    /// The errors of [`Map::custom`], and [`MonoidError::Stride`].
    pub fn custom_struct(stride: u64, wgsl: &str) -> Result<Self, MonoidError> {
        Map::of(Elem::Declared { stride }, wgsl)
    }

    /// Makes the map of a word to its four bytes, the lowest first: the channels of a pixel in RGBA8, each with keys from 0 to 255.
    pub fn bytes() -> Self {
        let bytes = "(vec4(elem) >> vec4(0u, 8u, 16u, 24u)) & vec4(255u)";
        let text = format!("fn map(elem: Elem, index: u32) -> vec4<u32> {{\n    return {bytes};\n}}");
        Map::custom(Element::U32, &text).expect("the map is halofold's own")
    }

    fn of(elem: Elem, wgsl: &str) -> Result<Self, MonoidError> {
        let (returns, features) = map_of(elem, wgsl)?;
        Ok(Map { text: elem.alias() + wgsl, stride: elem.stride(), returns, features })
    }

    /// The number of keys that it returns.
    pub fn channels(&self) -> u32 {
        let number = self.returns.strip_prefix("vec").and_then(|rest| rest.chars().next()?.to_digit(10));
        number.unwrap_or(1)
    }

    /// Bytes from one element to the next.
    pub(crate) fn stride(&self) -> u64 {
        self.stride
    }

    /// The type of an element, its map if there is one, and `visit`, which calls `count_in(channel, key)` for each channel with the
    /// bits of a key of this type. Without a map an element is its keys, a word each.
    pub(crate) fn visit(map: Option<&Map>, channels: u32, key: &str) -> Vec<Piece> {
        let (elem, keys) = match (map, channels) {
            (Some(map), _) => (Piece::new("the map", map.text.clone()), "map(elem, index)"),
            (None, 1) => (Piece::new("generated: an element", "alias Elem = u32;"), "elem"),
            (None, _) => {
                let fields: String =
                    (0..channels).map(|channel| format!("    key{channel}: u32,\n")).collect();
                (Piece::new("generated: an element", format!("struct Elem {{\n{fields}}}")), "elem")
            }
        };
        let bits = if map.is_some() && key != "u32" { "bitcast<u32>" } else { "" };
        let calls = (0..channels).map(|channel| {
            let part = match (map, channels) {
                (_, 1) => String::new(),
                (Some(_), _) => format!("[{channel}]"),
                (None, _) => format!(".key{channel}"),
            };
            format!("    count_in({channel}u, {bits}(keys{part}));\n")
        });
        let calls: String = calls.collect();
        let visit = format!("fn visit(elem: Elem, index: u32) {{\n    let keys = {keys};\n{calls}}}");
        vec![elem, Piece::new("generated: the keys of an element", visit)]
    }

    /// The extensions of WGSL that a module with this map enables.
    pub(crate) fn extensions(&self) -> &'static [&'static str] {
        if self.features.contains(Features::SHADER_F16) { &["f16"] } else { &[] }
    }

    /// Checks the type of its keys.
    pub(crate) fn returns(&self, needed: &'static str) -> Result<(), MonoidError> {
        let vector = format!("vec{}<{needed}>", self.channels());
        let fits = [needed, &vector].contains(&&*self.returns);
        if fits { Ok(()) } else { Err(MonoidError::Key { returns: self.returns.clone(), needed }) }
    }

    /// Checks that a device can run it, and the composed kernel, so that no text that naga rejects reaches a device.
    pub(crate) fn check(&self, device: &Device, composed: &str) -> Result<(), MonoidError> {
        let missing = self.features - device.features();
        if !missing.is_empty() {
            return Err(MonoidError::MissingFeature(missing));
        }
        let valid = shader::validated(composed).map(drop);
        valid.map_err(|refusal| MonoidError::Composed(refusal.report))
    }
}
