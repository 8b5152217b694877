//! Composing a kernel: pieces of text in, one WGSL module out.
//!
//! A kernel is made of whole files from `shaders/`, joined. Types and operators come in as aliases and
//! functions, scalars as pipeline overrides, so no text inside a piece is ever edited. A rung names the shared
//! pieces it wants in one line, `//! use NAME, NAME`, and the caller says which file each name stands for.

use std::fmt::Write as _;

/// Every piece by its path under `shaders/`, without the extension.
macro_rules! pieces {
    ($($name:literal),* $(,)?) => {
        const PIECES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../shaders/", $name, ".wgsl")))),*
        ];
    };
}

pieces![
    "histogram/clear",
    "histogram/io",
    "histogram/numbers",
    "histogram/ranges",
    "histogram/storage",
    "histogram/walk",
    "histogram/workgroup",
    "monoid/all",
    "monoid/and",
    "monoid/any",
    "monoid/arg_max",
    "monoid/arg_min",
    "monoid/count",
    "monoid/deviation",
    "monoid/dot",
    "monoid/exp_log_32",
    "monoid/exp_log_64",
    "monoid/first_best",
    "monoid/l1",
    "monoid/l2",
    "monoid/log_sum_exp",
    "monoid/max",
    "monoid/max_norm",
    "monoid/mean",
    "monoid/mean_integer",
    "monoid/min",
    "monoid/min_max",
    "monoid/moments",
    "monoid/or",
    "monoid/order_float",
    "monoid/order_integer",
    "monoid/product",
    "monoid/real",
    "monoid/real_32",
    "monoid/real_64",
    "monoid/sample_deviation",
    "monoid/sample_variance",
    "monoid/split_sum",
    "monoid/sum",
    "monoid/variance",
    "monoid/wide_product",
    "monoid/wide_sum",
    "monoid/xor",
    "reducer/accumulate",
    "reducer/columns",
    "reducer/length",
    "reducer/offsets",
    "reducer/segments",
    "shared/board",
    "shared/bounds_fixed",
    "shared/bounds_join",
    "shared/bounds_offsets",
    "shared/bounds_tiles",
    "shared/deliver_partial",
    "shared/deliver_result",
    "shared/elements",
    "shared/elements_adjoining",
    "shared/elements_pair",
    "shared/entry",
    "shared/entry_subgroups",
    "shared/fold",
    "shared/fold_range",
    "shared/fold_strided",
    "shared/fold_vectors",
    "shared/io",
    "shared/last_steps_barriers",
    "shared/last_steps_subgroups",
    "shared/map4",
    "shared/map4_pair",
    "shared/marks",
    "shared/partials",
    "shared/shuffle_native",
    "shared/shuffle_words",
    "shared/store",
    "shared/subgroup_butterfly",
    "shared/subgroup_shuffle",
    "shared/team_subgroups",
    "shared/team_tree",
    "shared/total_cas",
    "shared/total_ends",
    "shared/total_native",
    "shared/unrolled_steps",
    "shared/unrolled_tree",
    "shared/vectors",
    "shared/vectors_adjoining",
    "shared/vectors_pair",
    "shared/workgroup_subgroups",
    "shared/workgroup_tree",
    "stencil/2d/dir_fusion",
    "stencil/2d/dir_fusion_diag",
    "stencil/2d/dir_reg",
    "stencil/2d/dir_smem",
    "stencil/2d/direct_global",
    "stencil/2d/register_rows",
    "stencil/2d/sol_reg",
    "stencil/2d/sol_smem",
    "stencil/3d/dir_fusion",
    "stencil/3d/dir_fusion2",
    "stencil/3d/dir_smem",
    "stencil/3d/dir_unroll",
    "stencil/3d/direct_global",
    "stencil/3d/plane_sums",
    "stencil/3d/sol_smem",
    "stencil/3d/sol_unroll",
    "stencil/convergence",
    "stencil/halo",
    "stencil/points/box27",
    "stencil/points/star5",
    "stencil/residual",
    "stencil/shared/border",
    "stencil/shared/cells",
    "stencil/shared/direct2d",
    "stencil/shared/direct3d",
    "stencil/shared/grid2d",
    "stencil/shared/grid3d",
    "stencil/shared/halo_ring",
    "stencil/shared/halo_sides",
    "stencil/shared/lanes",
    "stencil/shared/outputs",
    "stencil/shared/overlapped2d",
    "stencil/shared/overlapped3d",
    "stencil/shared/params",
    "stencil/shared/plane_sweep",
    "stencil/shared/points27",
    "stencil/shared/star5",
    "stencil/shared/strip",
    "stencil/shared/tile2d",
    "words/one",
    "words/pair",
    "words/pair_wide",
    "words/two",
];

/// The text of a shared piece.
///
/// # Panics
///
/// If there is no such piece: names come from tables in this crate, and a test composes them all.
pub(crate) fn piece(name: &str) -> &'static str {
    PIECES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
        .unwrap_or_else(|| panic!("no shader piece named `{name}`"))
}

/// The names in a kernel's `//! use …` line; none if it has no such line.
pub(crate) fn uses(kernel: &'static str) -> impl Iterator<Item = &'static str> {
    kernel
        .lines()
        .find_map(|line| line.strip_prefix("//! use "))
        .into_iter()
        .flat_map(|names| names.split(',').map(str::trim))
}

/// A module under construction. Extensions come first, then everything in the order it was added.
#[derive(Default)]
pub(crate) struct Composer {
    extensions: Vec<&'static str>,
    body: String,
}

impl Composer {
    /// Enables a WGSL extension once.
    pub(crate) fn enable(&mut self, extension: &'static str) -> &mut Self {
        if !self.extensions.contains(&extension) {
            self.extensions.push(extension);
        }
        self
    }

    /// Adds text under a heading that tells a reader where it comes from.
    pub(crate) fn add(&mut self, heading: &str, text: &str) -> &mut Self {
        if !self.body.is_empty() {
            self.body.push('\n');
        }
        let _ = writeln!(self.body, "// ==== {heading}\n");
        self.body.push_str(text.trim_end());
        self.body.push('\n');
        self
    }

    /// Adds a shared piece by name.
    pub(crate) fn piece(&mut self, name: &str) -> &mut Self {
        self.add(&format!("shaders/{name}.wgsl"), piece(name))
    }

    /// The module's text.
    pub(crate) fn finish(&self) -> String {
        let mut text = String::with_capacity(self.body.len() + 32);
        for extension in &self.extensions {
            let _ = writeln!(text, "enable {extension};");
        }
        if !self.extensions.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.body);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_come_first_and_once() {
        let mut composer = Composer::default();
        composer.add("a", "const A: u32 = 1u;\n").enable("f16").add("b", "const B: u32 = 2u;").enable("f16");
        assert_eq!(
            composer.finish(),
            "enable f16;\n\n// ==== a\n\nconst A: u32 = 1u;\n\n// ==== b\n\nconst B: u32 = 2u;\n"
        );
    }

    #[test]
    fn the_use_line_is_read() {
        assert_eq!(
            uses("// essay\n//! use entry, fold\nfn kernel() {}").collect::<Vec<_>>(),
            ["entry", "fold"]
        );
        assert_eq!(uses("fn main() {}").count(), 0);
    }
}
