//! 3D: a lane's part of a plane, and the levels that a lane keeps.

use std::fmt::Write as _;

use super::{KINDS, Kind, Unrolled, each, returning, sides};
use crate::shader::Piece;

impl Unrolled {
    /// The text of `#import lane_layer` in 3D: a lane's part of a plane, a few rows one below the other.
    pub(crate) fn lane_plane(self) -> Vec<Piece> {
        let Unrolled { packs, strip, star, .. } = self;
        let column = |i: u32| i % packs;
        let row = |i: u32| i / packs;
        let sums = |i: u32| match star {
            true => format!("edges.around.p{i}"),
            false => format!("edges.around.p{i}, edges.diagonal.p{i}"),
        };
        let fixed = |i| format!("fixed_cells.c{} | Chosen(fixed_cells.r{} || keeps)", column(i), row(i));
        let mut text = self.layer(fixed, sums);
        let _ =
            write!(text, "const STRIP: u32 = {strip}u;\nconst EXCHANGED: u32 = {}u;\n\n", self.exchanged());
        // In 7 points the four diagonal neighbours do not count.
        let members =
            if star { "    around: Layer,\n" } else { "    around: Layer,\n    diagonal: Layer,\n" };
        let _ = write!(
            text,
            "// For each cell of a lane's part of a plane, the sum of the four cells around it, and that of the four\n\
             // diagonal ones.\nstruct Edges {{\n{members}}}\n\n"
        );
        let members = |of_columns: &str, of_rows: &str| {
            each(packs, "", |i| format!("    c{i}: {of_columns},\n"))
                + &each(strip, "", |j| format!("    r{j}: {of_rows},\n"))
        };
        let _ = write!(text, "struct FixedCells {{\n{}}}\n\n", members("Chosen", "bool"));
        let _ = write!(text, "struct LayerSources {{\n{}}}\n\n", members("PackSource", "u32"));
        let load = |function: &str, plane: &str, i: u32| {
            let (r, c) = (row(i), column(i));
            format!("mirrored({function}({plane} + sources.r{r} + sources.c{c}.at), sources.c{c}.reversed)")
        };
        text +=
            &self.layer_function("fetch(plane: u32, sources: LayerSources)", |i| load("pack", "plane", i));
        text += &self.added_to(|i| load("addend", "plane_start(l)", i));
        let each_both = |of_column: &dyn Fn(u32) -> String, of_row: &dyn Fn(u32) -> String| {
            each(packs, ", ", of_column) + ", " + &each(strip, ", ", of_row)
        };
        let places = each_both(&|i| format!("pack_source(c + {i} * LANES)"), &|j| {
            format!("line_of(r + {j}) * params.cols")
        });
        let fixed_cells = each_both(&|i| format!("fixed_in_pack(sources.c{i})"), &|j| {
            format!("is_fixed_line(sources.r{j} / params.cols)")
        });
        let puts = each(self.all(), "", |i| {
            let (r, c) = (row(i), column(i));
            format!(
                "    if writes(lines, r + {r}) && writes(columns, c + {c} * LANES) {{\n        \
                 put_all(plane + u32(r + {r}) * params.cols + u32(c + {c} * LANES), layer.p{i});\n    }}\n"
            )
        });
        text += &returning("layer_sources(r: i32, c: i32)", "LayerSources", &places);
        text += &returning("fixed_cells_of(sources: LayerSources)", "FixedCells", &fixed_cells);
        let _ = write!(
            text,
            "fn put_layer(lines: Span, columns: Span, plane: u32, r: i32, c: i32, layer: Layer) {{\n{puts}}}\n\n"
        );
        // Without shuffles all rows are exchanged, otherwise the first and the last.
        let exchanged = |y: u32| if y + 1 == self.exchanged() { strip - 1 } else { y };
        let shows = each(self.exchanged() * packs, "", |n| {
            let (y, i) = (row(n), column(n));
            format!(
                "    exchanged[exchanged_at(half, nth, {y}u, {i}u, place)] = layer.p{};\n",
                exchanged(y) * packs + i
            )
        });
        let _ =
            write!(text, "fn put_exchanged(half: u32, nth: u32, place: u32, layer: Layer) {{\n{shows}}}\n\n");
        text += &self.edges();
        vec![
            Piece::new(format!("generated: {strip} rows of {packs} packs of a plane in a lane"), text)
                .importing(
                "stencil/lanes/* stencil/ends/* stencil/shared/pack_ends stencil/shared/pack_sources stencil/shared/lines stencil/shares/* stencil/exchange/rows",
            ),
        ]
    }

    /// Rows of a plane that a lane stores for others: the first and the last; without shuffles all of them.
    pub(crate) fn exchanged(self) -> u32 {
        if self.subgroups { self.strip.min(2) } else { self.strip }
    }

    /// The sums over the neighbours in a plane. Each row's sums of west and east serve the rows beside it as well.
    fn edges(self) -> String {
        let Unrolled { strip, star, .. } = self;
        let mut text =
            "fn edges_of(own: Layer, half: u32, nth: u32, at: LanePosition) -> Edges {\n".to_owned();
        let rows: Vec<_> = (0..strip + 2).map(|j| self.neighbour_row(j, &mut text)).collect();
        for (j, packs) in rows.iter().enumerate() {
            let is_outer = j == 0 || j == rows.len() - 1;
            for i in (0..packs.len()).filter(|_| !(star && is_outer)) {
                let [before, behind] = sides(packs, i, &format!("w{j}"), &format!("e{j}"));
                let _ = writeln!(text, "    let h{j}_{i} = {before} + {behind};");
            }
        }
        let pack = |i: u32| ((i / self.packs) as usize, (i % self.packs) as usize);
        let around = each(self.all(), ", ", |i| {
            let (j, i) = pack(i);
            format!("({} + {}) + h{}_{i}", rows[j][i], rows[j + 2][i], j + 1)
        });
        let diagonal = each(self.all(), ", ", |i| {
            let (j, i) = pack(i);
            format!("h{j}_{i} + h{}_{i}", j + 2)
        });
        let layers = if star { vec![around] } else { vec![around, diagonal] };
        let layers: Vec<_> = layers.iter().map(|values| format!("Layer({values})")).collect();
        let _ = write!(text, "    return Edges({});\n}}\n\n", layers.join(", "));
        text
    }

    /// The packs of row `nth`, counted from the one before the lane's own. The cells before and behind them are `w` and `e` with its number.
    fn neighbour_row(self, nth: u32, text: &mut String) -> Vec<String> {
        let Unrolled { packs, strip, star, .. } = self;
        let (place, y) = match nth {
            0 => ("at.before", self.exchanged() - 1),
            _ if nth > strip => ("at.behind", 0),
            _ => ("at.place", nth - 1),
        };
        let exchanged =
            |i: u32, place: &str| format!("exchanged[exchanged_at(half, nth, {y}u, {i}u, {place})]");
        let is_own = place == "at.place";
        let pack = |i: u32| {
            if is_own {
                return format!("own.p{}", y * packs + i);
            }
            let _ = writeln!(text, "    let n{nth}_{i} = {};", exchanged(i, place));
            format!("n{nth}_{i}")
        };
        let row: Vec<_> = (0..packs).map(pack).collect();
        if star && !is_own {
            return row;
        }
        let last = packs - 1;
        let (west, east) = if self.subgroups {
            (
                format!("shift_up(last_of({}))", row[last as usize]),
                format!("shift_down(first_of({}))", row[0]),
            )
        } else {
            let (before, behind) = (format!("lane_before({place})"), format!("lane_behind({place})"));
            (format!("last_of({})", exchanged(last, &before)), format!("first_of({})", exchanged(0, &behind)))
        };
        let _ = write!(text, "    let w{nth} = {west};\n    let e{nth} = {east};\n");
        row
    }

    /// The text of `#import team_levels` in 3D: the levels of a lane, and the steps between them.
    pub(crate) fn plane_levels(self) -> Vec<Piece> {
        let Unrolled { levels, .. } = self;
        let members = each(levels, "", |l| format!("    l{l}: Level,\n    w{l}: Layer,\n"));
        let mut text = format!(
            "const LEVELS: i32 = {levels};\n\
             // Hot loops take two turns per iteration.\nconst IN_PAIRS: bool = {};\n\n\
             // Each level, and the layer that waits for a barrier in front of it.\nstruct Levels {{\n{members}}}\n\n",
            self.rows > 1
        );
        for kind in &KINDS {
            text += &self.plane_advance(kind);
        }
        vec![
            Piece::new(format!("generated: {levels} levels of a lane"), text)
                .importing("<lane_layer> stencil/exchange/rows stencil/shared/time_step"),
        ]
    }

    /// A turn: a plane through every level.
    fn plane_advance(self, kind: &Kind) -> String {
        let levels = self.levels;
        let parameters =
            ["k: Weights", "levels: Levels", "fetched: Layer", "at: LanePosition", "work: PlaneWork"];
        let mut text = kind.head(&parameters, "Levels");
        // The last level comes first: then a layer is no longer needed when the next one takes its place.
        for l in (0..levels).rev() {
            let came = format!("at.layer - {}", l * 2);
            let given = format!("k, levels.l{l}, levels.w{l}, edges{l}");
            let passed_on = match l + 1 {
                next if next == levels => format!("    put_plane(work, at, out{l});\n"),
                next => format!("    put_exchanged(1u - at.half, {next}u, at.place, out{l});\n"),
            };
            let _ = writeln!(text, "    let edges{l} = edges_of(levels.w{l}, at.half, {l}u, at);");
            text += &kind.step(&l.to_string(), &came, &given, "work.sources", &passed_on);
        }
        let made = |l: u32| l.checked_sub(1).map_or("fetched".to_owned(), |l| format!("out{l}"));
        let members = each(levels, ", ", |l| format!("level{l}, {}", made(l)));
        let _ = write!(
            text,
            "    put_exchanged(1u - at.half, 0u, at.place, fetched);\n    return Levels({members});\n}}\n\n"
        );
        text
    }
}
