//! From an operator and a step to the WGSL of one dispatch.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use wgpu::Features;

use crate::reduce::Rung;
use crate::reducer::error::ReducerError;
use crate::reducer::monoid::{Arity, Monoid};
use crate::reducer::plan::Step;
use crate::shader::{self, Composer, piece};

/// Where a step's items come from, and where its values go.
impl Step {
    /// The kernel's text and its heading.
    fn kernel(self) -> (&'static str, &'static str) {
        match self {
            Step::Whole { .. } => {
                let rung = Rung::named("single-pass").expect("the rung is in the catalogue");
                ("shaders/reduce/single_pass.wgsl", rung.kernel)
            }
            Step::Segments | Step::Chunks | Step::Merge => {
                ("shaders/reducer/segments.wgsl", piece("reducer/segments"))
            }
        }
    }

    /// Whether it reads accumulators that an earlier dispatch left.
    pub(super) fn reads_partials(self) -> bool {
        self == Step::Merge
    }

    /// Whether it leaves accumulators for a later dispatch.
    pub(super) fn leaves_partials(self) -> bool {
        self == Step::Chunks
    }
}

impl Monoid {
    /// The WGSL of one step, as a device gets it: with subgroup operations, where they help, or without. Its entry point is
    /// `main`, its workgroup size the override `WG`.
    pub fn compose(&self, step: Step, subgroups: bool) -> String {
        Kernel { monoid: self, step, subgroups }.compose()
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
        self.subgroups && self.monoid.acc.is_word()
    }

    /// The slots of group 0 that the module declares.
    pub(super) fn slots(&self) -> Vec<u32> {
        let mut slots = vec![0, 1, 2];
        if !self.step.reads_partials() {
            slots.push(3);
            if self.monoid.arity() == Arity::Two {
                slots.extend([5, 6]);
            }
        }
        if matches!(self.step, Step::Whole { .. }) {
            slots.push(4);
        }
        slots
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
        let stored = if self.step.leaves_partials() { &acc.wgsl } else { &out.wgsl };
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
            "fold_vectors" | "fold_range" => self.add_loads(composer),
            "board" => composer
                .add("generated: an accumulator as words", &self.monoid.acc.words_piece())
                .piece("shared/board"),
            "bounds" => composer.piece("shared/bounds_fixed"),
            "deliver" if self.step.leaves_partials() => composer.piece("shared/deliver_partial"),
            "deliver" => composer.piece("shared/deliver_result"),
            other => unreachable!("the kernel of {:?} uses `{other}`, which no piece provides", self.step),
        };
    }

    /// Adds how items are read: the caller's elements as vectors, accumulators one by one.
    fn add_loads<'a>(&self, composer: &'a mut Composer) -> &'a mut Composer {
        if self.step.reads_partials() {
            return composer.piece("shared/partials").piece("shared/fold_range");
        }
        let pair = self.monoid.arity() == Arity::Two;
        let pick = |with, without| if pair { with } else { without };
        composer.piece(pick("shared/elements_pair", "shared/elements"));
        composer.piece(pick("shared/vectors_pair", "shared/vectors"));
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
        let in_teams = !matches!(self.step, Step::Whole { .. });
        if in_teams || self.monoid.subgroup.is_none() {
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
