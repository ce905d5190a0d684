//! Announcements of other pages among the text of an article: lines with a label and a link, cards with a title and a
//! text, links below a heading. They are removed, and parts of an article that look like them stay.

use super::made_up_portal::{articles, comment, learn, paragraphs, story, text, title, whole, word};

/// An article with a part after its second paragraph, and one after its fourth.
fn with_parts(n: usize, part: impl Fn(usize) -> String) -> String {
    let own = paragraphs(n);
    let mut parts = own.split_inclusive("</p>");
    let mut some = || parts.by_ref().take(2).collect::<String>();
    let beginning = format!("{}{}{}{}", some(), part(n + 200), some(), part(n + 400));
    let rest: String = parts.collect();
    story(n, &format!("{beginning}{rest}"))
}

/// Checks that `expected` is kept of the parts that `part` makes, in portals of few and of many pages. Both get a
/// number, so that the texts differ.
fn kept(part: impl Fn(usize) -> String, expected: impl Fn(usize) -> Vec<String>) {
    for pages in [12, 40] {
        let profile = learn(articles(pages, |n| with_parts(n, &part)));
        let found = text(&with_parts(99, &part), &profile);
        let mut whole = whole(99);
        whole.splice(5..5, expected(499));
        whole.splice(3..3, expected(299));
        assert_eq!(found, whole, "{} on {pages} pages", part(1));
    }
}

fn nothing(_: usize) -> Vec<String> {
    Vec::new()
}

#[test]
fn lines_that_announce_other_articles_are_removed() {
    for line in [
        "<p>Read also: LINK</p>",
        "<p><strong>Читайте также:</strong> LINK.</p>",
        "<p><b>Lesen Sie auch</b><br>LINK</p>",
        "<p>اقرأ أيضا: LINK</p>",
        "<p>相关阅读：LINK（视频）</p>",
        "<p class=x7><em>Σχετικά</em> LINK</p>",
    ] {
        kept(|n| line.replace("LINK", &format!("<a href=/articles/{n}>{}</a>", title(n))), nothing);
    }
}

#[test]
fn a_label_that_is_on_the_page_once_is_known_from_other_pages() {
    let line = |n: usize| format!("<p>Read also: <a href=/articles/{n}>{}</a></p>", title(n));
    let profile = learn(articles(12, |n| with_parts(n, line)));
    let once = with_parts(99, |n| if n == 299 { line(n) } else { String::new() });
    assert_eq!(text(&once, &profile), whole(99));
}

#[test]
fn a_label_and_a_link_within_text_are_the_article_s() {
    let teaser = |n: usize| format!("That was in the book of {}, and it may be read in full, without paying.", word(n));
    kept(
        |n| format!("<p>Read also: <a href=/b>{}</a> {}</p>", title(n), teaser(n)),
        |n| vec![format!("Read also: {} {}", title(n), teaser(n))],
    );
    let reminder = |n: usize| format!("that they had asked for the bridge of {}", word(n));
    kept(
        |n| format!("<p>We remind you <a href=/b/{n}>{}</a>.</p>", reminder(n)),
        |n| vec![format!("We remind you {}.", reminder(n))],
    );
    let source = |n: usize| format!("What they know in {} of rain", word(n));
    kept(
        |n| format!("<p>Source: <a href=https://other.example/{n}>{}</a></p>", source(n)),
        |n| vec![format!("Source: {}", source(n))],
    );
}

#[test]
fn cards_of_other_articles_are_removed() {
    for card in [
        "<div class=card><div>Read more</div><div><a href=/a/N>TITLE</a></div><p>TEXT</p></div>",
        "<div class=ibox><h4><a href=/a/N>TITLE</a></h4><p>TEXT</p></div>",
        "<figure class=zb><a href=/a/N><img src=x.jpg></a><div class=t><a href=/a/N>TITLE</a></div><div>TEXT</div></figure>",
        "<section class='teaser-x right'><strong>Mehr</strong><h3 class=tt><a href=/a/N>TITLE</a></h3><p>TEXT …</p></section>",
    ] {
        let fill = |n: usize| card.replace('N', &n.to_string()).replace("TITLE", &title(n));
        kept(|n| fill(n).replace("TEXT", &comment(n, 1)[..150]), nothing);
    }
}

#[test]
fn texts_below_linked_headings_are_no_cards() {
    let section = |n: usize| format!("<h3 class=sub><a href=/towns/{n}>{}</a></h3><p>{}</p>", title(n), comment(n, 1));
    kept(section, |n| vec![comment(n, 1)]);
}

#[test]
fn links_below_a_heading_are_removed_with_it() {
    for part in [
        "<h3>Zum Thema</h3><ul><li>LINK</li></ul>",
        "<h3>En savoir plus</h3><p>LINK</p>",
        "<section><h4>Also on this topic</h4><div>LINK</div></section>",
    ] {
        kept(|n| part.replace("LINK", &format!("<a href=/articles/{n}>{}</a>", title(n))), nothing);
    }
}

#[test]
fn links_to_other_sites_below_a_heading_stay() {
    kept(
        |n| format!("<h3>Sources</h3><ul><li><a href=https://other.example/{n}>{}</a></li></ul>", title(n)),
        |n| vec!["Sources".to_owned(), title(n)],
    );
}
