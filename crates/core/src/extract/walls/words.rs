//! Recognises calls to subscribe, texts about consent, and classes of paywalls, by their words.

use std::borrow::Cow;

use crate::phrases::{Categories, PHRASES, category};

/// The most bytes in a call to subscribe; longer paragraphs are text.
const MAX_CALL_BYTES: usize = 700;

/// Words for subscribing, registering, logging in; then (`READ_ON`) words for reading on.
const SUBSCRIBE: Categories = category("wall/subscribe");
const READ_ON: Categories = category("wall/read on");
/// Words for other things to subscribe to, such as a podcast; then (`LINE`) words that are common beside these.
const LETTER: Categories = category("wall/letter");
const LINE: Categories = category("wall/line");
const CONSENT: Categories = category("wall/consent");
/// Classes and ids of paywalls, only their letters and digits.
const NAME: Categories = category("name/wall");

/// The kind of call to subscribe in a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    /// No call.
    None,
    /// A call to subscribe or log in.
    Subscribe,
    /// A call to subscribe or log in, in order to read on.
    ToReadOn,
}

pub(super) fn call(text: &str) -> Call {
    if text.len() > MAX_CALL_BYTES {
        return Call::None;
    }
    // The phrase table ignores the case of ASCII letters, but not of others.
    let lower = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) };
    let categories = PHRASES.of_text(&lower);
    match () {
        () if categories & SUBSCRIBE == 0 || categories & LETTER != 0 => Call::None,
        () if categories & READ_ON != 0 => Call::ToReadOn,
        () if categories & LINE != 0 => Call::None,
        () => Call::Subscribe,
    }
}

/// Whether a text is about consent, in any language. On a page with a button to answer, it asks for consent.
///
/// ```
/// use goldminer_core::extract::mentions_consent;
///
/// assert!(mentions_consent("We and our partners store cookies."));
/// assert!(!mentions_consent("It rained."));
/// ```
#[must_use]
pub fn mentions_consent(text: &str) -> bool {
    PHRASES.are_in(&text.to_lowercase(), CONSENT)
}

/// Whether a class or id means that its element is a wall.
pub(super) fn names_wall(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    PHRASES.are_in(&plain, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_to_read_on_differs_from_one_for_a_newsletter() {
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
