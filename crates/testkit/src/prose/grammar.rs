//! Generates the texts of the demo from grammars. This page describes the notation of a grammar.
//!
//! A grammar is plain text with one alternative per line:
//!
//! ```text
//! @ town: name on          a table; its columns are forms of one thing, separated by `|` in the rows that follow
//! % flood.cm 380-790       a number (`380-790*10`: in steps of ten)
//! = flood.lead             a rule; each following line is one alternative
//! The river at {town} rose to {cm} centimetres [on Monday|in the night], says {who1}.
//! ```
//!
//! `{rule}`, `{table}`, `{table.column}`, `{number}`, `{3-9}` are replaced; `[a|b]` is a random choice. A name is first
//! looked up with the story's topic in front, such as `flood.`. In one story, a table always gives the same row, and a
//! named number the same value: `{town}` is the same town in headline and comments, and `{town2}` is another town.
//! `a~ ` is replaced with the article that fits the next word (English a/an, Hungarian a/az), and the `th ` of
//! `{3-9}th ` with the ending of the English ordinal number (st, nd, rd, th). Any text is a valid
//! grammar: parts that cannot be parsed are kept as text.

use rustc_hash::FxHashMap;

use super::super::rng::{Rng, mix, named};
use super::compile::Compiler;

/// The deepest nesting of rules. It is deeper than in any grammar here, and stops a rule that refers to itself.
const MAX_DEPTH: u32 = 12;

/// A compiled grammar.
#[derive(Debug)]
pub struct Grammar {
    pub(super) rules: Vec<Vec<Text>>,
    pub(super) names: FxHashMap<String, usize>,
    pub(super) tables: Vec<Table>,
    pub(super) topics: Vec<String>,
    pub(super) thousands: char,
    pub(super) article: fn(&str) -> &'static str,
}

/// The parameters of a story: its topic, and the seed for its names and numbers.
#[derive(Debug, Clone, Copy)]
pub struct StorySeed {
    /// The index in [`Grammar::topics`].
    pub topic: usize,
    /// The story's seed.
    pub seed: u64,
}

/// The alternatives of a rule in random order. Each is used once before any is repeated.
#[derive(Debug)]
pub struct Deck {
    rule: Option<usize>,
    order: Vec<usize>,
    next: usize,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

#[derive(Debug, Default)]
pub(super) struct Text(pub(super) Vec<Part>);

#[derive(Debug)]
pub(super) enum Part {
    Literal(String),
    Choice(Vec<Text>),
    /// The rule of each topic, and the rule for topics that have none.
    Rule {
        by_topic: Vec<Option<usize>>,
        general: Option<usize>,
        name: String,
    },
    Cell {
        table: usize,
        nth: u64,
        column: usize,
    },
    Number {
        label: Option<u64>,
        range: Range,
    },
    /// The range of each topic. The value depends on the label and the story's seed.
    TopicNumber {
        by_topic: Vec<Option<Range>>,
        label: u64,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    from: u64,
    to: u64,
    step: u64,
}

impl Grammar {
    /// Compiles several texts to one grammar. `thousands` separates groups of three digits. `article` returns the
    /// article that replaces `a~` before the given text.
    pub fn new(sources: &[&str], thousands: char, article: fn(&str) -> &'static str) -> Self {
        let mut compiler = Compiler::default();
        for line in sources.iter().flat_map(|source| source.lines()) {
            compiler.line(line.trim());
        }
        compiler.finish(thousands, article)
    }

    /// The topics, in the order of their rules named `section`.
    pub fn topics(&self) -> &[String] {
        &self.topics
    }

    /// Generates a text from one alternative of `rule`, chosen by `rng`. Empty if the rule is unknown.
    pub fn expand(&self, story_seed: StorySeed, rule: &str, rng: &mut Rng) -> String {
        let Some(rule) = self.resolve(story_seed, rule) else { return String::new() };
        let alternative = rng.below(self.rules[rule].len());
        self.expand_alternative(story_seed, rule, alternative, rng)
    }

    /// Generates a text from each alternative of a rule, in the order of the file.
    pub fn expand_all(&self, story_seed: StorySeed, rule: &str, rng: &mut Rng) -> Vec<String> {
        let Some(rule) = self.resolve(story_seed, rule) else { return Vec::new() };
        (0..self.rules[rule].len()).map(|i| self.expand_alternative(story_seed, rule, i, rng)).collect()
    }

    /// Generates a text from a rule of one topic, always the same one.
    pub fn fixed(&self, topic: usize, rule: &str) -> String {
        self.expand(StorySeed { topic, seed: 0 }, rule, &mut Rng::new(0))
    }

    /// Creates a [`Deck`] of a rule's alternatives.
    pub fn deck(&self, story_seed: StorySeed, rule: &str, rng: &mut Rng) -> Deck {
        let rule = self.resolve(story_seed, rule);
        let order = rng.shuffled(rule.map_or(0, |rule| self.rules[rule].len()));
        Deck { rule, order, next: 0 }
    }

    /// Generates a text from the next alternative of a deck.
    pub fn expand_next(&self, story_seed: StorySeed, deck: &mut Deck, rng: &mut Rng) -> String {
        let (Some(rule), false) = (deck.rule, deck.order.is_empty()) else { return String::new() };
        let alternative = deck.order[deck.next % deck.order.len()];
        deck.next += 1;
        self.expand_alternative(story_seed, rule, alternative, rng)
    }

    fn resolve(&self, story_seed: StorySeed, rule: &str) -> Option<usize> {
        let topic = self.topics.get(story_seed.topic)?;
        self.names.get(&format!("{topic}.{rule}")).or_else(|| self.names.get(rule)).copied()
    }

    fn expand_alternative(&self, story_seed: StorySeed, rule: usize, alternative: usize, rng: &mut Rng) -> String {
        let mut out = String::with_capacity(256);
        if let Some(text) = self.rules[rule].get(alternative) {
            self.write(text, story_seed, rng, &mut out, 0);
        }
        self.polish(out)
    }

    fn write(&self, text: &Text, story_seed: StorySeed, rng: &mut Rng, out: &mut String, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        for part in &text.0 {
            match part {
                Part::Literal(literal) => match literal.strip_prefix("th ") {
                    Some(rest) if out.ends_with(|c: char| c.is_ascii_digit()) => {
                        out.push_str(ordinal_ending(out));
                        *out += " ";
                        *out += rest;
                    }
                    _ => out.push_str(literal),
                },
                Part::Choice(choices) => {
                    let chosen = rng.below(choices.len());
                    self.write(&choices[chosen], story_seed, rng, out, depth + 1);
                }
                Part::Rule { by_topic, general, name } => {
                    match by_topic.get(story_seed.topic).copied().flatten().or(*general) {
                        Some(rule) => {
                            let chosen = rng.below(self.rules[rule].len());
                            if let Some(text) = self.rules[rule].get(chosen) {
                                self.write(text, story_seed, rng, out, depth + 1);
                            }
                        }
                        None => *out += &format!("{{{name}}}"),
                    }
                }
                Part::Cell { table, nth, column } => {
                    out.push_str(self.tables[*table].cell(story_seed.seed, *nth, *column))
                }
                Part::Number { label: Some(label), range } => self.number(range.of(story_seed.seed, *label), out),
                Part::Number { label: None, range } => self.number(range.draw(rng), out),
                Part::TopicNumber { by_topic, label } => {
                    if let Some(range) = by_topic.get(story_seed.topic).copied().flatten() {
                        self.number(range.of(story_seed.seed, *label), out);
                    }
                }
            }
        }
    }

    /// Writes a number. Digits are grouped from 10,000 on, because years must not be grouped.
    fn number(&self, number: u64, out: &mut String) {
        let digits = number.to_string();
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && digits.len() > 4 && (digits.len() - i).is_multiple_of(3) {
                out.push(self.thousands);
            }
            out.push(digit);
        }
    }

    /// Inserts articles and capitalises the first letter.
    fn polish(&self, text: String) -> String {
        let mut rest = text.as_str();
        let mut out = String::with_capacity(text.len() + 8);
        while let Some((before, after)) = rest.split_once("~ ") {
            let (before, capital) = match before.strip_suffix('A') {
                Some(before) => (before, true),
                None => (before.strip_suffix('a').unwrap_or(before), false),
            };
            out.push_str(before);
            let article = (self.article)(after);
            out.push_str(&if capital { capitalised(article) } else { article.to_owned() });
            out.push(' ');
            rest = after;
        }
        out.push_str(rest);
        sentence_case(&out)
    }
}

/// The ending of the English ordinal number whose digits `text` ends with.
fn ordinal_ending(text: &str) -> &'static str {
    let two_digits = text.get(text.len().saturating_sub(2)..).unwrap_or_default();
    match text.as_bytes().last() {
        _ if matches!(two_digits, "11" | "12" | "13") => "th",
        Some(b'1') => "st",
        Some(b'2') => "nd",
        Some(b'3') => "rd",
        _ => "th",
    }
}

/// Capitalises the first letter of the text, of each sentence, and of a quotation that begins a sentence or follows a
/// colon. A full stop after a digit does not end a sentence, because it may belong to an ordinal number.
fn sentence_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    let (mut begins, mut previous) = (true, [' '; 3]);
    for c in text.chars() {
        match c {
            '„' | '“' => begins |= previous[1..] == [':', ' '],
            ' ' => begins = matches!(previous[2], '!' | '?') || previous[2] == '.' && !previous[1].is_ascii_digit(),
            _ if std::mem::take(&mut begins) => {
                out.extend(c.to_uppercase());
                previous = [previous[1], previous[2], c];
                continue;
            }
            _ => {}
        }
        out.push(c);
        previous = [previous[1], previous[2], c];
    }
    out
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
}

impl Table {
    /// The text in a column of the n-th row that a story uses. The story's rows differ as long as the table has enough
    /// rows.
    fn cell(&self, seed: u64, nth: u64, column: usize) -> &str {
        let rows = self.rows.len() as u64;
        if rows == 0 {
            return "";
        }
        let row = named(seed, &self.name) % rows;
        let row = &self.rows[((row + nth * (1 + rows / 3)) % rows) as usize];
        row.get(column).or_else(|| row.first()).map_or("", String::as_str)
    }
}

impl Range {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (bounds, step) = text.split_once('*').unwrap_or((text, "1"));
        let (from, to) = bounds.split_once('-')?;
        Some(Self { from: from.parse().ok()?, to: to.parse().ok()?, step: step.parse().ok().filter(|&s| s > 0)? })
    }

    fn draw(self, rng: &mut Rng) -> u64 {
        self.from + rng.between(0, self.to.saturating_sub(self.from) / self.step) * self.step
    }

    fn of(self, seed: u64, label: u64) -> u64 {
        self.draw(&mut Rng::new(mix(seed, label)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Grammar {
        /// The names that are used but not defined, each with the rule that uses it. Empty for a correct grammar.
        pub(crate) fn dangling(&self) -> Vec<String> {
            let mut dangling = Vec::new();
            for (name, &rule) in &self.names {
                let topic =
                    self.topics.iter().position(|topic| name.strip_prefix(topic).is_some_and(|r| r.starts_with('.')));
                self.rules[rule].iter().for_each(|text| text.dangling(topic, name, &mut dangling));
            }
            dangling.sort();
            dangling
        }
    }

    impl Text {
        fn dangling(&self, topic: Option<usize>, inside: &str, out: &mut Vec<String>) {
            for part in &self.0 {
                match part {
                    Part::Choice(choices) => choices.iter().for_each(|choice| choice.dangling(topic, inside, out)),
                    Part::Rule { by_topic, general: None, name } => {
                        let known = |topic: usize| by_topic.get(topic).copied().flatten().is_some();
                        if !topic.map_or_else(|| (0..by_topic.len()).all(known), known) {
                            out.push(format!("{{{name}}} in {inside}"));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    const SMALL: &str = "
        @ town: name on
        Pesk | Pesken
        Bor | Boron
        % flood.cm 100-900
        = flood.section
        News
        = line
        {town.on} {cm} cm, then {town2} and {town}, {cm} cm, [one|two|three] of {20000-20000}.
        = short
        a~ {word} apple
        = word
        red
    ";

    fn grammar() -> Grammar {
        Grammar::new(&[SMALL], ',', |next| if next.starts_with('r') { "a" } else { "an" })
    }

    #[test]
    fn names_and_numbers_stay_the_same_within_a_story() {
        let line = grammar().expand(StorySeed { topic: 0, seed: 4 }, "line", &mut Rng::new(1));
        let words: Vec<&str> = line.split([' ', ',']).collect();
        assert_eq!(words.iter().filter(|w| w.len() == 3 && w.parse::<u32>().is_ok()).count(), 2, "{line}");
        let number = words[1];
        assert_eq!(line.matches(number).count(), 2, "{line}");
        assert!(line.starts_with("Pesken") && line.contains("Bor and Pesk") || line.contains("Pesk and Bor"), "{line}");
        assert!(line.ends_with("20,000."), "{line}");
    }

    #[test]
    fn articles_and_capitals_are_corrected() {
        let line = grammar().expand(StorySeed { topic: 0, seed: 4 }, "short", &mut Rng::new(1));
        assert_eq!(line, "A red apple");
    }

    #[test]
    fn ordinal_numbers_have_the_ending_that_fits() {
        for (number, ordinal) in [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (12, "12th"), (71, "71st")] {
            let text = format!("= a.section\nx\n= line\nIn the {{{number}-{number}}}th minute of {number}th");
            let line =
                Grammar::new(&[&text], ',', |_| "a").expand(StorySeed { topic: 0, seed: 0 }, "line", &mut Rng::new(1));
            assert_eq!(line, format!("In the {ordinal} minute of {number}th"));
        }
    }

    #[test]
    fn undefined_names_are_reported() {
        let grammar = Grammar::new(&["= a.section\nx\n= line\n{nowhere}"], ',', |_| "a");
        assert_eq!(grammar.dangling(), ["{nowhere} in line"]);
    }

    #[test]
    fn a_rule_that_names_itself_ends() {
        let grammar = Grammar::new(&["= a.section\nx\n= loop\no{loop}"], ',', |_| "a");
        let line = grammar.expand(StorySeed { topic: 0, seed: 0 }, "loop", &mut Rng::new(1));
        assert!(line.len() < 100);
    }

    #[test]
    fn a_deck_gives_each_alternative_once() {
        let grammar = Grammar::new(&["= a.section\nx\n= n\none\ntwo\nthree"], ',', |_| "a");
        let story_seed = StorySeed { topic: 0, seed: 0 };
        let mut rng = Rng::new(9);
        let mut deck = grammar.deck(story_seed, "n", &mut rng);
        let mut lines: Vec<String> = (0..3).map(|_| grammar.expand_next(story_seed, &mut deck, &mut rng)).collect();
        lines.sort();
        assert_eq!(lines, ["One", "Three", "Two"]);
    }
}
