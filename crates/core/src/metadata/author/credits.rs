//! Recognises lines that only say who wrote an article and when. Below the headline they are metadata, not text.

use goldminer_html::text::case_fold::lower_case;

use super::super::date::style::DateStyle;
use super::super::date::{DateText, dateline};
use super::super::near::MAX_LINE_CHARS;
use super::label::is_label_word;

/// Whether a line has only the known authors and dates, and words that are usual beside them.
pub(crate) fn is_credit(line: &str, authors: &[String]) -> bool {
    if line.chars().count() > MAX_LINE_CHARS as usize {
        return false;
    }
    // An account or e-mail address beside a name is a part of the credit.
    let words = line.split_whitespace().map(|word| if word.contains('@') { "|" } else { word });
    let mut rest = lower_case(&words.collect::<Vec<_>>().join(" "));
    let mut names_author = false;
    for author in authors {
        let author = lower_case(author);
        if let Some(at) = rest.find(&author).filter(|_| !author.is_empty()) {
            rest.replace_range(at..at + author.len(), " | ");
            names_author = true;
        }
    }
    let reading = DateText::of(&rest, &DateStyle::default());
    (names_author || !reading.dates.is_empty()) && dateline::has_only_dates(&reading, is_label_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_author_and_date_differs_from_a_sentence() {
        let authors = ["Mei Byrne".to_owned(), "Nagy Anna".to_owned()];
        for line in [
            "Mei Byrne17 March 2013",
            "By MEI BYRNE and Nagy Anna",
            "Written by Mei Byrne | Updated March 17, 2013 at 9:15 am",
            "Írta: Nagy Anna, 2013. március 17.",
            "17 March 2013",
            "March 17, 2013 - Mei Byrne (@mei_b)",
            "Mei Byrne, mei.byrne@portal.example",
        ] {
            assert!(is_credit(line, &authors), "{line}");
        }
        for line in [
            "Mei Byrne was born on 17 March 2013",
            "The mayor, Mei Byrne",
            "Rome, 17 March 2013",
            "By John Smith",
            "By John Smith (@mei_b)",
            "It rained.",
            "2013",
            "",
        ] {
            assert!(!is_credit(line, &authors), "{line}");
        }
    }
}
