//! A chart as a file of its own: a title, the lines, a legend beside them, and the style.

use maud::{Markup, html};

use super::{Chart, Frame, Look, marks, px};

/// The picture, and the axes in it; the legend stands at their right, where it never covers a line.
const FRAME: Frame = Frame { size: (1080.0, 680.0), left: 72.0, right: 838.0, upper: 92.0, lower: 606.0 };

/// Top of the legend, and the distance from one entry to the next unless there are too many.
const LEGEND: (f64, f64) = (856.0, 24.0);

/// Length of the piece of each line that the legend shows: whole dashes.
const SAMPLE: f64 = 51.0;

/// Colours, strokes and letters.
const STYLE: &str = include_str!("picture.css");

/// The SVG of a chart. `legend` are groups of lines, a little apart.
pub fn picture(chart: &Chart, subtitle: &str, legend: &[Vec<(Look, String)>]) -> String {
    let (width, height) = FRAME.size;
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(chart.title) {
            style { (STYLE) }
            rect class="paper" width=(width) height=(height) {}
            text class="title" x=(width / 2.0) y="30" text-anchor="middle" { (chart.title) }
            text x=(width / 2.0) y="56" text-anchor="middle" { (subtitle) }
            (chart.drawn(&FRAME))
            (entries(legend))
        }
    };
    markup.into_string() + "\n"
}

fn entries(groups: &[Vec<(Look, String)>]) -> Markup {
    let (left, usual) = LEGEND;
    let count: usize = groups.iter().map(Vec::len).sum();
    // One more for the gap between the groups, and one for the space at the end.
    let step = usual.min((FRAME.lower - FRAME.upper) / (count as f64 + 2.0));
    let entries =
        groups.iter().enumerate().flat_map(|(gap, group)| group.iter().map(move |entry| (gap, entry)));
    html! {
        @for (number, (gap, (look, label))) in entries.enumerate() {
            @let y = FRAME.upper + step * (number as f64 + 0.5 * gap as f64);
            g class=(look.class) {
                polyline points=(format!("{left},{0} {1},{0}", px(y), left + SAMPLE)) {}
                (marks(look.marker, &[(left + SAMPLE / 2.0, y)]))
            }
            text x=(left + SAMPLE + 12.0) y=(px(y + 4.0)) { (label) }
        }
    }
}
