//! Collects the rules that apply to this crawler from the lines of a robots.txt. Groups for the same crawler are
//! merged, and `*` applies only if no group names this crawler (RFC 9309, section 2.2.1).

use std::time::Duration;

use goldminer_warc::caught::caught;
use robotstxt::RobotsParseHandler;

use super::Robots;
use super::rule::{Rule, Rules, push};
use super::usage::{Usage, UsageLine};

/// The most sitemaps that are kept from one file; the largest portals name some hundreds.
const MAX_SITEMAPS: usize = 5_000;

/// Spaces beyond ASCII in UTF-8 or Latin-1, percent-encoded: no-break, zero-width, ideographic.
const SPACES: [&str; 4] = ["%C2%A0", "%A0", "%E2%80%8B", "%E3%80%80"];

/// Collects the rules for a crawler, its delay, the sitemaps, and the statements on usage.
pub(super) fn gather(text: &str, product_token: &str) -> Robots {
    gather_by(|reading| robotstxt::parse_robotstxt(text, reading), product_token)
}

/// Like [`gather`], but with the parser that the caller gives. The text is prepared so that the parser has no known way
/// to panic. If it panics all the same, the remaining lines are unknown, and everything is forbidden, as for an
/// unreachable robots.txt (RFC 9309, section 2.3.1.4).
fn gather_by(parse: impl FnOnce(&mut RobotsParser<'_>), product_token: &str) -> Robots {
    let mut reading = RobotsParser { product_token, ..RobotsParser::default() };
    if let Err(panic) = caught(|| parse(&mut reading)) {
        tracing::error!(
            "the program failed to read a robots.txt ({panic}), so it requests no URL of that host. This is a bug: \
             find the host with `goldminer status DIR --urls disallowed`, and report its robots.txt"
        );
        return Robots { rules: Rules::of("-/"), ..Robots::default() };
    }
    let group = if reading.is_named { reading.named } else { reading.everybody };
    let mut usage = reading.usage;
    usage.lines.extend(group.usage);
    let crawl_delay = group.crawl_delay.or(reading.crawl_delay);
    Robots { rules: Rules::of(&group.rules), crawl_delay, sitemaps: reading.sitemaps, usage }
}

/// The lines of all groups that apply to one crawler.
#[derive(Default)]
struct Group {
    /// Whether the current line belongs to the crawler.
    open: bool,
    /// Rules in the format of [`Rules`].
    rules: String,
    crawl_delay: Option<Duration>,
    usage: Vec<UsageLine>,
}

/// The parser's state between two lines.
#[derive(Default)]
struct RobotsParser<'a> {
    product_token: &'a str,
    /// Whether a `User-agent` line named the crawler.
    is_named: bool,
    named: Group,
    everybody: Group,
    /// Whether any group has begun, for any crawler.
    has_groups: bool,
    /// Whether a rule was read after the last `User-agent`: the next `User-agent` then begins a new group.
    in_rules: bool,
    sitemaps: Vec<String>,
    /// The delay before all groups, for the crawlers without a delay of their own.
    crawl_delay: Option<Duration>,
    /// The statements on usage for all crawlers.
    usage: Usage,
}

impl RobotsParser<'_> {
    fn rule(&mut self, allow: bool, path: &str) {
        self.in_rules |= self.named.open || self.everybody.open;
        let path = if allow { path } else { without_spaces(path) };
        // `Disallow:` without a path forbids nothing.
        if path.is_empty() {
            return;
        }
        for group in [&mut self.named, &mut self.everybody].into_iter().filter(|group| group.open) {
            push(&mut group.rules, Rule::new(allow, path));
            // As in Google's parser, allowing the index page allows its folder.
            if let Some(folder) = path.rfind('/').filter(|at| allow && path[*at..].starts_with("/index.htm")) {
                push(&mut group.rules, Rule::new(allow, &format!("{}$", &path[..=folder])));
            }
        }
    }

    /// Handles a usage line. Such a line does not end a list of `User-agent` lines, because it must not change to which
    /// crawlers the rules below apply.
    fn usage_line(&mut self, line: &UsageLine) {
        let open = [&mut self.named, &mut self.everybody].into_iter().filter(|group| group.open);
        let groups = open.map(|group| Usage::note(&mut group.usage, line.clone())).count();
        let is_before_all = groups == 0 && !self.has_groups;
        if is_before_all {
            Usage::note(&mut self.usage.lines, line.clone());
        }
    }

    /// Handles a delay, which may have a decimal comma or a unit, as in `0,4` and `30 sec`.
    fn crawl_delay(&mut self, seconds: &str) {
        let seconds = seconds.trim().replacen(',', ".", 1);
        let end = seconds.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(seconds.len());
        let number = seconds.parse().or_else(|_| seconds[..end].parse());
        let parsed = number.ok().and_then(|s: f64| Duration::try_from_secs_f64(s).ok());
        if !self.has_groups {
            self.crawl_delay = self.crawl_delay.max(parsed);
        }
        for group in [&mut self.named, &mut self.everybody].into_iter().filter(|group| group.open) {
            group.crawl_delay = group.crawl_delay.max(parsed);
        }
    }
}

/// A forbidden path without spaces of any kind around it.
fn without_spaces(mut path: &str) -> &str {
    while let Some(rest) = SPACES.iter().find_map(|space| path.strip_prefix(space).or_else(|| before(path, space))) {
        path = rest.trim();
    }
    path
}

/// The path before this space. `%A0` after another escape may be the end of a letter, as in `%C3%A0` (à).
fn before<'a>(path: &'a str, space: &str) -> Option<&'a str> {
    let rest = path.strip_suffix(space)?;
    let is_letter = space == "%A0" && rest.as_bytes().iter().nth_back(2) == Some(&b'%');
    (!is_letter).then_some(rest)
}

impl RobotsParseHandler for RobotsParser<'_> {
    fn handle_robots_start(&mut self) {}
    fn handle_robots_end(&mut self) {}

    fn handle_user_agent(&mut self, _line: u32, name: &str) {
        self.has_groups = true;
        if self.in_rules {
            (self.named.open, self.everybody.open, self.in_rules) = (false, false, false);
        }
        let is_everybody = name.strip_prefix('*').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        if is_everybody {
            self.everybody.open = true;
            return;
        }
        let token_end = name.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '-' | '_')));
        let token = &name[..token_end.unwrap_or(name.len())];
        if !token.is_empty() && token.eq_ignore_ascii_case(self.product_token) {
            (self.named.open, self.is_named) = (true, true);
        }
    }

    fn handle_allow(&mut self, _line: u32, path: &str) {
        self.rule(true, path);
    }

    fn handle_disallow(&mut self, _line: u32, path: &str) {
        self.rule(false, path);
    }

    fn handle_sitemap(&mut self, _line: u32, url: &str) {
        if self.sitemaps.len() < MAX_SITEMAPS && !url.is_empty() {
            self.sitemaps.push(url.to_owned());
        }
    }

    fn handle_unknown_action(&mut self, _line: u32, key: &str, value: &str) {
        if key.eq_ignore_ascii_case("crawl-delay") {
            self.crawl_delay(value);
        } else if key.eq_ignore_ascii_case("license") {
            self.usage.note_terms(value);
        } else if let Some(line) = UsageLine::read(key, value) {
            self.usage_line(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_the_parser_fails_on_forbids_everything() {
        let robots = gather_by(
            |reading| {
                robotstxt::parse_robotstxt("User-agent: *\nAllow: /news/\n", reading);
                panic!("in line 3");
            },
            "goldminer",
        );
        let lines: Vec<String> = robots.rules.iter().map(|rule| rule.to_string()).collect();
        assert_eq!(lines, ["Disallow: /"], "a later line may have forbidden what an earlier one allows");
    }
}
