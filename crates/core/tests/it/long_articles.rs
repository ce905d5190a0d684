//! Long articles stay whole: the classifier is unsure about single paragraphs, above all towards the end, but the
//! paragraphs form one sequence. Sequences beside the article, and short texts, are not kept for this reason.

use std::fmt::Write;

use goldminer_core::address::Domain;
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::{Algorithm, Extractor, SourcePage};

/// Words of a language, from which [`Story`] makes sentences.
struct Words {
    subjects: [&'static str; 5],
    rest: [&'static str; 5],
    stop: &'static str,
}

const ENGLISH: Words = Words {
    subjects: [
        "The council of the old town",
        "Nobody in the harbour",
        "The first settlers",
        "Most of the trade",
        "Its longest river",
    ],
    rest: [
        "was founded in the year after the great flood, and grew slowly",
        "has been described by many travellers who came from the north",
        "lost much of what it had when the bridge was closed for good",
        "depends on the weather and on the prices that others set",
        "is known for the fairs that were held there in the winter",
    ],
    stop: ". ",
};

const GERMAN: Words = Words {
    subjects: [
        "Der Rat der alten Stadt",
        "Niemand am Hafen",
        "Die ersten Siedler",
        "Der Handel mit dem Norden",
        "Der längste Fluss",
    ],
    rest: [
        "wurde nach der großen Flut nicht mehr so genannt wie zuvor und war bald vergessen",
        "hat in den Jahren danach vieles verloren, was er einmal besaß",
        "war von dem Wetter und von den Preisen abhängig, die andere machten",
        "ist für die Märkte bekannt, die im Winter auf dem Platz gehalten wurden",
        "kam mit den Schiffen aus dem Norden und ist dort bis heute zu sehen",
    ],
    stop: ". ",
};

const CHINESE: Words = Words {
    subjects: ["老城的议会", "港口的居民", "最早的移民", "北方的商人", "最长的河流"],
    rest: [
        "在大洪水之后的那一年开始慢慢发展起来，后来成为这里最重要的部分",
        "被许多从北方来的旅行者记录在他们的书里，至今还能看到",
        "在那座桥关闭以后失去了很多东西，人们也逐渐离开了这里",
        "取决于天气，也取决于别人在市场上定下来的价格和规矩",
        "因为冬天在广场上举办的集市而闻名，每年都有很多人来",
    ],
    stop: "。",
};

/// Makes paragraphs that all differ.
struct Story(&'static Words);

impl Story {
    fn paragraph(&self, n: usize) -> String {
        let sentence = |at: usize| {
            let (subject, rest) = (self.0.subjects[at % 5], self.0.rest[(at / 5 + at) % 5]);
            format!("{subject} {rest} ({}){}", n * 7 + at, self.0.stop)
        };
        (n..n + 3 + n % 3).map(sentence).collect()
    }

    /// The same with links to other articles, as in an encyclopedia.
    fn linked(&self, n: usize) -> String {
        let words = self.0.subjects[n % 5];
        self.paragraph(n).replace(words, &format!("<a href=/w/{n}>{words}</a>"))
    }
}

/// The texts of the paragraphs that an extractor leaves of a page.
fn left_by(extractor: &Extractor, html: &str) -> Vec<String> {
    let domain = Domain::named("portal.example");
    let document = extractor.extract(&SourcePage::new(html.as_bytes(), &domain), None);
    document.map(|document| document.paragraphs.iter().map(|own| own.text.to_string()).collect()).unwrap_or_default()
}

/// The texts of the paragraphs that are left of a page by the classifier, also if the page may be no article.
fn left(html: &str) -> Vec<String> {
    let algorithm = Algorithm::Classifier(Classifier::of(Convention::Article));
    left_by(&Extractor::default().with_algorithm(algorithm), html)
}

/// How many of the numbered paragraphs are left.
fn kept(story: &Story, paragraphs: usize, html: &str) -> usize {
    let left = left(html);
    (0..paragraphs).filter(|n| left.iter().any(|text| text.trim() == story.paragraph(*n).trim())).count()
}

fn menu(entries: usize) -> String {
    let entries: String =
        (0..entries).map(|n| format!("<li><a href=/m/{n}>Matters of the town {n}</a></li>")).collect();
    format!("<ul class=menu>{entries}</ul>")
}

/// An article of an encyclopedia: linked prose under many headings, with boxes of facts and notes.
fn encyclopedia(story: &Story, paragraphs: usize) -> String {
    let mut html = format!("<title>Old Town</title>{}<div id=content><h1>Old Town</h1><div class=output>", menu(40));
    let facts: String = (0..40).map(|n| format!("<tr><th>Fact {n}<td>{n} of <a href=/f/{n}>it</a></tr>")).collect();
    let _ = write!(html, "<table class=infobox>{facts}</table>");
    for n in 0..paragraphs {
        if n % 3 == 0 {
            let _ = write!(html, "<h2>Part {n}</h2><div class=hatnote>Main article: <a href=/h/{n}>Part {n}</a></div>");
        }
        let _ = write!(html, "<p>{}</p>", story.linked(n));
    }
    let notes =
        |n| format!("<li><cite><a href=/c/{n}>Bain 20{n}</a>, The Old Town, p. {n}. Retrieved {n} May.</cite></li>");
    let notes: String = (10..300).map(notes).collect();
    let _ = write!(html, "<h2>References</h2><ol class=references>{notes}</ol></div></div>{}", menu(200));
    html
}

#[test]
fn an_encyclopedia_of_many_sections_is_whole() {
    let story = Story(&ENGLISH);
    assert_eq!(kept(&story, 260, &encyclopedia(&story, 260)), 260);
}

#[test]
fn twenty_thousand_words_are_whole() {
    let story = Story(&GERMAN);
    assert_eq!(kept(&story, 450, &encyclopedia(&story, 450)), 450);
}

/// A draft in plain text, one element a page.
fn plain_text(story: &Story, pages: usize) -> String {
    let pages: String = (0..pages)
        .map(|n| {
            format!(
                "<pre class=newpage>Draft   Boats   May 2026\n\n{}</pre>",
                story.paragraph(n).replace(", ", ",\n   ")
            )
        })
        .collect();
    format!("<small><a href=/d>Docs</a> <a href=/t>txt</a></small>{pages}<small>made by a program</small>")
}

#[test]
fn the_pages_of_a_plain_text_are_whole() {
    let story = Story(&ENGLISH);
    let left = left(&plain_text(&story, 200)).join("\n").split_whitespace().collect::<Vec<_>>().join(" ");
    let missing: Vec<usize> = (0..200).filter(|n| !left.contains(story.paragraph(*n).trim())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn sections_of_paragraphs_with_names_of_their_own_are_whole() {
    let story = Story(&CHINESE);
    let paragraph = |n: usize| format!("<p id=a{n}f class='x{n}q b go'>{}</p>", story.paragraph(n));
    let section = |s: usize| {
        let inside: String = (s * 10..s * 10 + 10).map(paragraph).collect();
        format!("<section class=part><h3>{}</h3><div class=inner>{inside}</div></section>", CHINESE.subjects[s % 5])
    };
    let sections: String = (0..60).map(section).collect();
    let html = format!("<title>老城</title>{}<main><h1>老城</h1>{sections}</main>{}", menu(30), menu(60));
    assert_eq!(kept(&story, 600, &html), 600);
}

#[test]
fn long_blocks_without_any_certain_text_are_no_text() {
    let story = Story(&ENGLISH);
    let own: String = (0..12).map(|n| format!("<p>{}</p>", story.paragraph(n))).collect();
    let ticker: String = (50..80).map(|n| story.paragraph(n) + " + + + ").collect();
    let tickers: String = (1..3).map(|n| format!("<div id=ticker{n} class=caps>{ticker}</div>")).collect();
    let html = format!(
        "<title>Rain</title>{}<div class=story><h1>Rain</h1>{own}</div>{}<div class=wide>{tickers}</div>",
        menu(30),
        menu(60)
    );
    assert_eq!(left(&html).len(), 13, "{:?}", left(&html).last());
}

#[test]
fn lines_in_an_element_like_the_articles_are_no_text() {
    let story = Story(&ENGLISH);
    let own: String = (0..60).map(|n| format!("<p>{}</p>", story.paragraph(n))).collect();
    let html = format!(
        "<title>Rain</title><article><h1>Rain</h1><div class=html>{own}</div></article>{}\
         <footer><div class=html><p>Copyright © 2026 The Gazette. All rights reserved.</p>\
         <p><a href=/i>Imprint</a> <a href=/p>Privacy</a> <a href=/c>Contact us</a></p></div></footer>",
        menu(30)
    );
    assert_eq!(left(&html).len(), 61, "{:?}", left(&html).last());
}

#[test]
fn a_long_sequence_of_text_is_an_article_one_of_cards_is_not() {
    let words_kept = |html: &str| left_by(&Extractor::default(), html).join(" ").split_whitespace().count();
    for (words, paragraphs) in [(&ENGLISH, 40), (&ENGLISH, 260), (&GERMAN, 450)] {
        let story = Story(words);
        assert!(words_kept(&encyclopedia(&story, paragraphs)) > 40 * paragraphs, "{paragraphs}");
    }
    for pages in [40, 200] {
        assert!(words_kept(&plain_text(&Story(&ENGLISH), pages)) > 40 * pages, "{pages}");
    }
    for words in [&ENGLISH, &GERMAN, &CHINESE] {
        let story = Story(words);
        let card = |n| {
            format!(
                "<div class=card><h3><a href=/s/{n}>Story {n} of the town</a></h3><p>{}</p></div>",
                story.paragraph(n)
            )
        };
        let cards: String = (0..60).map(card).collect();
        let html = format!("<title>News</title>{}<main><h1>News</h1>{cards}</main>", menu(30));
        assert_eq!(words_kept(&html), 0);
    }
}
