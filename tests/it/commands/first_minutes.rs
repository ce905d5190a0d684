//! Mistakes of the first minutes: each ends with a message that says what was found, where, and what to write, so that
//! the message alone is enough to continue.

use std::path::Path;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, Ran, World, goldminer, run};

/// The beginning of a correct seeds file.
const AGENT: &str = "[crawl]\nuser_agent = \"corpus/1.0 (+https://uni.hu/crawl)\"\n";

/// A seeds file with a mistake, and the required parts of the message.
struct Case {
    mistake: &'static str,
    seeds: &'static str,
    expected: &'static [&'static str],
}

const SEEDS: &[Case] = &[
    Case {
        mistake: "portals with one bracket",
        seeds: "[portal]\nstart = [\"https://portal.example/\"]\n[portal]\nstart = [\"https://other.example/\"]\n",
        expected: &["line 5", "write [[portal]], with two brackets"],
    },
    Case {
        mistake: "a URL without scheme",
        seeds: "[[portal]]\nstart = [\"portal.example\"]\n",
        expected: &["line 4, `start`", "\"portal.example\" has no scheme", "write \"https://portal.example/\""],
    },
    Case {
        mistake: "start as a string",
        seeds: "[[portal]]\nstart = \"https://portal.example/\"\n",
        expected: &[
            "line 4, `start`",
            "stands alone where a list belongs",
            "write start = [\"https://portal.example/\"]",
        ],
    },
    Case {
        mistake: "start as a string without scheme",
        seeds: "[[portal]]\nstart = \"portal.example/news\"\n",
        expected: &["line 4, `start`", "write start = [\"https://portal.example/news\"]"],
    },
    Case {
        mistake: "start without quotes",
        seeds: "[[portal]]\nstart = [https://portal.example/]\n",
        expected: &["line 4, `start`", "texts must be quoted", "\"https://portal.example/\""],
    },
    Case {
        mistake: "a delay without a unit",
        seeds: "delay = 5\n[[portal]]\nstart = [\"https://portal.example/\"]\n",
        expected: &["line 3, `delay`", "5 is a number without a unit", "write delay = \"5s\""],
    },
    Case {
        mistake: "a delay in quotes without a unit",
        seeds: "delay = \"5\"\n[[portal]]\nstart = [\"https://portal.example/\"]\n",
        expected: &["line 3, `delay`", "\"5\"", "write it with a unit", "\"5s\""],
    },
    Case {
        mistake: "a number in quotes",
        seeds: "max_pages = \"100\"\n[[portal]]\nstart = [\"https://portal.example/\"]\n",
        expected: &["line 3, `max_pages`", "write the number without quotes, max_pages = 100"],
    },
    Case {
        mistake: "a glob for a regular expression",
        seeds: "[[portal]]\nstart = [\"https://portal.example/\"]\nexclude = [\"*.html\"]\n",
        expected: &["line 5, `exclude`", "\"*.html\" is a glob", "regular expressions", "write '\\.html$'"],
    },
    Case {
        mistake: "a glob that is a valid regular expression",
        seeds: "[[portal]]\nstart = [\"https://portal.example/\"]\ninclude = [\"https://portal.example/news/*\"]\n",
        expected: &["line 5, `include`", "is a glob", "write 'https://portal\\.example/news/'"],
    },
    Case {
        mistake: "a pattern that stands alone",
        seeds: "[[portal]]\nstart = [\"https://portal.example/\"]\nexclude = \"/print/\"\n",
        expected: &["line 5, `exclude`", "write exclude = ['/print/']"],
    },
    Case {
        mistake: "a broken regular expression",
        seeds: "[[portal]]\nstart = [\"https://portal.example/\"]\nexclude = [\"/print(\"]\n",
        expected: &["line 5, `exclude`", "unclosed group", "'/print\\('"],
    },
    Case {
        mistake: "single brackets",
        seeds: "[portal]\nstart = [\"https://portal.example/\"]\n",
        expected: &["line 3, `portal`", "write [[portal]]"],
    },
    Case { mistake: "no portal", seeds: "", expected: &["no [[portal]]", "start = [\"https://portal.example/\"]"] },
    Case {
        mistake: "no start page",
        seeds: "[[portal]]\nname = \"mine\"\n",
        expected: &["line 3", "no start page", "add start = [\"https://portal.example/\"]"],
    },
    Case {
        mistake: "an empty list of start pages",
        seeds: "[[portal]]\nstart = []\n",
        expected: &["line 4, `start`", "no start page"],
    },
    Case {
        mistake: "an unknown scope",
        seeds: "[[portal]]\nstart = [\"https://portal.example/\"]\nscope = \"site\"\n",
        expected: &["line 5, `scope`", "\"site\" is not a scope", "\"host\"", "\"domain\"", "\"prefix\""],
    },
    Case {
        mistake: "a misspelt key",
        seeds: "[[portal]]\nstart = [\"https://portal.example/\"]\nmaxpages = 3\n",
        expected: &["line 5", "unknown key `maxpages`", "did you mean `max_pages`?"],
    },
    Case {
        mistake: "a key in the wrong table",
        seeds: "[[portal]]\nstart = [\"https://portal.example/\"]\nmax_in_flight = 3\n",
        expected: &["line 5", "`max_in_flight` does not belong", "write it below [crawl]"],
    },
    Case {
        mistake: "two portals of one host",
        seeds: "[[portal]]\nstart = [\"https://p.example/\"]\n[[portal]]\nstart = [\"https://p.example/news\"]\n",
        expected: &["line 5", "two portals are named \"p.example\"", "(line 3)"],
    },
    Case {
        mistake: "too short a delay",
        seeds: "delay = \"100ms\"\n[[portal]]\nstart = [\"https://portal.example/\"]\n",
        expected: &["line 3, `delay`", "100ms", "use 1s or more"],
    },
];

fn world() -> World {
    World::new(Portals::demo(&Size { scale: 0.05, ..Size::default() }), Knobs::default()).hosts(&["courier.example"])
}

/// Checks the exit code and the required parts of the message.
fn assert_ended(mistake: &str, ran: &Ran, code: i32, expected: &[&str]) {
    assert_eq!(ran.code(), Some(code), "{mistake}: {ran:?}");
    for part in expected {
        assert!(ran.stderr.contains(part), "{mistake}: {part:?} is missing in\n{}", ran.stderr);
    }
    // For the collection of all messages: cargo test --test it first_minutes -- --nocapture
    println!("{mistake}:\n  {}", ran.stderr.trim_end().replace('\n', "\n  "));
}

fn crawl(dir: &Path, seeds: &str) -> Ran {
    let job = dir.join("job");
    let mut command = goldminer(&["crawl", seeds]);
    command.current_dir(dir).env_remove("GOLDMINER_USER_AGENT").arg("--dir").arg(&job);
    let ran = run(&mut command, LONG);
    assert!(!job.exists(), "nothing may be made before the seeds are understood");
    ran
}

#[test]
fn mistakes_in_seeds_files_are_located_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    for case in SEEDS {
        std::fs::write(dir.path().join("mine.toml"), format!("{AGENT}{}", case.seeds)).unwrap();
        let ran = crawl(dir.path(), "mine.toml");
        assert_ended(case.mistake, &ran, 2, &[&["mine.toml"], case.expected].concat());
    }
}

#[test]
fn a_missing_or_wrong_user_agent_is_explained() {
    let dir = tempfile::tempdir().unwrap();
    let portal = "[[portal]]\nstart = [\"https://portal.example/\"]\n";
    let cases: [(&str, &str, &[&str]); 8] = [
        ("no quotes", "user_agent = trialbot\n", &["line 2, `user_agent`", "write user_agent = \"trialbot\""]),
        ("no quotes, and a letter that begins no value", "user_agent = ourbot/1\n", &["user_agent = \"ourbot/1\""]),
        ("no user agent", "", &["mine.toml", "no user agent", "user_agent = \"", "below [crawl]", "--user-agent"]),
        ("no contact", "user_agent = \"bot/1.0\"\n", &["line 2, `user_agent`", "names no contact"]),
        (
            "an example's page",
            "user_agent = \"bot/1.0 (+https://example.org/crawler)\"\n",
            &["line 2, `user_agent`", "names example.org", "of your own"],
        ),
        (
            "an example's address",
            "user_agent = \"bot/1.0 (me@mail.example.com)\"\n",
            &["line 2, `user_agent`", "names mail.example.com", "of your own"],
        ),
        ("a browser's", "user_agent = \"Mozilla/5.0 (https://uni.hu)\"\n", &["line 2, `user_agent`", "poses as"]),
        ("no text", "user_agent = 5\n", &["line 2, `user_agent`", "5 is not a text", "quotes"]),
    ];
    for (mistake, line, expected) in cases {
        std::fs::write(dir.path().join("mine.toml"), format!("[crawl]\n{line}{portal}")).unwrap();
        assert_ended(mistake, &crawl(dir.path(), "mine.toml"), 2, expected);
    }
    std::fs::write(dir.path().join("urls.txt"), "https://portal.example/\n").unwrap();
    let of_list = crawl(dir.path(), "urls.txt");
    assert_ended(
        "a list and no user agent",
        &of_list,
        2,
        &["no user agent", "--user-agent \"", "GOLDMINER_USER_AGENT"],
    );
    assert!(!of_list.stderr.contains("[crawl]"), "{of_list:?}");
}

#[test]
fn a_wrong_seeds_file_is_described() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    std::fs::write(path("news.toml"), "").unwrap();
    std::fs::create_dir(path("folder")).unwrap();
    std::fs::create_dir(path("empty")).unwrap();
    std::fs::write(path("folder/a.toml"), "").unwrap();
    std::fs::create_dir(path("crawled")).unwrap();
    std::fs::write(path("crawled/job.toml"), "").unwrap();
    std::fs::write(path("page.html"), "<!doctype html><p>A page.").unwrap();
    std::fs::write(path("program"), b"\x7fELF\x00\x01\xff").unwrap();
    std::fs::write(path("urls.txt"), "https://a.example/\nb.example\n").unwrap();
    std::fs::write(path("utf16.toml"), b"\xff\xfe[\0c\0r\0").unwrap();
    std::fs::write(path("seeds.json"), "{\"portal\": []}\n").unwrap();
    std::fs::write(path("seeds.yaml"), "portal:\n  - start: https://a.example/\n").unwrap();
    let cases: [(&str, &str, &[&str]); 16] = [
        ("a URL", "https://portal.example/", &["is a URL, not a seeds file", "goldminer init https://portal.example/"]),
        ("a host", "portal.example", &["there is no file portal.example", "goldminer init portal.example"]),
        ("a missing file with a neighbour", "newz.toml", &["newz.toml", "did you mean news.toml?"]),
        ("a slip in an extension", "news.tml", &["news.tml", "did you mean news.toml?"]),
        ("a missing file", "wholly-different.toml", &["No such file", "there are news.toml"]),
        ("a missing file in an empty folder", "empty/mine.toml", &["empty/mine.toml", "goldminer init portal.example"]),
        ("a folder", "folder", &["folder is a folder", "folder/a.toml"]),
        ("an empty folder", "empty", &["empty is a folder", "goldminer init"]),
        ("a job directory", "crawled", &["crawled is a job directory", "the seeds file that it was started with"]),
        ("a job's own record", "crawled/job.toml", &["what a crawl wrote about itself", "the seeds file"]),
        ("a page", "page.html", &["is a page", "goldminer init", "goldminer extract page.html"]),
        ("a program", "program", &["program is not a text file", "goldminer init"]),
        ("another encoding", "utf16.toml", &["utf16.toml is not a text file in UTF-8", "save it as UTF-8"]),
        ("JSON", "seeds.json", &["seeds.json is JSON", "a seeds file is TOML", "goldminer init"]),
        ("YAML", "seeds.yaml", &["seeds.yaml is YAML", "a seeds file is TOML", "goldminer init"]),
        ("a list with a host name", "urls.txt", &["urls.txt, line 2", "write \"https://b.example/\"", "a URL a line"]),
    ];
    for (mistake, seeds, expected) in cases {
        assert_ended(mistake, &crawl(dir.path(), seeds), 2, expected);
    }
}

#[test]
fn for_a_path_or_url_alone_the_right_command_is_named() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("mine.toml"), "").unwrap();
    for (typed, expected) in [
        ("mine.toml", "goldminer crawl mine.toml"),
        ("https://portal.example/", "goldminer try https://portal.example/"),
        ("portal.example", "goldminer init portal.example"),
    ] {
        let ran = run(goldminer(&[typed]).current_dir(dir.path()), LONG);
        assert_ended(typed, &ran, 2, &[expected]);
    }
}

#[test]
fn a_page_on_disk_is_tried_and_refused_as_a_corpus() {
    let dir = tempfile::tempdir().unwrap();
    let story =
        "<p>The council met in the old town hall, and nobody who had come to speak of the bridge went home early.</p>";
    std::fs::write(dir.path().join("page.html"), format!("<h1>The bridge</h1>{}", story.repeat(4))).unwrap();
    let ran = run(goldminer(&["try", "page.html"]).current_dir(dir.path()), LONG);
    assert_ended("a page", &ran, 0, &[]);
    for said in ["an article", "characters, confidence 0.", " of 1", "the old town hall"] {
        assert!(ran.stdout.contains(said), "{}", ran.stdout);
    }
    let cases: [(&[&str], i32, &[&str]); 5] = [
        (&["try", "pge.html"], 2, &["there is no file pge.html", "the full URL of a page"]),
        (&["convert", "page.html", "-o", "out"], 1, &["page.html is a page", "goldminer extract page.html -o out"]),
        (&["dedup", "pge.html", "-o", "out"], 2, &["pge.html is not there", "check the path"]),
        (
            &["learn", "https://portal.example/"],
            2,
            &["https://portal.example/ is not on this machine", "a job directory"],
        ),
        (&["dedup", "page.html", "-o", "out"], 1, &["page.html is not an output of `goldminer extract --stream`"]),
    ];
    for (args, code, expected) in cases {
        assert_ended(&args.join(" "), &run(goldminer(args).current_dir(dir.path()), LONG), code, expected);
    }
}

#[test]
fn senseless_options_say_what_to_write() {
    let cases: [(&[&str], &[&str]); 11] = [
        (
            &["crawl", "x.toml", "--format", "parquet"],
            &["'--format'", "goldminer convert crawls/mine -o corpus.parquet"],
        ),
        (&["convert", "p", "-o", "out", "--min-chars", "-5"], &["'-5'", "--min-chars", "not a whole number"]),
        (&["crawl", "x.toml", "--max-pages", "1e3"], &["'1e3'", "--max-pages", "not a whole number", "as in 1000"]),
        (&["crawl", "x.toml", "--delay", "5"], &["--delay", "\"5\"", "\"5s\""]),
        (&["crawl", "x.toml", "--max-time", "2 days long"], &["--max-time", "with a unit"]),
        (&["crawl", "--allow-private", "x.toml"], &["cannot read the seeds file x.toml"]),
        (&["crawl", "--allow-private", "10.0.0.0", "x.toml"], &["--allow-private", "10.0.0.0/8"]),
        (
            &["extract", "p", "-o", "out", "--language", "xx"],
            &["--language", "\"xx\" is not a language code", "en, hu"],
        ),
        (&["extract", "p", "-o", "out", "--language", "hungarian"], &["--language", "write hu"]),
        (&["convert", "p", "-o", "out", "--language", "en-GB"], &["--language", "write en"]),
        (&["extract", "p", "-o", "out", "--since", "yesterday"], &["--since", "yesterday", "2026-01-31"]),
    ];
    for (args, expected) in cases {
        let ran = run(&mut goldminer(args), LONG);
        assert_ended(&args.join(" "), &ran, 2, expected);
        assert!(!ran.stderr.contains("as a value"), "{}", ran.stderr);
    }
}

#[test]
fn for_a_wrong_path_the_right_one_is_named() {
    let world = world();
    world.crawled("crawls/mine");
    let folder = world.dir.path();
    std::fs::create_dir(folder.join("empty")).unwrap();
    std::fs::write(folder.join("mine.toml"), "").unwrap();
    std::fs::write(folder.join("pages.warc.gz"), [0x1F, 0x8B, 8, 0]).unwrap();
    let cases: [(&[&str], i32, &[&str]); 18] = [
        (&["console", "mine.toml"], 1, &["its crawl is in crawls/mine"]),
        (&["status", "mine"], 2, &["did you mean crawls/mine?"]),
        (&["convert", "pages.warc.gz", "-o", "out"], 1, &["is an archive of pages", "goldminer extract pages.warc.gz"]),
        (&["convert", "mine.toml", "-o", "out"], 1, &["mine.toml holds no *.jsonl.zst"]),
        (&["console", "crawls/mein"], 2, &["there is no folder crawls/mein", "mkdir crawls/mein"]),
        (&["status", "."], 1, &["holds one: give crawls/mine"]),
        (&["status", "crawls"], 1, &["give crawls/mine"]),
        (&["status", "crawls/mein"], 2, &["it does not exist", "crawls/mine"]),
        (&["status", "crawls/mine/corpus"], 1, &["it is part of one: give crawls/mine"]),
        (&["status", "mine.toml"], 1, &["its crawl is in crawls/mine"]),
        (&["status", "empty"], 1, &["empty is not a job directory", "goldminer crawl"]),
        (&["why", "http://courier.example/", "crawls/mine"], 1, &["put the job directory first"]),
        (&["ctl", "crawls/mine", "pause", "courir.example"], 1, &["did you mean courier.example?"]),
        (&["ctl", "crawls/mine", "add", "new.example"], 1, &["nothing was added", "write \"https://new.example/\""]),
        (
            &["profile", "show", "crawls/mine", "www.courier.example"],
            1,
            &["is a host", "write: goldminer profile show crawls/mine courier.example"],
        ),
        (&["profile", "list", "no-such"], 2, &["no-such", "directory of profiles"]),
        (&["robots", "no-such.txt", "bot", "http://a.example/"], 2, &["no-such.txt", "robots.txt"]),
        (&["eval", "no-such", "empty"], 2, &["no-such"]),
    ];
    for (args, code, expected) in cases {
        assert_ended(&args.join(" "), &run(goldminer(args).current_dir(folder), LONG), code, expected);
    }
    let misuses: [(&[&str], &[&str]); 5] = [
        (&["why", "crawls/mine", "courier.example/a"], &["has no scheme", "https://courier.example/a"]),
        (&["demo", "--dir", "crawls/mine"], &["crawls/mine is the job directory of another crawl"]),
        (
            &["convert", "crawls/mine", "-o", "mine.parqet"],
            &["does not write .parqet files", ".parquet", "mine.parqet/"],
        ),
        (&["convert", "crawls/mine", "-o", "mine.md"], &["does not write .md files", "--format markdown"]),
        (&["robots", "no-such.txt", "GPTBot,CCBot", "http://a.example/"], &["the name of one crawler"]),
    ];
    for (args, expected) in misuses {
        assert_ended(&args.join(" "), &run(goldminer(args).current_dir(folder), LONG), 2, expected);
    }
}

#[test]
fn senseless_commands_are_refused_and_leave_no_files() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("robots.txt"), "User-agent: *\nDisallow: /x\n").unwrap();
    std::fs::write(dir.path().join("empty.txt"), "").unwrap();
    std::fs::create_dir(dir.path().join("pages")).unwrap();
    std::fs::write(dir.path().join("pages/one.html"), "<h1>One</h1><p>Alone.</p>").unwrap();
    std::fs::write(dir.path().join("book.gmp"), b"GMPBOOK2\0\x01\x02").unwrap();
    let cases: [(&[&str], i32, &[&str]); 24] = [
        (
            &["extract", "pages", "-o", "o", "--method", "bte", "--profiles", "p"],
            2,
            &["--method bte uses no profiles", "leave out --profiles"],
        ),
        (
            &["extract", "pages", "-o", "o", "--profiles", "p.gmp"],
            2,
            &["cannot read the profiles p.gmp: give a .gmp file", "a job directory"],
        ),
        (&["extract", "book.gmp", "-o", "far"], 1, &["book.gmp is a profile", "--profiles"]),
        (
            &["extract", "--stream", "pages", "-o", "o.parquet"],
            2,
            &["into a folder", "goldminer convert OUT -o o.parquet"],
        ),
        (&["dedup", "pages", "-o", "o.parquet"], 2, &["into a folder", "goldminer convert OUT -o o.parquet"]),
        (&["extract", "s3://b/x", "-o", "o"], 2, &["s3://b/x"]),
        (&["extract", "--stream", "https://u:p@a.example/x", "-o", "far"], 2, &["a.example"]),
        (&["try", "pages"], 2, &["pages is a folder"]),
        (&["try", "/dev/null"], 2, &["is not a regular file"]),
        (&["try", "no/such"], 2, &["there is no file no/such"]),
        (&["robots", "robots.txt", "bot", "notaurl"], 2, &["neither a URL nor a path"]),
        (&["robots", "robots.txt", "bot", "/x/1"], 1, &[]),
        (&["robots", "empty.txt", "bot", "/x/1"], 0, &[]),
        (&["robots", "pages/one.html", "bot", "/x/1"], 2, &["one.html is not a robots.txt"]),
        (&["robots", "book.gmp", "bot", "/x/1"], 2, &["book.gmp is not a robots.txt"]),
        (&["extract", "pages", "-o", "o", "--since", "2026-02-01", "--until", "2026-01-01"], 2, &["is after --until"]),
        (&["convert", "pages", "-o", "o", "--since", "2026-02-01", "--until", "2026-01-01"], 2, &["is after --until"]),
        (&["extract", "pages", "-o", "o", "--model", "nope"], 2, &["`--model` is for"]),
        (
            &["extract", "pages", "-o", "o", "--method", "justext", "--min-confidence", "0.5"],
            2,
            &["documents by --method justext have no confidence"],
        ),
        (&["extract", "pages", "-o", "o.json"], 2, &["-o o.json", ".jsonl.zst", "folder"]),
        (&["extract", "pages", "-o", "o.PDF", "--format", "text"], 2, &["-o o.PDF"]),
        (&["convert", "pages", "-o", "o.jsonl.gz"], 2, &["-o o.jsonl.gz"]),
        (&["extract", "pages", "-o", "corpus.2024"], 1, &["no document"]),
        (&["learn", "pages", "-o", "p", "--threads", "100000000"], 1, &["no profile was learned"]),
    ];
    for (args, code, expected) in cases {
        assert_ended(&args.join(" "), &run(goldminer(args).current_dir(dir.path()), LONG), code, expected);
    }
    for name in ["o", "o.parquet", "o.json", "o.PDF", "o.jsonl.gz"] {
        assert!(!dir.path().join(name).exists(), "{name}");
    }
}

#[test]
fn explain_names_the_commands_that_explain() {
    let ran = run(&mut goldminer(&["explain", "page.html"]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    for command in ["goldminer try FILE|URL", "goldminer why DIR URL", "goldminer profile test DIR URL"] {
        assert!(ran.stderr.contains(command), "{ran:?}");
    }
}

#[test]
fn the_demos_seeds_say_what_a_crawl_of_them_needs() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = goldminer_testkit::seeds(&Portals::demo(&Size::default()));
    std::fs::write(dir.path().join("seeds.toml"), seeds).unwrap();
    let ran = run(goldminer(&["crawl", "seeds.toml"]).current_dir(dir.path()), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("goldminer demo --serve`, use --allow-private"), "{ran:?}");
}
