//! Checks of everything that this browser's device can run, beside the CPU. They are those of the project's own tests.

use std::collections::BTreeSet;

use halofold::adapter::HELPFUL_FEATURES;
use halofold_cases::{End, Part, Scene, parts};
use wgpu::ErrorFilter;

use crate::{Error, Gpu, page};

/// Runs all of them, and fills the table of the page: a row for each part of halofold, with the numbers of cases that were right, that
/// the library refused because the device lacks a feature, and the cases that were wrong.
pub async fn run(gpu: &Gpu) -> Result<(), Error> {
    let scene = Scene::on((gpu.device.clone(), gpu.queue.clone()));
    // Browsers keep an adapter's name to themselves.
    for Part { title, cases } in parts("") {
        let mut row = Row::begin(title);
        for case in cases {
            row.run(&scene, &case.name, case.run(&scene)).await;
        }
        row.end();
    }
    page::say("status", "Done.");
    Ok(())
}

/// The cases of one part.
struct Row {
    title: &'static str,
    right: u32,
    refused: u32,
    /// The reasons of refusals.
    reasons: BTreeSet<&'static str>,
    wrong: Vec<String>,
}

impl Row {
    fn begin(title: &'static str) -> Self {
        page::say("status", &format!("{title} …"));
        Row { title, right: 0, refused: 0, reasons: BTreeSet::new(), wrong: Vec::new() }
    }

    /// Runs a case. A refusal has to name a feature that the device lacks, or say that a browser cannot wait; and the browser may not
    /// complain of anything.
    async fn run(&mut self, scene: &Scene, name: &str, case: impl Future<Output = End>) {
        let scope = scene.device.push_error_scope(ErrorFilter::Validation);
        let end = case.await;
        let wrong = match (end, scope.pop().await) {
            (_, Some(complaint)) => complaint.to_string(),
            (End::Right, None) => return self.right += 1,
            (End::Wrong(what), None) => what,
            (End::Refused(error), None) => {
                let missing = (HELPFUL_FEATURES - scene.device.features()).iter_names().map(|(name, _)| name);
                let known = missing.chain(["cannot wait"]).filter(|reason| error.contains(reason));
                let known = Vec::from_iter(known);
                if !known.is_empty() {
                    self.reasons.extend(known);
                    return self.refused += 1;
                }
                error
            }
        };
        self.wrong.push(format!("{name}: {}", wrong.replace('\n', " ")));
    }

    fn end(self) {
        let reasons = Vec::from_iter(self.reasons).join(", ");
        let refused = if self.refused > 0 { format!("{}: {reasons}", self.refused) } else { String::new() };
        let cells = [self.title.to_owned(), self.right.to_string(), refused, self.wrong.join("\n")];
        page::add_row("checks", &cells);
    }
}
