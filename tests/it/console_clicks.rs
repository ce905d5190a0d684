//! Five clicks: portals whose profile is a bad one, written by hand, are put right in the console by somebody who sees one page
//! and reads what is shown of others. A click is a link or a button of the console.

use std::path::Path;

use goldminer::eval::{Board, Scorer};
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::console_client::{ConsoleClient, Page};
use crate::crawl_world::{LONG, World, documents, goldminer, run};

/// So bad: far too wide, far too narrow, and paragraphs from everywhere.
const PROFILES: [(&str, &str); 3] =
    [("courier.example", "start = 'body'"), ("hirnok.example", "start = 'p.lead'"), ("naplo.example", "start = 'p'")];
const CLICKS: usize = 5;

fn portals() -> Portals {
    Portals::demo(&Size { scale: 0.25, ..Size::default() })
}

/// A job with the pages of these portals, extracted by the bad profiles.
fn spoilt() -> World {
    let world = World::new(portals(), Knobs::default()).settings("ip_spacing = \"0s\"");
    let world = world.hosts(&PROFILES.map(|(host, _)| host));
    let job = world.path("jobs/job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "2"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    for (host, template) in PROFILES {
        let file = world.path(&format!("{host}.toml"));
        std::fs::write(&file, format!("key = '{host}'\n[[template]]\nhand_made = true\n{template}\n")).unwrap();
        let ran = run(goldminer(&["profile", "import"]).arg(&job).arg(file), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert!([Some(0), Some(4)].contains(&ran.code()), "{ran:?}");
    world
}

/// What a person knows who reads a page: its article's paragraphs.
struct Reader {
    gold: Vec<String>,
}

impl Reader {
    fn knows(&self, text: &str) -> bool {
        let text = text.trim_end_matches('…').trim();
        !text.is_empty() && self.gold.iter().any(|gold| gold.starts_with(text) || text == gold)
    }
}

/// A block of the editor's page: its number, its text as far as it is shown, and whether it is kept.
struct Block {
    number: usize,
    text: String,
    is_kept: bool,
}

fn blocks(editor: &Page) -> Vec<Block> {
    let parts = editor.body.split("<div class=\"block ").skip(1).enumerate();
    parts
        .map(|(number, part)| {
            let text = part.split("<p>").nth(1).unwrap().split("</p>").next().unwrap();
            Block { number, text: shown(text), is_kept: part.starts_with("kept") }
        })
        .collect()
}

/// A text as the browser shows it, without what was left out.
fn shown(html: &str) -> String {
    let html = html.split("<span class=\"rest\"").next().unwrap();
    htmlize::unescape(html).trim().to_owned()
}

/// What a person who reads the examples thinks of a proposal: right texts that come and wrong ones that go, less the others.
fn liking(proposal: &str, reader: &Reader) -> i64 {
    let texts = |class: &str| -> Vec<String> {
        let mark = format!("<div class=\"{class}\">");
        proposal.split(&mark).skip(1).map(|part| shown(part.split("</div>").next().unwrap())).collect()
    };
    let weigh = |text: &String| {
        let text = text.trim_start_matches(['+', '−', ' ']);
        let chars = text.chars().count() as i64;
        if reader.knows(text) { chars } else { -chars }
    };
    texts("gained").iter().map(weigh).sum::<i64>() - texts("lost").iter().map(weigh).sum::<i64>()
}

/// Corrects a portal's profile from one page; how many clicks it took.
fn correct(console: &ConsoleClient, url: &str, reader: &Reader, page_gold: &Reader) -> usize {
    let encoded: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
    let mut editor = console.get(&format!("/job/job/edit?url={encoded}"));
    let mut clicks = 0;
    while clicks + 2 <= CLICKS {
        let blocks = blocks(&editor);
        let longest = |is_meant: &dyn Fn(&Block) -> bool| {
            let meant = blocks.iter().filter(|block| is_meant(block));
            meant.max_by_key(|block| block.text.chars().count()).map(|block| block.number)
        };
        let is_wrong = |block: &Block| block.is_kept != page_gold.knows(&block.text);
        let wrong = blocks.iter().filter(|block| is_wrong(block)).count();
        let missing = longest(&|block| is_wrong(block) && !block.is_kept);
        let (block, wish) = match missing {
            // Where so much is wrong, the template is.
            _ if wrong >= 3 && clicks == 0 => (longest(&|block| page_gold.knows(&block.text)), "article"),
            Some(_) => (missing, "keep"),
            None => (longest(&is_wrong), "cut"),
        };
        let Some(block) = block else { break };
        let link = format!("block={block}&amp;wish={wish}");
        assert!(editor.body.contains(&link), "{link} is not offered on {url}: {}", editor.body);
        let proposed = console.get(&format!("/job/job/edit?url={encoded}&block={block}&wish={wish}"));
        clicks += 1;
        let proposals: Vec<&str> = proposed.body.split("<details class=\"trouble\"").skip(1).collect();
        let best = proposals.iter().rev().max_by_key(|proposal| liking(proposal, reader));
        let best = best.unwrap_or_else(|| panic!("nothing is proposed to {wish} block {block}: {}", proposed.body));
        let form = Page { status: 200, head: String::new(), body: (*best).to_owned() };
        let names = ["url", "key", "version", "wish", "pattern", "block", "template"];
        let fields: Vec<(&str, String)> = names
            .into_iter()
            .filter(|name| best.contains(&format!("name=\"{name}\" value=\"")))
            .map(|name| (name, htmlize::unescape(form.value_of(name)).into_owned()))
            .collect();
        println!("{url}: {wish} block {block} by {}", fields.iter().find(|(name, _)| *name == "pattern").unwrap().1);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        editor = console.send("/job/job/edit", &[&fields[..], &[("act", "save")]].concat());
        assert!(editor.body.contains("Saved as version"), "{}", editor.body);
        clicks += 1;
    }
    clicks
}

/// F on the articles of a portal, of a hundred.
fn f(corpus: &Path, host: &str, but: Option<&str>) -> f64 {
    let (documents, mut board) = (documents(corpus), Board::default());
    for (path, article) in portals().find(host).unwrap().gold() {
        let url = format!("http://{host}{path}");
        if but != Some(&*url) {
            let text = documents.get(&url).map_or("", |document| &document.text);
            board.add(&url, Scorer::fair().score(text.as_bytes(), article.text().as_bytes()));
        }
    }
    100.0 * board.summary().micro.f
}

#[test]
fn five_clicks_put_a_portal_right_whose_profile_is_bad() {
    let world = spoilt();
    let job = world.path("jobs/job");
    let console = ConsoleClient::open(&world.path("jobs"));
    let mut told = Vec::new();
    for (host, _) in PROFILES {
        let portal = portals().find(host).unwrap();
        let all = portal.gold().flat_map(|(_, article)| article.paragraphs).map(|(_, text)| text).collect();
        let (path, article) = portal.gold().nth(3).unwrap();
        let url = format!("http://{host}{path}");
        let own = article.paragraphs.into_iter().map(|(_, text)| text).collect();
        let clicks = correct(&console, &url, &Reader { gold: all }, &Reader { gold: own });
        told.push((host, url, clicks));
    }
    let out = world.path("out");
    let ran = run(goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for (host, url, clicks) in told {
        let (before, after) = (f(&job.join("corpus"), host, Some(&url)), f(&out, host, Some(&url)));
        println!("{host}: F {before:.2} -> {after:.2} with {clicks} clicks");
        assert!(clicks <= CLICKS && before < 95.0, "{host}: {clicks} clicks, F {before:.2} before");
        assert!(after > 99.0, "{host}: F {after:.2} after {clicks} clicks, {before:.2} before");
    }
}
