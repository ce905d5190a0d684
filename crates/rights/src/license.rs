//! Recognises licences by their URLs or names: which are from Creative Commons, and which of two is stricter.

/// The licences of Creative Commons, the freest first, as their URLs name them. `mark` is the public domain mark, and
/// `zero` is CC0; both are below `publicdomain`.
const FROM_THE_FREEST: [&str; 8] = ["mark", "zero", "by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd"];
/// The number of licences at the beginning of `FROM_THE_FREEST` that let everybody use and change the work for any
/// purpose.
const OPEN: usize = 4;

/// The strictness of a licence, as a rank. An unknown licence counts as the strictest.
pub(crate) fn strictness(license: &str) -> usize {
    creative_commons(license).map_or(FROM_THE_FREEST.len(), |(rank, _)| rank)
}

pub(crate) fn is_creative_commons(license: &str) -> bool {
    creative_commons(license).is_some()
}

pub(crate) fn is_open(license: &str) -> bool {
    strictness(license) < OPEN
}

/// Returns a common form for all URLs and names of one licence: without scheme, `www`, the deed's language and case.
pub(crate) fn canonical(license: &str) -> String {
    match creative_commons(license) {
        Some((rank, version)) => format!("cc {} {version}", FROM_THE_FREEST[rank]),
        None => {
            let bare = license.trim().to_lowercase();
            let bare = bare.split_once("://").map_or(bare.as_str(), |(_, rest)| rest);
            bare.strip_prefix("www.").unwrap_or(bare).trim_end_matches('/').to_owned()
        }
    }
}

/// The rank and the version of a Creative Commons licence; None for other licences.
fn creative_commons(license: &str) -> Option<(usize, String)> {
    let lower = license.to_ascii_lowercase();
    if let Some((_, path)) = lower.split_once("creativecommons.org/") {
        let mut parts = path.split('/');
        let name = match parts.next()? {
            "licenses" | "publicdomain" => parts.next()?,
            _ => return None,
        };
        // The first versions wrote this name in another order.
        let name = if name == "by-nd-nc" { "by-nc-nd" } else { name };
        let rank = FROM_THE_FREEST.iter().position(|known| *known == name)?;
        return Some((rank, parts.next().unwrap_or_default().to_owned()));
    }
    // `CC BY-SA 4.0`, `CC-BY-SA-4.0` (SPDX), `CC0 1.0`.
    let rest = lower.trim().strip_prefix("cc")?;
    let (name, version) =
        rest.rsplit_once([' ', '-']).filter(|(_, v)| v.starts_with(|c: char| c.is_ascii_digit())).unwrap_or((rest, ""));
    let name = name.trim_matches([' ', '-']).replace(' ', "-");
    let name = if name == "0" { "zero" } else { name.as_str() };
    let rank = FROM_THE_FREEST.iter().position(|known| *known == name)?;
    Some((rank, version.to_owned()))
}
