//! Why each block of a page was kept or cut, in words, for other programs (the Python package).

use goldminer_core::{Extractor, ProfileSet, SourcePage};

use super::block_reason::reason_alone;
use super::dissection::Dissection;

/// A text block of a page, and why it is in the document or not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedBlock {
    /// The text of the block.
    pub text: String,
    /// Whether the block is in the document.
    pub is_kept: bool,
    /// The reason, as in `kept: the headline` or `cut: teaser for another page`.
    pub reason: String,
}

/// Why an extractor with these profiles keeps or cuts each block of a page; None if the page is not HTML.
pub fn explain(extractor: &Extractor, source: &SourcePage<'_>, profiles: &ProfileSet) -> Option<Vec<ExplainedBlock>> {
    let candidates = profiles.candidates(source.domain, source.url, source.warc);
    let dissection = Dissection::by(extractor, source, &candidates)?;
    let blocks = dissection.blocks.iter().map(|block| {
        let reason = reason_alone(&dissection, block);
        ExplainedBlock {
            text: block.text.to_string(),
            is_kept: block.reason.is_kept(),
            // If no profile applied, the classifier decided, and its probability and reasons are added.
            reason: match &block.classified {
                Some((thousandths, why)) if !why.is_empty() => {
                    format!("{reason}: probability of text {} % ({why})", (thousandths + 5) / 10)
                }
                _ => reason,
            },
        }
    });
    Some(blocks.collect())
}

#[cfg(test)]
mod tests {
    use super::super::block_reason::testing::{article_source, profile};
    use super::*;
    use goldminer_core::classifier::{Classifier, Convention};
    use goldminer_html::address::Domain;

    #[test]
    fn a_block_says_why_it_is_in_the_document_or_not() {
        let domain = Domain::named("portal.example");
        let html = "<p><a href=/>Home</a></p><div class=story><h1>Rain</h1><p>It rained all day in the town, and nobody \
            who had an umbrella lent it to the others.</p></div>";
        let source = article_source(html, &domain);
        let explained = |profiles: ProfileSet| explain(&Extractor::default(), &source, &profiles).unwrap();
        let reasons = |blocks: &[ExplainedBlock]| blocks.iter().map(|b| b.reason.clone()).collect::<Vec<_>>();
        let cut = explained(profile("div.story").into());
        assert_eq!(reasons(&cut), ["cut: outside the article", "kept: the headline", "kept"]);
        let alone = explained(ProfileSet::default());
        let links = article_source("<ul><li><a href=/a>One story</a><li><a href=/b>Another story</a></ul>", &domain);
        let list = explain(&Extractor::default(), &links, &ProfileSet::default()).unwrap();
        assert!(
            list[0].reason.starts_with("cut: the page gives no text, because the classifier takes no paragraph"),
            "{:?}",
            list[0]
        );
        assert!(alone[2].is_kept && alone[2].reason.contains(": probability of text "), "{:?}", alone[2]);
    }

    #[test]
    fn blocks_shown_as_kept_are_the_text_of_the_document() {
        let domain = Domain::named("portal.example");
        let lead = "<p>It rained in the town for a week, and nobody who had an umbrella lent it to the others there.";
        let call = "<div class=paywall><p>Subscribe now to read the rest of this article.<p>All stories for a coin a month.</div>";
        let (dump, link) = ("x".repeat(9_000), "<p><a href=/>Home</a>");
        let comments = "<section id=comments><h2>Comments</h2><div class=comment><p>I have lived there for years, and it was \
            never as simple as that, whatever they say.</div></section>";
        for (name, story) in [
            ("a wall", format!("{lead}{call}")),
            ("a wall alone", call.to_owned()),
            ("a wall behind the cut", format!("{lead}</div><div>{call}")),
            ("a dump", format!("{lead}{lead}<p>{dump}")),
            ("nothing but a dump", format!("<p>{dump}")),
            ("an article", format!("{lead}{lead}{lead}")),
            ("comments", format!("{lead}{lead}{lead}</div>{comments}<div>")),
        ] {
            let html =
                format!("<html lang=en><title>Rain</title>{link}<div class=story><h1>Rain in town</h1>{story}</div>");
            let source = article_source(&html, &domain);
            for convention in [Convention::Article, Convention::Page] {
                let extractor = Extractor::default().with_classifier(Classifier::of(convention));
                for (by, profiles) in [("alone", ProfileSet::default()), ("cut", profile("div.story").into())] {
                    let blocks = explain(&extractor, &source, &profiles).unwrap();
                    let kept: Vec<String> = blocks.into_iter().filter(|b| b.is_kept).map(|b| b.text).collect();
                    let text = profiles.extract_with(&extractor, &source).map(|document| document.text);
                    let text = text.unwrap_or_default();
                    assert_eq!(kept.join("\n\n"), text, "{name}, {convention:?}, {by}");
                }
            }
        }
    }
}
