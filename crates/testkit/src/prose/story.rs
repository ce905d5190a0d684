//! An article as a journalist would write it: headline, lead, report, quotes, background, outlook.
//!
//! Each part of a [`Story`] depends only on language, topic and seed, so a caller that needs only the headline
//! generates only the headline. This module knows no pages and portals.

use super::Language;
use super::grammar::{Deck, Thread};
use crate::rng::{Rng, named};
use goldminer_core::ParagraphKind;

/// The genre of an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Genre {
    /// News: facts, quotes, background.
    Report,
    /// One author's view.
    Opinion,
    /// Short notes, each with a time of day.
    Live,
    /// Two sentences and nothing else. In English only, like the next two genres.
    Notice,
    /// Questions and short answers in turn.
    Interview,
    /// Ingredients and steps.
    Recipe,
}

/// An article that can be generated.
#[derive(Debug, Clone, Copy)]
pub struct Story {
    language: Language,
    thread: Thread,
    genre: Genre,
}

/// A paragraph and its kind.
pub type Paragraph = (ParagraphKind, String);

/// A reader's comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The name that the reader uses.
    pub nick: String,
    /// The comment's paragraphs.
    pub paragraphs: Vec<String>,
}

impl Story {
    /// The story for a seed.
    pub fn new(language: Language, topic: usize, genre: Genre, seed: u64) -> Self {
        Self { language, thread: Thread { topic, seed }, genre }
    }

    /// The headline, in one line.
    pub fn headline(&self) -> String {
        let rule = match self.genre {
            Genre::Opinion => "opinion.headline",
            Genre::Recipe => "recipe.headline",
            _ => "headline",
        };
        self.tell(rule, &mut self.rng("headline"))
    }

    /// The first paragraph, which teasers repeat.
    pub fn lead(&self) -> String {
        let mut rng = self.rng("lead");
        match self.genre {
            Genre::Opinion => self.tell("opinion.lead", &mut rng),
            Genre::Recipe => self.tell("recipe.lead", &mut rng),
            Genre::Notice => {
                let mut ticks = self.deck("tick", &mut rng);
                let grammar = self.language.grammar();
                sentences((0..2).map(|_| grammar.tell_next(self.thread, &mut ticks, &mut rng)))
            }
            _ => self.tell("lead", &mut rng),
        }
    }

    /// The paragraphs after the lead.
    pub fn body(&self) -> Vec<Paragraph> {
        match self.genre {
            Genre::Report => self.report(),
            Genre::Opinion => self.opinion(),
            Genre::Live => self.live(),
            Genre::Notice => Vec::new(),
            Genre::Interview => self.interview(),
            Genre::Recipe => self.recipe(),
        }
    }

    /// `count` readers' comments with one to three paragraphs each.
    pub fn comments(&self, count: usize) -> Vec<Comment> {
        let mut rng = self.rng("comments");
        let mut deck = self.deck("comment", &mut rng);
        (0..count)
            .map(|i| {
                // The author of a comment does not occur in the story.
                let reader = Thread { seed: named(self.thread.seed, &format!("reader {i}")), ..self.thread };
                let nick = self.language.grammar().tell(reader, "nick", &mut rng).replace(' ', "_");
                let paragraphs = (0..rng.between(1, 2))
                    .map(|_| {
                        let n = rng.between(2, 4);
                        sentences((0..n).map(|_| self.language.grammar().tell_next(reader, &mut deck, &mut rng)))
                    })
                    .collect();
                Comment { nick, paragraphs }
            })
            .collect()
    }

    fn report(&self) -> Vec<Paragraph> {
        let mut rng = self.rng("body");
        let mut body = self.deck("body", &mut rng);
        let mut more = self.deck("quote.more", &mut rng);
        let mut background = self.deck("background", &mut rng);
        let mut outlook = self.deck("outlook", &mut rng);
        let first = self.tell("quote.first", &mut rng);
        let second = self.tell("quote.second", &mut rng);
        let second_more = self.tell("quote.second.more", &mut rng);

        let mut story = Telling { story: self, rng, out: Vec::new() };
        let n = story.rng.between(2, 3);
        story.paragraph("", &mut body, n);
        story.paragraph(&first, &mut more, 2);
        if story.rng.chance(0.45) {
            story.add(ParagraphKind::Heading, "subhead");
        }
        story.paragraph("", &mut body, 2);
        story.paragraph(&second, &mut background, 1);
        story.extend_last(&second_more);
        if story.rng.chance(0.6) {
            story.paragraph("", &mut background, 3);
        }
        if story.rng.chance(0.3) {
            story.add(ParagraphKind::Paragraph, "list.intro");
            let mut items = self.deck("item", &mut story.rng);
            for _ in 0..story.rng.between(3, 4) {
                let item = self.language.grammar().tell_next(self.thread, &mut items, &mut story.rng);
                story.out.push((ParagraphKind::ListItem, item));
            }
        }
        if story.rng.chance(0.4) {
            story.add(ParagraphKind::Heading, "subhead");
        }
        story.paragraph("", &mut body, 2);
        if story.rng.chance(0.5) {
            story.paragraph("", &mut more, 2);
        }
        let n = story.rng.between(2, 3);
        story.paragraph("", &mut outlook, n);
        story.out
    }

    fn opinion(&self) -> Vec<Paragraph> {
        let mut rng = self.rng("body");
        let mut body = self.deck("opinion.body", &mut rng);
        let mut story = Telling { story: self, rng, out: Vec::new() };
        for _ in 0..story.rng.between(4, 5) {
            story.paragraph("", &mut body, 2);
        }
        story.out
    }

    fn live(&self) -> Vec<Paragraph> {
        let mut rng = self.rng("body");
        let mut ticks = self.deck("tick", &mut rng);
        let mut body = self.deck("body", &mut rng);
        let mut story = Telling { story: self, rng, out: Vec::new() };
        for _ in 0..story.rng.between(6, 9) {
            let tick = self.language.grammar().tell_next(self.thread, &mut ticks, &mut story.rng);
            story.paragraph(&tick, &mut body, 1);
        }
        story.out
    }

    fn interview(&self) -> Vec<Paragraph> {
        let mut rng = self.rng("body");
        let mut questions = self.deck("interview.question", &mut rng);
        let mut answers = self.deck("interview.answer", &mut rng);
        let mut story = Telling { story: self, rng, out: Vec::new() };
        for _ in 0..story.rng.between(7, 10) {
            story.paragraph("", &mut questions, 1);
            let sentences = story.rng.between(1, 2);
            story.paragraph("", &mut answers, sentences);
        }
        story.out
    }

    fn recipe(&self) -> Vec<Paragraph> {
        let mut rng = self.rng("body");
        let mut items = self.deck("recipe.item", &mut rng);
        let mut steps = self.deck("recipe.step", &mut rng);
        let mut story = Telling { story: self, rng, out: Vec::new() };
        story.add(ParagraphKind::Heading, "recipe.portions");
        for _ in 0..story.rng.between(6, 9) {
            let item = self.language.grammar().tell_next(self.thread, &mut items, &mut story.rng);
            story.out.push((ParagraphKind::ListItem, item));
        }
        story.add(ParagraphKind::Heading, "recipe.method");
        for _ in 0..story.rng.between(3, 5) {
            story.paragraph("", &mut steps, 2);
        }
        story.out
    }

    fn rng(&self, part: &str) -> Rng {
        Rng::new(named(self.thread.seed, part))
    }

    fn tell(&self, rule: &str, rng: &mut Rng) -> String {
        self.language.grammar().tell(self.thread, rule, rng)
    }

    fn deck(&self, rule: &str, rng: &mut Rng) -> Deck {
        self.language.grammar().deck(self.thread, rule, rng)
    }
}

/// A story that is being generated.
struct Telling<'s> {
    story: &'s Story,
    rng: Rng,
    out: Vec<Paragraph>,
}

impl Telling<'_> {
    /// A paragraph of `opening` and `n` sentences of the deck.
    fn paragraph(&mut self, opening: &str, deck: &mut Deck, n: u64) {
        let grammar = self.story.language.grammar();
        let told = (0..n).map(|_| grammar.tell_next(self.story.thread, deck, &mut self.rng));
        let text = sentences(std::iter::once(opening.to_owned()).chain(told));
        self.out.push((ParagraphKind::Paragraph, text));
    }

    fn add(&mut self, kind: ParagraphKind, rule: &str) {
        let text = self.story.tell(rule, &mut self.rng);
        self.out.push((kind, text));
    }

    fn extend_last(&mut self, sentence: &str) {
        if let Some((_, text)) = self.out.last_mut() {
            text.push(' ');
            text.push_str(sentence);
        }
    }
}

fn sentences(told: impl Iterator<Item = String>) -> String {
    let mut text = String::with_capacity(400);
    for sentence in told.filter(|sentence| !sentence.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&sentence);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_told_the_same_way_twice_and_another_seed_tells_another() {
        let story = |seed| Story::new(Language::English, 1, Genre::Report, seed);
        assert_eq!(story(5).body(), story(5).body());
        assert_eq!(story(5).comments(4), story(5).comments(4));
        assert_ne!(story(5).lead(), story(6).lead());
    }

    #[test]
    fn every_genre_tells_enough_to_be_an_article() {
        for language in [Language::English, Language::Hungarian, Language::German] {
            for genre in [Genre::Report, Genre::Opinion, Genre::Live] {
                for seed in 0..30 {
                    let story = Story::new(language, seed as usize % 6, genre, seed);
                    let words: usize = story.body().iter().map(|(_, text)| text.split(' ').count()).sum();
                    assert!(words > 120, "{language:?} {genre:?} {seed}: {words} words");
                    assert!(story.body().iter().all(|(_, text)| !text.contains(['{', '}', '[', ']', '|', '~'])));
                }
            }
        }
    }
}
