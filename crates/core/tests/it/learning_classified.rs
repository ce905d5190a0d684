//! When the classifier of single pages influences what is learned from a small sample, and when not.

use super::made_up_portal::{
    articles, comment, extract, learn, page, paragraph, paragraphs, sentence, text, title, word,
};

/// An article with a line between its headline and its element, and a caption inside the element.
fn with_caption(n: usize) -> String {
    let lead = format!("<p class=dek>{}</p>", sentence(n * 41));
    let caption = format!("<div class=image><p class=caption>The bridge of {}. Photo: AP</p></div>", word(n));
    let comments: String = (0..4).map(|number| format!("<p>{}</p>", comment(n, number))).collect();
    let story = format!("<div class=story>{caption}{}</div><div class=comments>{comments}</div>", paragraphs(n));
    page(n, &format!("<h1>{}</h1>{lead}{story}", title(n)))
}

#[test]
fn what_the_classifier_finds_on_several_pages_is_in_the_profile() {
    let profile = learn(articles(9, with_caption));
    let template = &profile.templates[0];
    assert_eq!(template.start.to_string(), "div.story");
    assert!(template.drops.iter().any(|drop| drop.to_string() == "div.image:exact"), "{:?}", template.drops);
    assert!(template.leads.iter().any(|lead| lead.to_string() == "p.dek:exact"), "{:?}", template.leads);
    let found = extract(&with_caption(12), &profile).expect("a document");
    let wanted = [title(12), sentence(12 * 41)].into_iter().chain((0..5).map(|number| paragraph(12, number)));
    assert_eq!(found.paragraphs.into_iter().map(|part| part.text).collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    assert_eq!(found.provenance.score, None, "the page was not classified by itself");
}

#[test]
fn the_line_below_the_headline_is_learned_from_four_pages() {
    let profile = learn(articles(4, with_caption));
    assert_eq!(profile.templates[0].leads.iter().map(ToString::to_string).collect::<Vec<_>>(), ["p.dek:exact"]);
    assert!(text(&with_caption(12), &profile).contains(&sentence(12 * 41)));
}

#[test]
fn what_the_classifier_finds_on_one_page_is_not_learned() {
    let plain = |n| page(n, &format!("<div class=story><h1>{}</h1>{}</div>", title(n), paragraphs(n)));
    let profile = learn(articles(9, |n| if n == 4 { with_caption(n) } else { plain(n) }));
    let drops = &profile.templates[0].drops;
    assert!(!drops.iter().any(|drop| drop.to_string().contains("image")), "{drops:?}");
}

#[test]
fn the_classifier_is_not_used_for_a_sample_of_many_pages() {
    let profile = learn(articles(45, with_caption));
    let drops = &profile.templates[0].drops;
    assert!(
        !drops.iter().any(|drop| drop.to_string().contains("image")),
        "captions differ from page to page: {drops:?}"
    );
}

#[test]
fn a_box_is_kept_if_boxes_like_it_hold_the_article() {
    let boxed = |n: usize, number| format!("<div class=box>{}</div>", paragraph(n, number));
    let story = |n: usize| {
        let caption =
            format!("<div class=box itemprop=caption><p class=c>The bridge of {}. Photo: AP</p></div>", word(n));
        let parts: String = (0..5).map(|number| boxed(n, number)).collect();
        page(n, &format!("<h1>{}</h1><div class=story><p>{}</p>{caption}{parts}</div>", title(n), sentence(n * 41)))
    };
    let found = text(&story(12), &learn(articles(9, story)));
    let parts: Vec<String> = (0..5).map(|number| paragraph(12, number)).collect();
    assert!(parts.iter().all(|part| found.contains(part)), "{found:?}");
}
