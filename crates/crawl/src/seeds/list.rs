//! A plain list of URLs as seeds: one a line, `#` begins a comment. The URLs of a host are one portal.

use std::collections::HashMap;

use super::{CrawlSettings, Portal, Seeds, SeedsError, typed_url};

/// Whether a text is a list of URLs, and no TOML: its first line that says something sets no key and opens no table.
pub(super) fn is_list(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| {
        let begins_key = line.split_once('=').is_some_and(|(key, _)| {
            key.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '.'))
        });
        !line.starts_with('[') && !begins_key
    })
}

/// The portals of a list.
///
/// # Errors
/// When a line is no URL.
pub(super) fn parse(text: &str, name: &str) -> Result<Seeds, SeedsError> {
    let mut portals: Vec<Portal> = Vec::new();
    let mut place: HashMap<String, usize> = HashMap::new();
    for (number, line) in lines(text) {
        let url = typed_url(line).map_err(|message| {
            let hint = "a list of seeds has a URL a line (a seeds file with settings begins with [crawl])";
            SeedsError::at(name, Some(number), None, &format!("{message}; {hint}"))
        })?;
        let host = url.host_name().to_owned();
        match place.get(&host) {
            Some(&at) if portals[at].start.contains(&url) => {}
            Some(&at) => portals[at].start.push(url),
            None => {
                place.insert(host.clone(), portals.len());
                portals.push(Portal::around(host, url));
            }
        }
    }
    Ok(Seeds { crawl: CrawlSettings::default(), portals })
}

/// The lines that say something, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_urls_of_a_host_are_one_portal() {
        let text = "# mine\nhttps://a.example/\n\nhttps://b.example/news\nhttps://a.example/sport\nhttps://a.example\n";
        assert!(is_list(text));
        let seeds = parse(text, "urls.txt").unwrap();
        let told: Vec<(&str, usize)> = seeds.portals.iter().map(|p| (p.name.as_str(), p.start.len())).collect();
        assert_eq!(told, [("a.example", 2), ("b.example", 1)]);
    }

    #[test]
    fn a_seeds_file_is_no_list_and_a_url_with_a_query_is() {
        for toml in ["[crawl]\n", "# x\n[[portal]]\n", "user_agent = \"x\"\n", "crawl.delay = \"5s\"\n", ""] {
            assert!(!is_list(toml), "{toml:?}");
        }
        assert!(is_list("https://a.example/?q=1\n"));
    }

    #[test]
    fn a_line_that_is_no_url_is_told_with_its_number() {
        let said = parse("https://a.example/\nportal.example\n", "urls.txt").unwrap_err().to_string();
        assert!(said.starts_with("urls.txt, line 2: \"portal.example\" has no scheme"), "{said}");
    }
}
