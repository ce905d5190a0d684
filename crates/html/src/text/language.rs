//! Detects the language of a text with whatlang. Also reads the language that a page declares, which may be wrong.
//!
//! The detector needs one or two kilobytes of clean running text. It takes as long as all other parsing of a page (0.1
//! to 0.2 ms). So callers first try the stoplist (list of frequent words) of an expected language
//! (`justext::language`).

use std::borrow::Cow;

use whatlang::{Detector, Lang};

use super::script::is_spaceless;
use crate::{Page, Paragraph, Tag};

/// The most bytes of text that are used; more text does not make the result more certain.
const SAMPLE_BYTES: usize = 2_000;
/// The fewest characters of text that are used; with fewer, the detector only guesses.
const MIN_SAMPLE_CHARS: usize = 60;
/// The fewest characters in a long paragraph.
const MIN_LONG_CHARS: u32 = 80;
/// The largest fraction of characters in links in a paragraph with few links.
const MAX_LINKS: f64 = 0.3;

/// The language of a text as a BCP 47 primary subtag such as `hu`; None if the text is too short or the detector is
/// unsure.
///
/// ```
/// use goldminer_html::text::language::detect;
///
/// let text = "A tanács hétfőn ülést tartott a városházán, és megkérdezte a lakosokat a hídról. ".repeat(4);
/// assert_eq!(detect(&text), Some("hu"));
/// ```
pub fn detect(text: &str) -> Option<&'static str> {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    // Han, kana, Hangul, Thai and similar characters count four times, because a few of them show the language.
    let (spaced, wide) = sample.chars().fold((0, 0), |(spaced, wide), c| match c {
        '\u{ac00}'..='\u{d7af}' => (spaced, wide + 1),
        c if is_spaceless(c) => (spaced, wide + 1),
        _ => (spaced + 1, wide),
    });
    if spaced + 4 * wide < MIN_SAMPLE_CHARS {
        return None;
    }
    if let Some(language) = by_script(sample) {
        return Some(language);
    }
    let info = Detector::new().detect(sample)?;
    info.is_reliable().then(|| subtag_of(info.lang()))?
}

/// At most 2 kB of a page's long paragraphs with few links, as input for [`detect`]. If there is too little, other text
/// follows.
///
/// ```
/// use goldminer_html::Page;
/// use goldminer_html::text::language::sample;
///
/// let page = Page::parse("<p>It rained.".to_owned());
/// assert_eq!(sample(page.paragraphs()).trim(), "It rained.");
/// ```
pub fn sample(paragraphs: &[Paragraph]) -> String {
    let is_long = |p: &&Paragraph| p.chars >= MIN_LONG_CHARS && p.link_density() <= MAX_LINKS;
    let mut sample = String::with_capacity(SAMPLE_BYTES + 4);
    gather(&mut sample, paragraphs.iter().filter(is_long));
    if sample.chars().count() < MIN_SAMPLE_CHARS {
        gather(&mut sample, paragraphs.iter().filter(|p| !is_long(p)));
    }
    sample
}

impl Page {
    /// The primary subtag of the language that the page declares, or None. It is declared in `lang` of `<html>` or
    /// `<body>`, or in a `<meta>` such as `Content-Language` or `og:locale`.
    pub fn declared_language(&self) -> Option<String> {
        self.declared_languages().find_map(|tag| primary_subtag(&tag))
    }

    /// All language tags that the page declares in the places of [`Page::declared_language`], as written.
    pub fn declared_languages(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let root = self.elements_of(Tag::Html).chain(self.elements_of(Tag::Body)).take(2);
        let of_root = root.flat_map(|id| [self.attribute(id, "lang"), self.attribute(id, "xml:lang")]).flatten();
        of_root.chain(self.elements_of(Tag::Meta).filter_map(|id| {
            let known = ["content-language", "language", "og:locale", "dc.language"];
            let mut names = ["http-equiv", "name", "property"].iter().filter_map(|key| self.attribute(id, key));
            let names_language = names.any(|name| known.iter().any(|known| name.eq_ignore_ascii_case(known)));
            names_language.then(|| self.attribute(id, "content")).flatten()
        }))
    }
}

fn gather<'a>(sample: &mut String, paragraphs: impl Iterator<Item = &'a Paragraph>) {
    for paragraph in paragraphs {
        let room = SAMPLE_BYTES.saturating_sub(sample.len());
        if room == 0 {
            return;
        }
        sample.push_str(&paragraph.text[..paragraph.text.floor_char_boundary(room)]);
        sample.push('\n');
    }
}

/// The language of a text in Lao or Tibetan script, which whatlang does not know. Otherwise None.
fn by_script(sample: &str) -> Option<&'static str> {
    let (mut lao, mut tibetan, mut letters) = (0, 0, 0);
    for c in sample.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        match c {
            '\u{e80}'..='\u{eff}' => lao += 1,
            '\u{f00}'..='\u{fff}' => tibetan += 1,
            _ => {}
        }
    }
    [("lo", lao), ("bo", tibetan)].into_iter().find(|(_, count)| 2 * count > letters).map(|(language, _)| language)
}

fn primary_subtag(tag: &str) -> Option<String> {
    let subtag = tag.trim().split(['-', '_', ',', ' ']).next()?.to_ascii_lowercase();
    ((2..=3).contains(&subtag.len()) && subtag.bytes().all(|b| b.is_ascii_lowercase())).then_some(subtag)
}

/// The two-letter subtag of a whatlang language; None if it has none. Mandarin and Western Persian get the subtags of
/// Chinese and Persian.
fn subtag_of(language: Lang) -> Option<&'static str> {
    match language {
        Lang::Cmn => Some("zh"),
        Lang::Pes => Some("fa"),
        _ => isolang::Language::from_639_3(language.code())?.to_639_1(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_decides() {
        for (text, language) in [
            (
                "A miniszterelnök szerint a kormány a jövő évi költségvetésben külön összeget különít el a nyugdíjasoknak.",
                "hu",
            ),
            (
                "The government will set aside money for pensioners in next year's budget, the prime minister said on Friday.",
                "en",
            ),
            (
                "Vláda podle premiéra v rozpočtu na příští rok vyčlení peníze pro důchodce, uvedl v pátek po jednání kabinetu.",
                "cs",
            ),
            ("市政府昨天宣布，将在今年之内修建三座新的桥梁，以缓解交通拥堵的问题。", "zh"),
            ("市は昨日、交通渋滞を緩和するために今年中に三つの新しい橋を建設すると発表しました。", "ja"),
            ("รัฐบาลประกาศเมื่อวานนี้ว่าจะสร้างสะพานใหม่สามแห่งภายในปีนี้เพื่อบรรเทาปัญหาการจราจร", "th"),
        ] {
            assert_eq!(detect(text), Some(language), "{text}");
        }
    }

    #[test]
    fn every_language_of_the_detector_has_a_subtag_of_two_letters() {
        for language in Lang::all() {
            assert_eq!(subtag_of(*language).map(str::len), Some(2), "{language}");
        }
        let some = [Lang::Cmn, Lang::Pes, Lang::Nob, Lang::Lav, Lang::Ori, Lang::Swe].map(subtag_of);
        assert_eq!(some.map(Option::unwrap), ["zh", "fa", "nb", "lv", "or", "sv"]);
    }

    #[test]
    fn too_little_text_is_no_language() {
        assert_eq!(detect("Read more"), None);
        assert_eq!(detect(""), None);
        assert_eq!(detect(&"1234 ".repeat(100)), None);
    }

    #[test]
    fn declarations_have_many_forms() {
        for (html, language) in [
            ("<html lang=hu-HU>", Some("hu")),
            ("<html xml:lang='zh_TW'>", Some("zh")),
            ("<html lang=''><body lang=de>", Some("de")),
            ("<html><meta http-equiv=content-language content='en, de'>", Some("en")),
            ("<meta property=og:locale content=pt_BR>", Some("pt")),
            ("<html lang='{{lang}}'>", None),
            ("<html>", None),
        ] {
            assert_eq!(Page::parse(html.to_owned()).declared_language().as_deref(), language, "{html}");
        }
    }

    #[test]
    fn the_sample_is_long_text() {
        let prose =
            "This is a long sentence of running text, which goes on and on until it is long enough to be a sample.";
        let page = Page::parse(format!("<p>Menu<p><a href=x>{prose}</a><p>{prose}"));
        assert_eq!(sample(page.paragraphs()), format!("{prose}\n"));
        let page = Page::parse("<p>Menu<p>Home".to_owned());
        assert_eq!(sample(page.paragraphs()), "Menu\nHome\n");
    }
}
