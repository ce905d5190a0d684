//! Finds readers' comments by their authors alone: similar rows below an article, each of which begins or ends with the
//! name of a different reader and a time.

use std::cell::LazyCell;
use std::ops::Range;

use goldminer_html::{Page, Paragraph};
use rustc_hash::FxHashSet;

use super::comment_rows::{MAX_LINES, has_date, is_byline, may_be_comment};
use super::{Alike, Node, PageModel};
use crate::metadata::date::style::DateStyle;
use crate::metadata::{self, date};

/// The most characters of a time.
const MAX_TIME: usize = 25;
/// If a reader's comment is a single paragraph, name and time are within this many characters of its beginning.
const MAX_HEAD: usize = 60;
/// The most numbers at the beginning of a row that are tried as the beginning of the time; earlier ones belong to the
/// name.
const MAX_NUMBERS: usize = 3;
/// The fewest characters of good text before the rows that count as an article.
const LEAST_ARTICLE: u32 = 200;
/// The most blocks above the first row that still belong to the comments, such as a title.
const MAX_ABOVE: usize = 2;

/// Finds the names of those who wrote a row.
struct Writers<'w, 'c> {
    page: &'w Page,
    paragraphs: &'w [Paragraph],
    model: &'w PageModel,
    style: &'w DateStyle<'c>,
}

/// The ranges of blocks that are such rows of comments.
pub(super) fn comment_rows(
    page: &Page,
    paragraphs: &[Paragraph],
    model: &PageModel,
    alike: &Alike,
    style: &DateStyle<'_>,
    own_text: impl Fn(u32) -> usize,
) -> Vec<Range<usize>> {
    let first = model.headline.map_or(0, |headline| headline + 1);
    let writers = Writers { page, paragraphs, model, style };
    let mut found = Vec::new();
    let texts = LazyCell::new(|| (0..model.blocks.len()).filter(|at| may_be_comment(*at, model)).collect::<Vec<_>>());
    for ((parent, _), numbers) in alike.iter().filter(|(_, numbers)| numbers.len() > 1) {
        let Some(number) = *parent else { continue };
        let parent = &model.nodes[number as usize];
        let nodes = model.row(numbers, |node| node.blocks.start >= first);
        if nodes.len() < 2 || model.good.within(&(first..nodes[0].blocks.start)) < LEAST_ARTICLE {
            continue;
        }
        let begin = nodes[0].blocks.start;
        let first_writer = |node: &&Node| writers.first(&node.blocks);
        let last_writer = |node: &&Node| writers.last(&node.blocks);
        // Few rows begin or end with a name and a time, so most are left out here. Quotes and sections of an article
        // may also end with them.
        let begin_so = nodes.iter().take(2).any(|node| first_writer(node).is_some());
        let end_so = || nodes.iter().take(2).any(|node| last_writer(node).is_some());
        if !begin_so && (!end_so() || own_text(number) < begin) {
            continue;
        }
        let rows = with_what_follows(&nodes, parent);
        let commented = rows.iter().zip(&nodes).filter(|(row, node)| has_comment(row, node, model, &texts));
        let names: Vec<String> = match begin_so {
            true => commented.filter_map(|(_, node)| first_writer(node)).collect(),
            false => nodes.iter().filter_map(last_writer).collect(),
        };
        if !are_of_several(&names, rows.len()) {
            continue;
        }
        match parent.blocks.start >= first && own_text(number) >= begin {
            true if begin - parent.blocks.start <= MAX_ABOVE => found.push(parent.blocks.clone()),
            true => found.push(begin..parent.blocks.end),
            false => found.push(begin..rows[rows.len() - 1].end),
        }
    }
    found
}

/// The blocks of each row. A row of a single line extends to the next row.
fn with_what_follows(nodes: &[&Node], parent: &Node) -> Vec<Range<usize>> {
    let ends = nodes.iter().skip(1).map(|next| next.blocks.start).chain([parent.blocks.end]);
    let mut longest = 1;
    let row = |(node, end): (&&Node, usize)| {
        let begin = node.blocks.start;
        // Anything may follow the last row, so it gets at most as many blocks as the longest row before it.
        let end = if end == parent.blocks.end { end.min(begin + longest) } else { end };
        longest = longest.max(end - begin);
        if node.blocks.len() > 1 { node.blocks.clone() } else { begin..end }
    };
    nodes.iter().zip(ends).map(row).collect()
}

/// Whether a row has a comment after the line with the name, or in it. `texts` are the blocks that may be comments.
fn has_comment(row: &Range<usize>, node: &Node, model: &PageModel, texts: &[usize]) -> bool {
    texts.get(texts.partition_point(|at| *at <= row.start)).is_some_and(|at| *at < row.end)
        || node.blocks.len() == 1 && model.blocks[row.start].weight > MAX_HEAD as u32
}

/// Whether nearly all rows (similar elements that may be comments) have a name, and most names differ. The posts of a
/// live blog have the same few authors or none, and the events of a timeline begin with a date.
fn are_of_several(names: &[String], rows: usize) -> bool {
    let different: FxHashSet<&String> = names.iter().collect();
    5 * names.len() >= 4 * rows && different.len() > 1 && 3 * different.len() >= 2 * names.len()
}

impl Writers<'_, '_> {
    /// The name at the beginning of a row, in lower case. None if no time follows it.
    fn first(&self, row: &Range<usize>) -> Option<String> {
        let is_line = |at: &usize| is_byline(*at, self.model) || row.len() == 1;
        let lines = row.clone().take(MAX_LINES).take_while(is_line).count();
        self.named_in(row.start..row.start + lines)
    }

    /// The name at the end of a row, below a comment, in lower case. None if no time follows it.
    fn last(&self, row: &Range<usize>) -> Option<String> {
        let mut lines = row.clone().rev().take(MAX_LINES).take_while(|at| is_byline(*at, self.model));
        let time = lines.find(|at| self.paragraphs[*at].text.contains(char::is_numeric))?;
        let is_below = |line: &usize| (row.start..*line).any(|at| may_be_comment(at, self.model));
        // The name is in the same line, or in the one before.
        let mut begins = [Some(time), lines.next()].into_iter().flatten().filter(is_below);
        begins.find_map(|begin| self.named_in(begin..time + 1))
    }

    /// The name in these lines, in lower case. None if no time follows it.
    fn named_in(&self, row: Range<usize>) -> Option<String> {
        let mut head = String::new();
        let mut lines = self.paragraphs.get(row.start)?.span.start..0;
        for at in row {
            let text = &self.paragraphs[at].text;
            head.extend(text.chars().take(MAX_HEAD));
            head.push(' ');
            lines.end = self.paragraphs[at].span.end;
            if text.contains(char::is_numeric) {
                break;
            }
        }
        // The name may contain numbers.
        let is_begin = |(at, _): &(usize, &str)| !head[..*at].ends_with(char::is_numeric);
        let numbers = head.match_indices(char::is_numeric).filter(is_begin).take(MAX_NUMBERS);
        let mut names = numbers.filter_map(|(at, _)| {
            let (before, time) = head.split_at(at);
            let is_day = || has_date(time, self.style) || has_date(to_last_number(time), self.style);
            let is_time = is_day() || is_short_time(time.trim()) && is_in_own_tag(self.page, &lines, time);
            is_time.then(|| name(before)).flatten()
        });
        names.next()
    }
}

/// The beginning of a text, up to the last number in its first `MAX_TIME` characters. It is needed for readers'
/// comments of one paragraph, where words follow the date.
fn to_last_number(text: &str) -> &str {
    let begin = text.char_indices().take(MAX_TIME);
    let end = begin.filter(|(_, c)| c.is_numeric()).last().map_or(0, |(at, c)| at + c.len_utf8());
    &text[..end]
}

/// Whether there is a tag between name and time in the source.
fn is_in_own_tag(page: &Page, lines: &Range<u32>, time: &str) -> bool {
    let number: String = time.chars().take_while(|c| c.is_numeric()).collect();
    let source = &page.text()[lines.start as usize..lines.end as usize];
    let begins = |(at, _): &(usize, &str)| {
        let (tags, words) = source[..*at].rsplit_once('>').unwrap_or(("", "A"));
        !tags.is_empty() && !words.contains(char::is_numeric) && !words.contains(char::is_uppercase)
    };
    source.match_indices(&number).take(MAX_NUMBERS).any(|found| begins(&found))
}

/// The name in the text before a time, in lower case; None if the text is no name.
fn name(before: &str) -> Option<String> {
    let mut words: Vec<&str> = before.split_whitespace().collect();
    // Removes words before the time, as in "Anna vor 3 Stunden" or "Anna le 3 mai".
    let is_small = |word: &&str| !word.chars().any(char::is_uppercase) && !word.ends_with(',');
    while words.len() > 1 && words.last().is_some_and(is_small) {
        words.pop();
    }
    let is_of_date = |word: &&str| date::month::is_name(word) || date::label::is_beside(&word.to_lowercase());
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    if words.iter().map(|word| bare(word)).all(|word| is_of_date(&word.as_str())) {
        return None;
    }
    let name = bare(&words.join(" "));
    (name.contains(char::is_alphabetic) && (!name.contains(' ') || metadata::is_whole_person(&name)))
        .then(|| name.to_lowercase())
}

/// Whether a text is a time of day or an age: "12:03", "3 hours ago".
fn is_short_time(time: &str) -> bool {
    let rest = time.trim_start_matches(char::is_numeric);
    let number = time.chars().count() - rest.chars().count();
    let is_word = |c: char| c.is_alphabetic() || c.is_whitespace() || c == '.';
    match rest.strip_prefix(':') {
        Some(minutes) => number <= 2 && minutes.chars().take_while(|c| c.is_numeric()).count() == 2,
        None => {
            let words = rest.split_whitespace().count();
            number <= 2 && (1..=3).contains(&words) && time.chars().count() <= MAX_TIME && rest.chars().all(is_word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goldminer::pattern::shape::Shapes;
    use crate::justext::Class;

    const SAID: &str = "I was there that night, and it was nothing like what you write.";

    fn are_rows(rows: &str) -> bool {
        let story = format!("<p>{SAID} {SAID}</p>").repeat(3);
        let page = Page::parse(format!("<h1>Rain</h1>{story}<div><h2>Condolences</h2>{rows}</div>"));
        let classes = vec![Class::Good; page.paragraphs().len()];
        let model = PageModel::of_page(&page, None, &classes, &mut Shapes::default());
        !model.comment_rows.is_empty()
    }

    #[test]
    fn rows_with_different_names_and_times_are_comments() {
        for row in [
            "<div><div><span>NAME</span><span>3 hours ago</span></div><p>SAID</p></div>",
            "<div><img src=/a.png><div><b>NAME</b> <small>12 May 2024</small><p>SAID</p></div></div>",
            "<li><i>NAME</i> <time>12.05.2024 12:03</time><p>SAID</p></li>",
            "<p><b>NAME</b>, 2024-05-12<br>SAID</p>",
            "<dt>NAME · 12 May 2024</dt><dd>SAID</dd>",
            "<div><div>NAME</div><div>vor 3 Stunden</div><div>SAID</div></div>",
            "<div><p>SAID</p><div>NAME</div><div>12.05.2024</div></div>",
            "<li><q>SAID</q><div>NAME, 5/3/2024</div></li>",
            "<div><p>SAID</p><p>NAME</p><p>3 hours ago</p><p>Report</p></div>",
        ] {
            let with = |name: &str| row.replace("NAME", name).replace("SAID", SAID);
            assert!(are_rows(&["Ann Weber", "béla", "小明"].map(with).concat()), "{row}");
            assert!(!are_rows(&["Ann Weber", "Ann Weber", "Ann Weber"].map(with).concat()), "one writes all: {row}");
        }
    }

    #[test]
    fn tickers_timelines_rankings_and_programmes_are_no_comments() {
        for heads in [
            ["12:01", "12:03", "12:07"],
            ["3 May 2019", "7 June 2020", "9 July 2021"],
            ["Tuesday, 3 May 2024", "Wednesday, 4 May 2024", "Thursday, 5 May 2024"],
            ["Lions (8-7)", "Bears (7-8)", "Rams (7-7)"],
            ["Design 8/10", "Camera 7/10", "Battery 9/10"],
            ["Ann Weber, 43", "Béla Kis, 51", "Cecil Day, 29"],
            ["Songs from the mill, 3 May 2024", "A walk to the harbour, 4 May 2024", "Reading of poems, 5 May 2024"],
        ] {
            let rows = heads.map(|head| format!("<div><b>{head}</b><p>{SAID}</p></div>"));
            assert!(!are_rows(&rows.concat()), "{heads:?}");
        }
        for ends in [["12 May 2024", "13 May 2024", "14 May 2024"], ["Ann Weber", "Béla Kis", "Cecil Day"]] {
            let rows = ends.map(|end| format!("<div><p>{SAID}</p><b>{end}</b></div>"));
            assert!(!are_rows(&rows.concat()), "{ends:?}");
        }
        let quotes =
            ["Ann Weber", "Béla Kis"].map(|name| format!("<div><p>{SAID}</p><i>{name}, 12 May 2024</i></div>"));
        assert!(!are_rows(&format!("<p>{SAID} {SAID}</p>{}", quotes.concat())), "quotes in the text of an article");
    }
}
