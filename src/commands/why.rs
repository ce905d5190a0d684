//! `goldminer why`: the life of one URL, and which rule decided. The verdict comes first, then what it rests on.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::Value;

use crate::cli::WhyArgs;
use crate::engine::{Query, WhyReport};
use crate::frontier::{Answer, Done, HostStatus, Life, PortalVerdict, Source, Stands, Trouble, name_of};

use super::status::{next_due, reason, span};
use super::style::{FAINT, TITLE, styled};
use super::{Exit, counted, job_client, output, thousands};

/// Runs the command.
///
/// # Errors
/// When the job can't be looked at.
pub(super) fn run(args: &WhyArgs) -> anyhow::Result<Exit> {
    let question = Query::Why { url: args.url.clone() };
    if args.json {
        let report: Value = job_client::ask(&args.dir, &question)?;
        output::json(&report)?;
        return Ok(Exit::Done);
    }
    let report: WhyReport = job_client::ask(&args.dir, &question)?;
    output::text(describe(&report))?;
    let is_fetched = report.explanation.life.is_some_and(|life| life.account == Stands::Done(Done::Fetched));
    if is_fetched {
        let url = &report.explanation.url;
        output::line(styled(FAINT, format!("its text: goldminer profile test {} {url}", args.dir.display())))?;
    }
    Ok(Exit::Done)
}

/// The report in words.
fn describe(report: &WhyReport) -> String {
    let explanation = &report.explanation;
    let mut text = String::new();
    let _ = writeln!(text, "{}\n{}", styled(TITLE, &explanation.url), verdict(report));
    if let Some(life) = &explanation.life {
        line(&mut text, "found", &found(life));
        if let Some(answer) = &life.answer {
            line(&mut text, "answer", &answered(answer));
        }
        if let Some(record) = life.answer.as_ref().and_then(|answer| answer.position.as_ref()) {
            let bytes = thousands(record.length);
            line(&mut text, "archive", &format!("{} at {}, {bytes} bytes", record.file, record.offset));
        }
    }
    line(&mut text, "robots", &report.robots);
    for portals in by_rule(&explanation.portals) {
        line(&mut text, "portals", &portals);
    }
    for suspect in &report.suspects {
        line(&mut text, "suspect", &suspect.reason());
    }
    if let Some(host) = &explanation.host {
        line(&mut text, "host", &host_line(host, report.at));
        if let Some(trouble) = &host.trouble {
            line(&mut text, "trouble", &trouble_line(trouble, host, report.at));
            if let Some(hint) = trouble.cause.hint() {
                line(&mut text, "", hint);
            }
        }
    }
    text
}

fn line(text: &mut String, name: &str, what: &str) {
    let _ = writeln!(text, "  {} {what}", styled(FAINT, format_args!("{name:<8}")));
}

/// Where the URL stands, and what decided that.
fn verdict(report: &WhyReport) -> String {
    let explanation = &report.explanation;
    let Some(life) = &explanation.life else {
        return match explanation.portals.iter().find(|portal| portal.wanted) {
            Some(portal) => format!("never found; {} would take it", portal.portal),
            None => "never found; no portal would take it".to_owned(),
        };
    };
    let answer = life.answer.as_ref();
    let note = answer.and_then(|answer| answer.note.as_deref());
    let status = answer.and_then(|answer| answer.status);
    let because = note.map(str::to_owned).or_else(|| status.map(|status| format!("status {status}")));
    let because = because.map_or_else(String::new, |because| format!(": {because}"));
    match life.account {
        Stands::Queued => {
            let waits =
                explanation.host.as_ref().map_or_else(|| "not known".to_owned(), |host| reason(host, report.at));
            let tried = if life.attempts > 0 {
                format!(", {} so far", counted(u64::from(life.attempts), "attempt", "attempts"))
            } else {
                String::new()
            };
            format!("queued{tried}; its host: {waits}")
        }
        Stands::InFlight => "being asked for just now".to_owned(),
        Stands::Done(Done::Fetched) => format!("fetched{}", note.map_or_else(String::new, |note| format!("; {note}"))),
        Stands::Done(Done::NotModified) => "fetched; unchanged since".to_owned(),
        Stands::Done(Done::Redirected) => format!("redirected to {}", note.unwrap_or("a URL that is none")),
        Stands::Done(Done::Disallowed) => format!("forbidden by robots.txt{because}"),
        Stands::Done(Done::Gone) => format!("gone{because}"),
        Stands::Done(Done::Refused) => format!("refused{because}"),
        Stands::Done(Done::Failed) => format!("given up{because}"),
        Stands::Rejected(rule) => {
            let own = explanation.portals.iter().find(|portal| portal.portal == life.portal && !portal.wanted);
            let own = own.map_or_else(String::new, |portal| format!(": {}", portal.rule));
            format!("rejected by the rule {}{own}", name_of(&rule))
        }
    }
}

fn found(life: &Life) -> String {
    let how = match life.source {
        Source::Seed => "in the seeds",
        Source::Feed => "in a feed",
        Source::NewsSitemap => "in a news sitemap",
        Source::Sitemap => "in a sitemap",
        Source::Link => "by a link",
        Source::Redirect => "by a redirect",
        Source::Canonical => "as the canonical address of a page",
        Source::Refresh => "by a meta refresh",
    };
    let via = life.via.as_ref().map_or_else(String::new, |via| format!(", {via}"));
    let hops = if life.hops > 0 {
        format!(" after {}", counted(u64::from(life.hops), "redirect", "redirects"))
    } else {
        String::new()
    };
    let kind = name_of(&life.kind);
    format!("{:.0} {how}{via}; {kind}, depth {}{hops}, for {}", life.found, life.depth, life.portal)
}

fn answered(answer: &Answer) -> String {
    let status = answer.status.map_or_else(|| "no response".to_owned(), |status| format!("status {status}"));
    let note = answer.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
    format!("{:.0} {status}{note}", answer.ended)
}

/// Portals that would decide alike share a line, those that want the URL first.
fn by_rule(portals: &[PortalVerdict]) -> Vec<String> {
    let mut by_rule: BTreeMap<(bool, &str), Vec<&str>> = BTreeMap::new();
    for portal in portals {
        by_rule.entry((!portal.wanted, &portal.rule)).or_default().push(&portal.portal);
    }
    let told = by_rule.into_iter().map(|((is_refused, rule), names)| match (is_refused, names.as_slice()) {
        (false, [name]) => format!("{name} takes it: {rule}"),
        (false, names) => format!("{} take it: {rule}", names.join(", ")),
        (true, [name]) => format!("{name} does not: {rule}"),
        (true, names) => format!("{} others do not: {rule}", names.len()),
    });
    told.collect()
}

fn host_line(host: &HostStatus, now: Timestamp) -> String {
    let (delay, queued) = (span(host.delay), thousands(host.queued));
    format!("{}: {queued} queued, delay {delay}, next due {}: {}", host.host, next_due(host, now), reason(host, now))
}

fn trouble_line(trouble: &Trouble, host: &HostStatus, now: Timestamp) -> String {
    let times =
        if trouble.count == 1 { "once".to_owned() } else { format!("{} times", thousands(trouble.count.into())) };
    let failure = trouble.failure();
    format!("{failure}; {times} since {:.0}, last {:.0}, next try {}", trouble.since, trouble.last, next_due(host, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const AT: &str = "2026-11-20T12:00:00Z";

    fn portal(name: &str, wanted: bool, rule: &str) -> Value {
        json!({ "portal": name, "wanted": wanted, "rule": rule })
    }

    fn told(life: &Value, portals: &[Value]) -> String {
        let report = json!({
            "url": "https://a.example/print/1", "life": life, "portals": portals, "host": null,
            "robots": "allowed: no rule applies", "at": AT,
        });
        output::without_ink(&describe(&serde_json::from_value(report).unwrap()))
    }

    fn life(account: &Value, answer: &Value) -> Value {
        json!({
            "found": AT, "source": "link", "via": "https://a.example/", "portal": "a.example", "kind": "page",
            "depth": 1, "hops": 0, "account": account, "attempts": 0, "answer": answer,
        })
    }

    #[test]
    fn a_url_that_nobody_found_is_told_who_would_take_it() {
        let refused = |name| portal(name, false, "on none of the portal's hosts");
        let portals = [refused("b.example"), portal("a.example", true, "in scope, no trap"), refused("c.example")];
        assert_eq!(
            told(&Value::Null, &portals),
            "https://a.example/print/1\n\
             never found; a.example would take it\n  \
             robots   allowed: no rule applies\n  \
             portals  a.example takes it: in scope, no trap\n  \
             portals  2 others do not: on none of the portal's hosts\n"
        );
    }

    #[test]
    fn what_decided_stands_in_the_second_line() {
        let second =
            |life: &Value, portals: &[Value]| told(life, portals).lines().nth(1).unwrap_or_default().to_owned();
        let rule = portal("a.example", false, "the exclude rule /print matches");
        let rejected = life(&json!({ "rejected": "excluded" }), &Value::Null);
        assert_eq!(second(&rejected, &[rule]), "rejected by the rule excluded: the exclude rule /print matches");
        let answer =
            |status: Value, note: Value| json!({ "ended": AT, "status": status, "position": null, "note": note });
        let disallowed = life(&json!({ "done": "disallowed" }), &answer(Value::Null, json!("Disallow: /print")));
        assert_eq!(second(&disallowed, &[]), "forbidden by robots.txt: Disallow: /print");
        assert_eq!(
            second(&life(&json!({ "done": "gone" }), &answer(json!(410), Value::Null)), &[]),
            "gone: status 410"
        );
        assert_eq!(second(&life(&json!("queued"), &Value::Null), &[]), "queued; its host: not known");
    }

    #[test]
    fn an_answer_is_told_with_its_record() {
        let position = json!({ "file": "x-00000.warc.gz", "offset": 1234, "length": 6869 });
        let answer = json!({ "ended": AT, "status": 200, "position": position, "note": null });
        let text = told(&life(&json!({ "done": "fetched" }), &answer), &[]);
        for part in [
            "\nfetched\n",
            "found    2026-11-20T12:00:00Z by a link, https://a.example/; page, depth 1, for a.example\n",
            "answer   2026-11-20T12:00:00Z status 200\n",
            "archive  x-00000.warc.gz at 1234, 6,869 bytes\n",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
    }
}
