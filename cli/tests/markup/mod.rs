//! What the tests ask of SVG, wherever it is drawn.

/// Whether an SVG's elements are closed in the order in which they were opened, and its attributes quoted.
pub fn well_formed(svg: &str) -> bool {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let Some((tag, text)) = tag.split_once('>') else { return false };
        let name = tag.trim_matches('/').split_whitespace().next().unwrap_or_default();
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        let entities = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;"];
        let escaped =
            text.match_indices('&').all(|(at, _)| entities.iter().any(|e| text[at..].starts_with(e)));
        if tag.matches('"').count() % 2 != 0 || !escaped {
            return false;
        }
    }
    open.is_empty()
}
