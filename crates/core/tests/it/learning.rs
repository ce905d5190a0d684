//! What the learner learns from a domain, and what is then kept of a page. Each test is a small portal with one
//! peculiarity.

use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::metadata::of_page;
use goldminer_core::page::Page;

use super::made_up_portal::{
    FOOTER, articles, comment, domain, extract, learn, page, paragraph, paragraphs, sentence, story, text, title, url,
    whole, word,
};

/// An article with date and author in elements with meaningless names; `with_meta` adds `<meta>` elements with them.
fn signed(n: usize, author: &str, with_meta: bool) -> String {
    let meta =
        format!("<meta property=article:published_time content=2026-03-{n:02}><meta name=author content='{author}'>");
    let meta = if with_meta { meta } else { String::new() };
    let lines = format!("<p class=xa>{author}</p><p>Reading aloud</p><p class=kaq>{n:02}/03/2026</p>");
    page(n, &format!("{meta}<div class=story><h1>{}</h1>{lines}{}</div>", title(n), paragraphs(n)))
}

#[test]
fn places_of_date_and_author_are_learned_from_metadata() {
    let authors = ["Anna Nagy", "Cecil Day Lewis", "Maria Rossi"];
    let profile = learn(articles(9, |n| signed(n, authors[n % 3], n < 8)));
    assert_eq!(profile.places.published.iter().map(ToString::to_string).collect::<Vec<_>>(), ["p.kaq"]);
    assert_eq!(profile.places.authors.iter().map(ToString::to_string).collect::<Vec<_>>(), ["p.xa"]);
    let silent = signed(11, "Maria Rossi", false);
    let found = extract(&silent, &profile).expect("a document").metadata;
    assert_eq!((found.published.as_deref(), found.authors), (Some("2026-03-11"), vec!["Maria Rossi".to_owned()]));
    let alone = of_page(&Page::parse(silent), None);
    assert_eq!(
        (alone.published, alone.authors),
        (None, Vec::new()),
        "a single page does not show which number is the day"
    );
    assert_eq!(DomainProfile::from_toml(&profile.to_toml()).unwrap().places, profile.places);
}

#[test]
fn a_date_at_the_learned_place_is_enough_for_an_article() {
    let profile = learn(articles(30, |n| signed(n % 28 + 1, "Anna Nagy", n < 30)));
    assert!(profile.templates[0].dated, "{}", profile.to_toml());
    assert_eq!(extract(&signed(31, "Anna Nagy", false).replace("31/03", "30/03"), &profile).map(|_| ()), Some(()));
    let imprint = signed(32, "Anna Nagy", false).replace("<p class=kaq>32/03/2026</p>", "");
    assert_eq!(extract(&imprint, &profile), None, "a page without a date is no article");
}

fn notice() -> String {
    format!("<div class=notice>{}</div>", paragraphs(0))
}

/// A page of an author with the beginnings of two articles. The notice of all pages makes it as long as an article.
fn of_an_author(n: usize) -> String {
    let card = |at: usize| {
        format!("<div class=card><h4><a href=/articles/{at}>{}</a></h4><p>{}</p></div>", title(at), sentence(at))
    };
    let cards = card(100 + 2 * n) + &card(101 + 2 * n);
    page(n, &format!("<div class=list><h1>Mrs {}</h1>{cards}{}</div>", word(n), notice()))
}

#[test]
fn lists_with_two_cards_and_long_notices_do_not_count() {
    let authors = (1..=10).map(|n| (format!("authors/{n}"), of_an_author(n)));
    let article = |n: usize| story(n, &(paragraphs(n) + &notice()));
    let profile = learn(articles(30, article).into_iter().chain(authors));
    assert_eq!((profile.evidence.pages, profile.evidence.distinct), (40, 30), "{}", profile.to_toml());
    assert_eq!(extract(&of_an_author(11), &profile).map(|document| document.paragraphs), None);
    assert_eq!(text(&article(11), &profile), whole(11));
}

#[test]
fn tables_of_numbers_stay_although_other_articles_have_some() {
    let article = |n: usize| {
        let figures: String = (1..6).map(|figure| format!("<td>{}", n * 1_000 + figure)).collect();
        let row = |club: usize| format!("<tr><td>{}{figures}", word(club + n));
        let table: String = (1..5).map(row).collect();
        page(n, &format!("<div class=story><h1>{}</h1>{}<table>{table}</table></div>", title(n), paragraphs(n)))
    };
    let profile = learn(articles(20, article));
    let text = text(&article(6), &profile);
    let row = format!("{}\t6001\t6002", word(7));
    assert!(text.iter().any(|paragraph| paragraph.contains(&row)), "{text:?}");
}

#[test]
fn an_article_is_whole_and_nothing_else_is_in_it() {
    let article = |n: usize| {
        let comments: String = (0..n % 4).map(|c| format!("<div class=c1><p>{}</p></div>", comment(n, c))).collect();
        page(
            n,
            &format!(
                "<div id=post-{n} class=story><h1>{}</h1>{}</div><div class=comments>{comments}</div>",
                title(n),
                paragraphs(n)
            ),
        )
    };
    let profile = learn(articles(20, article));
    assert_eq!(profile.templates.len(), 1, "{}", profile.to_toml());
    for n in [3, 77] {
        assert_eq!(text(&article(n), &profile), whole(n));
    }
}

#[test]
fn an_article_under_two_urls_does_not_become_boilerplate() {
    let article = |n: usize| page(n, &format!("<div class=story><h1>{}</h1>{}</div>", title(n), paragraphs(n)));
    let twice = articles(10, article)
        .into_iter()
        .flat_map(|(path, html)| [(path.clone(), html.clone()), (path + "/print", html)]);
    let profile = learn(twice);
    assert_eq!(text(&article(4), &profile), whole(4));
}

#[test]
fn an_article_with_a_print_version_is_not_boilerplate() {
    let story = |n: usize| format!("<div class=story><h1>{}</h1>{}</div>", title(n), paragraphs(n));
    let print = |n: usize| {
        let notice = "This is the version for printers of an article that you can read, with all of its pictures and with \
            what readers have said about it, on our pages. We would be glad if you came back to them soon.";
        format!("<html><title>{}</title><body><p>{notice}</p>{}", title(n), story(n))
    };
    let twice =
        (1..=10).flat_map(|n| [(format!("articles/{n}"), page(n, &story(n))), (format!("print/{n}"), print(n))]);
    let profile = learn(twice);
    assert_eq!(text(&page(4, &story(4)), &profile), whole(4), "{}", profile.to_toml());
}

#[test]
fn text_that_repeats_inside_articles_is_dropped() {
    let call = "Do you like what you are reading? Subscribe to our newsletter and you will get the best of this newspaper \
        every morning before it is in the shops, and it will cost you nothing at all for the first month.";
    let article = |n: usize| {
        let own = paragraphs(n).replacen("</p>", &format!("</p><div class=abo><p>{call}</p></div>"), 2);
        page(n, &format!("<div class=story><h1>{}</h1>{own}</div>", title(n)))
    };
    let profile = learn(articles(20, article));
    assert_eq!(text(&article(5), &profile), whole(5));
}

#[test]
fn subheads_and_lists_between_boxes_are_kept() {
    let article = |n: usize| {
        let teasers: String = (1..4)
            .map(|t| format!("<li><a href=/articles/{0}>{1}</a><p>{2}</p>", n + t, title(n + t), paragraph(n + t, 0)))
            .collect();
        let own = format!(
            "<p>{}</p><aside class=box><ul>{teasers}</ul></aside><h2>What came of {}</h2><p>{}</p><ul><li>{}</ul>",
            paragraph(n, 0),
            word(n),
            paragraph(n, 1),
            paragraph(n, 2)
        );
        page(n, &format!("<h1>{}</h1><div class=body>{own}</div>", title(n)))
    };
    let profile = learn(articles(30, article));
    let expected = [title(6), paragraph(6, 0), format!("What came of {}", word(6)), paragraph(6, 1), paragraph(6, 2)];
    assert_eq!(text(&article(6), &profile), expected, "{}", profile.to_toml());
}

#[test]
fn a_lead_is_kept_if_other_pages_have_it_as_a_teaser() {
    let lead = |n: usize| format!("<p class=lead>{}</p>", paragraph(n, 0));
    let article = |n: usize| {
        let teaser = |t: usize| {
            format!("<div class=card><h4><a href=/articles/{t}>{}</a></h4><p>{}</p></div>", title(t), paragraph(t, 0))
        };
        let teasers: String = (1..5).map(|t| teaser((n + t) % 30 + 1)).collect();
        let rest = paragraphs(n).split_once("</p>").unwrap().1.to_owned();
        page(
            n,
            &format!("<h1>{}</h1>{}<div class=body>{rest}</div><div class=cards>{teasers}</div>", title(n), lead(n)),
        )
    };
    let profile = learn(articles(30, article));
    assert_eq!(text(&article(9), &profile), whole(9), "{}", profile.to_toml());
}

#[test]
fn a_lead_is_kept_if_other_pages_have_it_as_a_plain_paragraph() {
    let article = |n: usize| {
        let lead = format!("<p class=lead>{}</p>", paragraph(n, 0));
        let teaser = |t: usize| format!("<p><a href=/articles/{t}>{}</a></p><p>{}</p>", title(t), paragraph(t, 0));
        let teasers: String = (1..5).map(|t| teaser((n + t) % 30 + 1)).collect();
        let rest = paragraphs(n).split_once("</p>").unwrap().1.to_owned();
        page(n, &format!("<div class=story><h1>{}</h1>{lead}<div>{rest}</div></div>{teasers}", title(n)))
    };
    let profile = learn(articles(30, article));
    assert_eq!(text(&article(9), &profile), whole(9), "{}", profile.to_toml());
}

/// An article in a table, with comments below and teasers beside it, and without any names.
fn tabled(n: usize) -> String {
    let own: String = (0..5).map(|number| format!("{}<BR><BR>\n", paragraph(n, number))).collect();
    let comments: String = (0..3).map(|c| format!("<HR><B>reader:</B><BR>{}<BR><BR>", comment(n, c))).collect();
    let side: String = (0..2).map(|s| format!("<LI>{}", comment(n + 500, s))).collect();
    let main = format!(
        "<TABLE><TR><TD><UL><LI>{}</UL><TD><FONT SIZE=5><B>{}</B></FONT><BR><BR>{own}<CENTER>* * *</CENTER>\
         <FONT SIZE=4>Comments</FONT><BR><BR>{comments}<TD><UL>{side}</UL></TABLE>",
        "This newspaper is independent because its readers pay for it. If you can, please help us to stay what we \
         are.",
        title(n)
    );
    page(n, &main)
}

#[test]
fn a_layout_without_names_is_cut_between_tags() {
    let profile = learn(articles(30, tabled));
    assert!(profile.templates[0].end.is_some(), "{}", profile.to_toml());
    assert_eq!(text(&tabled(8), &profile), whole(8), "{}", profile.to_toml());
    let read_back = DomainProfile::from_toml(&profile.to_toml()).unwrap();
    assert_eq!(text(&tabled(8), &read_back), whole(8));
}

#[test]
fn a_page_of_80_000_paragraphs_does_not_stop_learning() {
    let article = |n: usize| match n {
        3 => tabled(n).replace("<CENTER>", &("<p>No.".repeat(80_000) + "<CENTER>")),
        _ => tabled(n),
    };
    let profile = learn(articles(30, article));
    let found = text(&tabled(8), &profile);
    assert!(whole(8).iter().all(|paragraph| found.contains(paragraph)), "{found:?}");
}

#[test]
fn a_layout_without_names_is_cut_beside_one_with_names() {
    let call = "Our letter brings you the best of the week on Friday afternoon, free of charge and free of advertising. \
                You can leave us whenever you like, and we give your address to nobody, now and in all the years to come.";
    let article = |n: usize| match n % 5 {
        0 | 1 => tabled(n),
        _ => {
            let boxes = format!("<div class=call><p>{call}</p></div>");
            let story: String = (0..5).map(|number| format!("<p>{}</p>\n{boxes}", paragraph(n, number))).collect();
            page(n, &format!("<div class=story><h1>{}</h1>{story}</div>", title(n)))
        }
    };
    let profile = learn(articles(60, article));
    assert_eq!(text(&article(8), &profile), whole(8), "{}", profile.to_toml());
    assert_eq!(text(&article(11), &profile), whole(11), "{}", profile.to_toml());
}

#[test]
fn each_layout_of_a_portal_gets_its_template() {
    let article = |n: usize| match n % 3 {
        0 => page(
            n,
            &format!(
                "<div class=column><div class=author><h1>{}</h1></div><div class=opinion>{}</div></div>",
                title(n),
                paragraphs(n)
            ),
        ),
        _ => page(
            n,
            &format!(
                "<div class=wide><h1>{}</h1><div class=report>{}</div><div class=reactions><p>{}</p></div></div>",
                title(n),
                paragraphs(n),
                comment(n, 1)
            ),
        ),
    };
    let profile = learn(articles(60, article));
    assert_eq!(text(&article(3), &profile), whole(3), "{}", profile.to_toml());
    assert_eq!(text(&article(4), &profile)[..6], whole(4), "{}", profile.to_toml());
}

#[test]
fn a_list_of_teasers_gives_no_text() {
    let article = |n: usize| page(n, &format!("<div class=story><h1>{}</h1>{}</div>", title(n), paragraphs(n)));
    let profile = learn(articles(20, article));
    let teaser = |t: usize| {
        format!("<div class=card><h4><a href=/articles/{t}>{}</a></h4><p>{}</p></div>", title(t), paragraph(t, 0))
    };
    let front = page(0, &format!("<h1>News</h1>{}", (1..12).map(teaser).collect::<String>()));
    assert_eq!(extract(&front, &profile), None);
}

#[test]
fn an_article_followed_by_whole_articles_is_no_list() {
    let article = |n: usize| {
        let next = |n: usize| {
            let title = format!("<h2><a href=/articles/{n}>{}</a></h2>", title(n));
            format!("<article class=a>{title}{}</article>", paragraphs(n))
        };
        let below: String = (1..4).map(|later| next(n + later)).collect();
        page(n, &format!("<article class=a><h1>{}</h1>{}</article>{below}", title(n), paragraphs(n)))
    };
    assert_eq!(text(&article(7), &learn(articles(30, article))), whole(7));
    let whole_elements = "key = 'paper.example'\n[[template]]\nstart = 'article.a'\n";
    assert_eq!(text(&article(7), &DomainProfile::from_toml(whole_elements).expect("a profile")), whole(7));
}

#[test]
fn a_page_of_only_boilerplate_gives_no_text_even_if_long() {
    let article = |n: usize| page(n, &format!("<div class=story><h1>{}</h1>{}</div>{FOOTER}", title(n), paragraphs(n)));
    let profile = learn(articles(20, article));
    assert_eq!(
        extract(&page(0, &format!("<h1>Search</h1><p>Nothing was found.</p>{FOOTER}{FOOTER}{FOOTER}")), &profile),
        None
    );
}

#[test]
fn an_article_of_an_unknown_layout_is_not_lost() {
    let article = |n: usize| page(n, &format!("<div class=story><h1>{}</h1>{}</div>", title(n), paragraphs(n)));
    let profile = learn(articles(20, article));
    let special = page(90, &format!("<section class=special><h1>{}</h1>{}</section>", title(90), paragraphs(90)));
    assert_eq!(text(&special, &profile), whole(90));
    // The same if a template matches something else on the page.
    let decoy = page(
        91,
        &format!(
            "<div class=story><a href=/a>More</a></div><section class=special><h1>{}</h1>{}</section>",
            title(91),
            paragraphs(91)
        ),
    );
    assert_eq!(text(&decoy, &profile), whole(91));
}

#[test]
fn comments_after_a_title_go_even_in_the_article_s_element() {
    let article = |n: usize| {
        let comments: String = (0..4).map(|c| format!("<p>{}</p>", comment(n, c))).collect();
        page(
            n,
            &format!("<div class=all><h1>{}</h1>{}<h3>Comments ({n})</h3>{comments}</div>", title(n), paragraphs(n)),
        )
    };
    let profile = learn(articles(20, article));
    assert_eq!(text(&article(7), &profile), whole(7));
}

#[test]
fn rare_subheads_and_lists_beside_comments_are_kept() {
    let article = |n: usize| {
        let comments: String = (0..4).map(|c| format!("<p class=said>{}</p>", comment(n, c))).collect();
        let more = format!("<h2>What came of {}</h2><ul><li>{}</ul>", word(n), paragraph(n, 9));
        let own = paragraphs(n).replace("<p>", "<p class=line>");
        let own = if n.is_multiple_of(5) { own + &more } else { own };
        page(n, &format!("<div class=all><h1>{}</h1>{own}<h3>Comments ({n})</h3>{comments}</div>", title(n)))
    };
    let profile = learn(articles(40, article));
    let expected = [whole(10), vec![format!("What came of {}", word(10)), paragraph(10, 9)]].concat();
    assert_eq!(text(&article(10), &profile), expected, "{}", profile.to_toml());
}

/// A dispatch in telegraphic style: lines without words of a stoplist.
fn dispatch(n: usize) -> Vec<String> {
    let words = |line: usize| (0..11).map(move |at| word(n * 1_000 + line * 70 + at * 9 + 3));
    (0..9).map(|line| format!("{}.", words(line).collect::<Vec<_>>().join(" "))).collect()
}

#[test]
fn the_declared_text_is_used_if_jus_text_finds_no_article() {
    let dispatches = |declares: bool| {
        articles(20, move |n| {
            let lines = dispatch(n);
            let declared =
                serde_json::json!({ "@type": "NewsArticle", "headline": title(n), "articleBody": lines.join(" ") });
            let script =
                if declares { format!("<script type=application/ld+json>{declared}</script>") } else { String::new() };
            let lines: String = lines.iter().map(|line| format!("<p>{line}</p>")).collect();
            page(n, &format!("{script}<h1>{}</h1><div class=wire>{lines}</div>", title(n)))
        })
    };
    let pages_used = |declares: bool| {
        let mut learner = Learner::of(domain());
        for (path, html) in dispatches(declares) {
            learner.add_page(&Page::parse(html), Some(&url(&path)));
        }
        learner.article_pages()
    };
    assert_eq!((pages_used(false), pages_used(true)), (0, 20));
    let pages = dispatches(true);
    let profile = learn(pages.clone());
    assert_eq!(text(&pages[3].1, &profile)[1..], dispatch(4));
}

#[test]
fn main_points_under_a_title_and_above_a_link_are_the_article_s() {
    let point = |n: usize, number: usize| format!("Point {number} of what the people of {} said is said here", word(n));
    let article = |n: usize| {
        let points: String = (1..4).map(|number| format!("<li>{}", point(n, number))).collect();
        page(
            n,
            &format!(
                "<h1>{}</h1><ul><li>Highlights{points}<li><a href=/next>Next article</a></ul><div class=body>{}</div>",
                title(n),
                paragraphs(n)
            ),
        )
    };
    let profile = learn(articles(60, article));
    let mut expected = whole(6);
    expected.splice(1..1, [1, 2, 3].map(|number| point(6, number)));
    expected.insert(1, "Highlights".to_owned());
    assert_eq!(text(&article(6), &profile), expected, "{}", profile.to_toml());
}

#[test]
fn a_dump_of_bytes_is_dropped_and_its_article_kept() {
    let story = |n: usize, dump: &str| {
        page(n, &format!("<h1>{}</h1><div class=story>{}<p>{dump}</p></div>", title(n), paragraphs(n)))
    };
    let profile = learn(articles(9, |n| story(n, "")));
    assert_eq!(text(&story(12, &"A".repeat(66_000)), &profile), whole(12));
    let only_dump = page(12, &format!("<div class=story><p>{}</p></div>", "A".repeat(66_000)));
    assert!(extract(&only_dump, &profile).is_none());
}
