//! Several authors on the hosts of one registrable domain. If one of them shows or copies the posts of another, the
//! other loses no document. Hosts that belong to one site are still treated as one site.

use std::collections::BTreeMap;
use std::path::Path;

use crate::crawl_world::{LONG, goldminer, run};
use crate::small_web::{Answer, SmallWeb, links};

const POSTS: usize = 24;

const WORDS: [&str; 24] = [
    "harbour", "school", "market", "library", "station", "river", "winter", "bridge", "choir", "bread", "summer",
    "mountain", "garden", "letter", "window", "doctor", "island", "theatre", "village", "engine", "forest", "teacher",
    "kitchen", "festival",
];

/// The text of a post. No two sentences of any author are alike, even without their numbers.
fn story(author: &str, number: usize) -> Vec<String> {
    let mut state = author.bytes().fold(number as u64 + 7, |state, byte| state.wrapping_mul(131) + u64::from(byte));
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[(state >> 33) as usize % WORDS.len()]
    };
    let mut sentence = || {
        let [a, b, c, d, e] = std::array::from_fn::<_, 5, _>(|_| word());
        format!(
            "When {author} came to the {a} that day, the people there had been talking about the {b} for hours, and none of \
             them could say why the {c} was to be closed before the {d} and the {e} were paid for by the council."
        )
    };
    (0..5).map(|_| sentence()).collect()
}

fn paragraphs(author: &str, number: usize) -> String {
    story(author, number).iter().map(|text| format!("<p>{text}</p>")).collect()
}

fn page(title: &str, body: &str) -> Option<Answer> {
    let html = format!("<!doctype html><html lang=en><head><title>{title}</title></head><body>{body}</body></html>");
    Some((200, "text/html; charset=utf-8", html))
}

fn number_of(path: &str) -> Option<usize> {
    path.rsplit('/').next()?.parse().ok().filter(|number| (1..=POSTS).contains(number))
}

fn list(of: &str) -> Option<Answer> {
    let posts: Vec<String> = (1..=POSTS).map(|number| format!("/{of}/{number}")).collect();
    Some(links(&posts.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// Answers for three authors, each with a host. Anna writes posts. Bela writes posts with the same elements, and shows
/// all of Anna's posts in boxes on every page. Cecil copies Anna's posts, and his copies are found before her
/// originals.
fn platform(host: &str, path: &str) -> Option<Answer> {
    let number = number_of(path);
    match (host, path, number) {
        ("cecil.platform.example", "/", _) => list("copy"),
        ("anna.platform.example", "/", _) => page("Anna", "<ul><li><a href=/wait/1>Posts</a></ul>"),
        ("anna.platform.example", "/wait/1", _) => page("Anna", "<ul><li><a href=/wait/2>Posts</a></ul>"),
        ("anna.platform.example", "/wait/2", _) => list("post"),
        ("bela.platform.example", "/", _) => list("post"),
        ("anna.platform.example", _, Some(n)) => page(
            &format!("Day {n}"),
            &format!(
                "<div class=menu><a href=/>Home</a></div><div class=post><h1>Day {n}</h1>{}</div>",
                paragraphs("Anna", n)
            ),
        ),
        ("bela.platform.example", _, Some(n)) => {
            let boxes: String = (0..6)
                .map(|box_| {
                    let of = (n + box_ * 4) % POSTS + 1;
                    format!(
                        "<div class=post><h3><a href=http://anna.platform.example/post/{of}>Day {of}</a></h3>{}</div>",
                        paragraphs("Anna", of)
                    )
                })
                .collect();
            page(
                &format!("Bela {n}"),
                &format!(
                    "<div class=menu><a href=/>Home</a></div><div class=entry><h1>Bela {n}</h1>{}</div><div class=friends>{boxes}</div>",
                    paragraphs("Bela", n)
                ),
            )
        }
        ("cecil.platform.example", _, Some(n)) => page(
            &format!("Day {n}"),
            &format!("<table><tr><td class=copied><h2>Day {n}</h2>{}</td></tr></table>", paragraphs("Anna", n)),
        ),
        _ => None,
    }
}

/// The number of documents by host.
fn by_host(corpus: &Path) -> BTreeMap<String, usize> {
    let mut hosts = BTreeMap::new();
    for document in goldminer_corpus::read(corpus).unwrap() {
        *hosts.entry(document.unwrap().metadata.host.unwrap_or_default()).or_default() += 1;
    }
    hosts
}

/// Crawls hosts, extracts their archive with `extract` and with `extract --stream` and `dedup`, and rebuilds the job.
/// Returns the number of documents by host after each of these steps, with the step's name.
fn everywhere(web: &SmallWeb, hosts: &[&str]) -> Vec<(&'static str, BTreeMap<String, usize>)> {
    let ran = run(web.command(&["crawl", "-q"]).arg(web.seeds(hosts)), LONG);
    assert!(matches!(ran.code(), Some(0 | 4)), "{ran:?}");
    let job = web.path("crawls/seeds");
    let (whole, streamed, unique) = (web.path("whole"), web.path("streamed"), web.path("unique"));
    let (samples, book) = (web.path("samples"), web.path("book.gmp"));
    let done = |args: &[&str], paths: &[&Path]| {
        let ran = run(goldminer(args).args(paths), LONG);
        assert_eq!(ran.code(), Some(0), "{args:?}: {ran:?}");
    };
    let archive = job.join("archive");
    done(&["extract", "-q"], &[&archive, Path::new("-o"), &whole]);
    done(&["sample", "-q", "--buckets", "1"], &[&archive, Path::new("-o"), &samples]);
    done(&["learn", "-q"], &[&samples, Path::new("-o"), &book]);
    done(&["extract", "-q", "--stream"], &[&archive, Path::new("-o"), &streamed, Path::new("--profiles"), &book]);
    done(&["dedup"], &[&streamed, Path::new("-o"), &unique]);
    let mut all =
        vec![("crawl", by_host(&job.join("corpus"))), ("extract", by_host(&whole)), ("dedup", by_host(&unique))];
    let ran = run(goldminer(&["rebuild", "-q"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    all.push(("rebuild", by_host(&job.join("corpus"))));
    all
}

#[test]
fn boxes_and_copies_of_one_author_take_no_others_document() {
    let web = SmallWeb::new(platform);
    let hosts = ["cecil.platform.example", "bela.platform.example", "anna.platform.example"];
    for (way, documents) in everywhere(&web, &hosts) {
        for host in hosts {
            assert_eq!(documents.get(host), Some(&POSTS), "{way}: {documents:?}");
        }
    }
    let ran = run(goldminer(&["why"]).arg(web.path("crawls/seeds")).arg("http://anna.platform.example/post/3"), LONG);
    assert!(ran.stdout.contains("in the corpus, with the id"), "{ran:?}");
    // Anna's posts are complete.
    for document in goldminer_corpus::read(&web.path("crawls/seeds/corpus")).unwrap().map(Result::unwrap) {
        let number = number_of(&document.url).unwrap();
        let author = if document.url.contains("bela") { "Bela" } else { "Anna" };
        for sentence in story(author, number) {
            assert!(document.text.contains(&sentence), "{}: {sentence:?} is missing", document.url);
        }
    }
}

/// Answers for a portal with three names, and for its part `sport` on a separate host. The mobile pages declare the
/// pages of the main host as canonical.
fn portal(host: &str, path: &str) -> Option<Answer> {
    let number = number_of(path);
    let menu = "<div class=menu><a href=http://www.portal.example/>Home</a> <a href=http://sport.portal.example/>Sport</a></div>";
    let frame = |author: &str, n: usize| {
        page(&format!("Day {n}"), &format!("{menu}<div class=story><h1>Day {n}</h1>{}</div>", paragraphs(author, n)))
    };
    match (host, path, number) {
        ("www.portal.example" | "portal.example" | "m.portal.example" | "sport.portal.example", "/", _) => list("post"),
        ("www.portal.example" | "portal.example", _, Some(n)) => frame("Clara", n),
        // Every second article of this host was on the main host before.
        ("sport.portal.example", _, Some(n)) => frame(if n % 2 == 0 { "Clara" } else { "David" }, n),
        ("m.portal.example", _, Some(n)) => {
            let (status, media, html) =
                page(&format!("Day {n}"), &format!("<section><h2>Day {n}</h2>{}</section>", paragraphs("Clara", n)))?;
            let place = format!("<head><link rel=canonical href=http://www.portal.example/post/{n}>");
            Some((status, media, html.replace("<head>", &place)))
        }
        _ => None,
    }
}

#[test]
fn a_portal_under_several_names_gives_each_article_once() {
    let web = SmallWeb::new(portal);
    let hosts = ["www.portal.example", "portal.example", "m.portal.example", "sport.portal.example"];
    for (way, documents) in everywhere(&web, &hosts) {
        assert_eq!(documents.values().sum::<usize>(), POSTS + POSTS / 2, "{way}: {documents:?}");
    }
}

#[test]
fn forty_blogs_with_one_article_each_give_forty_documents() {
    let blog = |host: &str, path: &str| -> Option<Answer> {
        let number: usize = host.strip_prefix("blog")?.strip_suffix(".platform.example")?.parse().ok()?;
        let body = format!("<div class=post><h1>Day {number}</h1>{}</div>", paragraphs("Emil", number));
        (path == "/post" || path == "/").then(|| match path {
            "/" => links(&["/post"]),
            _ => page(&format!("Blog {number}"), &body).unwrap_or_else(|| links(&[])),
        })
    };
    let web = SmallWeb::new(blog);
    let hosts: Vec<String> = (1..=40).map(|number| format!("blog{number}.platform.example")).collect();
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    for (way, documents) in everywhere(&web, &hosts) {
        assert_eq!(documents.len(), 40, "{way}: {documents:?}");
    }
}

#[test]
fn authors_found_by_a_domain_scope_are_learned_separately() {
    let web = SmallWeb::new(|host, path| match (host, path) {
        ("platform.example", "/") => {
            let to = ["cecil", "bela", "anna"].map(|name| format!("http://{name}.platform.example/"));
            Some(links(&to.each_ref().map(String::as_str)))
        }
        _ => platform(host, path),
    });
    let seeds = web.file(
        "seeds.toml",
        "[crawl]\nuser_agent = \"it/1.0 (+https://uni.hu/it)\"\n[[portal]]\nstart = [\"http://platform.example/\"]\n\
         scope = \"domain\"\n",
    );
    let ran = run(web.command(&["crawl", "-q"]).arg(seeds), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let documents = by_host(&web.path("crawls/seeds/corpus"));
    for host in ["anna.platform.example", "bela.platform.example", "cecil.platform.example"] {
        assert_eq!(documents.get(host), Some(&POSTS), "{documents:?}");
    }
}
