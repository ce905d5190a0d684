//! `/.well-known/tdmrep.json` (TDMRep, final report of 10 May 2024, "TDM File on the Origin Server"): the paths of a
//! host that are reserved from text and data mining. Paths are matched like those of robots.txt; the first rule that
//! matches applies.

use goldminer_html::CrawlUrl;
use goldminer_rights::{RightsSource, Signal};
use serde_json::Value;

use super::rule::{Rule, allocated};
use super::text::UrlPath;
use super::usage::bytes_of;

/// The path of the file on its host.
pub const TDMREP_PATH: &str = "/.well-known/tdmrep.json";

/// The most rules of a file that are read.
const MAX_RULES: usize = 10_000;

/// A `tdmrep.json` file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TdmRules(Vec<TdmRule>);

#[derive(Debug, Clone, PartialEq)]
struct TdmRule {
    location: String,
    signals: Vec<Signal>,
}

impl TdmRules {
    /// Approximate memory in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.0.iter().map(|rule| size_of::<TdmRule>() + allocated(rule.location.len()) + bytes_of(&rule.signals)).sum()
    }

    /// Parses a file: an array of rules or, as some sites write it, a single rule. Returns None if it is neither. A
    /// rule without a location is skipped, and a value that is neither 0 nor 1 reserves nothing.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let rules = match serde_json::from_slice(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)).ok()? {
            Value::Array(rules) => rules,
            rule @ Value::Object(_) => vec![rule],
            _ => return None,
        };
        Some(Self(rules.iter().take(MAX_RULES).filter_map(rule).collect()))
    }

    /// The statements of the file about a URL.
    pub fn signals(&self, url: &CrawlUrl) -> Vec<Signal> {
        let path = UrlPath::of(url.path_and_query());
        // A reservation applies to any spelling of the path.
        let applies = |rule: &&TdmRule| Rule::new(false, &rule.location).matches(&path);
        self.0.iter().find(applies).map_or_else(Vec::new, |rule| rule.signals.clone())
    }
}

fn rule(rule: &Value) -> Option<TdmRule> {
    let location = rule.get("location")?.as_str()?;
    let mut signals = Vec::new();
    if let Some(reservation) = rule.get("tdm-reservation") {
        let value = reservation.as_str().map_or_else(|| reservation.to_string(), str::to_owned);
        signals.push(Signal::new(RightsSource::Tdmrep, "tdm-reservation", value));
    }
    if let Some(policy) = rule.get("tdm-policy").and_then(Value::as_str) {
        signals.push(Signal::new(RightsSource::Tdmrep, "tdm-policy", policy));
    }
    Some(TdmRule { location: location.to_owned(), signals })
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_rights::{Restriction, Rights};

    #[test]
    fn the_first_matching_rule_decides_what_is_reserved() {
        let two = r#"[{"location": "/free/", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]"#;
        let other = r#"[{"location": "/", "tdm-reservation": 1}, {"location": "/free/", "tdm-reservation": 0}]"#;
        for (name, body, path, is_reserved) in [
            ("TDMRep, file: the whole site", r#"[{"location": "/", "tdm-reservation": 1}]"#, "/a", true),
            ("TDMRep, file: a folder", r#"[{"location": "/a/", "tdm-reservation": 1}]"#, "/a/b", true),
            ("TDMRep, file: another folder", r#"[{"location": "/a/", "tdm-reservation": 1}]"#, "/b", false),
            ("TDMRep, file: the first in sequence", two, "/free/a", false),
            ("TDMRep, file: the first in sequence matches all", other, "/free/a", true),
            ("TDMRep, file: what no earlier rule takes", two, "/a", true),
            ("TDMRep, patterns: a star", r#"[{"location": "/a/*.pdf", "tdm-reservation": 1}]"#, "/a/b.pdf", true),
            ("TDMRep, patterns: a star alone", r#"[{"location": "*", "tdm-reservation": 1}]"#, "/a", true),
            ("TDMRep, patterns: the end", r#"[{"location": "/a$", "tdm-reservation": 1}]"#, "/ab", false),
            ("TDMRep, patterns: case counts", r#"[{"location": "/A", "tdm-reservation": 1}]"#, "/a", false),
            ("TDMRep, patterns: escapes", r#"[{"location": "/%61", "tdm-reservation": 1}]"#, "/a", true),
            ("TDMRep, values: 0", r#"[{"location": "/", "tdm-reservation": 0}]"#, "/a", false),
            ("TDMRep, values: another is an error", r#"[{"location": "/", "tdm-reservation": 2}]"#, "/a", false),
            ("TDMRep, values: as text", r#"[{"location": "/", "tdm-reservation": "1"}]"#, "/a", true),
            ("TDMRep, file: no reservation", r#"[{"location": "/"}]"#, "/a", false),
            ("TDMRep, file: no location", r#"[{"tdm-reservation": 1}]"#, "/a", false),
            ("TDMRep, file: a rule alone", r#"{"location": "/", "tdm-reservation": 1}"#, "/a", true),
            ("TDMRep, file: no rules", "[]", "/a", false),
        ] {
            let url = CrawlUrl::parse(&format!("https://portal.example{path}")).unwrap();
            let rules = TdmRules::parse(body.as_bytes()).unwrap_or_else(|| panic!("{name}: not read"));
            assert_eq!(Rights::of(rules.signals(&url)).restricts(Restriction::Tdm), is_reserved, "{name}");
        }
    }

    #[test]
    fn a_policy_is_read_and_a_text_that_is_no_tdmrep_is_rejected() {
        let body = r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://p.example/policy.json"}]"#;
        let url = CrawlUrl::parse("https://portal.example/a").unwrap();
        let names: Vec<String> =
            TdmRules::parse(body.as_bytes()).unwrap().signals(&url).into_iter().map(|s| s.value).collect();
        assert_eq!(names, ["1", "https://p.example/policy.json"]);
        for other in ["<html>Not found</html>", "", "\"text\"", "[{]"] {
            assert_eq!(TdmRules::parse(other.as_bytes()), None, "{other}");
        }
    }
}
