//! 2D: a lane's part of a row, and the levels of a team.

use std::fmt::Write as _;

use super::{KINDS, Kind, Unrolled, each, repeated, returning, sides};
use crate::shader::Piece;

impl Unrolled {
    /// The text of `#import lane_layer` in 2D: a lane's part of a row, and the work on each of its packs.
    pub(crate) fn lane_row(self) -> Vec<Piece> {
        let packs = self.packs;
        let last = packs - 1;
        let row: Vec<_> = (0..packs).map(|i| format!("own.p{i}")).collect();
        let around = |i: u32| sides(&row, i as usize, "edges.west", "edges.east").join(" + ");
        let mut text = self.layer(|i| format!("fixed_cells.p{i} | Chosen(keeps)"), around);
        text += &repeated("FixedCells", packs, "p", "Chosen");
        text += &repeated("LayerSources", packs, "p", "PackSource");
        text += &self.layer_function("row_in_slot(slot: u32, y: u32, lane: u32)", |i| {
            format!("ring[slot + in_slot(y, {i}u, lane)]")
        });
        text += &self.layer_function("keep_ends(changed: Layer, same: Layer, ends: Ends)", |i| {
            let mut pack = format!("changed.p{i}");
            if i == 0 {
                pack = format!("keep_first({pack}, same.p{i}, ends.first)");
            }
            if i == last {
                pack = format!("keep_last({pack}, same.p{i}, ends.last)");
            }
            pack
        });
        text += &self.added_to(|i| {
            format!(
                "mirrored(addend(layer_source(l) * params.cols + sources.p{i}.at), sources.p{i}.reversed)"
            )
        });
        let places = each(packs, ", ", |i| format!("pack_source(c + {i} * LANES)"));
        let fixed_cells = each(packs, ", ", |i| format!("fixed_in_pack(sources.p{i})"));
        let stores = each(packs, "", |i| format!("    ring[slot + in_slot(y, {i}u, lane)] = row.p{i};\n"));
        let puts = each(packs, "", |i| {
            format!(
                "    if columns.begin <= c + {i} * LANES && c + {i} * LANES < columns.end {{\n        \
                 put_all(at + u32(c + {i} * LANES), row.p{i});\n    }}\n"
            )
        });
        text += &returning("layer_sources(c: i32)", "LayerSources", &places);
        text += &returning("fixed_cells_of(sources: LayerSources)", "FixedCells", &fixed_cells);
        let _ = write!(
            text,
            "fn first_cell(row: Layer) -> Elem {{\n    return first_of(row.p0);\n}}\n\n\
             fn last_cell(row: Layer) -> Elem {{\n    return last_of(row.p{last});\n}}\n\n\
             fn put_in_slot(slot: u32, y: u32, lane: u32, row: Layer) {{\n{stores}}}\n\n\
             fn put_row(columns: Span, at: u32, c: i32, row: Layer) {{\n{puts}}}\n"
        );
        vec![
            Piece::new(format!("generated: {packs} packs of a row in a lane"), text)
                .importing(
                "stencil/lanes/* stencil/ends/* stencil/shared/pack_ends stencil/shared/pack_sources stencil/shares/* stencil/shared/span stencil/exchange/ring",
            ),
        ]
    }

    /// The text of `#import team_levels`: a team's levels, a turn's rows, and the steps between them.
    pub(crate) fn team_levels(self) -> Vec<Piece> {
        let Unrolled { rows, levels, subgroups, .. } = self;
        let waiting = if subgroups { 0 } else { levels - 1 };
        let lag = self.lag();
        let mut text = format!(
            "const TURN: u32 = {rows}u;\nconst TURN_ROWS: i32 = {rows};\nconst LEVELS: i32 = {levels};\n\
             // Rows that a level lags behind the one before it.\nconst LAG: i32 = {lag};\n"
        );
        if !subgroups {
            let _ = writeln!(text, "const WAITING: u32 = {}u;", waiting.max(1));
        }
        text += "\n// The rows of one turn.\n";
        text += &repeated("TurnRows", rows, "r", "Layer");
        let members = each(levels, "", |l| format!("    l{l}: Level,\n"));
        let waits = each(waiting, "", |l| format!("    w{}: TurnRows,\n", l + 1));
        if waiting > 0 {
            text += "// Each level, and the rows that wait for a barrier in front of it.\n";
        }
        let _ = write!(text, "struct Levels {{\n{members}{waits}}}\n\n");
        text += "// A turn's result: the levels, and the rows that leave the last one.\n\
                 struct Advanced {\n    levels: Levels,\n    rows: TurnRows,\n}\n\n";
        for kind in &KINDS {
            text += &self.advance(kind);
        }
        text += &self.carrying();
        text += &self.feeding();
        vec![
            Piece::new(format!("generated: {levels} levels of a team, {rows} rows a turn"), text)
                .importing(
                "<lane_layer> stencil/exchange/ring stencil/shared/fetch_rows stencil/shared/span stencil/shared/stream stencil/shared/time_step",
            ),
        ]
    }

    /// A turn of a team: every row through every level.
    fn advance(self, kind: &Kind) -> String {
        let Unrolled { rows, levels, subgroups, .. } = self;
        let parameters = [
            "k: Weights",
            "levels: Levels",
            "arriving: TurnRows",
            "at: TeamPosition",
            "sources: LayerSources",
        ];
        let mut text = kind.head(&parameters, "Advanced");
        if subgroups {
            for y in 0..rows {
                for l in 0..levels {
                    text += &self.step(kind, l, y);
                }
            }
        } else {
            // A row that waits in front of a level is taken before the level behind it leaves another there.
            for l in (0..levels).rev() {
                for y in 0..rows {
                    text += &self.step(kind, l, y);
                }
            }
            for (l, y) in (1..levels).flat_map(|l| (0..rows).map(move |y| (l, y))) {
                let _ = writeln!(
                    text,
                    "    put_lane_ends(1u - at.half, {}u, {y}u, at.place, out{}_{y});",
                    l - 1,
                    l - 1
                );
            }
        }
        let rows_of = |l: u32| format!("TurnRows({})", each(rows, ", ", |y| format!("out{l}_{y}")));
        let mut members: Vec<_> = (0..levels).map(|l| format!("level{l}_{}", rows - 1)).collect();
        if !subgroups {
            members.extend((1..levels).map(|l| rows_of(l - 1)));
        }
        let (members, out) = (members.join(", "), rows_of(levels - 1));
        let _ = write!(text, "    return Advanced(Levels({members}), {out});\n}}\n\n");
        text
    }

    /// One row through one level: `out` goes to the next, `level` stays.
    fn step(self, kind: &Kind, l: u32, y: u32) -> String {
        let subgroups = self.subgroups;
        let level = if y == 0 { format!("levels.l{l}") } else { format!("level{l}_{}", y - 1) };
        let came = format!("at.row + {}", i64::from(y) - i64::from(l * self.lag())).replace("+ -", "- ");
        let (own, edges) = match (l, subgroups) {
            (0, true) => (format!("arriving.r{y}"), format!("edges_of(arriving.r{y})")),
            (_, true) => (format!("out{}_{y}", l - 1), format!("edges_of(out{}_{y})", l - 1)),
            (0, false) => (format!("arriving.r{y}"), format!("edges_in_slot(at.slot, {y}u, at.lane)")),
            (_, false) => (
                format!("levels.w{l}.r{y}"),
                format!("edges_of_lane_ends(at.half, {}u, {y}u, at.place)", l - 1),
            ),
        };
        // The cells that the next level needs of other lanes are on their way while this one begins its sums.
        let edges =
            if subgroups && l > 0 { String::new() } else { format!("    let edges{l}_{y} = {edges};\n") };
        let ahead = if subgroups && l + 1 < self.levels {
            format!("    let edges{}_{y} = edges_of(out{l}_{y});\n", l + 1)
        } else {
            String::new()
        };
        let given = format!("k, {level}, {own}, edges{l}_{y}");
        edges + &kind.step(&format!("{l}_{y}"), &came, &given, "sources", &ahead)
    }

    /// Rows that a level lags behind the one before it.
    fn lag(self) -> u32 {
        if self.subgroups { 1 } else { 1 + self.rows }
    }

    /// The rows of a turn from the ring, to the ring, and onto the grid.
    fn carrying(self) -> String {
        let rows = self.rows;
        let reads = each(rows, ", ", |y| format!("row_in_slot(slot, {y}u, lane)"));
        let stores = each(rows, "", |y| format!("    put_in_slot(slot, {y}u, lane, arriving.r{y});\n"));
        let puts = each(rows, "", |y| {
            format!(
                "    if rows.begin <= r + {y} && r + {y} < rows.end {{\n        \
                 put_row(columns, u32(r + {y}) * params.cols, c, arriving.r{y});\n    }}\n"
            )
        });
        returning("rows_in_slot(slot: u32, lane: u32)", "TurnRows", &reads)
            + &format!(
                "fn pass_rows(slot: u32, lane: u32, arriving: TurnRows) {{\n{stores}}}\n\n\
                 fn put_rows(rows: LayerRange, columns: Span, r: i32, c: i32, arriving: TurnRows) {{\n{puts}}}\n\n"
            )
    }

    /// The packs that an invocation fetches each turn.
    fn feeding(self) -> String {
        let fetches = (self.rows * self.packs).div_ceil(self.teams);
        let mut text = repeated("RowFetches", fetches, "e", "PackFetch");
        text += &repeated("FetchedPacks", fetches, "f", "Pack");
        let places = each(fetches, ", ", |i| format!("pack_fetch(place, {i}u, first_col)"));
        text += &returning("row_fetches(place: u32, first_col: i32)", "RowFetches", &places);
        let fetched = each(fetches, ", ", |i| format!("fetch_one(fetches.e{i}, row)"));
        text += &returning("fetch(fetches: RowFetches, row: i32)", "FetchedPacks", &fetched);
        let stages = each(fetches, "", |i| format!("    stage_one(fetches.e{i}, slot, fetched.f{i});\n"));
        let _ =
            write!(text, "fn stage(fetches: RowFetches, slot: u32, fetched: FetchedPacks) {{\n{stages}}}\n");
        text
    }
}
