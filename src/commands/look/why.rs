//! `goldminer why`: shows the history of one URL, and which rule decided. The verdict comes first, then the reasons.

use goldminer_console::words::url as words;
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::frontier::UrlState;
use goldminer_crawl::health::url_result::UrlResult;
use goldminer_crawl::{Done, JobDir, Query, WhyReport, typed_url};
use serde_json::Value;

use crate::cli::WhyArgs;
use crate::commands::terminal::style::{FAINT, TITLE, labelled, styled};
use crate::commands::{Exit, UsageError, output};

/// Runs `goldminer why`.
///
/// # Errors
/// When the job cannot be read.
pub(crate) fn run(args: &WhyArgs) -> anyhow::Result<Exit> {
    if JobDir::is_job(&args.dir) {
        typed_url(&args.url).map_err(UsageError::of)?;
    }
    let question = Query::Why { url: args.url.clone() };
    if args.json {
        output::json(&job_client::ask::<Value>(&args.dir, &question)?)?;
        return Ok(Exit::Done);
    }
    let report: WhyReport = job_client::ask(&args.dir, &question)?;
    output::text(describe(&report))?;
    let is_fetched = report.explanation.life.is_some_and(|life| life.account == UrlState::Done(Done::Fetched));
    if is_fetched && !matches!(report.gave, Some(UrlResult::List { .. } | UrlResult::NoPage { .. })) {
        let url = &report.explanation.url;
        output::line(styled(
            FAINT,
            format!("its paragraphs, kept or cut: goldminer profile test {} {url}", args.dir.display()),
        ))?;
    }
    Ok(Exit::Done)
}

/// The answer as text.
fn describe(report: &WhyReport) -> String {
    let lines: String = words::lines(report).iter().map(|(name, what)| labelled(8, name, what)).collect();
    format!("{}\n{}\n{lines}", styled(TITLE, &report.explanation.url), words::verdict(report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_crawl::frontier::{OTHER_DOMAIN, OTHER_HOST};
    use serde_json::json;

    const AT: &str = "2026-11-20T12:00:00Z";

    fn portal(name: &str, wanted: bool, rule: &str) -> Value {
        json!({ "portal": name, "wanted": wanted, "rule": rule })
    }

    fn described(life: &Value, portals: &[Value]) -> String {
        let report = json!({
            "url": "https://a.example/print/1", "life": life, "portals": portals, "host": null,
            "robots": "allowed: no rule applies", "at": AT,
        });
        output::without_styles(&describe(&serde_json::from_value(report).unwrap()))
    }

    fn life(account: &Value, answer: &Value) -> Value {
        json!({
            "found": AT, "source": "link", "via": "https://a.example/", "portal": "a.example", "kind": "page",
            "depth": 1, "hops": 0, "account": account, "attempts": 0, "answer": answer,
        })
    }

    #[test]
    fn an_unknown_url_is_shown_with_each_portals_decision() {
        let refused = |name, rule| portal(name, false, rule);
        let accepted = portal("a.example", true, "in scope, no trap");
        let rule = "the exclude rule /print matches";
        let portals = [
            refused("b.example", OTHER_HOST),
            accepted,
            refused("c.example", rule),
            refused("d.example", rule),
            refused("e.example", OTHER_DOMAIN),
        ];
        assert_eq!(
            described(&Value::Null, &portals),
            "https://a.example/print/1\n\
             the crawl has not come across this URL; if it does, it queues it for the portal a.example\n  \
             robots   allowed: no rule applies\n  \
             portals  a.example accepts it: in scope, no trap\n  \
             portals  c.example, d.example reject it: the exclude rule /print matches\n"
        );
        let text = described(&Value::Null, &[refused("b.example", OTHER_HOST), refused("c.example", OTHER_DOMAIN)]);
        assert!(text.ends_with("  portals  no portal has this host\n"), "{text}");
    }

    #[test]
    fn a_withdrawn_url_is_shown_as_withdrawn() {
        for life in [Value::Null, life(&json!({ "rejected": "withdrawn" }), &Value::Null)] {
            let text = described(&life, &[portal("a.example", false, "withdrawn from the job (goldminer drop)")]);
            let second = text.lines().nth(1);
            assert_eq!(second, Some("withdrawn from the job (goldminer drop); it is not requested again"), "{text}");
        }
    }

    #[test]
    fn the_second_line_says_what_decided() {
        let second =
            |life: &Value, portals: &[Value]| described(life, portals).lines().nth(1).unwrap_or_default().to_owned();
        let rule = portal("a.example", false, "the exclude rule /print matches");
        let rejected = life(&json!({ "rejected": "excluded" }), &Value::Null);
        assert_eq!(second(&rejected, &[rule]), "rejected by the rule excluded: the exclude rule /print matches");
        let admitted = portal("a.example", true, "in scope, no trap");
        assert_eq!(
            second(&life(&json!({ "rejected": "out-of-scope" }), &Value::Null), &[admitted]),
            "rejected by the rule out-of-scope of an earlier seeds file; the URL is queued when it is found again"
        );
        let answer =
            |status: Value, note: Value| json!({ "ended": AT, "status": status, "position": null, "note": note });
        let disallowed = life(&json!({ "done": "disallowed" }), &answer(Value::Null, json!("Disallow: /print")));
        assert_eq!(second(&disallowed, &[]), "disallowed by robots.txt: Disallow: /print");
        assert_eq!(
            second(&life(&json!({ "done": "gone" }), &answer(json!(410), Value::Null)), &[]),
            "gone: status 410"
        );
        assert_eq!(second(&life(&json!("queued"), &Value::Null), &[]), "queued; its host: unknown");
    }

    #[test]
    fn a_response_is_shown_with_its_record() {
        let position = json!({ "file": "x-00000.warc.gz", "offset": 1234, "length": 6869 });
        let answer = json!({ "ended": AT, "status": 200, "position": position, "note": null });
        let text = described(&life(&json!({ "done": "fetched" }), &answer), &[]);
        for part in [
            "\nfetched\n",
            "found    2026-11-20T12:00:00Z by a link at https://a.example/; page, depth 1, for the portal a.example\n",
            "answer   2026-11-20T12:00:00Z status 200\n",
            "archive  x-00000.warc.gz at byte 1234, 6,869 bytes\n",
        ] {
            assert!(text.contains(part), "{part:?} is missing in:\n{text}");
        }
    }
}
