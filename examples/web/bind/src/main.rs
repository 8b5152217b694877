//! Writes the JavaScript beside a wasm module, for a page: `bind MODULE.wasm FOLDER`.

fn main() {
    let [module, folder] = [1, 2].map(|nth| std::env::args().nth(nth).expect("a module and a folder"));
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(module).omit_default_module_path(false);
    let bound = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    bound.expect("a module that wasm-bindgen can read");
}
