//! Compiles the notation that `grammar` describes to a [`Grammar`]. Names are looked up here once, so that generating
//! texts is fast.

use rustc_hash::FxHashMap;

use super::super::rng::named;
use super::grammar::{Grammar, Part, Range, Table, Text};

/// Collects all lines before it compiles them, because a text may use names that are defined later.
#[derive(Debug, Default)]
pub(super) struct Compiler {
    rules: Vec<(String, Vec<String>)>,
    tables: Vec<Table>,
    numbers: FxHashMap<String, Range>,
    in_table: bool,
}

impl Compiler {
    pub(super) fn line(&mut self, line: &str) {
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        if let Some(name) = line.strip_prefix("= ") {
            self.rules.push((name.trim().to_owned(), Vec::new()));
            self.in_table = false;
        } else if let Some((name, columns)) = line.strip_prefix("@ ").and_then(|table| table.split_once(':')) {
            let columns = columns.split_whitespace().map(str::to_owned).collect();
            self.tables.push(Table { name: name.trim().to_owned(), columns, rows: Vec::new() });
            self.in_table = true;
        } else if let Some((name, range)) = line.strip_prefix("% ").and_then(|number| number.split_once(' ')) {
            self.numbers.extend(Range::parse(range.trim()).map(|range| (name.to_owned(), range)));
        } else if let (true, Some(table)) = (self.in_table, self.tables.last_mut()) {
            table.rows.push(line.split('|').map(|cell| cell.trim().to_owned()).collect());
        } else if let Some((_, alternatives)) = self.rules.last_mut() {
            alternatives.push(line.to_owned());
        }
    }

    pub(super) fn finish(self, thousands: char, article: fn(&str) -> &'static str) -> Grammar {
        let names: FxHashMap<String, usize> =
            self.rules.iter().enumerate().map(|(i, (name, _))| (name.clone(), i)).collect();
        let topics =
            self.rules.iter().filter_map(|(name, _)| name.strip_suffix(".section")).map(str::to_owned).collect();
        let scope = Scope { names: &names, topics: &topics, tables: &self.tables, numbers: &self.numbers };
        let rules = self.rules.iter().map(|(_, texts)| texts.iter().map(|text| scope.text(text)).collect()).collect();
        Grammar { rules, names, tables: self.tables, topics, thousands, article }
    }
}

struct Scope<'a> {
    names: &'a FxHashMap<String, usize>,
    topics: &'a Vec<String>,
    tables: &'a [Table],
    numbers: &'a FxHashMap<String, Range>,
}

impl Scope<'_> {
    fn text(&self, text: &str) -> Text {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '[']) {
            let (before, from) = rest.split_at(at);
            let Some(len) = closing(from) else { break };
            if !before.is_empty() {
                parts.push(Part::Literal(before.to_owned()));
            }
            let inside = &from[1..len];
            parts.push(if from.starts_with('{') {
                self.slot(inside)
            } else {
                Part::Choice(alternatives(inside).into_iter().map(|choice| self.text(choice)).collect())
            });
            rest = &from[len + 1..];
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Text(parts)
    }

    fn slot(&self, name: &str) -> Part {
        if let Some(range) = Range::parse(name) {
            return Part::Number { label: None, range };
        }
        if let Some(&range) = self.numbers.get(name) {
            return Part::Number { label: Some(named(0, name)), range };
        }
        let by_topic: Vec<Option<Range>> =
            self.topics.iter().map(|topic| self.numbers.get(&format!("{topic}.{name}")).copied()).collect();
        if by_topic.iter().any(Option::is_some) {
            return Part::TopicNumber { by_topic, label: named(0, name) };
        }
        if let Some(cell) = self.cell(name) {
            return cell;
        }
        let by_topic = self.topics.iter().map(|topic| self.names.get(&format!("{topic}.{name}")).copied()).collect();
        Part::Rule { by_topic, general: self.names.get(name).copied(), name: name.to_owned() }
    }

    /// The part of a text for the name of a table's cell, such as `town`, `town.on` or `town2.on`. None if there is no
    /// such table.
    fn cell(&self, name: &str) -> Option<Part> {
        let (label, column) = name.split_once('.').unwrap_or((name, ""));
        let table_name = label.trim_end_matches(|c: char| c.is_ascii_digit());
        let nth = label[table_name.len()..].parse::<u64>().unwrap_or(1) - 1;
        let table = self.tables.iter().position(|table| table.name == table_name)?;
        let column = self.tables[table].columns.iter().position(|c| c == column).unwrap_or(0);
        Some(Part::Cell { table, nth, column })
    }
}

/// The index of the bracket that closes the one at index 0, or None.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Splits a choice at each `|` that is not inside an inner bracket.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0i32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b'|' if depth == 0 => {
                out.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[from..]);
    out
}
