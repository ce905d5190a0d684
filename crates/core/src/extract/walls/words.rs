//! The words of walls, in the languages of many portals: what calls to subscribe and questions for consent say. Nothing here
//! names a site or a vendor.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Longer paragraphs are text.
const MAX_CALL_BYTES: usize = 700;

/// Subscribing, registering, logging in.
const SUBSCRIBE: &[&str] = &[
    "subscri",
    "suscri",
    "suscríb",
    "abonn",
    "előfizet",
    "předplat",
    "predplat",
    "abbona",
    "assine",
    "assinante",
    "prenumer",
    "tilaa",
    "подпиш",
    "подписк",
    "подписчик",
    "підпис",
    "абонирай",
    "订阅",
    "訂閱",
    "購読",
    "会員",
    "會員",
    "구독",
    "log in",
    "sign in",
    "sign up",
    "register now",
    "registered users",
    "become a member",
    "members only",
    "anmelden",
    "registrieren",
    "jelentkezz be",
    "regisztrál",
    "connectez-vous",
    "přihlas",
    "zaloguj",
    "logg inn",
    "logga in",
    "accedi",
    "inicia sesión",
];

/// Reading on.
const READ_ON: &[&str] = &[
    "subscribe to read",
    "log in to read",
    "sign in to read",
    "register to read",
    "subscribers only",
    "read the rest",
    "read the full",
    "read the whole",
    "read this article",
    "read on",
    "keep reading",
    "continue reading",
    "full article",
    "full story",
    "whole article",
    "whole story",
    "rest of this",
    "rest of the article",
    "rest of the story",
    "unlimited access",
    "for full access",
    "weiterlesen",
    "weiter lesen",
    "ganzen artikel",
    "ganze artikel",
    "ganzen text",
    "vollständig",
    "tovább olvas",
    "továbbolvas",
    "teljes cikk",
    "teljes tartal",
    "teljes szöveg",
    "lire la suite",
    "article complet",
    "intégralité",
    "reste de l'article",
    "reste de cet article",
    "seguir leyendo",
    "sigue leyendo",
    "continuar leyendo",
    "artículo completo",
    "leggere tutto",
    "continua a leggere",
    "lees verder",
    "verder lezen",
    "hele artikel",
    "czytaj dalej",
    "czytać dalej",
    "cały artykuł",
    "celý článek",
    "číst dál",
    "celý článok",
    "continuar lendo",
    "continuar a ler",
    "artigo completo",
    "läs hela",
    "läsa hela",
    "läs vidare",
    "les hele",
    "læs hele",
    "læs videre",
    "lue koko",
    "читать далее",
    "читать полностью",
    "полный текст",
    "阅读全文",
    "閱讀全文",
    "继续阅读",
    "続きを読む",
    "全文を読む",
    "계속 읽",
];

/// What is subscribed to otherwise.
const LETTERS: &[&str] =
    &["newsletter", "hírlev", "youtube", "telegram", "podcast", "rss", "whatsapp", "instagram", "viber", "рассылк"];

/// What is often said beside it.
const LINES: &[&str] = &["e-mail", "email", "facebook", "twitter", "notification", "értesítés", "канал"];

/// Consent.
const CONSENT: &[&str] = &[
    "cookie",
    "süti",
    "gdpr",
    "rgpd",
    "dsgvo",
    "consent",
    "einwillig",
    "hozzájárul",
    "zgod",
    "souhlas",
    "samtyck",
    "согласи",
];

/// Names of elements, letters and digits alone.
const NAMES: &[&str] = &[
    "paywall",
    "regwall",
    "registrationwall",
    "softwall",
    "payfence",
    "subscriberonly",
    "subscribersonly",
    "subscriptionwall",
    "meteredwall",
    "premiumwall",
];

fn any(words: &[&str]) -> AhoCorasick {
    // Asked of a few short texts: what is built fast is fast enough.
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .ascii_case_insensitive(true)
        .build(words)
        .expect("a few short words")
}

/// What a paragraph says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    /// Nothing of the kind.
    None,
    /// To subscribe, or to log in.
    Subscribe,
    /// To do so in order to read on.
    ToReadOn,
}

/// What a paragraph calls for.
pub(super) fn call(text: &str) -> Call {
    static WORDS: LazyLock<[AhoCorasick; 4]> =
        LazyLock::new(|| [any(SUBSCRIBE), any(READ_ON), any(LETTERS), any(LINES)]);
    let [subscribe, read_on, letters, lines] = &*WORDS;
    if text.len() > MAX_CALL_BYTES {
        return Call::None;
    }
    // The case of ASCII makes no difference to them.
    let lower = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) };
    match () {
        () if !subscribe.is_match(&*lower) || letters.is_match(&*lower) => Call::None,
        () if read_on.is_match(&*lower) => Call::ToReadOn,
        () if lines.is_match(&*lower) => Call::None,
        () => Call::Subscribe,
    }
}

/// Whether a text speaks of consent.
pub(in crate::extract) fn speaks_of_consent(text: &str) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| any(CONSENT));
    WORDS.is_match(&text.to_lowercase())
}

/// Whether the name of an element says that it is a wall.
pub(super) fn names_wall(name: &str) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| any(NAMES));
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    WORDS.is_match(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_to_read_on_is_told_from_one_for_a_letter() {
        for text in [
            "Subscribe now to read the rest of this article.",
            "Dieser Artikel ist für Abonnenten. Jetzt weiterlesen!",
            "A teljes cikk előfizetőink számára érhető el.",
            "Cet article est réservé aux abonnés. Lire la suite",
            "Suscríbete para seguir leyendo",
            "Přihlaste se a přečtěte si celý článek",
            "この記事は会員限定です。続きを読む",
        ] {
            assert_eq!(call(text), Call::ToReadOn, "{text}");
        }
        assert_eq!(call("Subscribe for one coin a month"), Call::Subscribe);
        for text in [
            "Subscribe to our newsletter to read on",
            "Iratkozz fel hírlevelünkre",
            "It rained.",
            "The subscription of shares ended by e-mail",
        ] {
            assert_eq!(call(text), Call::None, "{text}");
        }
        assert!(names_wall("article__paywall--soft") && names_wall("js-RegWall") && !names_wall("story-wall"));
    }
}
