//! Badly written profiles, corrected with at most five clicks: afterwards pages on which nobody clicked are right, too.

use std::collections::BTreeMap;
use std::path::Path;

use goldminer_lab::eval::{Board, Scorer};
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::console_client::{ConsoleClient, Page};
use crate::crawl_world::{LONG, World, goldminer, run, texts};

/// Portals, each with a wrong start of its articles for a bad profile: the footer, one paragraph, the whole page.
const BAD: [(&str, &str); 3] = [("courier.example", "footer"), ("hirnok.example", "p"), ("naplo.example", "body")];

/// A person at the editor, with the number of clicks.
struct Person<'a> {
    console: &'a ConsoleClient,
    page: Page,
    clicks: usize,
}

/// A block (paragraph) of a page in the profile editor: its text, whether it is kept, and the address of each of its
/// links, by the link's action.
struct Block {
    text: String,
    is_kept: bool,
    links: BTreeMap<String, String>,
}

impl Person<'_> {
    /// The blocks on the editor's page.
    fn blocks(&self) -> Vec<Block> {
        let blocks = self.page.body.split("<div class=\"block").skip(1).map(|block| {
            let links = block.split("<a data-action=\"").skip(1).filter_map(|link| {
                let (action, rest) = link.split_once('"')?;
                let to = rest.split_once("href=\"")?.1.split(['"', '#']).next()?;
                Some((action.to_owned(), plain(to)))
            });
            Block {
                text: plain(block.split_once("<p>").unwrap().1.split("</p>").next().unwrap()),
                is_kept: block.starts_with(" kept"),
                links: links.collect(),
            }
        });
        blocks.collect()
    }

    /// Clicks on the wanted result of a block, and saves the first pattern.
    fn corrects(&mut self, url: &str, block: &Block, action: &str) {
        self.page = self.console.get(&block.links[action]);
        let proposals: Vec<&str> = self.page.body.split("<details class=\"trouble\"").skip(1).collect();
        assert!(!proposals.is_empty(), "{action} of {:?}: {}", block.text, self.page.body);
        // The first pattern on the page.
        let best = proposals[0];
        let best = Page { status: 200, head: String::new(), body: best.to_owned() };
        let is_open = best.body.starts_with(" open");
        let names = ["key", "version", "block", "action", "pattern"];
        let fields = names.iter().filter(|name| best.body.contains(&format!("name=\"{name}\"")));
        let fields: Vec<(&str, String)> = fields.map(|name| (*name, plain(&best.value_of(name)))).collect();
        let mut fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        fields.extend([("url", url), ("act", "save")]);
        self.page = self.console.send("/job/job/edit", &fields);
        assert!(self.page.body.contains("Saved as version"), "{}", self.page.body);
        self.clicks += 2 + usize::from(!is_open);
    }
}

fn plain(html: &str) -> String {
    html.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// F of the documents of a portal's articles, except one page.
fn f(corpus: &Path, gold: &BTreeMap<String, String>, but: &str) -> f64 {
    let (texts, scorer, mut board) = (texts(corpus), Scorer::fair(), Board::default());
    for (url, gold) in gold.iter().filter(|(url, _)| *url != but) {
        let text = texts.get(url).map_or("", String::as_str);
        board.add(url, scorer.score(text.as_bytes(), gold.as_bytes()));
    }
    100.0 * board.summary().micro.f
}

#[test]
fn five_clicks_correct_a_bad_profile_for_other_pages() {
    let portals = Portals::demo(&Size { scale: 0.3, traps: false, ..Size::default() });
    let world = World::new(portals.clone(), Knobs::default()).hosts(&BAD.map(|(host, _)| host));
    let job = world.path("jobs/job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let console = ConsoleClient::open(&world.path("jobs"));
    for (host, start) in BAD {
        let file = world.path(&format!("{host}.toml"));
        std::fs::write(&file, format!("key = '{host}'\n[[template]]\nhand_made = true\nstart = '{start}'\n")).unwrap();
        let ran = run(goldminer(&["profile", "import"]).arg(&job).arg(&file), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        let portal = portals.find(host).unwrap();
        let gold: BTreeMap<String, String> =
            portal.gold().map(|(path, article)| (format!("http://{host}{path}"), article.text())).collect();
        let (corpus, out) = (world.path("bad"), world.path(&host.replace(".", "-")));
        let ran = run(goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&corpus), LONG);
        assert!(matches!(ran.code(), Some(0 | 4)), "{ran:?}");
        let (url, text) = gold.iter().next().unwrap();
        let before = f(&corpus, &gold, url);
        assert!(before < 95.0, "{host} is not badly cut: {before:.1}");

        let address: String = url::form_urlencoded::byte_serialize(url.as_bytes()).collect();
        let mut person =
            Person { console: &console, page: console.get(&format!("/job/job/edit?url={address}")), clicks: 0 };
        // As long as there are clicks for another correction.
        while person.clicks + 3 <= 5 {
            let blocks = person.blocks();
            let longest = |blocks: Vec<&Block>| blocks.iter().map(|block| block.text.clone()).max_by_key(String::len);
            // Long blocks are shown shortened; the headline is found by itself.
            let is_text = |block: &&Block| {
                let shown = block.text.split("…<span").next().unwrap();
                text.split("\n\n").any(|text| text == shown || shown.len() > 100 && text.starts_with(shown))
            };
            let body = |block: &&Block| is_text(block) && !text.starts_with(&block.text);
            let missing = longest(blocks.iter().filter(|block| body(block) && !block.is_kept).collect());
            let wrong = longest(blocks.iter().filter(|block| !is_text(block) && block.is_kept).collect());
            let (chosen, action) = match (missing, wrong) {
                (Some(text), _) => (text, "article"),
                (None, Some(_)) if person.clicks == 0 => {
                    (longest(blocks.iter().filter(body).collect()).unwrap(), "article")
                }
                (None, Some(text)) => (text, "cut"),
                (None, None) => break,
            };
            let block = blocks.iter().find(|block| block.text == chosen).unwrap();
            person.corrects(url, block, action);
        }
        let ran = run(goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&out), LONG);
        assert!(matches!(ran.code(), Some(0 | 4)), "{ran:?}");
        let after = f(&out, &gold, url);
        println!("{host}: {before:.1}, after {} clicks {after:.1}", person.clicks);
        assert!(person.clicks <= 5 && after > 99.0, "{host}: {before:.1}, after {} clicks {after:.1}", person.clicks);
        std::fs::remove_dir_all(&corpus).unwrap();
    }
}
