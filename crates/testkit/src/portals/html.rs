//! Functions for writing HTML. Callers write the tags, and must escape all texts with [`text`] or [`attribute`].

pub(crate) use htmlize::{escape_attribute as attribute, escape_text as text};

pub(crate) fn link(path: &str, label: &str) -> String {
    format!("<a href=\"{}\">{}</a>", attribute(path), text(label))
}

pub(crate) fn json(value: &str) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "\"\"".to_owned())
}

/// Writes one line of HTML per item.
pub(crate) fn each<T>(things: impl IntoIterator<Item = T>, mut line: impl FnMut(T) -> String) -> String {
    let mut out = String::with_capacity(1024);
    for thing in things {
        out += &line(thing);
        out.push('\n');
    }
    out
}

/// Replaces characters beyond ASCII with character references, by name or by number, as old content management systems
/// do.
pub(crate) fn references(escaped: &str) -> String {
    let mut out = String::with_capacity(escaped.len() + 64);
    for c in escaped.chars() {
        match c {
            '“' => out.push_str("&ldquo;"),
            '”' => out.push_str("&rdquo;"),
            '’' => out.push_str("&rsquo;"),
            '–' => out.push_str("&ndash;"),
            'á' => out.push_str("&aacute;"),
            'é' => out.push_str("&eacute;"),
            'ö' => out.push_str("&ouml;"),
            'ü' => out.push_str("&uuml;"),
            'ä' => out.push_str("&auml;"),
            c if c.is_ascii() => out.push(c),
            c => out += &format!("&#{};", c as u32),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_attributes_are_escaped() {
        assert_eq!(link("/a?b=1&c=\"", "x < y & z"), "<a href=\"/a?b=1&amp;c=&quot;\">x &lt; y &amp; z</a>");
    }

    #[test]
    fn references_use_names_where_they_exist() {
        assert_eq!(references("“é” ő"), "&ldquo;&eacute;&rdquo; &#337;");
    }
}
