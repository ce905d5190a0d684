//! Reads rights from the header fields of an HTTP response.

use goldminer_html::capture::Headers;

use crate::{RightsSource, Signal};

impl Signal {
    /// The signals in a response's header fields: `X-Robots-Tag`, `TDM-Reservation`, `TDM-Policy`, `Link` with
    /// `rel=license`, and `Content-Usage`. `Content-Signal` belongs in robots.txt, but is also sent as a field.
    ///
    /// ```
    /// use goldminer_html::capture::Headers;
    /// use goldminer_rights::{Restriction, Rights, Signal};
    ///
    /// let headers = Headers::from_iter([("X-Robots-Tag", "noai, otherbot: noindex"), ("Content-Usage", "search=n")]);
    /// let rights = Rights::of(Signal::of_headers(&headers));
    /// assert_eq!(rights.restrictions, [Restriction::Noai, Restriction::NoSearch]);
    /// ```
    #[must_use]
    pub fn of_headers(headers: &Headers) -> Vec<Self> {
        let mut found = Vec::new();
        // Several fields named `Content-Usage` form one dictionary (RFC 9651, section 4.2).
        let mut usage = String::new();
        for (name, value) in headers.iter() {
            let Ok(value) = std::str::from_utf8(value) else { continue };
            match name.to_ascii_lowercase().as_str() {
                "link" => found.extend(licenses(value)),
                name @ ("tdm-policy" | "tdm-reservation") => found.push(Self::new(RightsSource::Header, name, value)),
                "x-robots-tag" => found.extend(Self::of_robots_list(RightsSource::Header, "x-robots-tag", value, None)),
                "content-signal" => found.extend(Self::of_content_signal(RightsSource::Header, value)),
                "content-usage" => {
                    usage.push_str(if usage.is_empty() { "" } else { "," });
                    usage.push_str(value);
                }
                _ => {}
            }
        }
        found.extend(Self::of_content_usage(RightsSource::Header, &usage));
        found
    }
}

/// Returns a signal for each licence in a header field `Link` (RFC 8288, section 3).
fn licenses(field: &str) -> Vec<Signal> {
    let mut found = Vec::new();
    let mut rest = field;
    while let Some((_, link)) = rest.split_once('<') {
        let Some((target, behind)) = link.split_once('>') else { break };
        let parameters = &behind[..end_of_link(behind)];
        rest = &behind[parameters.len()..];
        let (mut is_license, mut is_rsl) = (false, false);
        for parameter in parameters.split(';') {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "rel" => {
                    is_license |= value.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("license"));
                }
                "type" => is_rsl |= value.eq_ignore_ascii_case("application/rsl+xml"),
                _ => {}
            }
        }
        if is_license {
            found.push(Signal::new(RightsSource::Header, if is_rsl { "rsl" } else { "license" }, target));
        }
    }
    found
}

/// Returns where a link's parameters end: at the first comma outside quotes.
fn end_of_link(parameters: &str) -> usize {
    let mut is_quoted = false;
    let comma = parameters.find(|c| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    });
    comma.unwrap_or(parameters.len())
}
