//! The page's HTML, with elements that the scripts fill.

use halofold::reduce::ladder::RUNGS;
use maud::{DOCTYPE, Markup, html};

/// Address of the project.
const HOME: &str = env!("CARGO_PKG_REPOSITORY");

/// The page with its scripts, the exported kernels before the others.
pub fn html(kernels: &str, scripts: &[&str]) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "halofold on your GPU" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="style.css";
            }
            body {
                header {
                    h1 {
                        "halofold on your GPU"
                        small { "How a sum becomes as fast as memory, in " (RUNGS.len()) " kernels that this page runs, verifies and explains" }
                    }
                    p class="lead" {
                        "Every kernel below is the WGSL of the library " a href=(HOME) { "halofold" } " " (env!("CARGO_PKG_VERSION"))
                        ", planned for what every WebGPU device has. Results are compared with JavaScript that computes them in \
                         another way: integers have to be exact, floats within a bound that follows from the elements. Everything runs in this tab; nothing is sent anywhere."
                    }
                    noscript { p class="bad" { "This page needs JavaScript: it is what talks to the GPU." } }
                }
                p id="status" role="status" { "Asking the browser for a GPU …" }
                dl id="facts" {}
                main { (ladder()) (heat()) (stencils()) (record()) }
                script src=(kernels) {}
                @for script in scripts { script src=(script) {} }
            }
        }
    }
}

fn ladder() -> Markup {
    html! {
        section aria-labelledby="ladder" {
            h2 id="ladder" { "The ladder" }
            p class="lead" {
                "From the first kernel of a tutorial to one dispatch at the speed of memory. Open a rung to read what it does, what it \
                 fixes over the rung before, what is still wrong, and the code that your browser is given."
            }
            div class="controls" {
                (choice("work", "operator"))
                (choice("length", "elements"))
                (choice("size", "workgroup"))
                label class="check" { input id="subgroups" type="checkbox" checked; "subgroups" }
                (button("run", "Run the ladder"))
            }
            p id="caption" class="note" {}
            div id="rows" class="chart" {}
        }
    }
}

fn heat() -> Markup {
    html! {
        section aria-labelledby="heat-title" class="needs-gpu" {
            h2 id="heat-title" { "Heat" }
            p class="lead" {
                "Draw with the mouse, a finger, or the arrow keys and the space bar. Each step makes every cell the mean of itself and \
                 its four neighbours; the rim stays cold. The kernel is that of the stencil chosen here."
            }
            canvas id="heat" tabindex="0" role="img" aria-label="A picture of heat that spreads; arrow keys draw" {}
            div class="controls" {
                button id="heat-run" class="main" type="button" disabled aria-pressed="false" { "Run" }
                button id="heat-clear" type="button" disabled { "Clear" }
                (choice("variant", "kernel"))
                label { span { "steps a picture: " output id="per-picture-text" { "16" } } input id="per-picture" type="range" min="0" max="10" step="1" value="4"; }
                output id="rate" {}
            }
        }
    }
}

fn stencils() -> Markup {
    html! {
        section aria-labelledby="stencils" {
            h2 id="stencils" { "The stencil of five points" }
            p class="lead" {
                "One Jacobi step by each kernel that makes one at a time, in GB/s of one read and one write a cell; the line is what a kernel that only copies reaches here."
            }
            div class="controls" { (choice("grid", "cells")) (button("run-stencils", "Run the stencils")) }
            div id="variants" class="chart columns" {}
        }
    }
}

fn record() -> Markup {
    html! {
        section aria-labelledby="record-title" {
            h2 id="record-title" { "The record" }
            p class="lead" {
                "What was measured here, as " code { "halofold report" } " and " code { "halofold compare" }
                " read it: side by side with other machines, and with what the same GPU does outside of a browser. \
                 To share it, add it to an issue or a pull request of the project."
            }
            div class="controls" {
                button id="copy" type="button" disabled { "Copy" }
                button id="download" type="button" disabled { "Download" }
            }
            pre id="record" tabindex="0" { "Nothing was measured yet." }
        }
    }
}

/// A list to choose from, filled by the scripts.
fn choice(id: &str, name: &str) -> Markup {
    html! { label { (name) select id=(id) {} } }
}

/// A button that starts something, of use once there is a GPU.
fn button(id: &str, text: &str) -> Markup {
    html! { button id=(id) class="main" type="button" disabled { (text) } }
}
