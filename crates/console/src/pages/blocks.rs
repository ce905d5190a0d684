//! Shows a page as blocks of text: kept blocks in green, boilerplate and repeated text in red, start and end of the
//! article in blue. A block's measures, such as its share of links, appear on hover, or below it on a tap or Enter
//! (`<details>`, which needs no script).

use goldminer_corpus::figures::{bytes, minute, percent, thousands};
use maud::{Markup, PreEscaped, html};

use super::parts::shortened;
use crate::survey::{Block, BlockReason, Dissection, Findings, Shares, Survey, class, reason};

/// The most characters that are shown of a kept block; below, of a cut block.
const KEPT_CHARS: usize = 700;
const CUT_CHARS: usize = 240;
/// Cut blocks with fewer characters are shown side by side.
const CHIP_CHARS: u32 = 60;
/// If more such blocks follow each other, they are folded.
const CHIPS_SHOWN: usize = 8;
/// The most bytes of HTML for a page in a report. Further blocks are left out, with a note.
const MAX_BYTES: usize = 130_000;

/// A page that a report shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Why it was chosen, as in `no template matched`.
    pub why: String,
    /// Whether the profile was learned from the page.
    pub taught: bool,
    /// The page.
    pub page: Dissection,
}

/// The HTML of a sample page, unfolded if `is_open`.
pub(super) fn sample(sample: &Sample, findings: &Findings, is_open: bool) -> Markup {
    let page = &sample.page;
    let shares = shares(page, findings);
    html! {
        details.sample open[is_open] {
            summary {
                span.title { (page.title.as_deref().unwrap_or(&page.name)) }
                span.chosen { (sample.why) @if sample.taught { ", used for learning the profile" } }
                (bar(&shares))
            }
            p.source {
                @if page.is_url { a href=(page.name) rel="noreferrer noopener" { (page.name) } } @else { (page.name) }
                @if let Some(at) = page.fetched { " · fetched " (minute(at)) }
                " · " (bytes(page.html_bytes)) " of HTML → " (bytes(page.kept_bytes())) " of text"
                @if let Some(confidence) = page.confidence { " · confidence " (confidence) }
            }
            (outcome(page))
            (flow(page, findings))
        }
    }
}

/// The HTML of a single page: its outcome, and its blocks.
pub(crate) fn page_alone(page: &Dissection) -> Markup {
    let mut survey = Survey::default();
    survey.add(page);
    let findings = survey.findings();
    html! {
        (outcome(page))
        p { (bar(&shares(page, &findings))) }
        (legend())
        (flow(page, &findings))
    }
}

pub(super) fn legend() -> Markup {
    html! {
        p.legend {
            @for reason in BlockReason::ALL { span class=(reason.name()) { (reason.in_words()) } " " }
            span.edge { "start or end pattern" }
        }
    }
}

/// The outcome of a page. If the page classifier decided and gave no text or is not sure, also the reasons.
fn outcome(page: &Dissection) -> Markup {
    html! {
        p.outcome { (page.outcome.in_words()) "." }
        @if let Some(doubt) = &page.doubt { p.doubt { "Why: " (doubt) "." } }
    }
}

/// A bar with the shares of the text's characters that were kept, or cut for each reason.
pub(super) fn bar(shares: &Shares) -> Markup {
    let parts: Vec<BlockReason> = BlockReason::ALL.into_iter().filter(|reason| shares.chars(*reason) > 0).collect();
    let says = |reason: &BlockReason| format!("{} {}", percent(shares.share(*reason)), reason.in_words());
    let says = parts.iter().map(says).collect::<Vec<_>>().join(", ");
    html! {
        span.bar role="img" aria-label=(says) title=(says) {
            @for reason in parts { span class=(reason.name()) style={ "flex-grow:" (shares.chars(reason)) } {} }
        }
    }
}

fn shares(page: &Dissection, findings: &Findings) -> Shares {
    let mut shares = Shares::default();
    for block in &page.blocks {
        shares.add(BlockReason::on(block, findings.pages_with(block.key)), block.chars);
    }
    shares
}

/// The blocks in page order. Lines between them show where the article starts and ends.
fn flow(page: &Dissection, findings: &Findings) -> Markup {
    let mut html = String::new();
    let mut at = 0;
    while at < page.blocks.len() && html.len() < MAX_BYTES {
        edges(&mut html, page, at);
        let run = chips_from(page, at);
        if run > 1 {
            html.push_str(&chips(&page.blocks[at..at + run], findings).into_string());
            at += run;
        } else {
            html.push_str(&block(&page.blocks[at], findings, false).into_string());
            at += 1;
        }
    }
    edges(&mut html, page, at);
    let rest = page.blocks.len() - at;
    html! {
        div.flow {
            (PreEscaped(html))
            @if rest > 0 { p.rest { "… and " (thousands(rest as u64)) " more blocks, which are left out here." } }
        }
    }
}

/// Adds a blue line before block `at` if the article starts or ends there. Adds no line if one part of it ends and
/// the next starts there.
fn edges(html: &mut String, page: &Dissection, at: usize) {
    let edge = |words: &str| html! { div.edge { span { (words) } } }.into_string();
    let (ends, starts) = (page.cuts.iter().any(|cut| cut.end == at), page.cuts.iter().any(|cut| cut.start == at));
    match (ends, starts) {
        (true, false) => html.push_str(&edge("end pattern")),
        (false, true) => html.push_str(&edge("start pattern")),
        _ => {}
    }
}

/// The number of consecutive short blocks that are not part of the document, from block `at` on, up to the next start
/// or end of the article.
fn chips_from(page: &Dissection, at: usize) -> usize {
    let is_chip = |block: &&Block| !block.reason.is_kept() && block.chars < CHIP_CHARS;
    let run = page.blocks[at..].iter().take_while(is_chip).count();
    let edges = page.cuts.iter().flat_map(|cut| [cut.start, cut.end]).filter(|edge| *edge > at);
    edges.map(|edge| edge - at).min().map_or(run, |edge| run.min(edge))
}

fn chips(blocks: &[Block], findings: &Findings) -> Markup {
    let chips = html! { div.chips { @for chip in blocks { (block(chip, findings, true)) } } };
    html! {
        @if blocks.len() <= CHIPS_SHOWN { (chips) }
        @else { details.more { summary { (blocks.len()) " short texts that were cut" } (chips) } }
    }
}

fn block(block: &Block, findings: &Findings, is_chip: bool) -> Markup {
    let pages = findings.pages_with(block.key);
    let verdict = BlockReason::on(block, pages);
    let numbers = numbers(block, pages, findings.distinct);
    let limit = if verdict == BlockReason::Kept { KEPT_CHARS } else { CUT_CHARS };
    let is_heading = block.heading.is_some() && !is_chip;
    html! {
        details.block.chip[is_chip].heading[is_heading].(verdict.name()) {
            summary title=(numbers) {
                (shortened(&block.text, limit))
                @if verdict == BlockReason::Repeated && !is_chip {
                    span.times { (pages) " of " (findings.distinct) " pages" }
                }
            }
            p.numbers { (reason(block, verdict)) "; " (numbers) }
        }
    }
}

fn numbers(block: &Block, pages: u32, of: u32) -> String {
    let stopwords = block.stopword_density.map_or_else(|| "unknown".to_owned(), percent);
    let classified = block.classified.as_ref().map_or_else(String::new, |(probability, why)| {
        format!("; probability of text {} ({why})", percent(f64::from(*probability) / 1_000.0))
    });
    format!(
        "{} characters, {} of them in links; share of stopwords {stopwords}; jusText: {}; the same text is on {pages} of {of} pages{classified}",
        thousands(u64::from(block.chars)),
        percent(block.link_density),
        class(block.class)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::block_reason::testing::{article_source, profile};
    use goldminer_html::address::Domain;

    fn rendered(html: &str) -> String {
        let (domain, profile) = (Domain::named("portal.example"), profile("div.story"));
        let page = Dissection::of(&article_source(html, &domain), &[&profile]).unwrap();
        let mut survey = Survey::default();
        survey.add(&page);
        sample(&Sample { why: "<i>chosen</i>".to_owned(), taught: true, page }, &survey.findings(), true).into_string()
    }

    const STORY: &str = "It rained all day in the town, and nobody who had an umbrella was willing to lend it to the \
        others, because it was clear to them that the rain would not end before the night.";

    #[test]
    fn kept_text_is_between_start_and_end_pattern() {
        let html = rendered(&format!(
            "<title>Rain</title><body><p>Menu</p><div class=story><h1>Rain</h1><p>{STORY}</p></div><p>Copyright</p>"
        ));
        let at = |what: &str| html.find(what).unwrap_or_else(|| panic!("{what} is missing in {html}"));
        assert!(at("Menu") < at("start pattern"));
        assert!(at("start pattern") < at("block kept heading"));
        assert!(at("block kept heading") < at("end pattern"));
        assert!(at("end pattern") < at("Copyright"));
        assert!(html.contains("kept: the headline; 4 characters, 0\u{a0}% of them in links"), "{html}");
    }

    #[test]
    fn text_of_a_hostile_page_is_escaped() {
        let html = rendered(&format!(
            "<title>&lt;script>alert(1)&lt;/script></title><body><div \
             class=story><h1>&lt;script>alert(2)&lt;/script></h1>\
            <p>{STORY} &lt;img src=x onerror=alert(3)> \"quoted\"</p></div><p>&lt;/details>&lt;style></p>"
        ));
        for tag in ["<script", "<img", "<style", "</details></summary"] {
            assert!(!html.contains(tag), "{tag} got through:\n{html}");
        }
        assert!(html.contains("&lt;script&gt;alert(2)&lt;/script&gt;"), "{html}");
    }

    #[test]
    fn a_page_with_too_many_blocks_is_shortened() {
        let html = rendered(&format!(
            "<body>{}",
            "<p>A sentence that is a little longer than those that stand in chips.".repeat(100_000)
        ));
        assert!(html.len() < 2 * MAX_BYTES, "{}", html.len());
        assert!(html.contains("more blocks, which are left out here"));
    }
}
