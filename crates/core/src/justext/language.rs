//! Chooses the stoplist for a page. An expected language is first checked with its own stoplist, which costs next to
//! nothing. The detector runs only if that fails.
//!
//! The expected languages are that of the domain's pages so far and the one that the page declares. The text must
//! confirm both.

use goldminer_html::Paragraph;
use goldminer_html::text::language;

use super::Stoplist;

/// The language of a page with its stoplist.
///
/// ```
/// use goldminer_core::justext::language;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<p>?</p>".to_owned());
/// assert_eq!(language(page.paragraphs(), &["hu"]).stoplist.name(), "Hungarian");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PageLanguage {
    /// A BCP 47 primary subtag; None if neither the text nor the page shows the language.
    pub code: Option<String>,
    /// The stoplist of the language; [`Stoplist::none`] if the language has none.
    pub stoplist: &'static Stoplist,
}

/// The least share of stopwords that confirms a language. Stoplists are made so that about half of the words in running
/// text are stopwords; with the stoplist of an unrelated language, the share is less than half of that.
const CONFIRMED: f64 = 0.35;
/// The least share of stopwords that confirms a language which is given twice, by the domain's pages so far and by the
/// page itself. The low limit is for texts such as manuals full of command names. In an unrelated language, the share
/// is still lower.
const CONFIRMED_TWICE: f64 = 0.25;
/// To confirm a language, its share of stopwords must be higher than that of each related language by at least this
/// much.
const MARGIN: f64 = 0.05;
/// The fewest words for a meaningful share.
const MIN_WORDS: usize = 40;
/// The least share of characters in function words, for a language without spaces.
const CONFIRMED_SPACELESS: f64 = 0.08;

/// Languages that share so many words that a stoplist alone may confuse them.
const RELATED: &[&[&str]] = &[
    &["cs", "sk", "pl", "sl"],
    &["hr", "sr", "bs", "sl", "sh"],
    &["da", "nb", "nn", "sv"],
    &["es", "pt", "gl", "ca", "it", "oc"],
    &["fr", "oc", "ca"],
    &["nl", "af", "de"],
    &["ru", "uk", "be", "bg", "mk", "sr"],
    &["id", "ms", "jv"],
    &["hi", "mr", "ne"],
    &["ar", "fa", "ur"],
    &["tr", "az", "tk", "uz"],
    &["et", "fi"],
    &["zh", "ja"],
];

/// The language of a page's text. `expected` are primary subtags, the likeliest first. The last one counts as the
/// page's declaration, and is used if the text does not decide. A language that is given twice needs fewer stopwords.
///
/// ```
/// use goldminer_core::justext::language;
/// use goldminer_core::page::Page;
///
/// let text = "The council met on Monday and it asked the citizens what they thought of the bridge that it had built for them. ";
/// let page = Page::parse(format!("<p>{}", text.repeat(5)));
/// assert_eq!(language(page.paragraphs(), &[]).code.as_deref(), Some("en"));
/// ```
pub fn language(paragraphs: &[Paragraph], expected: &[&str]) -> PageLanguage {
    language_of(&language::sample(paragraphs), expected)
}

/// The language of a text of a few kilobytes; `expected` as in [`language()`].
pub(crate) fn language_of(sample: &str, expected: &[&str]) -> PageLanguage {
    for (at, code) in expected.iter().enumerate().filter(|(at, code)| !expected[..*at].contains(code)) {
        let is_declared_twice = expected[at + 1..].contains(code);
        if let Some(stoplist) = Stoplist::of_language(code)
            && is_confirmed(code, stoplist, sample, if is_declared_twice { CONFIRMED_TWICE } else { CONFIRMED })
        {
            return PageLanguage { code: Some((*code).to_owned()), stoplist };
        }
    }
    // If the text is too short to decide, use the language that the page declares.
    let code = language::detect(sample).or(expected.last().copied());
    let stoplist = code.and_then(Stoplist::of_language).unwrap_or_else(Stoplist::none);
    PageLanguage { code: code.map(str::to_owned), stoplist }
}

fn is_confirmed(code: &str, stoplist: &Stoplist, sample: &str, bar_of_words: f64) -> bool {
    let Some((stopwords, all)) = stoplist.count(sample) else { return false };
    let share = stopwords as f64 / all.max(1) as f64;
    let bar = if stoplist.is_spaceless() { CONFIRMED_SPACELESS } else { bar_of_words };
    let alike = relatives(code).filter(|other| other.is_spaceless() == stoplist.is_spaceless());
    share >= bar
        && all >= MIN_WORDS
        && alike.filter_map(|other| other.share(sample)).all(|other| other + MARGIN <= share)
}

/// The stoplists of the languages that are related to a language.
fn relatives(code: &str) -> impl Iterator<Item = &'static Stoplist> {
    let related = RELATED.iter().filter(move |group| group.contains(&code)).flat_map(|group| group.iter());
    related.filter(move |other| **other != code).filter_map(|other| Stoplist::of_language(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    const ENGLISH: &str = "The government will set aside money for pensioners in next year's budget, the prime minister said on \
        Friday. He told reporters that it was not yet clear how much of it would be needed, but that no one would have to wait \
        for the money, and that they would hear more about it after the holidays.";
    const SLOVAK: &str = "Vláda podľa premiéra v rozpočte na budúci rok vyčlení peniaze pre dôchodcov, uviedol v piatok po rokovaní. \
        Novinárom povedal, že ešte nie je jasné, koľko z toho bude treba, ale že nikto nebude musieť na peniaze čakať a že sa o tom \
        dozvedia viac po sviatkoch, keď sa zíde parlament a bude o návrhu hlasovať.";

    fn of(text: &str, expected: &[&str]) -> (Option<String>, &'static str) {
        let page = Page::parse(format!("<p>{text}"));
        let found = language(page.paragraphs(), expected);
        (found.code, found.stoplist.name())
    }

    #[test]
    fn an_expected_language_is_confirmed_by_its_stopwords() {
        assert_eq!(of(ENGLISH, &["en"]), (Some("en".to_owned()), "English"));
        assert_eq!(of(ENGLISH, &["hu", "en"]), (Some("en".to_owned()), "English"));
    }

    #[test]
    fn a_language_given_twice_needs_fewer_stopwords() {
        let manual = "Set `task.slots` in `conf/site.yaml` to the number of cores: `bin/start --slots 4 --memory 4096m` \
            starts a worker. Values of `io.buffer.size` below 32 kb raise ConfigException at startup, and workers log \
            WARN messages. Run `bin/stop --all --force` to stop every worker; `jps -lv` prints running Java processes.";
        let english = Stoplist::of_language("en").unwrap();
        assert!(is_confirmed("en", english, manual, CONFIRMED_TWICE));
        assert!(!is_confirmed("en", english, manual, CONFIRMED));
        assert_eq!(of(SLOVAK, &["en", "en"]).0.as_deref(), Some("sk"), "both may be wrong");
    }

    #[test]
    fn a_wrong_declared_language_is_not_used() {
        assert_eq!(of(ENGLISH, &["hu"]), (Some("en".to_owned()), "English"));
        assert_eq!(of(SLOVAK, &["cs"]).0.as_deref(), Some("sk"));
        assert_eq!(of(SLOVAK, &["en"]).0.as_deref(), Some("sk"));
    }

    #[test]
    fn without_enough_text_the_declared_language_is_used() {
        assert_eq!(of("Menu", &["hu"]), (Some("hu".to_owned()), "Hungarian"));
        assert_eq!(of("Menu", &[]), (None, "none"));
    }
}
