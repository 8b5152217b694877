//! From an operator and a step to the WGSL of one dispatch.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use wgpu::Features;

use crate::reduce::Rung;
use crate::reducer::error::ReducerError;
use crate::reducer::monoid::{Arity, Monoid};
use crate::reducer::plan::Step;
use crate::shader::{self, Composer, piece};

impl Step {
    /// The kernel's text and its heading.
    fn kernel(self) -> (&'static str, &'static str) {
        match self {
            Step::Whole { .. } | Step::Adjoining { .. } | Step::Strided => {
                let rung = Rung::named("single-pass").expect("the rung is in the catalogue");
                ("shaders/reduce/single_pass.wgsl", rung.kernel)
            }
            Step::Accumulate { .. } => ("shaders/reducer/accumulate.wgsl", piece("reducer/accumulate")),
            Step::Segments | Step::Chunks | Step::Merge => {
                ("shaders/reducer/segments.wgsl", piece("reducer/segments"))
            }
            Step::Offsets | Step::Tiles | Step::Join => {
                ("shaders/reducer/offsets.wgsl", piece("reducer/offsets"))
            }
            Step::Columns | Step::ColumnChunks | Step::ColumnMerge => {
                ("shaders/reducer/columns.wgsl", piece("reducer/columns"))
            }
        }
    }

    /// Whether it reads two windows, the second where the first ends.
    fn is_adjoining(self) -> bool {
        matches!(self, Step::Adjoining { .. })
    }

    /// Whether there is one result for all workgroups.
    fn has_one_result(self) -> bool {
        self.meets() || matches!(self, Step::Accumulate { .. })
    }

    /// Whether each invocation has a column of its own, so that there is nothing for lanes to exchange.
    fn is_columns(self) -> bool {
        matches!(self, Step::Columns | Step::ColumnChunks | Step::ColumnMerge)
    }

    /// Whether it reads elements that follow one another, four at a time.
    fn reads_vectors(self) -> bool {
        !self.reads_partials() && !self.is_columns() && self != Step::Strided
    }

    /// The piece that says what a slot's range is.
    fn bounds(self) -> &'static str {
        match self {
            Step::Offsets => "shared/bounds_offsets",
            Step::Tiles => "shared/bounds_tiles",
            Step::Join => "shared/bounds_join",
            _ => "shared/bounds_fixed",
        }
    }
}

impl Monoid {
    /// The WGSL of one step, as a device gets it: with subgroup operations, where they help, or without. Its entry point is
    /// `main`, its workgroup size the override `WG`. To look at: a [`Reducer`](crate::reducer::Reducer) composes its own.
    /// `None` for a step that the operator never has: [`Step::Accumulate`] if [`Monoid::accumulates`] is `None`,
    /// [`Step::Adjoining`] with two inputs.
    pub fn compose(&self, step: Step, subgroups: bool) -> Option<String> {
        let fits = match step {
            Step::Accumulate { .. } => self.atomic().is_some(),
            Step::Adjoining { .. } => self.arity() == Arity::One,
            _ => true,
        };
        fits.then(|| Kernel { monoid: self, step, subgroups }.compose())
    }
}

/// Text to be compiled for a device.
pub(super) struct Kernel<'a> {
    pub(super) monoid: &'a Monoid,
    pub(super) step: Step,
    /// Whether subgroup operations may be used.
    pub(super) subgroups: bool,
}

impl Kernel<'_> {
    /// Wider accumulators would travel word by word, which takes longer than the tree in workgroup memory.
    fn uses_subgroups(&self) -> bool {
        self.subgroups && self.monoid.acc.is_word() && !self.step.is_columns()
    }

    /// The slots of group 0 that the module declares.
    pub(super) fn slots(&self) -> Vec<u32> {
        let step = self.step;
        let pair = self.monoid.arity() == Arity::Two && !step.reads_partials() || self.step.is_adjoining();
        let needs = [
            (0, true),
            (1, true),
            (2, true),
            (3, step.reads_vectors()),
            (4, step.meets()),
            (5, pair),
            (6, pair && step.reads_vectors()),
            (7, matches!(step, Step::Offsets | Step::Tiles | Step::Join)),
            (8, step == Step::Offsets),
        ];
        needs.into_iter().filter_map(|(slot, needed)| needed.then_some(slot)).collect()
    }

    /// The WGSL: the kernel first, then all it refers to. Complete and valid wherever the operator's features are there.
    pub(super) fn compose(&self) -> String {
        let mut composer = Composer::default();
        if self.monoid.features().contains(Features::SHADER_F16) {
            composer.enable("f16");
        }
        let (heading, kernel) = self.step.kernel();
        composer.add(heading, kernel);
        self.add_operator(&mut composer);
        composer.piece("shared/io");
        for name in shader::uses(kernel) {
            self.add_shared(&mut composer, name);
        }
        self.add_lanes(&mut composer);
        composer.finish()
    }

    fn add_operator(&self, composer: &mut Composer) {
        let Monoid { elem, acc, out, .. } = self.monoid;
        let stored = match self.step {
            Step::Accumulate { .. } => format!("atomic<{}>", acc.wgsl),
            step if step.leaves_partials() => acc.wgsl.clone(),
            _ => out.wgsl.clone(),
        };
        composer.add(
            "generated: what the buffers hold",
            &format!("alias Elem = {elem};\nalias Stored = {stored};"),
        );
        for (heading, text) in &self.monoid.pieces {
            composer.add(heading, text);
        }
    }

    /// Adds the piece that a name of a `//! use` line stands for in this step.
    fn add_shared(&self, composer: &mut Composer, name: &'static str) {
        let lanes = self.uses_subgroups();
        let pick = |with, without| if lanes { with } else { without };
        match name {
            "entry" => composer.piece(pick("shared/entry_subgroups", "shared/entry")),
            "workgroup_reduce" => composer.piece(pick("shared/workgroup_subgroups", "shared/workgroup_tree")),
            "team" => composer.piece(pick("shared/team_subgroups", "shared/team_tree")),
            "fold_vectors" | "fold_range" | "elements" => self.add_loads(composer),
            "board" => composer
                .add("generated: an accumulator as words", &self.monoid.acc.words_piece())
                .piece("shared/board"),
            "bounds" if self.step.bounds() == "shared/bounds_fixed" => composer.piece("shared/bounds_fixed"),
            "bounds" => composer.piece("shared/marks").piece(self.step.bounds()),
            "accumulate" => self.add_atomic(composer),
            "deliver" if self.step.leaves_partials() => composer.piece("shared/deliver_partial"),
            "deliver" => composer.piece("shared/deliver_result"),
            other => unreachable!("the kernel of {:?} uses `{other}`, which no piece provides", self.step),
        };
    }

    /// Adds the one atomic operation that takes a workgroup's share to the output.
    fn add_atomic<'a>(&self, composer: &'a mut Composer) -> &'a mut Composer {
        let (call, _) = self.monoid.atomic().expect("a reducer is compiled only for what its operator has");
        let text = format!("fn accumulate(acc: Acc) {{\n    {call}(&output[0], acc);\n}}");
        composer.add("generated: the operator's atomic operation", &text)
    }

    /// Adds how items are read: the caller's elements as vectors where they lie side by side, others one by one.
    fn add_loads<'a>(&self, composer: &'a mut Composer) -> &'a mut Composer {
        let pair = self.monoid.arity() == Arity::Two;
        let pick = |with, without| if pair { with } else { without };
        if self.step.reads_partials() {
            composer.piece("shared/partials");
        } else if self.step.is_adjoining() {
            composer.piece("shared/elements_adjoining");
        } else {
            composer.piece(pick("shared/elements_pair", "shared/elements"));
        }
        match self.step {
            Step::Strided => return composer.piece("shared/fold_strided"),
            Step::Merge | Step::Join => return composer.piece("shared/fold_range"),
            step if step.is_columns() => return composer,
            _ => {}
        }
        composer.piece(match self.step {
            Step::Adjoining { .. } => "shared/vectors_adjoining",
            _ => pick("shared/vectors_pair", "shared/vectors"),
        });
        if !self.monoid.has_map4 {
            composer.piece(pick("shared/map4_pair", "shared/map4"));
        }
        composer.piece("shared/fold_vectors")
    }

    /// Adds what reduces inside a subgroup.
    fn add_lanes(&self, composer: &mut Composer) {
        if !self.uses_subgroups() {
            return;
        }
        if let Some(call) = self.monoid.subgroup {
            composer.add(
                "generated: the built-in subgroup reduction",
                &format!(
                    "fn subgroup_reduce(value: Acc, at: Place) -> Acc {{\n    return {call}(value);\n}}"
                ),
            );
        } else {
            composer.piece("shared/subgroup_shuffle");
        }
        if !self.step.has_one_result() || self.monoid.subgroup.is_none() {
            composer.piece("shared/shuffle_native");
        }
    }

    /// The composed text, validated if it contains a user's: nothing that naga refuses reaches a device.
    pub(super) fn checked(&self) -> Result<String, ReducerError> {
        let text = self.compose();
        if self.monoid.is_custom {
            let refused =
                |message: String| ReducerError::Composed { name: self.monoid.name().to_owned(), message };
            let module =
                naga::front::wgsl::parse_str(&text).map_err(|error| refused(error.emit_to_string(&text)))?;
            Validator::new(ValidationFlags::all(), Capabilities::all())
                .validate(&module)
                .map_err(|error| refused(error.emit_to_string(&text)))?;
        }
        Ok(text)
    }
}
