//! Names of authors: "By ANNA NAGY and Béla Kis" is two persons, an address is none.

/// What stands before a name, in lower case.
const PREFIXES: &[&str] = &[
    "posted by",
    "written by",
    "published by",
    "author:",
    "authors:",
    "by:",
    "by",
    "text:",
    "words:",
    "írta:",
    "írta",
    "szerző:",
    "szerzők:",
    "szöveg:",
    "von",
    "autor:",
    "autorin:",
    "autoren:",
    "par",
    "auteur:",
    "por",
    "autores:",
    "di",
    "autore:",
    "door",
    "auteurs:",
    "av",
    "af",
    "tekst:",
    "autor",
    "napsal",
    "автор:",
    "текст:",
    "作者：",
    "作者:",
    "文／",
    "文/",
    "記者",
];

/// What stands between two names.
const CONJUNCTIONS: &[&str] =
    &[" and ", " & ", " és ", " und ", " et ", " y ", " och ", " og ", " en ", " и ", " i ", " with "];

/// Names that a publishing system puts in where nobody is named.
const NOBODY: &[&str] = &[
    "admin",
    "administrator",
    "root",
    "editor",
    "webmaster",
    "user",
    "author",
    "unknown",
    "anonymous",
    "none",
    "null",
    "undefined",
];

/// A longer text is no name.
const MAX_NAME_CHARS: usize = 80;
/// More authors are a list of something else.
pub(super) const MAX_AUTHORS: usize = 20;

/// The single names in texts that name one or more authors.
pub(super) fn cleaned(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        for name in split(without_prefix(text.trim())) {
            let name = without_prefix(name.trim_matches(|c: char| c.is_whitespace() || ",;|/-–—•·:".contains(c)));
            if is_name(name) && !names.iter().any(|known| known.eq_ignore_ascii_case(name)) && names.len() < MAX_AUTHORS
            {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn without_prefix(text: &str) -> &str {
    let text = text.trim_start_matches(['–', '—', '-', '|', ' ', '@']);
    for prefix in PREFIXES {
        let Some(start) = text.get(..prefix.len()) else { continue };
        if start.to_lowercase() == *prefix || start.eq_ignore_ascii_case(prefix) {
            let rest = &text[prefix.len()..];
            // "Vonnegut" doesn't begin with "von", and "von Trier" keeps it: a prefix of a name is in lower case.
            let ends = prefix.ends_with([':', '：', '／', '/'])
                || rest.starts_with(char::is_whitespace)
                || prefix.starts_with('記');
            let particle = matches!(start, "von" | "di");
            if ends && !particle {
                return rest.trim_start();
            }
        }
    }
    text
}

/// At semicolons; else at conjunctions, slashes and those commas that stand between whole names.
fn split(text: &str) -> Vec<&str> {
    if text.contains([';', '|', '、', '，']) {
        return text.split([';', '|', '、', '，']).collect();
    }
    let mut parts = vec![text];
    for conjunction in CONJUNCTIONS {
        parts = parts.into_iter().flat_map(|part| part.split(conjunction)).collect();
    }
    let parts: Vec<&str> = parts.into_iter().flat_map(|part| part.split(" / ")).collect();
    parts
        .into_iter()
        .flat_map(|part| {
            // "Nagy, Anna" is one name.
            let whole = part.split(',').all(|name| name.split_whitespace().count() >= 2);
            if whole { part.split(',').collect::<Vec<_>>() } else { vec![part] }
        })
        .collect()
}

fn is_name(name: &str) -> bool {
    let chars = name.chars().count();
    (2..=MAX_NAME_CHARS).contains(&chars)
        && name.chars().any(char::is_alphabetic)
        && !name.contains("://")
        && !name.contains('@')
        && !name.starts_with("www.")
        && !name.starts_with('/')
        && !NOBODY.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_and_bare() {
        for (given, expected) in [
            ("By ANNA NAGY and Béla Kis", vec!["ANNA NAGY", "Béla Kis"]),
            ("Anna Nagy, Béla Kis & Cecil Day Lewis", vec!["Anna Nagy", "Béla Kis", "Cecil Day Lewis"]),
            ("Írta: Nagy Anna", vec!["Nagy Anna"]),
            ("Nagy, Anna", vec!["Nagy, Anna"]),
            ("Nagy, Anna; Kis, Béla", vec!["Nagy, Anna", "Kis, Béla"]),
            ("Von Lars von Trier", vec!["Lars von Trier"]),
            ("Kurt Vonnegut", vec!["Kurt Vonnegut"]),
            ("Bymarie Smith", vec!["Bymarie Smith"]),
            ("作者：王小明", vec!["王小明"]),
            ("https://social.example/anna", vec![]),
            ("anna@portal.example", vec![]),
            ("admin", vec![]),
            ("Anna Nagy Anna Nagy", vec!["Anna Nagy Anna Nagy"]),
        ] {
            assert_eq!(cleaned(&[given.to_owned()]), expected, "{given}");
        }
    }

    #[test]
    fn nobody_is_named_twice() {
        assert_eq!(cleaned(&["Anna Nagy".to_owned(), "ANNA NAGY".to_owned()]), ["Anna Nagy"]);
    }
}
