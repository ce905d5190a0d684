//! Suggests a profile if no profile has the typed name. People type hosts and URLs, but profiles are named after
//! domains.

use std::path::Path;

use goldminer_crawl::{of_host_name, typed_url};

/// The most profiles that a message lists.
const KEYS_NAMED: usize = 5;

/// The message about a key that no profile has.
pub(crate) fn no_profile(typed: &str, keys: &[String], dir: &Path, command: &str) -> String {
    let dir = dir.display();
    let message = format!("there is no profile {typed:?} in {dir}");
    if keys.is_empty() {
        return format!("{message}, nor any other profile yet: domains need enough article-like pages first");
    }
    match similar_key(typed, keys) {
        Some((key, reason)) => format!("{message}{reason}; write: goldminer {command} {dir} {key}"),
        None if keys.len() <= KEYS_NAMED => {
            format!("{message}; `goldminer profile list {dir}` lists the existing ones: {}", keys.join(", "))
        }
        None => format!("{message}; `goldminer profile list {dir}` lists the {} existing ones", keys.len()),
    }
}

/// The key that was probably meant, and a description of what was typed. None if no key is similar.
fn similar_key<'k>(typed: &str, keys: &'k [String]) -> Option<(&'k str, String)> {
    let find = |wanted: &str| keys.iter().find(|key| key.eq_ignore_ascii_case(wanted)).map(String::as_str);
    if let Some(url) = typed_url(typed).ok().or_else(|| of_host_name(typed)) {
        let domain = url.domain();
        let by_host = find(url.site().as_str()).or_else(|| find(domain.as_str()));
        if let Some(key) = by_host {
            let what = if typed.contains("://") {
                "a URL"
            } else if key == domain.as_str() {
                "a host"
            } else {
                "more than a host"
            };
            return Some((key, format!(": that is {what}, but a profile is stored under its domain")));
        }
    }
    let nearest = keys.iter().min_by_key(|key| strsim::damerau_levenshtein(typed, key))?;
    let is_near = strsim::damerau_levenshtein(typed, nearest) <= 1 + nearest.len() / 4;
    is_near.then(|| (nearest.as_str(), String::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_urls_and_misspelt_domains_lead_to_the_profile() {
        let keys: Vec<String> =
            ["courier.example", "blog.courier.example", "gazette.co.uk"].map(str::to_owned).to_vec();
        for (typed, key) in [
            ("www.courier.example", "courier.example"),
            ("https://www.courier.example/2026/a", "courier.example"),
            ("http://blog.courier.example/x", "blog.courier.example"),
            ("www.gazette.co.uk", "gazette.co.uk"),
            ("courir.example", "courier.example"),
        ] {
            let message = no_profile(typed, &keys, Path::new("crawls/mine"), "profile show");
            assert!(message.ends_with(&format!("write: goldminer profile show crawls/mine {key}")), "{message}");
        }
        let message = no_profile("nowhere.org", &keys, Path::new("crawls/mine"), "profile show");
        assert!(
            message.ends_with("lists the existing ones: courier.example, blog.courier.example, gazette.co.uk"),
            "{message}"
        );
    }
}
