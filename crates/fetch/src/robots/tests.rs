//! Tests every rule of RFC 9309 that a verdict depends on, and known mistakes of other parsers.

use goldminer_html::CrawlUrl;
use goldminer_rights::Rights;
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

use super::*;

fn allowed(robots: &[u8], token: &str, path: &str) -> bool {
    Robots::parse(robots, token).verdict_on_path(path).allowed
}

/// Whether `goldbot` may request the path.
fn may(robots: &str, path: &str) -> bool {
    allowed(robots.as_bytes(), "goldbot", path)
}

#[test]
fn groups_that_name_us_are_merged_and_override_the_star() {
    let robots = "User-agent: *\nDisallow: /everybody\n\nUser-agent: GoldBot\nDisallow: /a\n\nUser-agent: x\nDisallow: /x\n\n\
                  User-agent: goldbot/2.0\nDisallow: /b\n";
    for (path, expected) in [("/a", false), ("/b", false), ("/everybody", true), ("/x", true)] {
        assert_eq!(may(robots, path), expected, "{path}");
    }
    assert!(!allowed(robots.as_bytes(), "stranger", "/everybody"));
    assert!(may("User-agent: *\nDisallow: /\n\nUser-agent: goldbot\nDisallow:\n", "/a"), "an empty rule allows all");
    assert!(may("User-agent: goldbots\nDisallow: /\n", "/a"), "another name that begins with ours");
}

#[test]
fn lines_that_are_no_rule_do_not_end_a_group() {
    for between in ["Crawl-delay: 1", "Sitemap: http://portal.example/s.xml", "", "# comment", "Host: x", "gibberish"] {
        let robots = format!("User-agent: goldbot\n{between}\nUser-agent: other\nDisallow: /z\n");
        assert!(!may(&robots, "/z"), "{between:?} ended the group");
    }
}

#[test]
fn the_longest_rule_wins_and_permission_wins_a_tie() {
    let robots =
        "User-agent: *\nAllow: /p\nDisallow: /\nDisallow: /folder\nAllow: /folder\nAllow: /page\nDisallow: /*.htm\n";
    for (path, expected) in
        [("/page", true), ("/other", false), ("/folder/x", true), ("/page.html", false), ("/p.html", false)]
    {
        assert_eq!(may(robots, path), expected, "{path}");
    }
}

#[test]
fn the_deciding_rule_is_returned() {
    let robots = Robots::parse(b"User-agent: *\nDisallow: /%61rchive/*.php$ # old\n", "goldbot");
    let verdict = robots.verdict(&CrawlUrl::parse("http://portal.example/archive/x.php").unwrap());
    assert_eq!(verdict, RobotsDecision { allowed: false, rule: Some("Disallow: /%61rchive/*.php$".into()) });
    assert_eq!(robots.verdict_on_path("/a"), RobotsDecision { allowed: true, rule: None });
}

#[test]
fn all_line_ends_and_byte_order_marks_are_read() {
    for ends in ["\n", "\r\n", "\r"] {
        assert!(!may(&["User-agent: *", "Disallow: /a", ""].join(ends), "/a"), "{ends:?}");
    }
    let plain = "User-agent: *\nDisallow: /a\n";
    for mark in [
        &b"\xEF\xBB\xBF"[..],
        b"\xEF\xBB",
        b"\xFF\xFE",
        b"\xFE\xFF",
        b"\xEF",
        b"\xEF\xBF\xBD",
        b"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD",
    ] {
        assert!(!allowed(&[mark, plain.as_bytes()].concat(), "goldbot", "/a"), "{mark:?}");
    }
    let little: Vec<u8> = "\u{feff}User-agent: *\nDisallow: /a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "\u{feff}User-agent: *\nDisallow: /a\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert!(!allowed(&little, "goldbot", "/a") && !allowed(&big, "goldbot", "/a"), "UTF-16");
}

#[test]
fn one_path_in_several_spellings_is_one_path() {
    for (rule, path) in [
        ("/%aa", "/%AA"),
        ("/%C3%A9", "/%c3%a9"),
        ("/cikk-é", "/cikk-%C3%A9"),
        ("/cikk-%C3%A9", "/cikk-é"),
        ("/%7Euser", "/~user"),
        ("/~user", "/%7euser"),
        ("/foo%zz/é", "/foo%zz/%C3%A9"),
        ("/%61%62", "/ab"),
    ] {
        assert!(!may(&format!("User-agent: *\nDisallow: {rule}\n"), path), "{rule} let {path} through");
    }
    assert!(may("User-agent: *\nDisallow: /a%2Fb\n", "/a/b"), "an escaped slash is not a slash");
}

#[test]
fn the_stricter_meaning_counts_where_suite_and_rfc_differ() {
    let forbids = "User-agent: *\nDisallow: /%62%61%7A\n";
    let permits = "User-agent: *\nDisallow: /\nAllow: /%62%61%7A\n";
    assert!(!may(forbids, "/baz"), "RFC 9309, section 2.2.2");
    assert!(!may(permits, "/baz"), "Google's suite, non-ascii-paths");
    assert!(may(permits, "/%62%61%7A"));
}

/// The tables and examples of RFC 9309, sections 2.2.2, 2.2.3, 5.1 and 5.2, for the crawlers named there.
#[test]
fn the_examples_of_the_rfc_hold() {
    // 2.2.2: the rule, and the requested path.
    for (rule, path) in [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar/\u{30c4}", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        // 2.2.3: a special character that stands for itself is escaped.
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
        ("/path/file-with-a-%2a.html", "/path/file-with-a-%2A.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/path/foo-%24", "/path/foo-%24"),
    ] {
        assert!(!may(&format!("User-agent: *\nDisallow: {rule}\n"), path), "{rule} let {path} through");
        let itself = CrawlUrl::parse(&format!("http://p.example{rule}")).unwrap();
        let allows = format!("User-agent: *\nAllow: {rule}\nDisallow: /\n");
        assert!(rule.contains("%6") || may(&allows, itself.path_and_query()), "{rule} does not allow itself");
    }
    for (rule, path) in [
        ("/path/file-with-a-%2A.html", "/path/file-with-a-b.html"),
        ("/path/foo-%24", "/path/foo-"),
        ("/this/path/exactly$", "/this/path/exactly/not"),
    ] {
        assert!(may(&format!("User-agent: *\nDisallow: {rule}\n"), path), "{rule} forbade {path}");
    }
    // 2.2.3: the operators.
    for (rule, path) in [
        ("/this/path/exactly$", "/this/path/exactly"),
        ("/this/*/exactly", "/this/path/exactly"),
        ("/this/*/exactly", "/this/long/path/exactly/too"),
    ] {
        assert!(!may(&format!("User-agent: *\nDisallow: {rule} # comment\n"), path), "{rule} let {path} through");
    }
    // 5.1
    let simple = b"User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
        User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
        User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n";
    for (agent, path, expected) in [
        ("anybot", "/image.gif", false),
        ("anybot", "/example/page.html", false),
        ("anybot", "/publications/a", true),
        ("foobot", "/publications/a", false),
        ("foobot", "/example/page.html", true),
        ("foobot", "/example/allowed.gif", true),
        ("barbot", "/example/page.html", false),
        ("bazbot", "/example/page.html", false),
        ("bazbot", "/image.gif", true),
        ("quxbot", "/image.gif", true),
    ] {
        assert_eq!(allowed(simple, agent, path), expected, "{agent} {path}");
    }
    // 5.2
    let longest = b"User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
    assert!(!allowed(longest, "foobot", "/example/page/disallowed.gif"));
    assert!(allowed(longest, "foobot", "/example/page/"));
}

#[test]
fn a_star_or_dollar_in_a_url_is_no_operator() {
    assert!(!may("User-agent: *\nDisallow: /a*b\n", "/a*b") && !may("User-agent: *\nDisallow: /a$b\n", "/a$b"));
    assert!(!may("User-agent: *\nDisallow: /a$\n", "/a") && may("User-agent: *\nDisallow: /a$\n", "/a$"));
    assert!(
        !may("User-agent: *\nDisallow: /\nAllow: /b\n", "/a%24")
            && may("User-agent: *\nDisallow: /\nAllow: /a%24\n", "/a%24")
    );
}

#[test]
fn sloppy_files_are_read_as_they_were_meant() {
    assert!(!may("user-agent goldbot\ndisallow /\n", "/a"), "no colon");
    assert!(!may("User-agent: *\nDissallow: /a\n", "/a"), "a usual misspelling");
    assert!(!may("User-agent: *\0\nDisallow: /a\n", "/a"), "NUL");
    assert!(!may("User-agent: Gold\nUser-agent: goldbot extra\nDisallow: /a\n", "/a"), "words after the name");
    assert!(may("User-agent: *\nDisallow: admin\n", "/admin"), "a rule without slash is a path that no URL has");
    assert!(may("<!DOCTYPE html>\n<body>Disallow: /\n</body>", "/a"), "rules without a group");
    assert!(may("User-agent: *\nDisallow: /\nAllow: /a/index.html\n", "/a/"), "the index page is the folder");
    let long = format!("User-agent: *\nDisallow: /{}\nDisallow: /z\n", "é".repeat(20_000));
    assert!(!may(&long, "/z"), "a line of 40 kB");
}

#[test]
fn a_file_beyond_the_limit_loses_its_whole_last_line() {
    let mut robots = String::from("User-agent: *\nDisallow: /first\n");
    robots.push_str(&"#".repeat(MAX_BYTES - robots.len() - "\nDisallow: /".len()));
    robots.push_str("\nDisallow: /private\n");
    assert!(robots.is_char_boundary(MAX_BYTES) && robots[..MAX_BYTES].ends_with("\nDisallow: /"));
    assert!(!may(&robots, "/first"));
    assert!(may(&robots, "/anything"), "half a line forbade everything");
}

#[test]
fn the_longest_delay_for_this_crawler_counts() {
    let delay = |robots: &str| Robots::parse(robots.as_bytes(), "goldbot").crawl_delay().map(|d| d.as_secs_f64());
    assert_eq!(delay("User-agent: *\nCrawl-delay: 2.5\n"), Some(2.5));
    assert_eq!(
        delay("User-agent: *\nCrawl-delay: 1\nUser-agent: goldbot\nDisallow: /x\nCRAWL-DELAY: 300\n"),
        Some(300.0)
    );
    assert_eq!(delay("User-agent: goldbot\nCrawl-delay: 1\nCrawl-delay: 7\n"), Some(7.0));
    assert_eq!(delay("User-agent: *\nCrawl-delay: 9\n\nUser-agent: goldbot\nDisallow:\n"), None, "that is for others");
    assert_eq!(delay("Crawl-delay: 9\nUser-agent: *\nDisallow: /x\n"), Some(9.0), "before all groups");
    assert_eq!(delay("Crawl-delay: 9\nUser-agent: *\nCrawl-delay: 1\n"), Some(1.0));
    for (written, seconds) in [("0,4", 0.4), ("0.4s", 0.4), (".4", 0.4), ("30 sec", 30.0), ("4e-1", 0.4)] {
        assert_eq!(delay(&format!("User-agent: *\nCrawl-delay: {written}\n")), Some(seconds), "{written}");
    }
    for nonsense in ["", "soon", "-1", "NaN", "inf", "1e400"] {
        assert_eq!(delay(&format!("User-agent: *\nCrawl-delay: {nonsense}\n")), None, "{nonsense}");
    }
}

#[test]
fn a_forbidden_path_has_its_strictest_meaning() {
    let forbids = |path: &str, url: &str| {
        let robots = Robots::parse(format!("User-agent: *\nDisallow:{path}\n").as_bytes(), "goldbot");
        !robots.verdict(&CrawlUrl::parse(url).unwrap()).allowed
    };
    let private = "http://portal.example/private/a";
    for path in ["\u{a0}/private/", " \u{a0} /private/\u{200b}", "http://Portal.example/private/"] {
        assert!(forbids(path, private), "{path}");
    }
    assert!(forbids("https://portal.example:8080", private), "the whole host");
    assert!(!forbids("http://other.example/private/", private), "the path of another host");
    assert!(!forbids("\u{a0}", private), "an empty path");
    assert!(!forbids("/\u{420}", "http://portal.example/\u{410}"), "`%D0%A0` is a letter");
}

#[test]
fn sitemaps_are_taken_from_anywhere() {
    let robots = Robots::parse(
        "Sitemap: http://portal.example/é.xml\nUser-agent: x\nDisallow: /\nSITEMAP:/b.xml\n".as_bytes(),
        "goldbot",
    );
    assert_eq!(robots.sitemaps(), ["http://portal.example/%C3%A9.xml", "/b.xml"]);
}

#[test]
fn paths_are_extracted_from_typed_urls() {
    for (url, path) in [
        ("http://portal.example", "/"),
        ("http://portal.example?q", "/?q"),
        ("http://portal.example/a?b=http://x/y#c", "/a?b=http://x/y"),
        ("//portal.example/a", "/a"),
        ("portal.example/a", "/a"),
        ("/a", "/a"),
        ("", "/"),
    ] {
        assert_eq!(path_of(url), path, "{url}");
    }
}

/// The limit is 200 ms for a debug build; a release build takes less than 10 ms. Only the CPU time of this thread
/// counts, because other tests run at the same time.
#[test]
fn hostile_files_take_little_time() {
    let had = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let url = format!("/{}", "ab".repeat(1_000));
    let fill = |line: &str| format!("User-agent: *\n{}", format!("{line}\n").repeat(MAX_BYTES / (line.len() + 1)));
    let numbered = |rule: &dyn Fn(usize) -> String| {
        let mut robots = String::from("User-agent: *\n");
        for i in 0.. {
            robots.push_str(&rule(i));
            if robots.len() > MAX_BYTES {
                return robots;
            }
        }
        robots
    };
    for (name, robots) in [
        ("stars", fill(&format!("Disallow: /{}$", "*a".repeat(20)))),
        ("one line of stars", format!("User-agent: *\nDisallow: {}c", "*a".repeat(MAX_BYTES / 2))),
        ("short rules", numbered(&|i| format!("Allow:*{i:x}c\n"))),
        ("near misses", numbered(&|i| format!("Allow:*{}c{i:x}\n", "ab".repeat(10)))),
        ("long near misses", numbered(&|i| format!("Allow:*{}c{i:x}\n", "ab".repeat(400)))),
    ] {
        let parsed = Robots::parse(robots.as_bytes(), "goldbot");
        // The best of three runs, because other threads slow single runs down.
        let took = (0..3).map(|_| {
            let started = had();
            let _ = parsed.verdict_on_path(&url);
            had() - started
        });
        let took = took.min().unwrap();
        assert!(took.as_millis() < 200, "{name}: {took:?}");
    }
}

proptest! {
    #[test]
    fn our_group_applies_after_any_noise(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let robots = [&noise[..], b"\n\nDisallow: /x\nUser-agent: goldbot\nDisallow: /\n"].concat();
        prop_assert!(!allowed(&robots, "goldbot", "/"));
    }
}

/// A robots.txt, a path, and the expected result: restrictions and contradictions, and terms.
const USAGE: &[(&str, &str, &str, &str)] = &[
    (
        "AI Preferences, attach 3: a rule for a path",
        "User-Agent: *\nAllow: /\nContent-Usage: / train-ai=n\n",
        "/a",
        "noai",
    ),
    (
        "AI Preferences, attach 3.1: the longest path decides",
        "User-Agent: *\nContent-Usage: / train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n",
        "/ai-ok/a",
        "",
    ),
    (
        "AI Preferences, attach 3.1: other paths",
        "User-Agent: *\nContent-Usage: / train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n",
        "/test",
        "noai",
    ),
    (
        "AI Preferences, attach 3.1: the order of rules means nothing",
        "User-Agent: *\nContent-Usage: /ai-ok/ train-ai=y\nContent-Usage: / train-ai=n\n",
        "/ai-ok/a",
        "",
    ),
    (
        "AI Preferences, attach 3.1: equal paths combine to the stricter",
        "User-Agent: *\nContent-Usage: / train-ai=y\nContent-Usage: / train-ai=n\n",
        "/a",
        "noai,!noai",
    ),
    (
        "AI Preferences, attach 3: a group of our own",
        "User-Agent: *\nContent-Usage: / train-ai=n\n\nUser-Agent: ourbot\nAllow: /\nContent-Usage: / train-ai=y\n",
        "/a",
        "",
    ),
    (
        "AI Preferences, attach 3: a group of another crawler",
        "User-Agent: otherbot\nContent-Usage: / train-ai=n\n",
        "/a",
        "",
    ),
    (
        "AI Preferences, attach 3.2: white space around the label",
        "User-Agent: *\n \tcontent-usage \t:  /   train-ai=n\n",
        "/a",
        "noai",
    ),
    (
        "AI Preferences, attach 3.2: a comment ends the line",
        "User-Agent: *\nContent-Usage: / train-ai=n # please\n",
        "/a",
        "noai",
    ),
    (
        "AI Preferences, attach 3: stars and ends in paths",
        "User-Agent: *\nContent-Usage: /*.pdf$ train-ai=n\n",
        "/a/b.pdf",
        "noai",
    ),
    (
        "AI Preferences, attach 3: and where they do not match",
        "User-Agent: *\nContent-Usage: /*.pdf$ train-ai=n\n",
        "/a/b.html",
        "",
    ),
    ("AI Preferences, attach-00: without a path", "User-Agent: *\nContent-Usage: train-ai=n, search=y\n", "/a", "noai"),
    ("AI Preferences, vocab 6: a fault loses the line", "User-Agent: *\nContent-Usage: / Train-AI=n\n", "/a", ""),
    (
        "Content Signals: in the group of all",
        "User-Agent: *\nContent-Signal: ai-train=no, search=yes, ai-input=yes\nAllow: /\n",
        "/a",
        "noai",
    ),
    (
        "Content Signals: several are restricted",
        "User-agent: *\nContent-Signal: search=no,ai-input=no\n",
        "/a",
        "no-ai-input,no-search",
    ),
    (
        "Content Signals: in the group of another crawler",
        "User-agent: otherbot\nContent-Signal: ai-train=no\n",
        "/a",
        "",
    ),
    (
        "Content Signals: before any group they are said to all",
        "Content-Signal: ai-train=no\nUser-agent: ourbot\nAllow: /\n",
        "/a",
        "noai",
    ),
    ("Content Signals: case means nothing", "user-agent: *\ncontent-signal: AI-TRAIN=NO\n", "/a", "noai"),
    (
        "Content Signals and AI Preferences in one group",
        "User-Agent: *\nContent-Signal: ai-train=yes\nContent-Usage: / train-ai=n\n",
        "/a",
        "noai,!noai",
    ),
    ("RFC 9309, 2.2.4: other lines interfere with nothing", "User-Agent: *\nDisallow: /x\nNoai: yes\n", "/a", ""),
];

#[test]
fn usage_statements_follow_their_specifications() {
    for (name, body, path, expected) in USAGE {
        let url = CrawlUrl::parse(&format!("https://portal.example{path}")).unwrap();
        let rights = Rights::of(Robots::parse(body.as_bytes(), "ourbot").signals(&url));
        let restricted = rights.restrictions.iter().map(|restriction| restriction.as_str().to_owned());
        let contradicted = rights.contradictions.iter().map(|what| format!("!{what}"));
        assert_eq!(restricted.chain(contradicted).collect::<Vec<_>>().join(","), *expected, "{name}");
    }
}

#[test]
fn rsl_terms_are_absolute_urls_and_apply_to_all_crawlers() {
    for (name, body, expected) in [
        ("RSL, robots.txt: before the groups", "License: https://p.example/l.xml\nUser-agent: *\nAllow: /\n", 1),
        (
            "RSL, robots.txt: within another crawler's group",
            "User-agent: otherbot\nlicense: https://p.example/l.xml\n",
            1,
        ),
        ("RSL, robots.txt: several", "License: https://p.example/a\nLicense: https://q.example/b\n", 2),
        ("RSL, robots.txt: a path is none", "License: /license.xml\n", 0),
        ("RSL, robots.txt: an empty one", "License:\n", 0),
    ] {
        let url = CrawlUrl::parse("https://portal.example/a").unwrap();
        let signals = Robots::parse(body.as_bytes(), "ourbot").signals(&url);
        assert_eq!(signals.iter().filter(|signal| signal.name == "rsl").count(), expected, "{name}");
        assert_eq!(Rights::of(signals).license, None, "{name}: terms are no licence");
    }
}

#[test]
fn usage_statements_do_not_change_what_is_forbidden() {
    let usage = "Content-Signal: ai-train=no\nContent-Usage: / train-ai=n\nLicense: https://p.example/l\n";
    let without = "User-agent: a\nUser-agent: ourbot\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n";
    let with = format!(
        "{usage}User-agent: a\n{usage}User-agent: ourbot\n{usage}Disallow: /x\n{usage}\nUser-agent: *\nDisallow: /\n"
    );
    for path in ["/", "/x", "/y"] {
        let verdict = |body: &str| Robots::parse(body.as_bytes(), "ourbot").verdict_on_path(path);
        assert_eq!(verdict(without), verdict(&with), "{path}");
    }
}
