//! Finds the end of an element whose content is not markup, such as `script` or `title`. The searches give the same
//! result as the RCDATA, RAWTEXT and script data states of the WHATWG tokenizer.

use memchr::{memchr, memchr_iter, memchr2};

use crate::tag::Tag;

/// The position of the end tag of `tag` from `start` on, or the end of the page.
pub(crate) fn end(bytes: &[u8], start: usize, tag: Tag) -> usize {
    let name = tag.name().unwrap_or_default().as_bytes();
    let mut tags = memchr_iter(b'<', &bytes[start..]).map(|at| start + at);
    tags.find(|at| is_end_tag(bytes, *at, name)).unwrap_or(bytes.len())
}

/// The position of the `</script` that ends a script beginning at `start`, or the end of the page.
///
/// Inside `<!--` (the "escaped" states), a `<script` hides the next `</script` ("double escaped"), until `-->`.
pub(crate) fn script_end(bytes: &[u8], start: usize) -> usize {
    let mut from = start;
    while let Some(i) = memchr(b'<', &bytes[from..]) {
        let at = from + i;
        if is_end_tag(bytes, at, b"script") {
            return at;
        }
        from = at + 1;
        if bytes[from..].starts_with(b"!--") {
            match escaped_end(bytes, at) {
                Escaped::Script(end) => return end,
                Escaped::Data(next) => from = next,
            }
        }
    }
    bytes.len()
}

/// Where the part of a script that begins with `<!--` ends.
enum Escaped {
    /// The script ends with it, at this position of `</script` or at the end of the page.
    Script(usize),
    /// It ends with `-->`, and the script continues at this position.
    Data(usize),
}

fn escaped_end(bytes: &[u8], opener: usize) -> Escaped {
    let mut double = false;
    let mut from = opener + 4;
    while let Some(at) = memchr2(b'<', b'>', &bytes[from..]).map(|at| from + at) {
        from = at + 1;
        if bytes[at] == b'>' {
            // The dashes of `<!--` can be those of `-->`, so `<!-->` is complete.
            if at >= opener + 4 && bytes[at - 2..at] == *b"--" {
                return Escaped::Data(from);
            }
        } else if is_end_tag(bytes, at, b"script") {
            if !double {
                return Escaped::Script(at);
            }
            double = false;
        } else if !double && is_name(bytes, at + 1, b"script") {
            double = true;
        }
    }
    Escaped::Script(bytes.len())
}

/// Whether the end tag of the element `name` begins at the `<` at `at`.
fn is_end_tag(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    bytes.get(at + 1) == Some(&b'/') && is_name(bytes, at + 2, name)
}

/// Whether the tag name at `at` is `name`, and ends with it.
fn is_name(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    bytes.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && bytes.get(at + name.len()).is_some_and(|end| end.is_ascii_whitespace() || matches!(end, b'/' | b'>'))
}
