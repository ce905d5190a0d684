//! The pages on which methods are compared, and their gold texts.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use goldminer_batch::sources::{PageRef, Sources};
use goldminer_core::StoredPage;
use goldminer_html::CrawlUrl;
use goldminer_testkit::portals::{GoldArticle, Portal, Portals, Size};

use crate::cli::CompareArgs;
use crate::commands::inputs::text_files::texts;

/// Pages and gold texts for a comparison.
pub(crate) struct GoldPages {
    /// The name in the table.
    pub name: String,
    /// All pages, including those without gold texts, from which methods may learn.
    pub sources: Sources,
    /// The gold texts by `<domain>/<id>`, each for an existing page.
    pub golds: BTreeMap<String, Vec<u8>>,
}

impl GoldPages {
    /// The pages and gold texts in the arguments.
    ///
    /// # Errors
    /// When something cannot be read, or no page has a gold text.
    pub(crate) fn of(args: &CompareArgs) -> anyhow::Result<Self> {
        match (&args.pages, &args.gold) {
            (Some(pages), Some(gold)) => {
                let sources = Sources::find(std::slice::from_ref(pages))?;
                let keys: BTreeSet<String> = sources.domains.values().flatten().map(key).collect();
                let mut golds = texts(gold, args.only.as_deref())?;
                golds.retain(|key, _| keys.contains(key));
                if golds.is_empty() {
                    bail!(
                        "no page in {} has a gold text in {}: the gold text of <domain>/<id>.html must be <domain>/<id>.txt",
                        pages.display(),
                        gold.display()
                    );
                }
                Ok(Self { name: pages.display().to_string(), sources, golds })
            }
            _ => Ok(Self::demo()),
        }
    }

    /// Number of domains with gold texts.
    pub(crate) fn domains(&self) -> usize {
        self.golds.keys().filter_map(|key| key.split('/').next()).collect::<BTreeSet<_>>().len()
    }

    /// The demo's portals: their articles, and pages without an article (with empty gold texts).
    fn demo() -> Self {
        let portals = Portals::demo(&Size::default());
        let (mut pages, mut golds) = (Vec::new(), BTreeMap::new());
        for portal in portals.iter() {
            let articles = portal.gold().map(|(path, gold)| (path, markup(&gold)));
            let others = portal.non_articles().into_iter().map(|path| (path, String::new()));
            for (path, gold) in articles.chain(others) {
                let Some((id, page)) = stored(&portal, &path) else { continue };
                golds.insert(format!("{}/{id}", page.domain), gold.into_bytes());
                pages.push((id, page));
            }
        }
        Self { name: "the demo's portals".to_owned(), sources: Sources::of_pages(pages), golds }
    }
}

/// The key of a page in gold texts and outputs.
pub(crate) fn key(found: &PageRef) -> String {
    format!("{}/{}", found.domain(), found.id())
}

/// Returns a page's id and the page, as a crawl would have stored it. None if its status is not 200.
fn stored(portal: &Portal, path: &str) -> Option<(String, StoredPage)> {
    let reply = portal.reply(path, false);
    let url = CrawlUrl::parse(&format!("http://{}{path}", portal.host)).ok()?;
    let mut page = StoredPage::new(url.domain(), reply.body);
    page.url = Some(url);
    page.content_type = Some(reply.content_type);
    (reply.status == 200).then_some((path.trim_matches('/').replace(['/', '?'], "_"), page))
}

fn markup(gold: &GoldArticle) -> String {
    gold.paragraphs.iter().map(|(kind, text)| format!("<{}>{text}\n", kind.as_str())).collect()
}
