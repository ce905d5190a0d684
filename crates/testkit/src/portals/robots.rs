//! Writes a portal's robots.txt, and checks whether its rules forbid a path. Tests use this check with the access log.
//!
//! The check does not use the crawler's code, so that an error in that code is found.

use std::time::Duration;

use super::Portal;
use super::place::{Kind, PageSpec};

/// The rules of a portal for all robots.
#[derive(Debug, Clone)]
pub struct RobotsRules {
    /// The path patterns, with `*` and `$`. `true` allows the paths, `false` forbids them.
    pub rules: &'static [(bool, &'static str)],
    /// The `Crawl-delay`, in whole seconds. None if there is none.
    pub crawl_delay: Option<Duration>,
}

impl RobotsRules {
    /// Whether a path (with query) may be fetched. The longest matching pattern decides; of two equally long ones, the
    /// one that allows (RFC 9309, section 2.2.2). `/robots.txt` is always allowed.
    pub fn allows(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        let matching = self.rules.iter().filter(|(_, pattern)| matches(pattern, path));
        matching.max_by_key(|(allow, pattern)| (pattern.len(), *allow)).is_none_or(|(allow, _)| *allow)
    }

    /// The text of robots.txt.
    pub fn to_text(&self, portal: &Portal) -> String {
        let mut out = "# Robots are welcome, but not everywhere.\nUser-agent: *\n".to_owned();
        for (allow, pattern) in self.rules {
            out += &format!("{}: {pattern}\n", if *allow { "Allow" } else { "Disallow" });
        }
        if let Some(delay) = self.crawl_delay {
            out += &format!("Crawl-delay: {}\n", delay.as_secs());
        }
        out += "\nUser-agent: ai-harvester\nDisallow: /\n";
        for kind in [Kind::SitemapIndex, Kind::NewsSitemap] {
            if let Some(path) = portal.path(PageSpec::new(kind, 0)) {
                out += &format!("\nSitemap: {}\n", portal.absolute(&path));
            }
        }
        out
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = pattern.strip_suffix('$').map_or((pattern, false), |p| (p, true));
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if anchored && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    !anchored || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides_also_with_wildcards() {
        let robots = RobotsRules {
            rules: &[(false, "/private/"), (true, "/private/press/"), (false, "/*?print="), (false, "/*.pdf$")],
            crawl_delay: None,
        };
        let allowed = |path| robots.allows(path);
        assert!(allowed("/") && allowed("/private") && allowed("/private/press/kit") && allowed("/a.pdf?x"));
        assert!(!allowed("/private/x") && !allowed("/a/b?print=1") && !allowed("/a/b.pdf"));
        assert!(allowed("/robots.txt"));
    }

    #[test]
    fn a_closed_portal_still_gives_its_robots_txt() {
        let robots = RobotsRules { rules: &[(false, "/")], crawl_delay: None };
        assert!(robots.allows("/robots.txt") && !robots.allows("/x"));
    }
}
