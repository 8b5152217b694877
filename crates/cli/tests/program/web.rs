//! The page that the program writes is complete and fetches nothing. `scripts/test-web` runs it in a browser.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use halofold::ladder::RUNGS;

use crate::files::{Folder, assert_has, fine, names_in};

/// The module that the page holds. Its planner is fetched only by operations, which the page has none of.
const MODULE: &str = include_str!("../../../../js/halofold.js");

/// The files of a folder by name.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let text = |name: &String| fs::read_to_string(folder.join(name)).expect("text");
    names_in(folder).into_iter().map(|name| (name.clone(), text(&name))).collect()
}

/// The folders above the page are made, and a page that is there is replaced by the same one. It opens from a file, without a
/// network: nothing on it is fetched from elsewhere.
#[test]
fn the_page_is_written_twice_alike_and_fetches_nothing_from_elsewhere() {
    let folder = Folder::new("web");
    let page = folder.path("new/page");
    let [first, second] = [0, 1].map(|_| {
        fine(&["web", "-o", &page]);
        contents(Path::new(&page))
    });
    assert!(first["kernels.js"].contains("const HALOFOLD = "));
    assert!(first == second, "two runs write two pages");
    let page = first;
    let html = &page["index.html"];
    let scripts: Vec<_> =
        html.split("<script src=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(
        scripts.len() + 2,
        page.len(),
        "all files but the page and its style are its scripts: {scripts:?}"
    );
    assert!(scripts.iter().all(|script| page.contains_key(*script)), "{scripts:?}");
    assert!(page.values().map(String::len).sum::<usize>() < 670_000);
    // Said once; and controls that need a GPU are disabled without one.
    assert_eq!(page.values().map(|text| text.matches("othing is sent anywhere").count()).sum::<usize>(), 1);
    assert_has(html, &["<section aria-labelledby=\"heat-title\" class=\"needs-gpu\">"]);
    assert_has(&page["style.css"], &[".no-gpu .needs-gpu { display: none; }"]);
    assert_has(&page["kernels.js"], &["[\"bank\",", "NVIDIA H200"]);
    assert_eq!(html.matches("data-row=").count(), RUNGS.len(), "every rung has a chapter");
    assert!(
        html.contains(MODULE) && !html.contains("type=\"module\" src"),
        "browsers refuse modules from a file"
    );
    for (name, text) in page.iter().filter(|(name, _)| *name != "kernels.js") {
        for fetching in ["fetch(", "import(", "XMLHttpRequest", "src=\"http", "url(http", "sendBeacon"] {
            assert!(!text.replace(MODULE, "").contains(fetching), "{name}: {fetching}");
        }
    }
}
