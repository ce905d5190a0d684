//! The articles of a portal, with their sections, topics, authors and dates, but without HTML and URLs.
//!
//! A newsroom stores no texts: each article is generated from its number when it is needed. So hundreds of portals take
//! hardly any memory. Article 0 is the newest one.

use jiff::ToSpan;
use jiff::civil::{DateTime, date};

use super::prose::Language;
use super::prose::grammar::StorySeed;
use super::prose::story::{Comment, Genre, Paragraph, Story};
use super::rng::{Rng, mix, named};

/// The number of authors of a portal.
pub const AUTHORS: usize = 6;

/// The articles of one portal.
#[derive(Debug, Clone)]
pub struct Newsroom {
    /// The language of the articles.
    pub language: Language,
    /// The seed of the articles.
    pub seed: u64,
    /// The number of articles.
    pub articles: usize,
    /// The number of newest articles that are not published yet.
    pub unpublished: usize,
    /// One in this many articles is an opinion; 0 for no opinions.
    pub opinion_every: usize,
    /// One in this many articles is a live report; 0 for no live reports.
    pub live_every: usize,
    /// The genre of the articles that are neither opinions nor live reports.
    pub usual: Genre,
}

/// The part of an article that lists of articles show, and its metadata.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The article's number.
    pub number: usize,
    /// The headline.
    pub headline: String,
    /// The first paragraph.
    pub lead: String,
    /// The number of the author, for [`Newsroom::author`].
    pub author: usize,
    /// The local time of the first publication.
    pub published: DateTime,
    /// The index in [`Newsroom::sections`].
    pub section: usize,
}

impl Newsroom {
    /// Creates a newsroom with reports only, which are all published.
    pub fn new(language: Language, seed: u64, articles: usize) -> Self {
        let usual = Genre::Report;
        Self { language, seed, articles, unpublished: 0, opinion_every: 0, live_every: 0, usual }
    }

    /// The part of an article that lists of articles show, and its metadata.
    pub fn brief(&self, number: usize) -> Brief {
        let story = self.story(number);
        let mut headline = story.headline();
        if self.revised(number).is_some() {
            headline = format!("{headline} ({})", self.language.grammar().fixed(0, "ui.updated"));
        }
        Brief {
            number,
            headline,
            lead: story.lead(),
            author: (mix(self.seed ^ 0xa, number as u64) % AUTHORS as u64) as usize,
            published: self.published(number),
            section: self.section_of(number),
        }
    }

    /// The paragraphs of an article after the lead (first paragraph).
    pub fn body(&self, number: usize) -> Vec<Paragraph> {
        self.story(number).body()
    }

    /// The readers' comments below an article.
    pub fn comments(&self, number: usize) -> Vec<Comment> {
        self.story(number).comments(2 + (mix(self.seed ^ 0xc, number as u64) % 5) as usize)
    }

    /// The genre of an article.
    pub fn genre(&self, number: usize) -> Genre {
        let every = |n: usize, at: usize| n > 0 && number % n == at % n;
        match () {
            () if every(self.live_every, 3) => Genre::Live,
            () if every(self.opinion_every, 1) => Genre::Opinion,
            () => self.usual,
        }
    }

    /// The number of the article that this article repeats with another headline; None if it repeats none. Only the
    /// last article of a newsroom with at least 20 articles can be a repetition. Real portals also republish articles.
    pub fn revised(&self, number: usize) -> Option<usize> {
        let original = self.articles / 2;
        (self.articles >= 20 && number + 1 == self.articles && self.genre(original) == Genre::Report)
            .then_some(original)
    }

    /// The local time at which an article was published. Articles are a few hours apart, going back from a fixed day.
    pub fn published(&self, number: usize) -> DateTime {
        let minutes = number as i64 * 317 + (mix(self.seed ^ 0xd, number as u64) % 97) as i64;
        let newest = date(2026, 6, 14).at(18, 25, 0, 0);
        newest.checked_sub(minutes.minutes()).unwrap_or(newest)
    }

    /// The names of the sections, in the order of the menu.
    pub fn sections(&self) -> &'static [String] {
        &self.language.sections().sections
    }

    /// The section of an article, as an index in [`Newsroom::sections`].
    pub fn section_of(&self, number: usize) -> usize {
        self.language.sections().section_of_topic[self.topic_of(number)]
    }

    /// The names of all tags: two for each topic of the grammar, in the order of the topics.
    pub fn tags(&self) -> &'static [String] {
        &self.language.sections().tags
    }

    /// An article's tags, as indexes in [`Newsroom::tags`]. All articles have the first tag of their topic, and those
    /// with even numbers also the second.
    pub fn tags_of(&self, number: usize) -> Vec<usize> {
        let topic = self.topic_of(number);
        if number.is_multiple_of(2) { vec![topic * 2, topic * 2 + 1] } else { vec![topic * 2] }
    }

    /// The name of an author.
    pub fn author(&self, author: usize) -> String {
        // Names are generated like those of people in stories. Each author has a seed, so that the name never changes.
        let story_seed = StorySeed { topic: 0, seed: mix(named(self.seed, "authors"), author as u64) };
        self.language.grammar().expand(story_seed, "name", &mut Rng::new(0))
    }

    /// The numbers of the published articles, newest first.
    pub fn published_articles(&self) -> std::ops::Range<usize> {
        self.unpublished.min(self.articles)..self.articles
    }

    /// The numbers of the published articles that `wanted` accepts, newest first.
    pub fn select(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        self.published_articles().filter(|&number| wanted(number)).collect()
    }

    /// The numbers of the most read articles, which are the same on all pages.
    pub fn most_read(&self, count: usize) -> Vec<usize> {
        let articles = (0..self.articles).map(|i| (i * 13 + 4) % self.articles);
        articles.filter(|n| self.published_articles().contains(n)).take(count).collect()
    }

    /// The numbers of at most `count` other articles of the same topic.
    pub fn related(&self, number: usize, count: usize) -> Vec<usize> {
        let topic = self.topic_of(number);
        let near = (1..self.articles).map(|step| (number + step) % self.articles);
        let published = near.filter(|other| self.published_articles().contains(other));
        published.filter(|&other| self.topic_of(other) == topic).take(count).collect()
    }

    /// The topic of an article. Articles with consecutive numbers have different topics.
    fn topic_of(&self, number: usize) -> usize {
        let topics = self.language.grammar().topics().len().max(1);
        let number = self.revised(number).unwrap_or(number);
        (number + number / topics + (self.seed % topics as u64) as usize) % topics
    }

    fn story(&self, number: usize) -> Story {
        let number = self.revised(number).unwrap_or(number);
        Story::new(self.language, self.topic_of(number), self.genre(number), mix(self.seed, number as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_core::document::ParagraphKind;

    fn newsroom(language: Language) -> Newsroom {
        Newsroom::new(language, 11, 130)
    }

    #[test]
    fn only_the_revised_article_repeats_paragraphs() {
        for language in [Language::English, Language::Hungarian, Language::German] {
            let newsroom = newsroom(language);
            let mut seen = std::collections::HashMap::new();
            for number in 0..newsroom.articles - 1 {
                let mut paragraphs = newsroom.body(number);
                paragraphs.push((ParagraphKind::Paragraph, newsroom.brief(number).lead));
                for (kind, text) in paragraphs.into_iter().filter(|(kind, _)| *kind == ParagraphKind::Paragraph) {
                    if let Some(other) = seen.insert(text.clone(), number) {
                        panic!("{language:?}: articles {other} and {number} share {kind:?} {text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn most_sentences_are_unique_as_in_real_news() {
        let newsroom = newsroom(Language::English);
        let texts: Vec<String> = (0..60).flat_map(|n| newsroom.body(n)).map(|(_, text)| text).collect();
        let sentences: Vec<&str> = texts.iter().flat_map(|t| t.split_inclusive(". ")).collect();
        let distinct: std::collections::HashSet<&&str> = sentences.iter().collect();
        assert!(distinct.len() * 100 > sentences.len() * 90, "{} of {}", distinct.len(), sentences.len());
    }

    #[test]
    fn the_revised_article_is_a_near_duplicate() {
        let newsroom = newsroom(Language::English);
        let original = newsroom.revised(129).unwrap();
        assert_eq!(newsroom.body(129), newsroom.body(original));
        assert_ne!(newsroom.brief(129).headline, newsroom.brief(original).headline);
        assert_ne!(newsroom.published(129), newsroom.published(original));
    }

    #[test]
    fn related_articles_are_others_of_the_same_topic() {
        let newsroom = newsroom(Language::Hungarian);
        for number in 0..newsroom.articles {
            let related = newsroom.related(number, 3);
            assert!(related.len() == 3 && !related.contains(&number));
        }
    }
}
