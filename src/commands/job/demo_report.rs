//! The final report of the demo: pages, articles, removed boilerplate, quality, and what to try next. Quality can be
//! measured, because the demo's portals generate their pages from known article texts (the gold texts).

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use goldminer_core::Document;
use goldminer_crawl::{Done, JobDir, Report};
use goldminer_lab::eval::{Board, Scorer};
use goldminer_testkit::access_log::Violation;
use goldminer_testkit::portals::{Portal, Portals};

use crate::commands::{counted, thousands};
use goldminer_console::words::table::row;

/// The most URLs in [`DemoReport::extra`] that are printed.
const EXTRA_SHOWN: usize = 5;

/// The most characters of a shown text.
const EXCERPT_CHARS: usize = 240;

const WIDTHS: [i8; 6] = [-24, -8, 8, 9, 12, 6];

/// The figures of the final report.
#[derive(Debug, Default)]
pub(crate) struct DemoReport {
    /// A table with a row for each portal.
    table: String,
    /// The URLs of documents that are not articles, or that repeat one.
    extra: Vec<String>,
    fetched: u64,
    requests_against_the_rules: usize,
    received_bytes: u64,
    text_bytes: u64,
    board: Board,
    /// Number of the portals' boilerplate texts and comments that are in the corpus.
    leaked: usize,
    /// Number of boilerplate texts and comments that were searched for.
    searched_for: usize,
    example: Option<Document>,
}

impl DemoReport {
    /// Reads the corpus and compares it with the gold texts of the portals.
    ///
    /// # Errors
    /// When the corpus cannot be read.
    pub(crate) fn gather(
        job: &JobDir,
        portals: &Portals,
        report: &Report,
        violations: &[Violation],
    ) -> anyhow::Result<Self> {
        let mut by_host: HashMap<String, Vec<Document>> = HashMap::new();
        for document in goldminer_corpus::read(&job.corpus())? {
            let document = document?;
            by_host.entry(document.metadata.host.clone().unwrap_or_default()).or_default().push(document);
        }
        let mut this = Self {
            fetched: report.counts.done.get(&Done::Fetched).copied().unwrap_or(0),
            requests_against_the_rules: violations.len(),
            received_bytes: report.counts.bytes,
            ..Self::default()
        };
        for portal in portals.iter() {
            let documents = by_host.remove(&portal.host).unwrap_or_default();
            this.compare(&portal, documents);
        }
        Ok(this)
    }

    fn compare(&mut self, portal: &Portal, documents: Vec<Document>) {
        let main_paths: HashMap<_, _> = portal.second_urls().into_iter().map(|(main, other)| (other, main)).collect();
        let mut found: HashMap<String, &Document> = HashMap::new();
        let articles: HashSet<String> = portal.gold().map(|(path, _)| path).collect();
        for document in &documents {
            self.text_bytes += document.text.len() as u64;
            let path = document.url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default();
            let path = main_paths.get(&path).cloned().unwrap_or(path);
            if !articles.contains(&path) || found.insert(path, document).is_some() {
                self.extra.push(document.url.clone());
            }
        }
        let scorer = Scorer::fair();
        for (number, (path, gold)) in portal.gold().enumerate() {
            let document = found.get(&path);
            let text = document.map(|document| document.text.as_str()).unwrap_or_default();
            let counts = scorer.score(text.as_bytes(), gold.text().as_bytes());
            self.board.add(format!("{}/{number}", portal.host), counts);
            let unwanted = portal.comments(number);
            self.searched_for += unwanted.len();
            self.leaked += unwanted.iter().filter(|comment| text.contains(comment.as_str())).count();
        }
        for boilerplate in portal.boilerplate() {
            self.searched_for += 1;
            self.leaked += usize::from(documents.iter().any(|document| document.text.contains(&boilerplate)));
        }
        let language = documents.first().and_then(|document| document.metadata.language.as_deref()).unwrap_or_default();
        let own = self.board.by_domain().get(portal.host.as_str()).copied().unwrap_or_default();
        let f = format!("{:.1}", 100.0 * own.micro.f);
        let others = portal.non_articles().len();
        self.table += &row(WIDTHS, [&portal.name, &language, &own.pages, &documents.len(), &others, &f]);
        if self.example.is_none() {
            self.example = documents.into_iter().next();
        }
    }

    /// The report as text. `took` is the duration of the crawl; `None` if the crawl was already complete.
    pub(crate) fn in_words(&self, dir: &Path, took: Option<Duration>) -> String {
        let (responses, requests) =
            (counted(self.fetched, "response", "responses"), self.requests_against_the_rules as u64);
        let requests = counted(requests, "request", "requests");
        let mut text = match took {
            None => format!(
                "\n{responses} fetched earlier; this crawl is complete. To crawl again, delete {}.\n\n",
                dir.display()
            ),
            Some(took) => format!(
                "\n{responses} fetched in {:.0} s, {requests} against the portals' rules (robots.txt, delay, one at a time)\n\n",
                took.as_secs_f64()
            ),
        };
        text += &row(WIDTHS, [&"portal", &"language", &"articles", &"documents", &"other pages", &"F"]);
        text += &self.table;
        if !self.extra.is_empty() {
            let extra = counted(self.extra.len() as u64, "document", "documents");
            text += &format!("\n{extra} too many (other pages, or articles that have a document already):\n");
            self.extra.iter().take(EXTRA_SHOWN).for_each(|url| text += &format!("    {url}\n"));
            if self.extra.len() > EXTRA_SHOWN {
                text += &format!("    and {} more\n", self.extra.len() - EXTRA_SHOWN);
            }
        }
        let words = self.board.summary().micro;
        let (searched_for, leaked) = (thousands(self.searched_for as u64), self.leaked);
        text += &format!(
            "\nCompared word by word with the original articles: F {:.1} (precision {:.1}, recall {:.1}).\n\
             {leaked} of {searched_for} menus, teasers, boxes and comments got into the corpus; {} kB of pages became {} kB of \
             text.\n",
            100.0 * words.f,
            100.0 * words.precision,
            100.0 * words.recall,
            thousands(self.received_bytes / 1000),
            thousands(self.text_bytes / 1000)
        );
        if let Some(example) = &self.example {
            let excerpt = excerpt(&example.text);
            text += &format!("\nA document, {}:\n\n", example.url);
            excerpt.lines().for_each(|line| text += &format!("    {line}\n"));
        }
        let dir = dir.display();
        text += &format!(
            "\nNext steps:\n  \
             goldminer convert {dir} -o x.txt       the texts, in a file\n  \
             zstd -dc {dir}/corpus/*.zst | head -1  a document with its metadata and provenance\n  \
             goldminer profile list {dir}           the learned profiles\n  \
             goldminer profile show {dir} DOMAIN    where its articles begin and end, and the evidence\n  \
             goldminer status {dir}                 the state of every URL\n  \
             goldminer why {dir} URL                what happened to one URL, and why\n  \
             goldminer console {dir}                all of this in a browser\n  \
             goldminer convert {dir} -o x.parquet   other formats: Parquet, vertical (x.vert), TEI (x.xml)\n  \
             goldminer extract {dir} -o out         extract again from the stored pages"
        );
        text
    }
}

/// The beginning of a text, up to a word's end.
fn excerpt(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(EXCERPT_CHARS) else { return text.to_owned() };
    let begun = text[..end].trim_end();
    let whole = begun.rfind(char::is_whitespace).filter(|_| !text[end..].starts_with(char::is_whitespace));
    format!("{} …", begun[..whole.unwrap_or(begun.len())].trim_end())
}
