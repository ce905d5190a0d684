//! From the bytes of a list to its text: gzip files undone, the charset found, and which form it is.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::GzDecoder;
use goldminer_html::encoding;

use super::repair::repaired;
use super::{Cut, MAX_BYTES, names};

/// gzip files in gzip files that are undone: some servers compress a `.gz` again.
const MAX_LAYERS: usize = 3;

/// A list as text.
#[derive(Debug)]
pub(super) struct ListText {
    /// Well-formed XML where it is XML.
    pub text: String,
    pub form: Form,
    /// What was not read.
    pub cut: Option<Cut>,
}

/// Forms of lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    Feed,
    Sitemap,
    Json,
    /// A URL a line.
    Lines,
    /// Markup of something else, by its first element.
    Other(String),
}

/// Reads the bytes. The header's charset counts before that of an XML declaration (RFC 7303, section 3.2).
pub(super) fn of(bytes: &[u8], content_type: Option<&str>) -> ListText {
    let (plain, cut) = unpacked(bytes);
    let text = encoding::decode(&plain, content_type).text;
    let begins_with =
        |sign: char| text.trim_start_matches(|c: char| c.is_whitespace() || c.is_control()).starts_with(sign);
    let is_json = begins_with('{');
    if !is_json {
        let list = repaired(&text);
        if let Some(root) = list.root {
            let form = if names::is_feed(root) { Form::Feed } else { Form::Sitemap };
            return ListText { form, cut: cut.or(list.cut), text: list.xml };
        }
        if let Some(first) = list.first.filter(|_| begins_with('<') && !has_json(&text)) {
            return ListText { form: Form::Other(first.chars().take(40).collect()), cut, text: String::new() };
        }
    }
    let form = if is_json || has_json(&text) { Form::Json } else { Form::Lines };
    ListText { form, cut, text: text.into_owned() }
}

/// Whether a JSON feed stands behind something else, such as a warning of the server's program.
fn has_json(text: &str) -> bool {
    text.contains("jsonfeed.org/version/") && text.contains('{')
}

/// Undoes gzip, up to the cap. What stands behind the file is no part of it, unless it is another one.
fn unpacked(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<Cut>) {
    let mut plain = Cow::Borrowed(bytes);
    let mut cut = None;
    for _ in 0..MAX_LAYERS {
        if !is_gzip(&plain) {
            break;
        }
        let (unpacked, is_whole) = members(&plain);
        if !is_whole {
            cut = Some(Cut::Packed);
        }
        plain = Cow::Owned(unpacked);
    }
    if plain.len() > MAX_BYTES {
        let kept = plain[..MAX_BYTES].to_vec();
        (plain, cut) = (Cow::Owned(kept), Some(Cut::Bytes(MAX_BYTES)));
    }
    (plain, cut)
}

fn members(mut packed: &[u8]) -> (Vec<u8>, bool) {
    let mut plain = Vec::new();
    while is_gzip(packed) && plain.len() <= MAX_BYTES {
        let mut member = GzDecoder::new(packed);
        let room = (MAX_BYTES + 1 - plain.len()) as u64;
        if member.by_ref().take(room).read_to_end(&mut plain).is_err() {
            return (plain, false);
        }
        packed = member.into_inner();
    }
    (plain, true)
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B])
}

/// The text of a reference: the repair leaves those that XML itself has.
pub(super) fn resolved(reference: &str) -> String {
    quick_xml::escape::unescape(&format!("&{reference};")).map(|text| text.into_owned()).unwrap_or_default()
}
