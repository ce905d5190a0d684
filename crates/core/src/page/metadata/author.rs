//! Names of authors: "By ANNA NAGY and Béla Kis" is two persons, an address is none.

use super::month;
use crate::page::script::is_han_or_kana;

/// What stands before a name, in lower case.
const PREFIXES: &[&str] = &[
    "posted by",
    "reviewed by",
    "recipe by",
    "written by:",
    "written by",
    "story by",
    "words by",
    "text by",
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

/// Words that begin something else behind a name.
const ENDS: &[&str] = &[
    "published",
    "posted",
    "updated",
    "reviewed",
    "edited",
    "last",
    "medically",
    "publié",
    "publicado",
    "pubblicato",
    "veröffentlicht",
    "aktualisiert",
    "fact",
    "photos",
    "photography",
    "illustrations",
    "illustrated",
    "on",
    "for",
    "via",
    "at",
    "min",
    "read",
    "from",
    "is",
    "was",
    "has",
    "who",
    "about",
    "share",
    "follow",
    "editor:",
    "photo",
    "foto",
    "fotos",
];

/// Words that stand behind names, sometimes without a space.
const GLUED: &[&str] =
    &["Published", "Updated", "Posted", "January", "February", "November", "December", "Korrespondent"];

/// Words of what a person is, and not of a name.
const ROLES: &[&str] = &[
    "writer",
    "editor",
    "reporter",
    "contributor",
    "correspondent",
    "journalist",
    "columnist",
    "author",
    "staff",
    "senior",
    "sr",
    "junior",
    "founder",
    "cofounder",
    "ceo",
    "cto",
    "cmo",
    "cfo",
    "coo",
    "chief",
    "president",
    "director",
    "manager",
    "coordinator",
    "specialist",
    "strategist",
    "analyst",
    "engineer",
    "expert",
    "consultant",
    "head",
    "lead",
    "editorial",
    "producer",
    "professor",
    "educator",
    "officer",
    "developer",
    "designer",
    "redakteur",
    "redakteurin",
    "redaktion",
    "chefredakteur",
    "korrespondent",
    "korrespondentin",
    "volontär",
    "rédacteur",
    "rédactrice",
    "journaliste",
    "redactor",
    "redactora",
    "periodista",
    "giornalista",
    "redattore",
    "szerkesztő",
    "újságíró",
    "redaktor",
    "redaktorka",
    "dziennikarz",
    "dziennikarka",
    "журналист",
    "корреспондент",
    "редактор",
    "blogger",
    "certified",
    "licensed",
    "freelance",
    "horticulturalist",
    "dietitian",
    "nutritionist",
    "vp",
    "partner",
];

/// Words of organisations whose names have conjunctions in them.
const ORGANISATIONS: &[&str] = &[
    "Center for",
    "Centre for",
    "Institute",
    "Department",
    "University",
    "Ministry",
    "Office of",
    "Association",
    "Society",
    "Agency",
    "Administration",
    "Foundation",
    "Council",
];

/// Words within names that are in lower case.
const PARTICLES: &[&str] = &[
    "de", "da", "do", "dos", "das", "del", "della", "di", "du", "van", "von", "der", "den", "ter", "ten", "la", "le",
    "el", "al", "bin", "ibn", "y", "e", "af", "av", "zu", "zur", "vom", "the", "of", "and", "och", "og", "dr", "prof",
    "di", "lo",
];

/// Words that no name begins with.
const NO_FIRST_NAMES: &[&str] = &[
    "the",
    "a",
    "an",
    "in",
    "on",
    "our",
    "your",
    "this",
    "these",
    "how",
    "why",
    "what",
    "when",
    "my",
    "we",
    "it",
    "read",
    "more",
    "share",
    "subscribe",
    "click",
    "learn",
    "updated",
    "published",
    "posted",
    "fact",
    "last",
    "written",
    "released",
    "reviewed",
    "by",
    "signing",
    "clicking",
    "submitting",
    "continuing",
    "using",
    "all",
    "most",
    "popular",
    "category",
    "date",
    "country",
    "price",
    "brand",
    "topic",
    "type",
];

/// Words of sections, buttons and labels that are written like names.
const NO_NAMES: &[&str] = &[
    "news",
    "blog",
    "article",
    "articles",
    "read",
    "time",
    "min",
    "share",
    "home",
    "menu",
    "search",
    "latest",
    "more",
    "guide",
    "guides",
    "tips",
    "health",
    "business",
    "politics",
    "sports",
    "sport",
    "culture",
    "travel",
    "food",
    "technology",
    "tech",
    "science",
    "opinion",
    "reviews",
    "review",
    "best",
    "top",
    "featured",
    "category",
    "published",
    "updated",
    "posted",
    "by",
    "table",
    "contents",
    "subscribe",
    "newsletter",
    "comments",
    "comment",
    "facebook",
    "twitter",
    "linkedin",
    "instagram",
    "email",
    "print",
    "copy",
    "link",
    "save",
    "follow",
    "company",
    "product",
    "products",
    "marketing",
    "security",
    "software",
    "design",
    "data",
    "resources",
    "resource",
    "insights",
    "learning",
    "education",
    "finance",
    "personal",
    "photo",
    "photos",
    "image",
    "images",
    "video",
    "videos",
    "credit",
    "getty",
    "your",
    "you",
    "what",
    "how",
    "the",
    "to",
    "for",
    "with",
    "and",
    "in",
    "on",
    "of",
    "listen",
    "save",
    "view",
    "profile",
    "back",
    "next",
    "previous",
    "key",
    "takeaways",
    "summary",
    "about",
    "us",
    "contact",
    "press",
    "release",
    "story",
    "stories",
    "post",
    "posts",
    "all",
    "see",
    "team",
    "community",
    "world",
    "local",
    "life",
    "style",
    "lifestyle",
    "entertainment",
    "real",
    "estate",
    "cloud",
    "computing",
    "management",
    "services",
    "service",
    "digital",
    "social",
    "media",
    "online",
    "jump",
    "recipe",
    "recipes",
    "advertisement",
    "disclosure",
    "free",
    "customer",
    "success",
    "case",
    "study",
    "studies",
    "research",
    "report",
    "reports",
    "event",
    "events",
    "webinar",
    "artificial",
    "intelligence",
    "machine",
    "engineering",
    "development",
    "web",
    "mobile",
    "app",
    "apps",
    "small",
    "new",
    "york",
    "united",
    "states",
    "garden",
    "gardening",
    "home",
    "house",
    "kitchen",
    "diy",
    "family",
    "pets",
    "fitness",
    "training",
    "nutrition",
    "wellness",
    "beauty",
    "fashion",
    "shopping",
    "deals",
    "gifts",
    "wedding",
    "weddings",
    "car",
    "cars",
    "music",
    "film",
    "books",
    "art",
    "arts",
    "history",
    "nature",
    "environment",
    "climate",
    "energy",
    "money",
    "startup",
    "startups",
    "leadership",
    "career",
    "careers",
    "jobs",
    "hr",
    "seo",
    "ecommerce",
    "sales",
    "analytics",
    "aktuelles",
    "nachrichten",
    "güncelleme",
    "politik",
    "wirtschaft",
    "kultur",
    "startseite",
    "teilen",
    "actualités",
    "accueil",
    "noticias",
    "inicio",
    "notizie",
    "hírek",
    "zprávy",
    "wiadomości",
    "новости",
];

/// A longer text is no name.
const MAX_NAME_CHARS: usize = 80;
/// More authors are a list of something else.
pub(super) const MAX_AUTHORS: usize = 20;

/// The single names in texts that name one or more authors.
pub(super) fn cleaned(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        for name in split(head(without_prefix(text.trim()))) {
            let name = without_role(without_initials(head(without_prefix(bare(name)))));
            let is_known = |known: &String| known.to_lowercase() == name.to_lowercase();
            if is_name(name) && !names.iter().any(is_known) && names.len() < MAX_AUTHORS {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn bare(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || ",;|/-–—•·:&*".contains(c))
}

fn without_prefix(text: &str) -> &str {
    let text = text.trim_start_matches(['–', '—', '-', '|', ' ', '@']);
    for prefix in PREFIXES {
        let Some(start) = text.get(..prefix.len()) else { continue };
        if start.eq_ignore_ascii_case(prefix) || !prefix.is_ascii() && start.to_lowercase() == *prefix {
            let rest = &text[prefix.len()..];
            // "Vonnegut" doesn't begin with "von", and "von Trier" keeps it: a prefix of a name is in lower case.
            let ends = prefix.ends_with([':', '：', '／', '/'])
                || rest.starts_with(char::is_whitespace)
                || prefix.starts_with('記');
            // "di Luca Monaco" stands in a byline.
            let is_particle = matches!(start, "von" | "di") && rest.split_whitespace().count() < 2;
            let is_glued = matches!(start, "By" | "by") && rest.starts_with(char::is_uppercase);
            if ends && !is_particle || is_glued {
                return rest.trim_start();
            }
        }
    }
    text
}

/// The text up to a date, a time, a mark between unlike things, or a word that begins something else.
fn head(text: &str) -> &str {
    let mut end = text.len();
    let mut at = 0;
    for word in text.split_inclusive(|c: char| c.is_whitespace() || "•·⋅∙●|(".contains(c)) {
        let start = at;
        at += word.len();
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = plain.to_lowercase();
        let is_day = word.starts_with(|c: char| c.is_ascii_digit()) || is_weekday_or_month(plain, &text[at..]);
        if start == 0
            && is_day
            && !plain.chars().any(|c| c.is_alphabetic() && word.starts_with(|c: char| c.is_ascii_digit()))
        {
            return "";
        }
        // "Anna NagyPublished": elements without a space between.
        if let Some(glued) = GLUED.iter().find_map(|glued| word.find(glued).filter(|at| *at > 0)) {
            end = start + glued;
            break;
        }
        if start > 0 && (is_day || ENDS.contains(&lower.as_str())) {
            end = start;
            break;
        }
        if start + plain.len() > 0 && word.ends_with(['•', '⋅', '∙', '●', '(']) {
            end = at - word.chars().next_back().map_or(0, char::len_utf8);
            break;
        }
    }
    bare(&text[..end])
}

/// Whether a word is a month or the like, and a number or nothing more follows.
fn is_weekday_or_month(word: &str, rest: &str) -> bool {
    let rest = rest.trim_start();
    let is_before_number = rest.starts_with(|c: char| c.is_ascii_digit());
    is_before_number && (month::beginning(&word.to_lowercase()).is_some() || word.ends_with("day") || word.len() == 3)
}

/// At semicolons; else at conjunctions, slashes and those commas that stand between whole names.
fn split(text: &str) -> Vec<&str> {
    if text.contains([';', '|', '、', '，']) {
        return text.split([';', '|', '、', '，']).collect();
    }
    if ORGANISATIONS.iter().any(|word| text.contains(word)) {
        return vec![text];
    }
    let mut parts = vec![text];
    for conjunction in CONJUNCTIONS {
        parts = parts.into_iter().flat_map(|part| part.split(conjunction)).collect();
    }
    let parts: Vec<&str> = parts.into_iter().flat_map(|part| part.split(" / ")).collect();
    parts
        .into_iter()
        .flat_map(|part| {
            // "Nagy, Anna" is one name; "Anna Nagy, Budapest" names a place, "Anna Nagy, MD" what she is.
            let mut names = part.split(',').map(str::trim);
            let first = names.next().unwrap_or_default();
            if first.split_whitespace().count() < 2 {
                return vec![part];
            }
            let others = names.filter(|name| name.split_whitespace().count() >= 2 && !has_role(name));
            std::iter::once(first).chain(others).collect()
        })
        .collect()
}

/// "Anna Nagy Senior Editor", "Anna Nagy - Staff Writer": without what she is.
fn without_role(name: &str) -> &str {
    for separator in [" - ", " – ", " — ", ", "] {
        if let Some((person, role)) = name.split_once(separator)
            && person.split_whitespace().count() >= 2
            && (separator != ", " || has_role(role))
        {
            return bare(person);
        }
    }
    let mut at = 0;
    for (place, word) in name.split(' ').enumerate() {
        if place >= 2 && has_role(word) {
            // "Senior Food Editor" begins before the word that tells.
            return bare(&name[..at]);
        }
        at += word.len() + 1;
    }
    name
}

fn has_role(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|word| ROLES.contains(&word.to_lowercase().as_str()))
}

/// "AN Anna Nagy": without the letters of a picture that is missing.
fn without_initials(name: &str) -> &str {
    let Some((first, rest)) = name.split_once(' ') else { return name };
    let initials: String = rest.split(' ').filter_map(|word| word.chars().next()).take(first.chars().count()).collect();
    if first.chars().count() >= 2 && rest.contains(' ') && first == initials { rest } else { name }
}

fn is_name(name: &str) -> bool {
    let chars = name.chars().count();
    let lower = name.to_lowercase();
    (2..=MAX_NAME_CHARS).contains(&chars)
        && name.chars().any(char::is_alphabetic)
        && !name.contains("://")
        && !name.contains(['@', '{', '}', '<', '>', '=', '_'])
        && !name.starts_with("www.")
        && !name.starts_with('/')
        && !NOBODY.contains(&lower.as_str())
        && !is_path(name)
}

/// "page.head.extra.author": a variable that nobody has filled in.
fn is_path(name: &str) -> bool {
    !name.contains(' ') && name.matches('.').count() >= 3 && !name.ends_with('.')
}

/// Whether a text is in the form of a name: a few words with capitals, small ones between; or a few Han characters.
pub(super) fn is_like_a_name(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let chars = name.chars().count();
    if name.chars().any(is_han_or_kana) {
        return chars <= 12;
    }
    let is_capital = |word: &&str| word.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase);
    let is_particle = |word: &&str| PARTICLES.contains(word) || word.len() == 1;
    let has_strange =
        |word: &&str| word.contains([':', '!', '?', '"', '“', '…', '$', '%', '+', '#', '/', '→', '›', '»']);
    (1..=6).contains(&words.len())
        && chars <= 50
        && !words.iter().any(has_strange)
        && words.iter().all(|word| is_capital(word) || is_particle(word))
        && words.first().is_some_and(|word| is_capital(word) || is_particle(word))
        && !words.first().is_some_and(|word| NO_FIRST_NAMES.contains(&word.to_lowercase().as_str()))
}

/// Whether a text in the form of a name has no word that stands in sections, buttons and labels.
pub(super) fn is_like_a_person(name: &str) -> bool {
    !name
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| NO_NAMES.contains(&word.to_lowercase().as_str()) || ROLES.contains(&word.to_lowercase().as_str()))
        && !name.chars().any(|c| c.is_ascii_digit())
        && !name.split_whitespace().all(|word| word.chars().count() > 2 && !word.chars().any(char::is_lowercase))
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
            ("Anna Nagy Nov 20, 2026 7 min", vec!["Anna Nagy"]),
            ("Anna Nagy • November 20, 2026", vec!["Anna Nagy"]),
            ("Anna Nagy on Friday November 20", vec!["Anna Nagy"]),
            ("Anna Nagy Senior Food Editor", vec!["Anna Nagy"]),
            ("Anna Nagy, Founder of Bridges", vec!["Anna Nagy"]),
            ("Anna Nagy - Bridges Editorial Team", vec!["Anna Nagy"]),
            ("Anna Nagy and Béla Kis, Budapest", vec!["Anna Nagy", "Béla Kis"]),
            ("Written by: Anna Nagy Last updated: August 1", vec!["Anna Nagy"]),
            ("Anna Nagy, MD. Reviewed by Béla Kis, MD", vec!["Anna Nagy"]),
            ("AN Anna Nagy", vec!["Anna Nagy"]),
            ("Center for Drugs and Research", vec!["Center for Drugs and Research"]),
            ("page.head.extra.author", vec![]),
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
