//! Text for the registers of time-blocked kernels: WGSL has arrays, but not every compiler keeps them in registers,
//! and it has loops, but not every compiler unrolls them. So the text is made for the numbers of a kernel: packs and rows of a
//! lane, levels, rows a turn. The work on each of them is in `shaders/stencil/`; here it is only repeated.

mod planes;
mod rows;

use crate::stencil::strip::{each, repeated, returning};

/// The numbers that a text is written out for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unrolled {
    /// Packs of one row in a lane.
    pub(crate) packs: u32,
    /// Rows of a lane: one below the other in 3D, 1 in 2D.
    pub(crate) strip: u32,
    /// In 2D, rows between two barriers.
    pub(crate) rows: u32,
    /// Time levels of a team.
    pub(crate) levels: u32,
    /// Teams of a workgroup.
    pub(crate) teams: u32,
    /// True: lanes get their neighbours' cells by shuffles.
    pub(crate) subgroups: bool,
    /// True: there is a right-hand side.
    pub(crate) rhs: bool,
    /// True: the stencil has a centre and one class of cells around it.
    pub(crate) star: bool,
}

/// A form of a step in `shaders/stencil/shared/time_step.wgsl`.
struct Kind {
    place: &'static str,
    /// The end of its functions' names.
    suffix: &'static str,
    /// The parameter with the cells that are kept, and what a level's functions get of it for the layer that `came`.
    parameter: &'static str,
    special: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind { place: "inside the grid", suffix: "", parameter: "", special: "" },
    Kind {
        place: "with fixed cells along the layer",
        suffix: "_at_ends",
        parameter: "    ends: Ends,\n",
        special: ", ends",
    },
    Kind {
        place: "with a layer at a side",
        suffix: "_at_border",
        parameter: "    fixed_cells: FixedCells,\n",
        special: ", special_of(came, fixed_cells)",
    },
];

impl Kind {
    /// The beginning of the function that takes a turn, which calls every level's step of this kind.
    fn head(&self, parameters: &[&'static str], result: &str) -> String {
        let Kind { place, suffix, parameter, .. } = self;
        let parameters: String = parameters.iter().map(|parameter| format!("    {parameter},\n")).collect();
        format!(
            "// A turn {place}: every level takes what came and hands on what it completes.\n\
             fn advance{suffix}(\n{parameters}{parameter}) -> {result} {{\n"
        )
    }

    /// The layer that `came` through one level, by the numbers `at`: `out` goes to the next level, `level` stays, and `between` comes
    /// between the two.
    fn step(&self, at: &str, came: &str, given: &str, sources: &str, between: &str) -> String {
        let (suffix, special) = (self.suffix, self.special.replace("came", came));
        format!(
            "    let out{at} = out_of{suffix}({given}{special});\n{between}    \
             let level{at} = level_of{suffix}({given}, added_to({came}, {sources}){special});\n"
        )
    }
}

/// The neighbours of a pack to the west and to the east, given the row's packs and the cells before and behind them.
fn sides(row: &[String], nth: usize, west: &str, east: &str) -> [String; 2] {
    let own = &row[nth];
    let before = nth.checked_sub(1).map_or(west.to_owned(), |i| format!("last_of({})", row[i]));
    let behind = row.get(nth + 1).map_or(east.to_owned(), |next| format!("first_of({next})"));
    [format!("shift_from_west({before}, {own})"), format!("shift_from_east({own}, {behind})")]
}

impl Unrolled {
    /// Packs of one layer in a lane.
    fn all(self) -> u32 {
        self.packs * self.strip
    }

    /// A function whose result has one value for each pack of a layer.
    fn layer_function(self, head: &str, value: impl Fn(u32) -> String) -> String {
        let values = each(self.all(), "", |i| format!("        {},\n", value(i)));
        format!("fn {head} -> Layer {{\n    return Layer(\n{values}    );\n}}\n\n")
    }

    /// The function that loads a layer of the right-hand side, given the text that loads a pack of it. No sum uses the layer where there is none.
    fn added_to(self, load: impl Fn(u32) -> String) -> String {
        let value = |i| if self.rhs { load(i) } else { "Pack()".to_owned() };
        self.layer_function("added_to(l: i32, sources: LayerSources)", value)
    }

    /// The type of a layer, and the functions on each of its packs alone. `sums` are those of a pack's neighbours in its layer.
    fn layer(self, fixed_cells: impl Fn(u32) -> String, sums: impl Fn(u32) -> String) -> String {
        let mut text = format!("const PACKS: u32 = {}u;\n\n", self.packs);
        text += &repeated("Layer", self.all(), "p", "Pack");
        text += &self.layer_function("finish_layer(k: Weights, sum: Layer, behind: Layer)", |i| {
            format!("finish(k, sum.p{i}, behind.p{i})")
        });
        text += &self.layer_function("choose_layer(one: Layer, other: Layer, takes_other: bool)", |i| {
            format!("select(one.p{i}, other.p{i}, takes_other)")
        });
        let head = "keep_layer(changed: Layer, same: Layer, fixed_cells: FixedCells, keeps: bool)";
        text +=
            &self.layer_function(head, |i| format!("select(changed.p{i}, same.p{i}, {})", fixed_cells(i)));
        text += &self.layer_function("beside_layer(k: Weights, own: Layer, edges: Edges)", |i| {
            format!("beside(k, own.p{i}, {})", sums(i))
        });
        let head = "begin_layer(k: Weights, own: Layer, edges: Edges, before: Layer, added: Layer)";
        text += &self
            .layer_function(head, |i| format!("begin(k, own.p{i}, {}, before.p{i}, added.p{i})", sums(i)));
        text
    }
}
