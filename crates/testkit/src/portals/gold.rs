//! What a perfect crawl and extraction would find on a portal: the texts of its articles, and the paths that a crawler
//! must fetch or avoid. Tests compare a corpus with this.

use jiff::civil::DateTime;

use super::place::{Kind, PageSpec};
use super::{Portal, pages};
use crate::prose::story::Paragraph;
use goldminer_core::ParagraphKind;

/// An article as it should be in the corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldArticle {
    /// The headline, the lead and the other paragraphs in page order, without byline, captions and comments.
    pub paragraphs: Vec<Paragraph>,
    /// The headline.
    pub title: String,
    /// The names of the authors.
    pub authors: Vec<String>,
    /// The local time of publication.
    pub published: DateTime,
}

impl GoldArticle {
    /// The paragraphs, joined by blank lines.
    pub fn text(&self) -> String {
        self.paragraphs.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n")
    }
}

impl Portal {
    /// All articles, each with its main path. Article 0 is the newest.
    pub fn gold(&self) -> impl Iterator<Item = (String, GoldArticle)> + '_ {
        (0..self.newsroom.articles).map(|n| (self.article_path(n), self.gold_article(n)))
    }

    /// The main path of the article with this number.
    pub fn article_path(&self, n: usize) -> String {
        self.path(self.scheme.of_article(&self.newsroom, n)).unwrap_or_default()
    }

    /// The article with this number.
    pub fn gold_article(&self, n: usize) -> GoldArticle {
        let brief = self.newsroom.brief(n);
        let opening = [(ParagraphKind::Heading, brief.headline.clone()), (ParagraphKind::Paragraph, brief.lead)];
        GoldArticle {
            paragraphs: opening.into_iter().chain(self.newsroom.body(n)).collect(),
            title: brief.headline,
            authors: vec![self.newsroom.author(brief.author)],
            published: brief.published,
        }
    }

    /// Pairs of paths with the same article: the main path, and that of a second URL or print version.
    pub fn second_urls(&self) -> Vec<(String, String)> {
        let seconds = self.numbers(pages::has_second_url).map(|n| PageSpec::new(Kind::SecondUrl, n));
        let prints = self.numbers(pages::printed).map(|n| PageSpec::new(Kind::Print, n));
        seconds.chain(prints).filter_map(|place| Some((self.article_path(place.number), self.path(place)?))).collect()
    }

    /// The paths of pages without an article (lists, galleries, about, tags) that robots.txt allows.
    pub fn non_articles(&self) -> Vec<String> {
        let newsroom = &self.newsroom;
        let one = [Kind::Front, Kind::Tags, Kind::About, Kind::Press, Kind::Slow, Kind::Hidden]
            .map(|kind| PageSpec::new(kind, 0));
        let sections = (0..newsroom.sections().len()).map(|n| PageSpec::new(Kind::Section, n));
        let tags = (0..newsroom.tags().len()).map(|n| PageSpec::new(Kind::Tag, n));
        let galleries = (1..=pages::GALLERIES).map(|n| PageSpec::new(Kind::Gallery, n));
        let places = one.into_iter().chain(sections).chain(tags).chain(galleries);
        places.filter_map(|place| self.path(place)).filter(|path| self.robots.allows(path)).collect()
    }

    /// Texts that no corpus may contain: those on many pages of the portal, and those on hidden, sponsored and private
    /// pages.
    pub fn boilerplate(&self) -> Vec<String> {
        let words = ["subscribe", "support", "cookies", "rules", "footer"].map(|word| self.word(word));
        let hidden = (1..=3).flat_map(|which| pages::unwanted_texts(self, which)).filter(|text| text.len() > 80);
        words.into_iter().chain(hidden).collect()
    }

    /// The paragraphs of the readers' comments below an article. They read like an article but do not belong to it.
    pub fn comments(&self, n: usize) -> Vec<String> {
        self.newsroom.comments(n).into_iter().flat_map(|comment| comment.paragraphs).collect()
    }

    fn numbers(&self, wanted: fn(&Portal, usize) -> bool) -> impl Iterator<Item = usize> + '_ {
        (0..self.newsroom.articles).filter(move |&n| wanted(self, n))
    }
}
