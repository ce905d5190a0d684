//! Stand-in until `page::encoding` is merged.

/// Decodes a page.
pub(super) fn decode(bytes: &[u8], _content_type: Option<&str>) -> String {
    if let Some((encoding, n)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[n..]).0.into_owned();
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).to_ascii_lowercase();
    let label = head.split("charset=").nth(1).map(|rest| {
        rest.trim_start_matches(['"', '\''])
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    if let Some(encoding) = label.and_then(|l| encoding_rs::Encoding::for_label(l.as_bytes())) {
        let (text, _, bad) = encoding.decode(bytes);
        if !bad || encoding != encoding_rs::UTF_8 || text.matches('\u{fffd}').count() < 30 {
            return text.into_owned();
        }
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow).decode(bytes).0.into_owned()
}
