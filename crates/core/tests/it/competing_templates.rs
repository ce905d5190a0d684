//! Templates of one profile that match the same pages: which are learned, and in which order they are tried.

use super::made_up_portal::{articles, extract, learn, page, paragraphs, sentence, story, text, title, whole, word};

/// The print version of an article: no element has a name.
fn printed(n: usize) -> String {
    format!("<html><head><title>{0}</title></head><body><h1>{0}</h1>{1}<hr></body></html>", title(n), paragraphs(n))
}

/// A page without an article.
fn gallery(n: usize) -> String {
    page(n, "<h1>Pictures</h1><p>1 of 9</p>")
}

fn related() -> String {
    "<div class=next><a href=/1>The council met again</a> <a href=/2>The bridge is closed</a></div>".to_owned()
}

#[test]
fn a_layout_of_bare_paragraphs_leaves_other_pages_alone() {
    for prints in [2, 4, 7] {
        let article =
            |n: usize| if n <= prints { printed(n) } else { story(n, &format!("{}{}", paragraphs(n), related())) };
        let galleries = (0..9).map(|n| (format!("pictures/{n}"), gallery(n)));
        let profile = learn(articles(40, article).into_iter().chain(galleries));
        assert_eq!(text(&article(30), &profile), whole(30), "{}", profile.to_toml());
        assert_eq!(text(&printed(90), &profile), whole(90), "{}", profile.to_toml());
        assert_eq!(extract(&gallery(3), &profile), None, "{}", profile.to_toml());
    }
}

#[test]
fn a_template_that_matches_any_page_is_not_learned_from_one() {
    let article = |n: usize| if n == 7 { printed(n) } else { story(n, &paragraphs(n)) };
    let galleries = (0..9).map(|n| (format!("pictures/{n}"), gallery(n)));
    let profile = learn(articles(16, article).into_iter().chain(galleries));
    assert_eq!(extract(&gallery(3), &profile), None, "{}", profile.to_toml());
    assert_eq!(text(&printed(90), &profile), whole(90));
}

#[test]
fn documents_that_are_no_articles_lower_the_fitness() {
    let frame = |n: usize, text: &str| page(n, &format!("<div class=frame><h1>{}</h1>{text}</div>", title(n)));
    let short = |n: usize| format!("<p>So said Mr {}: {}</p>", word(n), sentence(700 + n));
    let fitness = |first: usize| {
        let others = (first..first + 15).map(|n| (format!("others/{n}"), frame(500 + n, &short(n))));
        let article = |n: usize| frame(n, &(paragraphs(n) + &short(n)));
        learn(articles(30, article).into_iter().chain(others)).evidence.fitness
    };
    let (short, archive) = (fitness(100), fitness(1));
    assert!(short > 0.98 && archive < 0.8, "{short} {archive}");
}
