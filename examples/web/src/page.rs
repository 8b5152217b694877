//! The page: texts, rows of its table, and a picture.

use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, Document, Element, HtmlCanvasElement, ImageData, Window};

/// Of `index.html`, which is loaded before this program.
const THERE: &str = "the page has it";

fn window() -> Window {
    web_sys::window().expect(THERE)
}

fn document() -> Document {
    window().document().expect(THERE)
}

fn place(id: &str) -> Element {
    document().get_element_by_id(id).expect(THERE)
}

/// The part of the page's address that begins with `?`, or nothing.
pub fn query() -> String {
    window().location().search().expect(THERE)
}

/// Replaces a text.
pub fn say(id: &str, text: &str) {
    place(id).set_text_content(Some(text));
}

/// Adds a row to a table.
pub fn add_row(id: &str, cells: &[String]) {
    let row = document().create_element("tr").expect(THERE);
    for text in cells {
        let cell = document().create_element("td").expect(THERE);
        cell.set_text_content(Some(text));
        row.append_child(&cell).expect(THERE);
    }
    place(id).append_child(&row).expect(THERE);
}

/// Draws temperatures from 0 to 1, in rows of `side`, from black over red and yellow to white.
pub fn draw(id: &str, side: u32, cells: &[f32]) {
    let colour = |cell: &f32| [0.0, 1.0, 2.0].map(|channel| ((3.0 * cell - channel) * 255.0) as u8);
    let pixels: Vec<u8> = cells
        .iter()
        .flat_map(|cell| {
            let [red, green, blue] = colour(cell);
            [red, green, blue, 255]
        })
        .collect();
    let picture = ImageData::new_with_u8_clamped_array(Clamped(&pixels), side).expect("whole rows");
    let canvas: HtmlCanvasElement = place(id).dyn_into().expect(THERE);
    let context = canvas.get_context("2d").ok().flatten().expect(THERE);
    let context: CanvasRenderingContext2d = context.dyn_into().expect(THERE);
    context.put_image_data(&picture, 0.0, 0.0).expect(THERE);
}
