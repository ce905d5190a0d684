//! Documents by the judge of single pages.

use crate::document::{DocumentParagraph, Method, ParagraphKind};
use crate::judge::Judge;
use crate::page::Page;

use super::{Extraction, NoArticle, SourcePage, Text, document, whole_page};

pub(super) fn extract(page: &Page, source: &SourcePage<'_>, judge: &Judge) -> Extraction {
    let judgement = judge.judge(page);
    if judgement.text.is_empty() {
        return Extraction::NoArticle(NoArticle::NoText);
    }
    let paragraph = |at: &usize| {
        let paragraph = &page.paragraphs()[*at];
        let is_headline = judgement.headline == Some(*at);
        let kind = if is_headline { ParagraphKind::Heading } else { page.kind(paragraph) };
        DocumentParagraph { kind, text: paragraph.text.to_string() }
    };
    let paragraphs: Vec<DocumentParagraph> = judgement.text.iter().map(paragraph).collect();
    let text = Text {
        headline: judgement.headline.map(|at| page.paragraphs()[at].text.to_string()),
        language: whole_page::detected(&paragraphs),
        paragraphs,
        method: Method::Judge,
        profile: None,
        stoplist: "none".to_owned(),
        thresholds: judge.convention().as_str().to_owned(),
        score: Some(judgement.score),
    };
    let document = document(source, page, text);
    if super::prose::is_none(&document.text) {
        return Extraction::NoArticle(NoArticle::NoProse);
    }
    Extraction::Document(Box::new(document))
}
