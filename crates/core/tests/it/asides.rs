//! Asides and footers inside the articles of a portal: notes belong to the article; promotions, links and pull quotes
//! do not.

use super::made_up_portal::{articles, learn, paragraph, paragraphs, story, text, title, whole, word};

/// An article with `part` after its second paragraph and `end` after its last one, on every second page.
fn article(n: usize, part: &dyn Fn(usize) -> String, end: &str) -> String {
    let own = paragraphs(n);
    let (before, behind) = own.split_at(own.match_indices("</p>").nth(1).unwrap().0 + 4);
    let (part, end) = if n.is_multiple_of(2) { (part(n), end) } else { Default::default() };
    story(n, &format!("{before}{part}{behind}{end}"))
}

/// Checks which paragraphs are kept of the part that every second page has.
fn check(part: &dyn Fn(usize) -> String, end: &str, expected: &[String]) {
    let mut whole = whole(6);
    whole.splice(3..3, expected.iter().cloned());
    let profile = learn(articles(12, |n| article(n, part, end)));
    assert_eq!(text(&article(6, part, end), &profile), whole, "{}", part(6));
}

fn note(n: usize) -> String {
    let name = word(n * 7 + 3);
    format!("The mill of {name} is named after the miller {name}, who had it built of stone in the year of the flood.")
}

#[test]
fn notes_between_paragraphs_are_the_article_s() {
    for (before, behind) in [
        ("<aside class='starlight-aside starlight-aside--tip'><p>Tip</p><div><p>", "</p></div></aside>"),
        ("<aside>", "</aside>"),
        ("<aside class=factbox><p>", "</p></aside>"),
        ("<footer class=correction><p>", "</p></footer>"),
    ] {
        check(&|n| format!("{before}{}{behind}", note(n)), "", &[note(6)]);
    }
}

#[test]
fn promotions_links_and_pull_quotes_in_asides_are_dropped() {
    let link = |n| format!("<a href=/articles/{n}>{}</a>", title(n));
    let pulled = |n| paragraph(n, 3).split_once(". ").unwrap().1.to_owned();
    let parts: [&dyn Fn(usize) -> String; 7] = [
        &|n| format!("<aside>Read also: {}</aside>", link(n + 1)),
        &|n| format!("<aside><h3>On this</h3><ul><li>{}<li>{}</ul></aside>", link(n + 1), link(n + 2)),
        &|n| format!("<aside><h3>{}</h3><p>{}</p><p>{}</p></aside>", word(n), note(n), link(n + 1)),
        &|n| format!("<aside class=pull><p>“{}”</p></aside>", pulled(n)),
        &|n| format!("<aside><p>{}</p><form><input name=address></form></aside>", note(n)),
        &|n| format!("<aside class=newsletter><p>{}</p></aside>", note(n)),
        &|_| "<aside><p>Our letter tells you every week what has happened in the town.</p></aside>".to_owned(),
    ];
    for part in parts {
        check(part, "", &[]);
    }
    let author = "<aside><p>She has written for this paper since she left the school of the town.</p></aside>";
    check(&|_| String::new(), author, &[]);
}

#[test]
fn speakers_of_quotes_are_kept() {
    let speaker = |n| format!("— Mrs {}", word(n));
    let quote = |n| format!("<p>{}</p>", note(n));
    let parts: [&dyn Fn(usize) -> String; 4] = [
        &|n| format!("<blockquote>{}<footer>{}</footer></blockquote>", quote(n), speaker(n)),
        &|n| {
            format!(
                "<blockquote class=q>{}<footer class=who><cite>{}</cite></footer></blockquote>",
                quote(n),
                speaker(n)
            )
        },
        &|n| format!("<figure><blockquote>{}</blockquote><footer>{}</footer></figure>", quote(n), speaker(n)),
        &|n| format!("<figure><blockquote>{}</blockquote><figcaption>{}</figcaption></figure>", quote(n), speaker(n)),
    ];
    for part in parts {
        check(part, "", &[note(6), speaker(6)]);
    }
}
