//! Portals whose markup misleads: a few articles have a markup of their own.

use super::made_up_portal::{articles, comment, extract, learn, page, paragraphs, text, title, whole};

#[test]
fn a_few_interviews_do_not_make_a_document_of_the_weather() {
    let more: String = (1..6).map(|n| format!("<p><a href=/articles/{n}>{}</a>", title(n))).collect();
    let framed = |n: usize, main: &str| page(n, &format!("<div class=frame>{main}<div class=more>{more}</div></div>"));
    let article = |n: usize| {
        let name = if n.is_multiple_of(8) { "interview" } else { "story" };
        framed(n, &format!("<div class={name}><h1>{}</h1>{}</div>", title(n), paragraphs(n)))
    };
    let weather = |n: usize| framed(n, &format!("<h1>The weather</h1><p>{}", comment(n, 1)));
    let others = (50..60).map(|n| (format!("weather/{n}"), weather(n)));
    let profile = learn(articles(32, article).into_iter().chain(others));
    for n in [40, 41] {
        assert_eq!(text(&article(n), &profile), whole(n), "{}", profile.to_toml());
    }
    assert_eq!(extract(&weather(61), &profile).map(|document| document.text), None, "{}", profile.to_toml());
}
