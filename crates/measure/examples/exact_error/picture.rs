//! The picture: a panel for each way to sum, in each a line for each adapter, over logarithmic axes.

use std::fmt::Write as _;

use super::{Errors, KINDS, POWERS};

/// A panel's size, the left end of the first, from one to the next, and its upper end.
const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 52.0;
const NEXT: f64 = 216.0;
const TOP: f64 = 52.0;

/// The largest error that is drawn, and the smallest, as powers of ten. Below the smallest there is no error.
const DECADES: (i32, i32) = (0, 9);

/// Colours, by paper: paper, letters, grid, then lines.
const LIGHT: [&str; 8] =
    ["#fff", "#1d2126", "#e1e4e8", "#2f6fb5", "#d9822b", "#2e7d32", "#8e5bb5", "#b3261e"];
const DARK: [&str; 8] =
    ["#0d1117", "#e6e9ec", "#30363d", "#6aa9ee", "#f0b072", "#81c784", "#c79bea", "#ff8a80"];

/// Widths and dashes of lines that may lie on one another: the first is the widest.
const STROKES: [&str; 5] = [
    "6",
    "4\" stroke-dasharray=\"9 5",
    "2.5",
    "1.5\" stroke-dasharray=\"3 4",
    "1.5\" stroke-dasharray=\"1 5",
];

fn y(error: f64) -> f64 {
    let (least, most) = DECADES;
    let decade = if error == 0.0 { f64::from(least - 1) } else { error.log10().max(f64::from(least) - 0.5) };
    TOP + HEIGHT * (f64::from(most) - decade) / f64::from(most - least + 1)
}

fn x(number: usize) -> f64 {
    WIDTH * number as f64 / f64::from(POWERS.end() - POWERS.start())
}

/// The SVG.
pub fn draw(all: &[Errors], dark: bool) -> String {
    let colours = if dark { DARK } else { LIGHT };
    let [paper, letters, grid, ..] = colours;
    let (width, height) = (LEFT + 2.0 * NEXT + WIDTH + 16.0, TOP + HEIGHT + 40.0 + 18.0 * all.len() as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         fill=\"{letters}\" font-family=\"system-ui, Segoe UI, Helvetica, Arial, sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n\
         <text x=\"8\" y=\"18\" font-size=\"14\" font-weight=\"600\">\
         Error of the sum of n numbers that nearly cancel, in units in the last place</text>\n"
    );
    for (panel, (_, title)) in KINDS.iter().enumerate() {
        let left = LEFT + NEXT * panel as f64;
        let _ = writeln!(svg, "<text x=\"{left}\" y=\"{}\">{title}</text>", TOP - 10.0);
        svg += &axes(left, panel == 0, grid);
        for (number, errors) in all.iter().enumerate() {
            let points = errors.errors[panel].iter().enumerate();
            let points: Vec<_> =
                points.map(|(at, error)| format!("{:.1},{:.1}", left + x(at), y(*error))).collect();
            svg += &stroke(&format!("polyline points=\"{}\"", points.join(" ")), number, &colours);
        }
    }
    for (number, errors) in all.iter().enumerate() {
        let at = TOP + HEIGHT + 46.0 + 18.0 * number as f64;
        svg += &stroke(&format!("path d=\"M{LEFT} {}h44\"", at - 4.0), number, &colours);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{at}\">{}</text>", LEFT + 54.0, errors.adapter);
    }
    svg + "</svg>\n"
}

/// Lines across a panel and up it, with their labels.
fn axes(left: f64, is_first: bool, grid: &str) -> String {
    let (least, most) = DECADES;
    let mut svg = String::new();
    for decade in least - 1..=most {
        let (at, label) = if decade < least {
            (y(0.0), "none".to_owned())
        } else {
            (y(f64::powi(10.0, decade)), power(10, decade))
        };
        let _ = writeln!(svg, "<path d=\"M{left} {at:.1}h{WIDTH}\" stroke=\"{grid}\"/>");
        if is_first {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                left - 6.0,
                at + 4.0
            );
        }
    }
    for (number, exponent) in POWERS.enumerate().step_by(7) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            left + x(number),
            TOP + HEIGHT + 18.0,
            power(2, exponent as i32)
        );
    }
    svg
}

fn power(base: u32, exponent: i32) -> String {
    format!("{base}<tspan dy=\"-4\" font-size=\"9\">{exponent}</tspan>")
}

fn stroke(shape: &str, number: usize, colours: &[&str; 8]) -> String {
    let (colour, stroke) = (colours[3 + number % 5], STROKES[number % 5]);
    format!("<{shape} fill=\"none\" stroke=\"{colour}\" stroke-width=\"{stroke}\"/>\n")
}
