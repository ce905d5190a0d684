//! Parts that recur on a portal's pages and still belong to the article: subheads, listings, items and quotes within
//! its text. Also parts that no exclusion may remove, even if the exclusion is right on other pages.

use goldminer_core::DomainProfile;

use super::made_up_portal::{articles, learn, page, paragraph, paragraphs, story, text, title, whole, word};

/// An article that on every second page has a part after its second paragraph.
fn with_part(n: usize, part: &str) -> String {
    let own = paragraphs(n);
    let (before, behind) = own.split_at(own.match_indices("</p>").nth(1).unwrap().0 + 4);
    let part = if n.is_multiple_of(2) { part } else { "" };
    page(n, &format!("<div class=story><h1>{}</h1>{before}{part}{behind}</div>", title(n)))
}

/// The text that is kept of a page with `part`, in a portal of `pages` pages.
fn kept(pages: usize, part: &str) -> Vec<String> {
    text(&with_part(6, part), &learn(articles(pages, |n| with_part(n, part))))
}

fn is_kept(part: &str, expected: &[&str]) {
    for pages in [12, 30, 60] {
        let found = kept(pages, part);
        let mut whole = whole(6);
        whole.splice(3..3, expected.iter().map(|text| (*text).to_owned()));
        assert_eq!(found, whole, "{part} on every second of {pages} pages");
    }
}

#[test]
fn named_subheads_that_recur_are_the_article_s() {
    is_kept("<h2 id=conclusion>Conclusion</h2>", &["Conclusion"]);
    is_kept("<h3 class='subhead is-style-x'>Was bleibt</h3>", &["Was bleibt"]);
    is_kept(
        "<h2 class='anchor anchorWithStickyNavbar' id=popular-mistakes>Popular mistakes</h2>",
        &["Popular mistakes"],
    );
    is_kept("<div class=x9><div><h2 class=x7>Where it went</h2></div></div>", &["Where it went"]);
}

#[test]
fn different_subheads_in_boxes_of_their_own_are_no_repetition() {
    let own = paragraphs(6);
    let subhead = |text: &str| format!("<div class=x9><h3 class=part>{text}</h3></div>");
    let parts: Vec<&str> = own.split_inclusive("</p>").collect();
    let before = format!("{}{}{}", parts[..2].concat(), subhead("The bridge"), parts[2..4].concat());
    let html = page(
        6,
        &format!("<div class=story><h1>{}</h1>{before}{}{}</div>", title(6), subhead("The river"), parts[4..].concat()),
    );
    let profile = "key = 'paper.example'\n[[template]]\nstart = 'div.story'\ndrops = ['h3.part']\n";
    let found = text(&html, &DomainProfile::from_toml(profile).expect("a profile"));
    assert!(found.contains(&"The bridge".to_owned()) && found.contains(&"The river".to_owned()), "{found:?}");
}

#[test]
fn sections_named_like_their_headings_are_no_boxes() {
    for (id, heading) in [("forma-ad-hoc", "Forma ad hoc"), ("video-e-foto", "Vídeo e foto"), ("print", "The print")] {
        let article = |n: usize| {
            let own = paragraphs(n);
            let (before, behind) = own.split_at(own.rfind("<p").unwrap());
            let section = format!("<section id={id} class=level2><h2>{heading}</h2>{behind}</section>");
            page(n, &format!("<div class=story><h1>{}</h1>{before}{section}</div>", title(n)))
        };
        let mut whole = whole(6);
        whole.insert(whole.len() - 1, heading.to_owned());
        assert_eq!(text(&article(6), &learn(articles(12, article))), whole, "{id}");
    }
}

#[test]
fn listings_that_recur_are_the_article_s() {
    let code = "&lt;dependency&gt;org.example.flow&lt;/dependency&gt;";
    let text = ["<dependency>org.example.flow</dependency>"];
    is_kept(&format!("<pre><code class=language-xml>{code}</code></pre>"), &text);
    is_kept(&format!("<div class=highlight><pre class=chroma><code>{code}</code></pre></div>"), &text);
}

#[test]
fn items_and_quotes_that_recur_are_the_article_s() {
    is_kept("<ul><li class=ing>Salt</li><li class=ing>Pepper and sugar</li></ul>", &["Salt", "Pepper and sugar"]);
    is_kept(
        "<blockquote class=q>He who asks is a fool for five minutes.</blockquote>",
        &["He who asks is a fool for five minutes."],
    );
}

#[test]
fn short_answers_that_recur_are_the_article_s() {
    for (pattern, answer) in
        [("Why did {} leave?", "Yes."), ("{} は来ますか？", "はい。"), ("“Was it {}?”", "Of course not.")]
    {
        let question = |n: usize| pattern.replace("{}", &word(n));
        let article = |n: usize, inside: fn(&str) -> String| {
            let own = paragraphs(n);
            let (before, behind) = own.split_at(own.match_indices("</p>").nth(1).unwrap().0 + 4);
            let part = inside(&format!("<p><b>{}</b></p><p>{answer}</p>", question(n)));
            let call = "<p><b>Do you know more?</b></p><p>Write to us.</p>";
            page(n, &format!("<div class=story><h1>{}</h1>{before}{part}{behind}{call}</div>", title(n)))
        };
        for pages in [12, 30, 60] {
            let interview = |n: usize| article(n, str::to_owned);
            let mut whole = whole(6);
            whole.splice(3..3, [question(6), answer.to_owned()]);
            assert_eq!(text(&interview(6), &learn(articles(pages, interview))), whole, "{pages} pages");
        }
        let ended = |n: usize| {
            let part = format!("<p><b>{}</b></p><p>{answer}</p>", question(n));
            page(n, &format!("<div class=story><h1>{}</h1>{}{part}</div>", title(n), paragraphs(n)))
        };
        assert_eq!(text(&ended(6), &learn(articles(30, ended))).last(), Some(&answer.to_owned()));
        let boxed = |n: usize| article(n, |part| format!("<div class=poll>{part}</div>"));
        let found = text(&boxed(6), &learn(articles(30, boxed)));
        assert!(!found.contains(&answer.to_owned()), "{found:?}");
    }
}

#[test]
fn a_subhead_and_a_listing_that_recur_together_are_kept() {
    is_kept("<h2 id=setup>Setup</h2><pre class=sh>cargo add flow</pre>", &["Setup", "cargo add flow"]);
}

#[test]
fn subheads_that_link_to_themselves_are_no_teasers() {
    let article = |n: usize| {
        let own = paragraphs(n).replacen("</p>", &format!("</p><h2 id=s0><a href=#s0>{}</a></h2>", title(n + 500)), 1);
        page(n, &format!("<div class=story><h1>{}</h1>{own}</div>", title(n)))
    };
    let found = text(&article(6), &learn(articles(12, article)));
    assert_eq!(found.iter().filter(|text| **text == title(506)).count(), 1, "{found:?}");
}

#[test]
fn a_box_of_recurring_items_is_removed() {
    let share = "<ul class=tools><li>Print this page</li><li>Send it to a friend</li><li>Write to the paper</li></ul>";
    let article = |n: usize| page(n, &format!("<div class=story><h1>{}</h1>{}{share}</div>", title(n), paragraphs(n)));
    assert_eq!(text(&article(6), &learn(articles(30, article))), whole(6));
}

#[test]
fn no_exclusion_removes_the_article_of_a_page() {
    let call =
        "Do you like what you are reading? Subscribe to our newsletter and you will get the best of this newspaper.";
    let article = |n: usize| {
        let own = if n == 7 { paragraphs(n).replace("<p>", "<p class=box>") } else { paragraphs(n) };
        page(n, &format!("<div class=story><h1>{}</h1>{own}<p class=box>{call}</p></div>", title(n)))
    };
    for pages in [12, 30, 60] {
        let profile = learn(articles(pages, article));
        assert_eq!(text(&article(7), &profile), whole(7), "{}", profile.to_toml());
        assert_eq!(text(&article(6), &profile), whole(6), "{}", profile.to_toml());
    }
}

#[test]
fn a_lead_is_kept_although_cards_on_other_pages_show_it() {
    let cards: [fn(&str, &str, &str) -> String; 3] = [
        |link, title, lead| format!("<a class=card href={link}><h3>{title}</h3><p>{lead}</p></a>"),
        |link, title, lead| format!("<div class=card><h3>{title}</h3><p>{lead}</p><a href={link}>Read on</a></div>"),
        |link, title, lead| format!("<div class=card><a href={link}></a><div>{title}</div><div>{lead}</div></div>"),
    ];
    for (card, pages) in cards.into_iter().flat_map(|card| [(card, 12), (card, 40)]) {
        let article = |n: usize| {
            let others = (1..7).map(|t| (n + t) % pages + 1);
            let cards: String = others.map(|t| card(&format!("/articles/{t}"), &title(t), &paragraph(t, 0))).collect();
            let rest = paragraphs(n).split_once("</p>").unwrap().1.to_owned();
            let notice = paragraph(900, 0);
            let head = format!("<div class=head><h1>{}</h1><p class=dek>{}</p></div>", title(n), paragraph(n, 0));
            let story = format!("{head}<div class=body>{rest}<p>{notice}</p></div>");
            page(n, &format!("<div class=story>{story}</div><section>{cards}</section>"))
        };
        let profile = learn(articles(pages, article));
        assert_eq!(text(&article(9), &profile), whole(9), "{pages} pages: {}", profile.to_toml());
    }
}

#[test]
fn fitness_is_measured_after_the_exclusions() {
    let article = |n: usize| story(n, &format!("{}<div class=related><p>{}</p></div>", paragraphs(n), paragraph(n, 5)));
    let profile = learn(articles(30, article));
    let kept: usize = text(&article(6), &profile).iter().map(String::len).sum();
    let all = kept + paragraph(6, 5).len();
    let f = 2.0 * kept as f64 / (kept + all) as f64;
    assert!((profile.evidence.fitness - f).abs() < 0.03, "{} for {f:.2}", profile.evidence.fitness);
}

#[test]
fn no_template_ends_inside_a_listing() {
    let article = |n: usize| {
        let own = paragraphs(n);
        let (before, behind) = own.split_at(own.find("</p>").unwrap() + 4);
        let inside = format!("<pre><code><b>run {}</b> and wait</code></pre>", word(n));
        let text = format!("{before}{inside}{behind}<pre><code>cargo test</code></pre>");
        let notices =
            |first: usize| (first..first + 4).map(|n| format!("<p>{}</p>", paragraph(900, n))).collect::<String>();
        format!("<title>{0}</title><body>{1}<h1>{0}</h1>{text}{2}", title(n), notices(0), notices(4))
    };
    let profile = learn(articles(30, article));
    for template in &profile.templates {
        let end = template.end.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(!end.is_empty() && !end.starts_with("<code>") && !end.starts_with("</code> <code>"), "{end}");
    }
    assert_eq!(text(&article(6), &profile)[..2], whole(6)[..2], "{}", profile.to_toml());
}

#[test]
fn an_unclosed_item_does_not_hide_the_article_s_end() {
    let article = |n: usize| {
        let lines: String = (0..5).map(|number| format!("{}<br><br>", paragraph(n, number))).collect();
        let items = if n.is_multiple_of(3) { "<li>A bus every hour<li>Beds for all<br><br>" } else { "" };
        let notices =
            |first: usize| (first..first + 4).map(|n| format!("{}<br><br>", paragraph(900, n))).collect::<String>();
        format!(
            "<title>{0}</title><table><tr><td>{1}<b>{0}</b><br>{items}{lines}<center>* * *</center>{2}</table>",
            title(n),
            notices(0),
            notices(4)
        )
    };
    let profile = learn(articles(30, article));
    let found = text(&article(6), &profile);
    assert!(found.contains(&paragraph(6, 4)) && !found.contains(&paragraph(900, 6)), "{}", profile.to_toml());
    assert!(profile.templates[0].end.is_some(), "{}", profile.to_toml());
}

#[test]
fn lists_of_recurring_items_between_boxes_are_the_article_s() {
    let call = "<div class=box><p>Subscribe to our newsletter and you will get the best of this newspaper.</p></div>";
    let follow = "<aside class=box><p>Follow us</p></aside>";
    let items = |n: usize| {
        let mut payers = vec!["The council", "The bank", "The town", "The owners"];
        payers.rotate_left(n % 4);
        payers.truncate(2 + n % 3);
        payers.into_iter().map(|payer| format!("{payer} pays {} in May", word(n / 2))).collect::<Vec<_>>()
    };
    for (list, item, before, behind) in [
        ("ul", "li", call, ""),
        ("ol", "li", "", call),
        ("ul", "li", call, call),
        ("dl", "dd", call, follow),
        ("ul", "li class=i", follow, call),
    ] {
        let article = |n: usize| {
            let own: String = items(n).iter().map(|text| format!("<{item}>{text}")).collect();
            let list = format!("</p>{before}<{list} class=l>{own}</{list}>{behind}");
            page(
                n,
                &format!(
                    "<div class=story><h1>{}</h1>{}{call}</div>",
                    title(n),
                    paragraphs(n).replacen("</p>", &list, 1)
                ),
            )
        };
        for pages in [12, 24, 60] {
            let profile = learn(articles(pages, article));
            let mut expected = whole(9);
            expected.splice(2..2, items(9));
            assert_eq!(text(&article(9), &profile), expected, "{list} {item} {pages}: {}", profile.to_toml());
        }
    }
}
