//! Addresses as people type them, in seeds files and on the command line: what is none is told with what to write.

use goldminer_html::CrawlUrl;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A URL of a seeds file.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct TypedUrl(CrawlUrl);

impl TryFrom<String> for TypedUrl {
    type Error = String;

    fn try_from(typed: String) -> Result<Self, String> {
        typed_url(&typed).map(Self)
    }
}

/// A list of URLs.
pub(super) fn urls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CrawlUrl>, D::Error> {
    let typed = Vec::<TypedUrl>::deserialize(deserializer)?;
    Ok(typed.into_iter().map(|url| url.0).collect())
}

/// A list of URLs, of which there must be one.
pub(super) fn start_pages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CrawlUrl>, D::Error> {
    let urls = urls(deserializer)?;
    match urls.is_empty() {
        true => Err(D::Error::custom("no start page; write start = [\"https://portal.example/\"]")),
        false => Ok(urls),
    }
}

/// The URL that somebody typed.
///
/// # Errors
/// When it is none; the message says what to write.
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
    Err(format!("{error}; write a whole one, such as \"https://portal.example/\""))
}

/// The portal that a name such as `portal.example` or `portal.example/news` means, where one was typed for a URL.
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
    fn what_is_no_url_is_told_with_what_to_write() {
        for (typed, expected) in [
            ("portal.example", "write \"https://portal.example/\""),
            ("//portal.example/news", "write \"https://portal.example/news\""),
            ("portal.example:8080/a?b=1", "write \"https://portal.example:8080/a?b=1\""),
            ("", "write one such as"),
            ("the news", "write a whole one"),
            ("ftp://portal.example/", "write a whole one"),
            ("file:///srv/pages", "goldminer extract /srv/pages"),
        ] {
            let said = typed_url(typed).expect_err(typed);
            assert!(said.contains(expected), "{typed}: {said}");
        }
        assert_eq!(typed_url(" https://Portal.example ").unwrap().as_str(), "https://portal.example/");
    }
}
