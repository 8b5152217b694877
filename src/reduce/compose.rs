//! From a job and a stage to the WGSL of one dispatch.

use std::fmt::Write as _;

use wgpu::Features;

use crate::reduce::catalogue::{Coverage, Finish, Subgroups};
use crate::reduce::error::ReduceError;
use crate::reduce::plan::{Job, Stage};
use crate::shader::{self, Composer};

impl Job {
    /// Checks that a device with these features can run this job.
    ///
    /// # Errors
    ///
    /// Names the first feature that is missing, and what for.
    pub fn supported_by(&self, features: Features) -> Result<(), ReduceError> {
        let need = |needed: Features, what: &dyn Fn() -> String| {
            let missing = needed - features;
            if missing.is_empty() {
                Ok(())
            } else {
                Err(ReduceError::MissingFeature { what: what(), feature: missing })
            }
        };
        let accumulator = &self.accumulator;
        let pair = || format!("`{}` of {}", accumulator.operator, accumulator.element);
        need(accumulator.features(), &pair)?;
        if self.rung.subgroups == Subgroups::Required {
            need(Features::SUBGROUP, &|| format!("`{}`", self.rung.name))?;
            if !self.tuning.subgroups {
                return Err(ReduceError::SubgroupsDisabled { rung: self.rung.name });
            }
            need(accumulator.word_features(), &|| format!("`{}` with {}", self.rung.name, pair()))?;
        }
        match self.finish {
            Finish::LastWorkgroup => {
                need(accumulator.word_features(), &|| format!("`{}` with {}", self.finish, pair()))
            }
            Finish::Atomic => {
                let word =
                    accumulator.atomic(features).ok_or(ReduceError::NoAtomic { acc: accumulator.acc })?;
                need(word.features, &|| format!("an atomic word for {}", pair()))
            }
            _ => Ok(()),
        }
    }

    /// Whether its kernel uses subgroup operations on a device with these features.
    pub fn uses_subgroups(&self, features: Features) -> bool {
        match self.rung.subgroups {
            Subgroups::Unused => false,
            Subgroups::Required => true,
            Subgroups::Optional => {
                // Wider accumulators would travel word by word, which takes longer than the tree in workgroup memory.
                self.tuning.subgroups && features.contains(Features::SUBGROUP) && self.accumulator.size == 4
            }
        }
    }

    /// The WGSL of one stage: the kernel first, then all it refers to.
    ///
    /// The text is complete and valid wherever [`Job::supported_by`] agrees; the workgroup size is the
    /// override `WG`, a tile the override `TILE`.
    pub fn compose(&self, stage: Stage, features: Features) -> String {
        let mut composer = Composer::default();
        if self.accumulator.features().contains(Features::SHADER_F16) {
            composer.enable("f16");
        }
        let mut wanted = Vec::new();
        match stage {
            Stage::Seed | Stage::Seal => {
                composer.piece("shared/total_ends");
                wanted.push("total");
            }
            Stage::Elements | Stage::Partials => {
                composer.add(&format!("shaders/reduce/{}", self.rung.file), self.rung.kernel);
                wanted.extend(shader::uses(self.rung.kernel));
            }
        }
        composer.add("generated: types and operator", &self.types(features));
        composer.piece(self.accumulator.monoid());
        if let Some(order) = self.accumulator.order {
            composer.piece(order);
        }
        composer.piece("shared/io");
        if self.stores(stage) {
            composer.piece("shared/store");
        }
        composer.piece(if stage == Stage::Partials { "shared/partials" } else { "shared/elements" });
        let wanted = self.with_lanes(wanted, features);
        let in_words =
            |name: &&str| *name == "board" || name.starts_with("subgroup_") && self.accumulator.size > 4;
        if wanted.iter().any(in_words) {
            composer.piece(self.accumulator.words);
        }
        for name in wanted {
            self.add_shared(&mut composer, name, stage, features);
        }
        composer.finish()
    }

    /// The pipeline overrides of a stage's module.
    pub fn overrides(&self, stage: Stage) -> Vec<(&'static str, f64)> {
        match stage {
            Stage::Seed | Stage::Seal => Vec::new(),
            _ if matches!(self.rung.coverage, Coverage::Tiles(_)) => {
                vec![("WG", f64::from(self.tuning.workgroup_size)), ("TILE", f64::from(self.tuning.tile))]
            }
            _ => vec![("WG", f64::from(self.tuning.workgroup_size))],
        }
    }

    /// Whether a stage stores one result a workgroup, rather than posting or adding it.
    fn stores(&self, stage: Stage) -> bool {
        let workgroups = matches!(stage, Stage::Elements | Stage::Partials);
        workgroups && !matches!(self.finish, Finish::LastWorkgroup | Finish::Atomic)
    }

    /// The aliases and definitions every piece builds upon.
    fn types(&self, features: Features) -> String {
        let accumulator = &self.accumulator;
        let mut text = format!(
            "alias Elem = {};\nalias Acc = {};\nalias Stored = Acc;\n",
            accumulator.elem, accumulator.acc
        );
        let atomic = accumulator.atomic(features).filter(|_| self.finish == Finish::Atomic);
        if let Some(atomic) = atomic {
            let _ = writeln!(text, "alias Word = {};", atomic.word);
            if let Some(call) = atomic.native {
                let _ = writeln!(text, "fn native_atomic(acc: Acc) {{ {call}(&total[0], acc); }}");
            }
        }
        for definition in accumulator.definitions {
            text.push_str(definition);
        }
        text
    }

    /// Adds what reduces inside a subgroup, where a shared piece counts on it and the rung did not choose.
    fn with_lanes(&self, mut names: Vec<&'static str>, features: Features) -> Vec<&'static str> {
        let counts_on_lanes = names.iter().any(|name| ["workgroup_reduce", "last_steps"].contains(name));
        let chosen = names.iter().any(|name| name.starts_with("subgroup_"));
        if !self.uses_subgroups(features) {
            names.retain(|name| !name.starts_with("subgroup_"));
        } else if counts_on_lanes && !chosen {
            names.push("subgroup_native");
        }
        names
    }

    /// Adds the piece that a name of a `//! use` line stands for in this stage.
    fn add_shared(&self, composer: &mut Composer, name: &'static str, stage: Stage, features: Features) {
        let lanes = self.uses_subgroups(features);
        let pick = |with, without| if lanes { with } else { without };
        match name {
            "entry" => composer.piece(pick("shared/entry_subgroups", "shared/entry")),
            "workgroup_reduce" => composer.piece(pick("shared/workgroup_subgroups", "shared/workgroup_tree")),
            "last_steps" => composer.piece(pick("shared/last_steps_subgroups", "shared/last_steps_barriers")),
            "fold_vectors" if stage == Stage::Partials => composer.piece("shared/fold"),
            "fold" => composer.piece("shared/fold"),
            "fold_vectors" => {
                composer.piece("shared/vectors").piece("shared/map4").piece("shared/fold_vectors")
            }
            "unrolled_steps" => composer.piece("shared/unrolled_steps"),
            "unrolled_tree" => composer.piece("shared/unrolled_steps").piece("shared/unrolled_tree"),
            "board" => composer.piece("shared/board"),
            "total" => {
                let native = self.accumulator.atomic(features).is_some_and(|word| word.native.is_some());
                composer.piece(if native { "shared/total_native" } else { "shared/total_cas" })
            }
            "subgroup_native" => self.add_native(composer),
            "subgroup_shuffle" => self.add_tree(composer, "shared/subgroup_shuffle"),
            "subgroup_butterfly" => self.add_tree(composer, "shared/subgroup_butterfly"),
            other => unreachable!("the kernel `{}` uses `{other}`, which no piece provides", self.rung.name),
        };
    }

    fn add_native<'a>(&self, composer: &'a mut Composer) -> &'a mut Composer {
        match self.accumulator.subgroup {
            // Wider ones need a Vulkan feature that wgpu does not ask for, and Metal has none.
            Some(call) if self.accumulator.size == 4 => composer.add(
                "generated: the built-in subgroup reduction",
                &format!(
                    "fn subgroup_reduce(value: Acc, at: Place) -> Acc {{\n    return {call}(value);\n}}"
                ),
            ),
            _ => self.add_tree(composer, "shared/subgroup_shuffle"),
        }
    }

    /// Adds a tree of shuffles, and how an accumulator is shuffled.
    fn add_tree<'a>(&self, composer: &'a mut Composer, tree: &str) -> &'a mut Composer {
        composer.piece(tree);
        if self.accumulator.size == 4 {
            composer.piece("shared/shuffle_native")
        } else {
            composer.piece("shared/shuffle_words")
        }
    }
}
