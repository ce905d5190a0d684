//! Parses URLs as people type them, in seeds files and on the command line. An error says what to write.

use std::fmt;

use goldminer_html::CrawlUrl;
use goldminer_html::address::AddressError;
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// Deserialises a string, and parses it with `read`. An error names the line of this string. With `#[serde(try_from)]`,
/// it would name the line where the list with the string begins.
pub(super) fn typed_text<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: fn(&str) -> Result<T, String>,
) -> Result<T, D::Error> {
    struct Text<T>(fn(&str) -> Result<T, String>);
    impl<T> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            (self.0)(text).map_err(E::custom)
        }
    }
    deserializer.deserialize_str(Text(read))
}

/// A URL of a seeds file.
struct TypedUrl(CrawlUrl);

impl<'de> Deserialize<'de> for TypedUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        typed_text(deserializer, seed_url).map(Self)
    }
}

pub(super) fn urls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CrawlUrl>, D::Error> {
    let typed = Vec::<TypedUrl>::deserialize(deserializer)?;
    Ok(typed.into_iter().map(|url| url.0).collect())
}

/// A list of URLs, with at least one.
pub(super) fn start_pages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CrawlUrl>, D::Error> {
    let urls = urls(deserializer)?;
    match urls.is_empty() {
        true => Err(D::Error::custom("no start page; write start = [\"https://portal.example/\"]")),
        false => Ok(urls),
    }
}

/// Parses the URL of a page to crawl, which a person typed.
///
/// # Errors
/// As for [`typed_url`], and when the URL has a user name or a signature. Pages may link to such URLs, so that they can
/// be looked up and dropped.
pub fn seed_url(text: &str) -> Result<CrawlUrl, String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let has_user = rest.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@'));
    // Object stores sign addresses with parameters such as `X-Amz-Signature`.
    if has_user || rest.to_ascii_lowercase().contains("-signature=") {
        let what = "a user name, which would not be sent, or a signature, which would be saved with its pages";
        return Err(format!("the URL has {what}; leave it out"));
    }
    typed_url(text)
}

/// Parses a URL that a person typed.
///
/// # Errors
/// When it is not a URL; the message says what to write.
pub fn typed_url(text: &str) -> Result<CrawlUrl, String> {
    let error = match CrawlUrl::parse(text) {
        Ok(url) => return Ok(url),
        Err(error) => error,
    };
    let text = text.trim();
    if let Some(url) = of_host_name(text) {
        return Err(format!("{text:?} has no scheme; write {:?}, or the same with http://", url.as_str()));
    }
    if text.is_empty() {
        return Err("an empty text is not a URL; write one such as \"https://portal.example/\"".to_owned());
    }
    if let Some(path) = text.strip_prefix("file://") {
        return Err(format!(
            "{text:?} is a file, not a page on the web; to extract stored pages: goldminer extract {path}"
        ));
    }
    Err(match error {
        AddressError::NotAUrl { .. } => error.to_string(),
        _ => format!("{error}; write one such as \"https://portal.example/\""),
    })
}

/// The URL for a name such as `portal.example` or `portal.example/news`, which was typed in place of a URL.
pub fn of_host_name(text: &str) -> Option<CrawlUrl> {
    let text = text.trim().trim_start_matches("//");
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_name = name.contains('.') || name == "localhost";
    if !is_name || name.starts_with('.') || text.contains("://") || text.contains(char::is_whitespace) {
        return None;
    }
    CrawlUrl::parse(&format!("https://{text}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_url_is_refused_with_advice() {
        for (typed, expected) in [
            ("portal.example", "write \"https://portal.example/\""),
            ("//portal.example/news", "write \"https://portal.example/news\""),
            ("portal.example:8080/a?b=1", "write \"https://portal.example:8080/a?b=1\""),
            ("", "write one such as"),
            ("the news", "write it in full, as in"),
            ("ftp://portal.example/", "write one such as"),
            ("file:///srv/pages", "goldminer extract /srv/pages"),
        ] {
            let said = typed_url(typed).expect_err(typed);
            assert!(said.contains(expected), "{typed}: {said}");
        }
        for secret in
            ["https://me:hunter2@portal.example/", "https://b.example/a?X-Amz-Signature=hunter2", "me@b.example"]
        {
            let said = seed_url(secret).expect_err(secret);
            assert!(said.contains("leave it out") && !said.contains("hunter2"), "{said}");
        }
        assert!(seed_url("https://portal.example/@me?mail=me@b.example").is_ok());
        assert!(typed_url("https://b.example/a?X-Amz-Signature=hunter2").is_ok(), "`goldminer drop` must accept it");
        assert_eq!(typed_url(" https://Portal.example ").unwrap().as_str(), "https://portal.example/");
    }
}
