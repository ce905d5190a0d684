//! What became of pages without a document, in the words of `extract` and of `extract --stream`.

use goldminer_core::extract::domain::{PageOutcome, Tally};

use crate::commands::thousands;

/// `79 no text, 17 stub`, or `none`.
pub(crate) fn reasons(tally: &Tally) -> String {
    let told =
        |(outcome, pages): (PageOutcome, u64)| format!("{} {}", thousands(pages), outcome.as_str().replace('-', " "));
    let told: Vec<String> = tally.without_document().map(told).collect();
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_words_and_none_is_said() {
        let mut tally = Tally::default();
        tally.add(PageOutcome::Document, 3);
        assert_eq!(reasons(&tally), "none");
        tally.add(PageOutcome::NoText, 1_200);
        tally.add(PageOutcome::Stub, 17);
        assert_eq!(reasons(&tally), "1,200 no text, 17 stub");
    }
}
