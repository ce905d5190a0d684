//! Portals whose markup misleads: elements with names of boilerplate hold the article, or a few articles have a markup
//! of their own.

use super::made_up_portal::{
    articles, comment, extract, learn, page, paragraph, paragraphs, story, text, title, whole,
};

#[test]
fn articles_stay_whole_in_boxes_named_like_boilerplate() {
    for name in ["aside class=facts", "div class=photo-text", "div class='widget left'"] {
        let tag = name.split(' ').next().unwrap();
        let article = |n: usize| {
            let boxed = |number: usize| match number % 3 {
                1 => format!("<{name}><p>{}</p></{tag}>", paragraph(n, number)),
                _ => format!("<p>{}</p>", paragraph(n, number)),
            };
            let parts: String = (0..5).map(boxed).collect();
            page(n, &format!("<div class=story><h1>{}</h1>{parts}</div>", title(n)))
        };
        let profile = learn(articles(12, article));
        assert_eq!(profile.templates[0].parts.len(), 1, "{}", profile.to_toml());
        assert_eq!(profile.to_toml().parse(), Ok(profile.clone()));
        assert_eq!(text(&article(40), &profile), whole(40), "{name}");
    }
}

#[test]
fn a_short_box_named_like_boilerplate_is_removed() {
    let article = |n: usize| story(n, &format!("{}<aside class=facts><p>{}</p></aside>", paragraphs(n), comment(n, 1)));
    let profile = learn(articles(12, article));
    assert!(profile.templates[0].parts.is_empty());
    assert_eq!(text(&article(40), &profile), whole(40));
}

#[test]
fn the_frame_of_all_pages_is_no_template_for_a_few_interviews() {
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
