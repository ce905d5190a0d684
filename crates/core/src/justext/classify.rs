//! Classifies a paragraph by itself, like `classify_paragraphs` of the Python package jusText.

use goldminer_html::Paragraph;
use goldminer_html::text::script::is_han_or_kana;

use super::{Class, Stoplist, Thresholds};

pub(super) fn class(paragraph: &Paragraph, stoplist: &Stoplist, thresholds: &Thresholds) -> Class {
    let spaceless = thresholds.spaceless.filter(|_| stoplist.is_spaceless());
    let length = match spaceless {
        Some(measure) => paragraph.chars + (measure.letters_per_character - 1) * wide_characters(&paragraph.text),
        None => paragraph.chars,
    };
    if paragraph.link_density() > thresholds.max_link_density || has_copyright_sign(&paragraph.text) {
        return Class::Bad;
    }
    if length < thresholds.length_low {
        return if paragraph.link_chars > 0 { Class::Bad } else { Class::Short };
    }
    let (low, high) = match spaceless {
        Some(measure) => (measure.stopwords_low, measure.stopwords_high),
        None => (thresholds.stopwords_low, thresholds.stopwords_high),
    };
    // Without a stoplist, every paragraph passes the test.
    let density = stoplist.share(&paragraph.text).unwrap_or(f64::INFINITY);
    if density >= high {
        if length > thresholds.length_high { Class::Good } else { Class::NearGood }
    } else if density >= low {
        Class::NearGood
    } else {
        Class::Bad
    }
}

fn has_copyright_sign(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(0xa9, b'&', bytes).any(|i| match bytes[i] {
        b'&' => bytes[i..].starts_with(b"&copy"),
        _ => i > 0 && bytes[i - 1] == 0xc2,
    })
}

/// The number of Han and kana characters, full-width forms and their punctuation.
fn wide_characters(text: &str) -> u32 {
    text.chars()
        .filter(|c| is_han_or_kana(*c) || matches!(c, '\u{3001}'..='\u{303f}' | '\u{ff01}'..='\u{ff60}'))
        .count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::{Page, Reading};

    fn class_of(html: &str, language: &str) -> Class {
        let page = Page::parse_as(html.to_owned(), Reading::Justext);
        let stoplist = Stoplist::of_language(language).unwrap_or_else(Stoplist::none);
        class(&page.paragraphs()[0], stoplist, &Thresholds::default())
    }

    /// 25 words, 11 of them stopwords, 130 characters.
    const TEXT: &str = "the house of the old man is on the hill and we can see it from here because the trees \
                        around stood taller once than they do today, big";

    #[test]
    fn much_text_with_many_stopwords_is_good() {
        assert_eq!(class_of(&format!("<p>{TEXT} {TEXT}"), "en"), Class::Good);
        assert_eq!(class_of(&format!("<p>{TEXT}"), "en"), Class::NearGood);
    }

    #[test]
    fn few_stopwords_are_boilerplate() {
        let list = "Budapest Debrecen Szeged Miskolc Győr Nyíregyháza Kecskemét Székesfehérvár Szombathely Szolnok";
        assert_eq!(class_of(&format!("<p>{list}"), "hu"), Class::Bad);
        assert_eq!(class_of(&format!("<p>{list}"), "no such language"), Class::NearGood);
    }

    #[test]
    fn links_and_copyright_signs_are_boilerplate() {
        assert_eq!(class_of(&format!("<p>{TEXT} {TEXT} &copy; 2026"), "en"), Class::Bad);
        assert_eq!(class_of(&format!("<p>{TEXT} {TEXT} &amp;copy 2026"), "en"), Class::Bad);
        assert_eq!(class_of(&format!("<p>{TEXT} <a href=x>{TEXT}</a>"), "en"), Class::Bad);
        assert_eq!(class_of("<p>see <a href=x>it</a>", "en"), Class::Bad);
        assert_eq!(class_of("<p>see it", "en"), Class::Short);
    }

    #[test]
    fn chinese_is_measured_by_characters() {
        let text = "市政府昨天宣布，将在今年之内修建三座新的桥梁，以缓解交通拥堵的问题。市长说，这个项目的资金已经到位，\
                    但是居民对施工期间的噪音仍然感到担心，他们希望能够在周末停工。";
        assert_eq!(class_of(&format!("<p>{text}"), "zh"), Class::Good);
        let menu = "首页新闻国际国内体育娱乐财经科技汽车房产教育旅游健康军事历史文化读书博客视频图片专题论坛微博邮箱";
        assert_eq!(class_of(&format!("<p>{menu}"), "zh"), Class::Bad);
    }
}
