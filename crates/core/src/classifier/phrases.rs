//! What the web's standing phrases say about a paragraph: "Read also", "3 Kommentare", "Subscribe to our newsletter". They
//! come on the pages of all sites, in a few wordings a language; a model that knows one language's pages so knows what
//! stands below them in the others. A prior for the model, which weighs it by data; never a rule about a site.

use std::sync::LazyLock;

use goldminer_html::Paragraph;
use goldminer_html::phrases::Phrases;

/// Kinds of phrases as bits.
pub(super) type PhraseKinds = u8;

/// How many kinds there are.
pub(super) const KINDS: usize = PHRASES.len();
/// Above a paragraph that answers another.
pub(super) const REPLY: PhraseKinds = 1 << 6;

/// The kinds, each with its phrases; ASCII letters match in either case, of others the first letter is left out.
const PHRASES: [(&str, &[&str]); 7] = [
    (
        "comments",
        &[
            "comments",
            "one comment",
            "1 comment",
            "leave a comment",
            "post a comment",
            "add a comment",
            "your comment",
            "leave a reply",
            "join the conversation",
            "join the discussion",
            "kommentar",
            "lesermeinung",
            "hozzászólás",
            "komment",
            "comentario",
            "comentário",
            "commentaire",
            "commenti",
            "comentarii",
            "komentarz",
            "komentář",
            "komentár",
            "reacties",
            "yorumlar",
            "омментари",
            "оментар",
            "χόλια",
            "χόλιο",
            "评论",
            "留言",
            "跟帖",
            "コメント",
            "댓글",
        ],
    ),
    (
        "other articles",
        &[
            "read also",
            "read more",
            "read next",
            "also read",
            "see also",
            "more from",
            "more on this",
            "more stories",
            "more articles",
            "more news",
            "most read",
            "most popular",
            "most viewed",
            "trending",
            "related",
            "recommended for",
            "recommended read",
            "recommended stor",
            "recent posts",
            "recent articles",
            "latest news",
            "latest articles",
            "latest posts",
            "top stories",
            "you may also",
            "you might also",
            "up next",
            "don't miss",
            "editor's pick",
            "editors' pick",
            "previous post",
            "next post",
            "previous article",
            "next article",
            "lesen sie auch",
            "mehr zum thema",
            "mehr aus",
            "das könnte sie",
            "meistgelesen",
            "neueste artikel",
            "weitere artikel",
            "verwandte",
            "zum thema",
            "lire aussi",
            "à lire aussi",
            "sur le même",
            "les plus lus",
            "articles similaires",
            "te puede interesar",
            "lee también",
            "lea también",
            "más leíd",
            "más noticias",
            "noticias relacionadas",
            "artículos relacionados",
            "entradas relacionadas",
            "leia também",
            "leia mais",
            "mais lidas",
            "notícias relacionadas",
            "posts relacionados",
            "leggi anche",
            "più letti",
            "articoli correlati",
            "kapcsolódó",
            "olvasta már",
            "legolvasottabb",
            "legfrissebb",
            "ajánlott",
            "související",
            "čtěte také",
            "nejčtenější",
            "czytaj także",
            "czytaj też",
            "zobacz także",
            "najczęściej czytane",
            "powiązane",
            "lees ook",
            "meest gelezen",
            "läs också",
            "mest läst",
            "ilgili haber",
            "итайте также",
            "о теме",
            "амое читаемое",
            "охожие",
            "атериалы по теме",
            "овости по теме",
            "ругие новости",
            "ιαβάστε επίσης",
            "χετικά",
            "ημοφιλή",
            "ερισσότερα",
            "相关",
            "推荐阅读",
            "延伸阅读",
            "热门",
            "更多",
            "関連",
            "人気",
            "ランキング",
            "관련",
        ],
    ),
    (
        "a subscription",
        &[
            "newsletter",
            "subscribe",
            "sign up",
            "mailing list",
            "your inbox",
            "abonnieren",
            "abonnez",
            "abonnement",
            "suscríb",
            "suscrib",
            "boletín",
            "inscreva",
            "assine",
            "iscriviti",
            "abbonati",
            "hírlevél",
            "feliratkoz",
            "odebírat",
            "odebírej",
            "zapisz się",
            "subskryb",
            "prenumerer",
            "одпис",
            "ассылк",
            "γγραφείτε",
            "订阅",
            "訂閱",
            "メルマガ",
            "登録",
            "구독",
        ],
    ),
    (
        "cookies",
        &["cookie", "privacy policy", "datenschutz", "sütik", "sütiket", "конфиденциальн", "隐私", "プライバシー"],
    ),
    (
        "rights",
        &[
            "all rights reserved",
            "copyright",
            "alle rechte vorbehalten",
            "tous droits",
            "derechos reservados",
            "direitos reservados",
            "diritti riservati",
            "minden jog",
            "všechna práva",
            "wszelkie prawa",
            "se prava",
            "се права защищены",
            "ерепечатк",
            "ε επιφύλαξη",
            "版权所有",
            "转载",
            "無断転載",
        ],
    ),
    (
        "sharing",
        &[
            "share this",
            "share on",
            "follow us",
            "tweet",
            "on facebook",
            "on twitter",
            "teilen",
            "partager",
            "compartir",
            "compartilh",
            "condividi",
            "megoszt",
            "sdílet",
            "udostępnij",
            "оделиться",
            "οινοποί",
            "分享",
            "シェア",
        ],
    ),
    (
        "a reply",
        &[
            "reply",
            "antwort",
            "répondre",
            "responder",
            "rispondi",
            "válasz",
            "odpověd",
            "odpowiedz",
            "тветить",
            "回复",
            "返信",
        ],
    ),
];

/// What phrases of a kind are about.
pub(super) fn name(kind: usize) -> &'static str {
    PHRASES[kind].0
}

static ALL: LazyLock<Phrases> = LazyLock::new(|| {
    let of_kind = |(kind, (_, phrases)): (usize, &(_, &'static [&'static str]))| {
        phrases.iter().map(move |phrase| (*phrase, 1 << kind))
    };
    Phrases::new(PHRASES.iter().enumerate().flat_map(of_kind))
});

/// What a paragraph says.
pub(super) fn of(paragraph: &Paragraph) -> PhraseKinds {
    ALL.kinds_in(&paragraph.text) as PhraseKinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::Page;

    fn said(text: &str) -> Vec<&'static str> {
        let page = Page::parse(format!("<p>{text}"));
        let phrases = of(&page.paragraphs()[0]);
        (0..KINDS).filter(|kind| phrases >> kind & 1 == 1).map(name).collect()
    }

    #[test]
    fn standing_phrases_are_known_in_many_languages() {
        for (text, kind) in [
            ("12 Kommentare", "comments"),
            ("Комментарии (3)", "comments"),
            ("Lesen Sie auch", "other articles"),
            ("Читайте также:", "other articles"),
            ("相关阅读", "other articles"),
            ("Iratkozzon fel hírlevelünkre! Hírlevél", "a subscription"),
            ("Reply", "a reply"),
        ] {
            assert_eq!(said(text), [kind], "{text}");
        }
        assert_eq!(said("It rained in the north."), [""; 0]);
    }
}
