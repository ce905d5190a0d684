//! Stoplists: the most frequent words of a language. The hundred lists of jusText come through the crate `justext`
//! (Pomikálek 2011, Belica 2013; made from Wikipedias); those of languages without spaces are our own.
//!
//! Each list is read once, on first use.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};

use super::spaced_words::SpacedWords;

/// The function words of one language.
///
/// ```
/// use goldminer_core::justext::Stoplist;
///
/// let german = Stoplist::of_language("de").unwrap();
/// assert_eq!(german.name(), "German");
/// assert!(german.share("das ist nicht das, was wir uns von ihm").unwrap() > 0.5);
/// ```
#[derive(Debug)]
pub struct Stoplist {
    name: &'static str,
    words: Words,
}

#[derive(Debug)]
enum Words {
    /// Words between white space, in lower case.
    Spaced(SpacedWords),
    /// Anywhere in the text.
    Spaceless(AhoCorasick),
    /// No list: the language is unknown, or none of ours.
    None,
}

impl Stoplist {
    /// The list of a language, by its BCP 47 tag (`hu`, `zh-TW`, `nb`).
    pub fn of_language(tag: &str) -> Option<&'static Self> {
        let subtag = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        let index = LANGUAGES.iter().position(|(code, _)| *code == subtag)?;
        Self::named(LANGUAGES[index].1)
    }

    /// A list by its name in jusText (`Hungarian`, `Norwegian_Bokmal`), or of ours (`Chinese`); case doesn't matter.
    pub fn named(name: &str) -> Option<&'static Self> {
        type Lists = Vec<(&'static str, OnceLock<Option<Stoplist>>)>;
        static LISTS: LazyLock<Lists> =
            LazyLock::new(|| Stoplist::names().map(|name| (name, OnceLock::new())).collect());
        let (name, list) = LISTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        list.get_or_init(|| Self::read(name)).as_ref()
    }

    /// No list: every paragraph passes the stopword test (the reference's language-independent mode).
    pub fn none() -> &'static Self {
        static NONE: Stoplist = Stoplist { name: "none", words: Words::None };
        &NONE
    }

    /// A list of one's own, for a language with spaces between its words, in lower case. Words with white space in them are on
    /// it, but no text has them.
    pub fn of_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        Self { name: "own", words: Words::Spaced(SpacedWords::of(words)) }
    }

    /// The words of a list whose language has spaces between them, in no order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.spaced().into_iter().flat_map(SpacedWords::words)
    }

    /// The names of all lists.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SPACELESS.iter().map(|(name, _)| *name).chain(justext::available_languages())
    }

    /// The list's name; `none` for no list.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether its language is written without spaces.
    pub fn is_spaceless(&self) -> bool {
        matches!(self.words, Words::Spaceless(_))
    }

    /// The share of stopwords in a text whose words are separated by spaces or newlines, or of characters in function
    /// words if words are not separated; nothing without a list.
    pub fn share(&self, text: &str) -> Option<f64> {
        self.count(text).map(|(stopwords, all)| stopwords as f64 / all.max(1) as f64)
    }

    /// Its words, if they are separated by spaces.
    pub(super) fn spaced(&self) -> Option<&SpacedWords> {
        match &self.words {
            Words::Spaced(words) => Some(words),
            Words::Spaceless(_) | Words::None => None,
        }
    }

    /// The number of stopwords in a text, and of all its words; of characters if words are not separated.
    pub(super) fn count(&self, text: &str) -> Option<(usize, usize)> {
        match &self.words {
            Words::Spaced(words) => Some(words.count(text)),
            Words::Spaceless(function_words) => {
                let covered = function_words.find_iter(text).map(|found| text[found.range()].chars().count());
                Some((covered.sum(), text.chars().count()))
            }
            Words::None => None,
        }
    }

    fn read(name: &'static str) -> Option<Self> {
        if let Some((_, function_words)) = SPACELESS.iter().find(|(spaceless, _)| *spaceless == name) {
            let automaton = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(function_words.split_ascii_whitespace())
                .ok()?;
            return Some(Self { name, words: Words::Spaceless(automaton) });
        }
        Some(Self { name, words: Words::Spaced(SpacedWords::of(justext::get_stoplist(name).ok()?)) })
    }
}

/// Function words of languages without spaces: particles, pronouns, conjunctions, auxiliaries.
const SPACELESS: &[(&str, &str)] = &[
    (
        "Chinese",
        "的 了 是 在 不 和 有 也 就 都 而 及 与 與 着 著 或 一 没 沒 我 你 他 她 它 们 們 这 這 那 此 其 之 于 於 以 为 為 被 把 将 將 \
         让 讓 对 對 从 從 到 向 由 但 却 卻 并 並 且 因 所 如 若 则 則 很 更 最 还 還 又 再 已 曾 会 會 能 可 要 应 應 该 該 吗 嗎 呢 \
         吧 啊 么 麼 什 谁 誰 哪 几 幾 个 個 说 說 后 後 上 中 下",
    ),
    (
        "Japanese",
        "は が を に で と も の から まで より へ や た て だ です ます した して する しました している いる ない ある こと この その \
         という として について など なら れる られ った",
    ),
    (
        "Thai",
        "ที่ และ ของ ใน เป็น การ มี ไม่ ให้ ได้ จะ ว่า กับ จาก นี้ นั้น แล้ว แต่ โดย หรือ ก็ ซึ่ง ไป มา อยู่ เมื่อ ถึง เพื่อ ความ ผู้ คือ ยัง \
         ต้อง กัน ด้วย เพราะ ถ้า อย่าง ทั้ง ขึ้น เขา เรา",
    ),
    ("Lao", "ທີ່ ແລະ ຂອງ ໃນ ເປັນ ການ ມີ ບໍ່ ໃຫ້ ໄດ້ ຈະ ວ່າ ກັບ ຈາກ ນີ້ ນັ້ນ ແລ້ວ ແຕ່ ໂດຍ ຫຼື ກໍ ຊຶ່ງ ໄປ ມາ ຢູ່ ເມື່ອ ເຖິງ ເພື່ອ ຄວາມ ຜູ້"),
    ("Khmer", "និង នៅ ជា មាន ដែល ក្នុង ការ បាន មិន ពី នេះ នោះ ដោយ ទៅ មក ឲ្យ ឱ្យ ថា ដើម្បី របស់ លើ ទេ ក៏ ហើយ ប៉ុន្តែ ឬ គឺ អ្នក"),
    ("Burmese", "သည် နှင့် ၏ ကို မှာ တွင် က များ ဖြစ် ရှိ ပြီး မှ အတွက် လည်း ခဲ့ မည် သော ဟု ၍ တယ် ပါ နိုင် ဖြင့် သူ ဒီ"),
];

/// BCP 47 primary subtags (and what the web uses in their place) with their lists.
const LANGUAGES: &[(&str, &str)] = &[
    ("af", "Afrikaans"),
    ("als", "Albanian"),
    ("an", "Aragonese"),
    ("ar", "Arabic"),
    ("ast", "Asturian"),
    ("az", "Azerbaijani"),
    ("be", "Belarusian"),
    ("bg", "Bulgarian"),
    ("bn", "Bengali"),
    ("bpy", "Bishnupriya_Manipuri"),
    ("br", "Breton"),
    ("bs", "Bosnian"),
    ("ca", "Catalan"),
    ("ceb", "Cebuano"),
    ("cs", "Czech"),
    ("cv", "Chuvash"),
    ("cy", "Welsh"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("eo", "Esperanto"),
    ("es", "Spanish"),
    ("et", "Estonian"),
    ("eu", "Basque"),
    ("fa", "Persian"),
    ("fi", "Finnish"),
    ("fil", "Tagalog"),
    ("fr", "French"),
    ("fy", "West_Frisian"),
    ("ga", "Irish"),
    ("gl", "Galician"),
    ("gu", "Gujarati"),
    ("he", "Hebrew"),
    ("hi", "Hindi"),
    ("hr", "Croatian"),
    ("ht", "Haitian"),
    ("hu", "Hungarian"),
    ("hy", "Armenian"),
    ("id", "Indonesian"),
    ("ig", "Igbo"),
    ("in", "Indonesian"),
    ("io", "Ido"),
    ("is", "Icelandic"),
    ("it", "Italian"),
    ("iw", "Hebrew"),
    ("ja", "Japanese"),
    ("jv", "Javanese"),
    ("ka", "Georgian"),
    ("kk", "Kazakh"),
    ("km", "Khmer"),
    ("kn", "Kannada"),
    ("ko", "Korean"),
    ("ku", "Kurdish"),
    ("ky", "Kyrgyz"),
    ("la", "Latin"),
    ("lb", "Luxembourgish"),
    ("lmo", "Lombard"),
    ("lo", "Lao"),
    ("lt", "Lithuanian"),
    ("lv", "Latvian"),
    ("mk", "Macedonian"),
    ("ml", "Malayalam"),
    ("mr", "Marathi"),
    ("ms", "Malay"),
    ("mt", "Maltese"),
    ("my", "Burmese"),
    ("nap", "Neapolitan"),
    ("nb", "Norwegian_Bokmal"),
    ("nds", "Low_Saxon"),
    ("ne", "Nepali"),
    ("new", "Newar"),
    ("nl", "Dutch"),
    ("nn", "Norwegian_Nynorsk"),
    ("no", "Norwegian_Bokmal"),
    ("oc", "Occitan"),
    ("pl", "Polish"),
    ("pms", "Piedmontese"),
    ("pnb", "Western_Panjabi"),
    ("pt", "Portuguese"),
    ("qu", "Quechua"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("rup", "Aromanian"),
    ("scn", "Sicilian"),
    ("sgs", "Samogitian"),
    ("sh", "Serbo_Croatian"),
    ("sk", "Slovak"),
    ("sl", "Slovenian"),
    ("sq", "Albanian"),
    ("sr", "Serbian"),
    ("su", "Sundanese"),
    ("sv", "Swedish"),
    ("sw", "Swahili"),
    ("ta", "Tamil"),
    ("te", "Telugu"),
    ("th", "Thai"),
    ("tk", "Turkmen"),
    ("tl", "Tagalog"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("ur", "Urdu"),
    ("uz", "Uzbek"),
    ("vi", "Vietnamese"),
    ("vo", "Volapuk"),
    ("wa", "Walloon"),
    ("war", "Waray_Waray"),
    ("yo", "Yoruba"),
    ("zh", "Chinese"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_list_with_words() {
        for (code, name) in LANGUAGES {
            let list = Stoplist::of_language(code).unwrap_or_else(|| panic!("{code}: no list {name}"));
            assert_eq!(list.name(), *name);
        }
    }

    #[test]
    fn words_of_any_length_are_counted_between_spaces_and_lines() {
        let list = Stoplist::of_words(["a", "the", "somewhat", "nevertheless", "ő"]);
        let words = [
            "a",
            "the",
            "THE",
            "somewhat",
            "somewhats",
            "nevertheless",
            "Nevertheless,",
            "ő",
            "Ő",
            "x",
            "",
            "ab\u{a0}c",
        ];
        for first in words {
            for second in words {
                for between in [" ", "\n", "  ", " \n"] {
                    let text = [first, second, "the", first].join(between);
                    let all: Vec<&str> = text.split([' ', '\n']).filter(|word| !word.is_empty()).collect();
                    let known = ["a", "the", "somewhat", "nevertheless", "ő"];
                    let stopwords = all.iter().filter(|word| known.contains(&&*word.to_lowercase())).count();
                    let count = list.count(&text).unwrap();
                    assert_eq!(count, (stopwords, all.len()), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn stopwords_are_counted_in_any_case_and_at_both_ends() {
        let english = Stoplist::named("English").unwrap();
        let count = |text: &str| english.count(text);
        assert_eq!(count("The cat  sat BETWEEN the\nThemselves throughout"), Some((4, 7)));
        assert_eq!((count(""), count(" "), count("the")), (Some((0, 0)), Some((0, 0)), Some((1, 1))));
        let russian = Stoplist::named("Russian").unwrap();
        assert_eq!(russian.count("И кот"), Some((1, 2)));
    }

    #[test]
    fn every_list_can_be_had_by_name() {
        assert!(Stoplist::names().count() >= 100);
        for name in Stoplist::names() {
            assert!(Stoplist::named(&name.to_lowercase()).is_some(), "{name}");
        }
        assert!(Stoplist::named("Klingon").is_none());
    }

    #[test]
    fn a_list_of_ones_own_counts_its_words_alone() {
        let own = Stoplist::of_words(["the", "Ő"]);
        assert_eq!(own.share("The cat and the dog"), Some(0.4));
        let mut words: Vec<&str> = own.words().collect();
        words.sort_unstable();
        assert_eq!((words, Stoplist::none().words().count()), (vec!["the", "ő"], 0));
    }

    #[test]
    fn tags_may_have_regions_and_any_case() {
        for (tag, name) in
            [("hu-HU", "Hungarian"), ("pt_BR", "Portuguese"), ("ZH-Hant-TW", "Chinese"), ("EN", "English")]
        {
            assert_eq!(Stoplist::of_language(tag).map(Stoplist::name), Some(name), "{tag}");
        }
        assert!(Stoplist::of_language("").is_none());
    }
}
