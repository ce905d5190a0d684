//! Reads a page's rules for crawlers: `noindex`, `nofollow`, `none`, `unavailable_after`. They are in `<meta
//! name=robots>`, in a `<meta>` with the crawler's own name, and in the header field `X-Robots-Tag`. Other modules
//! apply them.
//!
//! Rules for everybody and rules for this crawler add up: what either forbids is forbidden.

use goldminer_html::{Page, Tag};
use jiff::Timestamp;

use crate::Restriction;
use crate::preferences::{RobotsRule, for_each_rule};

/// A page's rules for crawlers, in its `<meta>` elements and in `X-Robots-Tag`.
///
/// ```
/// use goldminer_rights::RobotsRules;
///
/// let mut rules = RobotsRules::default();
/// rules.add_header("max-snippet:50, noindex", "goldminer");
/// rules.add_header("otherbot: nofollow", "goldminer");
/// assert!(rules.noindex && !rules.nofollow);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotsRules {
    /// Whether the page must not be indexed.
    pub noindex: bool,
    /// Whether the page's links must not be followed.
    pub nofollow: bool,
    /// Other restrictions: copies, snippets, training of models.
    pub restrictions: Vec<Restriction>,
    /// The time from which the page must not be indexed.
    pub unavailable_after: Option<Timestamp>,
}

impl RobotsRules {
    /// Whether a page that was fetched at `fetched` may be kept as text.
    #[must_use]
    pub fn may_index(&self, fetched: Timestamp) -> bool {
        !self.noindex && self.unavailable_after.is_none_or(|end| fetched < end)
    }

    /// Adds a value of `X-Robots-Tag`: rules for everybody, or after `name:` for the crawler of that name. Proxies may
    /// join several values into one.
    pub fn add_header(&mut self, value: &str, product_token: &str) {
        self.add(value, |agent| agent.eq_ignore_ascii_case(product_token));
    }

    /// Adds the rules of a list that address all crawlers, or one that `is_ours` accepts.
    fn add(&mut self, list: &str, is_ours: impl Fn(&str) -> bool) {
        for_each_rule(list, None, |agent, rule| match rule {
            _ if !agent.is_none_or(&is_ours) => {}
            RobotsRule::Word(word) => self.rule(word),
            RobotsRule::UnavailableAfter(end) => {
                self.unavailable_after = self.unavailable_after.into_iter().chain(end).min();
            }
        });
    }

    fn rule(&mut self, rule: &str) {
        let is = |name: &str| rule.eq_ignore_ascii_case(name);
        self.noindex |= is("noindex") || is("none");
        self.nofollow |= is("nofollow") || is("none");
        for restriction in Restriction::of_robots_rule(rule) {
            if !self.restrictions.contains(restriction) {
                self.restrictions.push(*restriction);
            }
        }
    }

    /// The rules in the page's `<meta>` elements that are for all crawlers or for this product token.
    #[must_use]
    pub fn of_page(page: &Page, product_token: &str) -> Self {
        let mut rules = Self::default();
        for id in page.elements_of(Tag::Meta) {
            let Some(name) = page.attribute(id, "name") else { continue };
            let name = name.trim();
            if (name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(product_token))
                && let Some(content) = page.attribute(id, "content")
            {
                rules.add(&content, |_| true);
            }
        }
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(values: &[&str]) -> RobotsRules {
        let mut rules = RobotsRules::default();
        values.iter().for_each(|value| rules.add_header(value, "OurToken"));
        rules
    }

    fn meta(html: &str) -> RobotsRules {
        RobotsRules::of_page(&Page::parse(html.to_owned()), "ourtoken")
    }

    #[test]
    fn rules_beside_a_rule_with_a_value_are_read() {
        for (value, noindex, nofollow) in [
            ("noindex", true, false),
            ("NoIndex, NOFOLLOW", true, true),
            ("none", true, true),
            ("all", false, false),
            ("max-snippet:50, noindex", true, false),
            ("max-snippet: 50, max-image-preview:large, nofollow", false, true),
            ("noarchive, max-video-preview:-1,none", true, true),
            ("", false, false),
            (",,:,", false, false),
        ] {
            let rules = header(&[value]);
            assert_eq!((rules.noindex, rules.nofollow), (noindex, nofollow), "{value}");
        }
    }

    #[test]
    fn a_space_in_a_rule_changes_nothing() {
        for value in ["max-snippet:0", "max-snippet: 0", "ourtoken: max-snippet: 0"] {
            assert_eq!(header(&[value]).restrictions, [Restriction::Nosnippet], "{value}");
        }
    }

    #[test]
    fn rules_after_a_name_address_that_crawler() {
        for (values, noindex, nofollow) in [
            (&["ourtoken: nofollow"][..], false, true),
            (&["OURTOKEN:noindex,nofollow"], true, true),
            (&["otherbot: noindex, nofollow"], false, false),
            (&["otherbot: noindex", "nofollow"], false, true),
            (&["nofollow, otherbot: noindex"], false, true),
            (&["otherbot: noindex, ourtoken: nofollow"], false, true),
            (&["otherbot/2.1: none"], false, false),
            (&["*: noindex"], true, false),
            (&["ourtoken: max-snippet: 20, noindex"], true, false),
        ] {
            let rules = header(values);
            assert_eq!((rules.noindex, rules.nofollow), (noindex, nofollow), "{values:?}");
        }
    }

    #[test]
    fn a_page_is_unavailable_after_its_date_and_not_before() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        for value in [
            "unavailable_after: 25 Jun 2010 15:00:00 GMT",
            "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT",
            "unavailable_after: Friday, 25-Jun-10 15:00:00 UTC",
            "unavailable_after: 2010-06-25T15:00:00Z",
            "UNAVAILABLE_AFTER:2010-06-25T17:00:00+02:00",
            "ourtoken: unavailable_after: 25 Jun 2010 15:00:00 +0000",
            "max-snippet:5, unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow",
        ] {
            let rules = header(&[value]);
            assert_eq!(rules.unavailable_after, Some(at("2010-06-25T15:00:00Z")), "{value}");
            assert!(
                rules.may_index(at("2010-06-25T14:59:59Z")) && !rules.may_index(at("2010-06-25T15:00:00Z")),
                "{value}"
            );
            assert_eq!(rules.nofollow, value.ends_with("nofollow"), "{value}");
        }
        for day in ["2010-06-25", "25 Jun 2010", "25 June 2010", "June 25, 2010", "Friday, 25 Jun 2010"] {
            let rules = header(&[&format!("unavailable_after: {day}, nofollow")]);
            assert_eq!(rules.unavailable_after, Some(at("2010-06-25T00:00:00Z")), "{day}");
        }
        for value in ["unavailable_after: soon", "unavailable_after:", "otherbot: unavailable_after: 2010-06-25"] {
            assert_eq!(header(&[value]), RobotsRules::default(), "{value}");
        }
        let both = header(&["unavailable_after: 2030-01-01, unavailable_after: 2010-01-01"]);
        assert_eq!(both.unavailable_after, Some(at("2010-01-01T00:00:00Z")));
    }

    #[test]
    fn meta_rules_for_all_crawlers_and_for_ours_apply() {
        for (html, noindex, nofollow) in [
            ("<meta name=ROBOTS content='NoIndex, follow'>", true, false),
            ("<meta name=robots content=none>", true, true),
            ("<meta name=robots content='noindex nofollow'>", true, true),
            ("<meta name='robots' content='max-image-preview:large; nofollow'>", false, true),
            ("<meta name=OurToken content=noindex>", true, false),
            ("<meta name=otherbot content=noindex>", false, false),
            ("<meta name=robots content=nofollow><meta name=ourtoken content=noindex>", true, true),
            ("<meta name=robots>", false, false),
        ] {
            let rules = meta(html);
            assert_eq!((rules.noindex, rules.nofollow), (noindex, nofollow), "{html}");
        }
        let rules = meta("<meta name=robots content='unavailable_after: 2010-06-25'>");
        assert!(rules.unavailable_after.is_some());
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // it measures time
    fn a_very_long_list_is_read_fast() {
        for list in ["unavailable_after: 25 Jun 2010, ", "a:", "unavailable_after: 1 ", "x,", "bot: noindex "] {
            let started = std::time::Instant::now();
            let rules = meta(&format!("<meta name=robots content='{}'>", list.repeat(300_000)));
            assert!(started.elapsed().as_secs() < 10, "{list}: {:?}, {rules:?}", started.elapsed());
        }
    }

    proptest::proptest! {
        #[test]
        fn any_header_is_read(value in "(unavailable_after|noindex|bot|[:,; =é0-9A-Za-z-]{0,4}){0,12}") {
            let _ = header(&[&value]);
        }
    }
}
