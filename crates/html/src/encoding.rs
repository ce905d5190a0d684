//! Decodes a page: finds its encoding and converts it to UTF-8.
//!
//! The encoding is taken from the first of these that has one: byte order mark (BOM), HTTP header, a declaration at the
//! beginning of the page, detector. This is the WHATWG's order. There are exceptions, because many declarations are
//! wrong.
//!
//! - A page with zero bytes as in UTF-16 is UTF-16.
//! - A page that is valid UTF-8 with characters beyond ASCII is UTF-8, because text in another encoding is hardly ever
//!   valid UTF-8 by chance.
//! - A page that is declared as UTF-8 but has many malformed bytes goes to the detector.
//! - Other declarations are corrected if the page's bytes or language contradict them.

mod detector;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::tag::Tag;
use crate::tokens::{Token, TokenKind, Tokens};
use detector::{ascii_text, corrected, detected};

/// A page converted to UTF-8.
///
/// ```
/// use goldminer_html::encoding::decode;
///
/// assert_eq!(decode(b"\xef\xbb\xbf<p>", None).text, "<p>");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded<'a> {
    /// The text without BOM. Malformed bytes are replaced with U+FFFD.
    pub text: Cow<'a, str>,
    /// The encoding's name in WHATWG spelling (`UTF-8`, `windows-1250`).
    pub encoding: &'static str,
}

/// The number of bytes that browsers search for a declaration before parsing (HTML standard, "Determining the
/// character encoding").
const PRESCAN_BYTES: usize = 1024;
/// The number of bytes that we search for a declaration. Browsers also accept a late one, by parsing the page again.
const LATE_PRESCAN_BYTES: usize = 16 * 1024;
/// A text with at least this many well-formed UTF-8 characters per malformed one is still UTF-8 (for example, a page
/// with an advertisement pasted in from another site).
const UTF8_FOR_EACH_ERROR: usize = 10;

/// Decodes a page. `content_type` is the value of the HTTP header field `Content-Type`.
///
/// ```
/// use goldminer_html::encoding::decode;
///
/// let lying = decode("<meta charset=iso-8859-1><p>Győr".as_bytes(), None);
/// assert_eq!((lying.encoding, lying.text.ends_with("Győr")), ("UTF-8", true));
/// ```
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    decode_from(bytes, content_type, None)
}

/// Decodes a page like [`decode`], with its host name as a hint. The country at the end of the name helps the detector:
/// the byte of `õ` is an `ő` on a Hungarian page.
pub fn decode_from<'a>(bytes: &'a [u8], content_type: Option<&str>, host_name: Option<&str>) -> Decoded<'a> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decoded(&bytes[length..], encoding);
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return decoded(bytes, encoding);
    }
    let form = form(bytes);
    let declared = content_type.and_then(charset_of).or_else(|| declared_in(bytes, form));
    let has_nul = || bytes[..bytes.len().min(PRESCAN_BYTES)].contains(&0);
    let declared = declared.filter(|encoding| !is_utf16(encoding) || has_nul());
    let encoding = match (declared, form) {
        (Some(encoding), ByteForm::Ascii) => encoding,
        (Some(encoding), ByteForm::Utf8 | ByteForm::NearlyUtf8) if is_utf16(encoding) => encoding,
        (_, ByteForm::Ascii | ByteForm::Utf8 | ByteForm::NearlyUtf8) => UTF_8,
        (Some(encoding), ByteForm::Other) if encoding != UTF_8 => corrected(encoding, bytes, host_name),
        (_, ByteForm::Other) => detected(bytes, host_name),
    };
    decoded(bytes, encoding)
}

/// Detects UTF-16 without a byte order mark or header; None if the bytes are not UTF-16. In UTF-16, markup characters
/// and spaces have a zero byte beside them, always on the same side. No other encoding on the web has zero bytes.
///
/// ```
/// use goldminer_html::encoding::utf16_without_mark;
///
/// let page: Vec<u8> = "<p>One</p> <p>two</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
/// assert_eq!(utf16_without_mark(&page).map(|encoding| encoding.name()), Some("UTF-16LE"));
/// assert_eq!(utf16_without_mark(b"<p>One</p> <p>two</p>"), None);
/// ```
pub fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN_BYTES) & !1];
    memchr::memchr(0, head)?;
    let is_sign = |byte: u8| matches!(byte, b'<' | b'>' | b'/' | b'=' | b'"' | b' ');
    let (mut little, mut big) = (0, 0);
    for pair in head.chunks_exact(2) {
        little += usize::from(pair[1] == 0 && is_sign(pair[0]));
        big += usize::from(pair[0] == 0 && is_sign(pair[1]));
    }
    // In the wrong byte order, the characters that are counted are rare ideographs and mathematical symbols. So there
    // are few `others`.
    let is_utf16 = |signs: usize, others: usize| signs >= 4 && signs * 64 >= head.len() && others * 8 <= signs;
    match (is_utf16(little, big), is_utf16(big, little)) {
        (true, false) => Some(UTF_16LE),
        (false, true) => Some(UTF_16BE),
        _ => None,
    }
}

/// The form of a page's bytes, found without its declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteForm {
    Ascii,
    Utf8,
    NearlyUtf8,
    Other,
}

fn form(bytes: &[u8]) -> ByteForm {
    if bytes.is_ascii() {
        return ByteForm::Ascii;
    }
    let valid = Encoding::utf8_valid_up_to(bytes);
    if valid == bytes.len() || is_cut(&bytes[valid..]) {
        return ByteForm::Utf8;
    }
    let (mut characters, mut errors) = (0, 0);
    let most_characters = characters_begun(bytes);
    for chunk in bytes.utf8_chunks() {
        characters += characters_begun(chunk.valid().as_bytes());
        errors += usize::from(!chunk.invalid().is_empty());
        if most_characters < errors * UTF8_FOR_EACH_ERROR {
            return ByteForm::Other;
        }
    }
    if characters >= errors * UTF8_FOR_EACH_ERROR { ByteForm::NearlyUtf8 } else { ByteForm::Other }
}

/// The number of bytes that begin a UTF-8 character of several bytes.
fn characters_begun(bytes: &[u8]) -> usize {
    // A count of at most 255 fits into a byte, so the compiler can compare many bytes at a time. A simple count over
    // the whole page would take as long as tokenizing it.
    let in_chunk = |chunk: &[u8]| chunk.iter().map(|byte| u8::from(*byte >= 0xc0)).sum::<u8>();
    bytes.chunks(u8::MAX.into()).map(|chunk| usize::from(in_chunk(chunk))).sum()
}

/// Whether `rest` is an incomplete UTF-8 character, as when a page is cut off at a number of bytes.
fn is_cut(rest: &[u8]) -> bool {
    rest.len() < 4
        && std::str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn decoded<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Decoded<'a> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name() }
}

fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let mut rest = lower.as_str();
    loop {
        rest = rest[rest.find("charset")? + "charset".len()..].trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            let value = value.trim_start();
            let label = match value.strip_prefix(['"', '\'']) {
                Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or_default(),
                None => value.split([';', ',', ' ']).next().unwrap_or_default(),
            };
            return Encoding::for_label(label.as_bytes());
        }
    }
}

/// The encoding that a page declares in an XML declaration or a `<meta>`.
fn declared_in(bytes: &[u8], form: ByteForm) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(LATE_PRESCAN_BYTES)];
    let encoding = xml_declaration(head).or_else(|| {
        let early = ascii_text(&head[..head.len().min(PRESCAN_BYTES)]);
        // If the bytes are valid UTF-8, a late declaration changes nothing. ASCII pages are not searched that far.
        let late = matches!(form, ByteForm::NearlyUtf8 | ByteForm::Other) && head.len() > PRESCAN_BYTES;
        meta_charset(&early).or_else(|| if late { meta_charset(&ascii_text(head)) } else { None })
    })?;
    // A page whose declaration is readable as ASCII cannot be UTF-16 (HTML standard).
    Some(match encoding {
        _ if is_utf16(encoding) => UTF_8,
        _ if encoding == X_USER_DEFINED => WINDOWS_1252,
        _ => encoding,
    })
}

fn xml_declaration(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = ascii_text(&declaration[..memchr::memchr(b'>', declaration)?]);
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Encoding::for_label(value[1..].split(quote).next()?.trim().as_bytes())
}

fn meta_charset(head: &str) -> Option<&'static Encoding> {
    let is_meta = |token: &Token| matches!(token.kind, TokenKind::StartTag { tag: Tag::Meta, .. });
    Tokens::new(head).filter(is_meta).find_map(|token| {
        let (mut charset, mut content, mut is_content_type) = (None, None, false);
        for attribute in token.attributes(head) {
            if attribute.is("charset") {
                charset = charset.or_else(|| Encoding::for_label(attribute.value().as_bytes()));
            } else if attribute.is("content") {
                content = content.or_else(|| charset_of(&attribute.value()));
            } else if attribute.is("http-equiv") {
                is_content_type = attribute.value().eq_ignore_ascii_case("content-type");
            }
        }
        charset.or(content.filter(|_| is_content_type))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], content_type: Option<&str>, encoding: &str, text: &str) {
        let decoded = decode(bytes, content_type);
        assert_eq!(decoded.encoding, encoding, "{:?}", decoded.text);
        assert!(decoded.text.contains(text), "{:?}", decoded.text);
    }

    fn encoded(encoding: &str, text: &str) -> Vec<u8> {
        Encoding::for_label(encoding.as_bytes()).unwrap().encode(text).0.into_owned()
    }

    #[test]
    fn a_bom_decides() {
        check(b"\xef\xbb\xbf\xc3\xa9", Some("text/html; charset=latin1"), "UTF-8", "é");
        check(b"\xff\xfea\0\xe9\0", None, "UTF-16LE", "aé");
        check(b"\xfe\xff\0a\0\xe9", None, "UTF-16BE", "aé");
    }

    #[test]
    fn the_header_comes_before_the_page() {
        let page = encoded("windows-1250", "<meta charset=iso-8859-1><p>árvíztűrő tükörfúrógép");
        check(&page, Some("text/html;charset=\"windows-1250\""), "windows-1250", "űrő");
        check(&page, Some("text/html"), "windows-1252", "árvízt");
    }

    #[test]
    fn declarations_have_many_forms() {
        for declaration in [
            "<meta charset=iso-8859-2>",
            "<META CHARSET='ISO-8859-2' />",
            "<!-- <meta charset=utf-7> --><meta http-equiv=Content-Type content='text/html; charset = iso-8859-2'>",
            "<meta content='text/html;charset=\"latin2\"' http-equiv=content-type>",
            "<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?><html>",
            "<meta charset=nonsense><meta charset=iso-8859-2>",
        ] {
            let page = encoded("iso-8859-2", &format!("{declaration}<p>őű"));
            check(&page, None, "ISO-8859-2", "őű");
        }
        let late = format!("<script>{}</script><meta charset=iso-8859-2><p>őű", "x".repeat(5_000));
        check(&encoded("iso-8859-2", &late), None, "ISO-8859-2", "őű");
    }

    #[test]
    fn utf8_declared_as_another_encoding_is_utf8() {
        let page = "<meta charset=iso-8859-1><p>Zażółć gęślą jaźń";
        check(page.as_bytes(), None, "UTF-8", "gęślą");
        check(page.as_bytes(), Some("text/html; charset=windows-1250"), "UTF-8", "gęślą");
        let mut cut = page.as_bytes().to_vec();
        cut.pop();
        check(&cut, None, "UTF-8", "gęślą");
        let mut pasted = "é".repeat(100).into_bytes();
        pasted.extend(b"<b>caf\xe9</b>");
        check(&pasted, Some("text/html; charset=latin1"), "UTF-8", "é");
    }

    #[test]
    fn a_page_wrongly_declared_as_utf8_goes_to_the_detector() {
        let text = "A miniszterelnök szerint a kormány őszintén törődik a nyugdíjasok ügyével, és a jövő évi költségvetésben \
                    erre külön összeget különítenek el. Az ellenzék szerint ez kevés, többre volna szükség.";
        let page = encoded("windows-1250", &format!("<html lang=hu-HU><meta charset=utf-8><p>{text}"));
        check(&page, Some("text/html; charset=utf-8"), "ISO-8859-2", "őszintén törődik");
        let page = encoded("windows-1250", text);
        assert!(decode_from(&page, None, Some("www.portal.hu")).text.contains("őszintén törődik"));
    }

    #[test]
    fn a_language_that_names_no_country_changes_nothing() {
        for language in ["a.", "A1", "&eacute;", "&lt;&gt;"] {
            let page =
                format!("<html lang='{language}'><p>Où est le café ? Là, déjà, çà et là : la fête, l'île, l'ambiguïté");
            check(&encoded("windows-1252", &page), None, "windows-1252", "Où est le café");
        }
    }

    #[test]
    fn asian_encodings() {
        for (label, name, text) in [
            ("shift_jis", "Shift_JIS", "日本語のページ"),
            ("gb2312", "GBK", "中文网页"),
            ("big5", "Big5", "中文網頁"),
            ("euc-kr", "EUC-KR", "한국어 페이지"),
        ] {
            let page = encoded(label, &format!("<meta charset={label}><p>{text}"));
            check(&page, None, name, text);
        }
    }

    #[test]
    fn utf16_without_mark_or_header_is_recognised_by_zeros() {
        let pages = [
            "<html><head><title>Árvíztűrő tükörfúrógép</title></head><p>Őszi eső".to_owned(),
            format!("<html lang=zh><head><title>一</title></head><body><p>{}", "一座新的桥梁".repeat(40)),
        ];
        for page in &pages {
            let little: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = page.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for header in [None, Some("text/html"), Some("text/html; charset=utf-8")] {
                check(&little, header, "UTF-16LE", page);
                check(&big, header, "UTF-16BE", page);
            }
        }
    }

    #[test]
    fn a_few_zero_bytes_do_not_make_a_page_utf16() {
        for bytes in [&b"<p>a\0b\0\0c and so on, as broken programs write it"[..], &[0; 512], b"\0", b"a\0", b""] {
            assert_eq!(utf16_without_mark(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_utf16_declaration_that_is_readable_as_ascii_is_wrong() {
        check(b"<meta charset=utf-16><p>x", None, "UTF-8", "x");
        check(b"<p>x", Some("text/html; charset=utf-16le"), "UTF-8", "x");
    }

    const TEXTS: [(&str, &str); 5] = [
        ("hu", "Az őszi menetrend „nem tartható”, mondta a polgármester, és űrhajóhoz hasonlította a kikötőt."),
        ("cs", "Starosta v úterý oznámil, že „práce“ začnou na jaře a že loď odplula v husté mlze."),
        ("pl", "Burmistrz ogłosił we wtorek, że „prace” ruszą wiosną, a łódź odpłynęła w żółtej mgle."),
        ("sk", "Starosta oznámil, že „práce“ sa začnú na jar a že loď odplávala v hustej hmle pri Ľubici."),
        ("hr", "Gradonačelnik je rekao da će „radovi“ početi u proljeće, a lađa je otplovila u žućkastu maglu."),
    ];

    #[test]
    fn iso_8859_with_quotation_marks_is_a_windows_code_page() {
        let others = [
            ("iso-8859-5", "windows-1251", "Мэр сказал: “работы начнутся весной”, и лодка уплыла в туман…"),
            ("iso-8859-6", "windows-1256", "قال رئيس البلدية: “ستبدأ الأعمال في الربيع” يوم الثلاثاء في المدينة"),
            ("iso-8859-7", "windows-1253", "Ο δήμαρχος είπε: “τα έργα αρχίζουν την άνοιξη” και έφυγε…"),
            ("iso-8859-8-i", "windows-1255", "ראש העיר אמר: “העבודות יתחילו באביב” והלך"),
            ("iso-8859-13", "windows-1257", "Meras sakė: “darbai prasidės pavasarį”, o laivas išplaukė…"),
            ("iso-8859-15", "windows-1252", "Le maire a dit : “les travaux” – et sa sœur est là…"),
        ];
        let central = TEXTS.map(|(_, text)| ("iso-8859-2", "windows-1250", text));
        for (declared, real, text) in central.into_iter().chain(others) {
            let page = encoded(real, &format!("<meta charset={declared}><p>{text}"));
            check(&page, None, real, text);
        }
    }

    #[test]
    fn quotation_marks_pasted_into_iso_8859_change_no_letter() {
        for text in ["Starosta řekl, že lidé už šli", "Burmistrz ogłosił, że prace ruszą wiosną"] {
            let mut page = encoded("iso-8859-2", &format!("<meta charset=iso-8859-2><p>{text}"));
            check(&page, None, "ISO-8859-2", text);
            page.extend(b" \x93a\x94");
            check(&page, None, "ISO-8859-2", text);
        }
    }

    #[test]
    fn a_language_that_latin1_cannot_write_is_in_another_encoding() {
        let turkish = "Belediye başkanı, iskelenin ilkbaharda açılacağını söyledi; çoğu kişi buna şaşırdı.";
        let central = TEXTS.map(|(language, text)| (language, "windows-1250", text));
        // The detector does not know Croatian.
        let central = central.into_iter().filter(|(language, ..)| *language != "hr");
        for (language, real, text) in central.chain([("tr", "windows-1254", turkish)]) {
            let page = encoded(real, &format!("<html lang={language}><meta charset=iso-8859-1><p>{text}"));
            check(&page, Some("text/html; charset=iso-8859-1"), real, text);
            let country = if language == "cs" { "cz" } else { language };
            let page = encoded(real, &format!("<meta charset=windows-1252><p>{text}"));
            let host = format!("www.portal.{country}");
            assert!(decode_from(&page, None, Some(&host)).text.contains(text), "{text}");
        }
        for (language, host, text) in [
            ("en", "portal.hu", "The café of Señor Müller in Málaga was closed – “so it goes”, said Zoë in Gyor."),
            ("fr", "portal.pl", "Où est le café ? Là, déjà, çà et là : la fête, l’île, l’ambiguïté de l’août"),
            ("", "portal.hu", "Où est le café ? Là, déjà, çà et là : la fête, l’île, l’ambiguïté, et il fût là"),
            ("", "portal.hu", "Die Bürger der Stadt müssen für die Öffnung der Straße zahlen, hieß es in Österreich"),
            ("", "portal.tr", "El niño mañana vendrá después, según dijo el señor Muñoz. ¿Qué pasó? Él comió más"),
            ("et", "portal.ee", "Õhtul läks öö külmaks ja rõõmus mees sõitis külla. Võib-olla tuleb ta tagasi."),
        ] {
            let page = encoded("windows-1252", &format!("<html lang='{language}'><meta charset=latin1><p>{text}"));
            let decoded = decode_from(&page, None, Some(host));
            assert!(decoded.text.contains(text), "{} {}", decoded.encoding, decoded.text);
        }
    }
}
