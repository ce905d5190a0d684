//! Finds the article in a page's data: JSON in its script elements, such as `articleBody` in JSON-LD or the initial
//! state of the page's program. No script is run.
//!
//! It is used only for pages whose visible HTML gives no text. It depends on no framework and no site: the article is a
//! value that reads like one, beside a headline that agrees with the page's. `text` makes paragraphs from the values,
//! `search` finds the article among them.

mod search;
mod text;

use goldminer_html::{Page, scripts};

use super::parts::prose;
use super::{ChosenText, SourcePage, document, metadata_of, whole_page};
use crate::document::{Document, DocumentParagraph, Method, ParagraphKind};
use crate::goldminer::PageProfile;
use crate::structure::{self, Settings, Structured};

#[derive(Debug, Clone, PartialEq, Eq)]
struct Article {
    /// The headline beside the text in the data.
    headline: String,
    /// The text, without the headline.
    paragraphs: Vec<DocumentParagraph>,
    /// The same text as written in the data, if that is HTML.
    html: Option<String>,
    /// The number of characters of running text.
    weight: usize,
}

/// The document from the JSON of a page. None if the JSON has no article. The document has structure if `structure` is
/// true and the article is HTML.
pub(super) fn extract(
    page: &Page,
    source: &SourcePage<'_>,
    profile: Option<&PageProfile<'_>>,
    structure: bool,
) -> Option<Document> {
    if page.running_chars() >= text::MIN_CHARS {
        return None;
    }
    let title = crate::metadata::of_page(page, source.url).title?;
    let Article { headline, paragraphs, html, .. } = search::article(&scripts::values(page), &title)?;
    let html = html.filter(|_| structure).map(Page::parse);
    let Structured { mut paragraphs, mut objects } = match &html {
        None => Structured { paragraphs, objects: Vec::new() },
        Some(page) => {
            let settings = Settings { headline: None, least_thirds: 2, address: source.url, structure };
            structure::of(page, &text::own(page), settings)
        }
    };
    if paragraphs.first().is_none_or(|first| first.text != headline) {
        let level = html.is_some().then_some(1);
        paragraphs.insert(0, DocumentParagraph { level, ..DocumentParagraph::new(ParagraphKind::Heading, &*headline) });
        for object in &mut objects {
            object.before += 1;
            object.quoted.iter_mut().for_each(|at| *at += 1);
        }
    }
    let text = ChosenText {
        headline: Some(headline),
        language: whole_page::language_of(page, source, paragraphs.iter().map(|paragraph| paragraph.text.as_str())),
        method: Method::PageData,
        stoplist: "none".to_owned(),
        thresholds: "none".to_owned(),
        paragraphs,
        objects,
        structure: html.is_some(),
        ..ChosenText::default()
    };
    let document = document(source, metadata_of(page, source, profile, None), text);
    (!prose::is_none(&document.text)).then_some(document)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoArticle;
    use crate::extract::Extractor;
    use crate::goldminer::profile::DomainProfile;
    use goldminer_html::address::Domain;

    const ONE: &str = "It rained in the town for a week, and nobody who had an umbrella lent it to the others there.";
    const TWO: &str =
        "On Sunday the sun came out, \\\"at last\\\", said the mayor, who had waited for it at her window. She left.";
    const THREE: &str =
        "The river had risen by two metres until then. Nobody was hurt, and the bridge is open once more, they say.";

    /// The texts of the article on a page with this title and these elements.
    fn texts(title: &str, scripts: &str) -> Option<Vec<String>> {
        let page = Page::parse(format!("<title>{title}</title><div id=app></div>{scripts}"));
        let article = search::article(&scripts::values(&page), title)?;
        Some(article.paragraphs.into_iter().map(|paragraph| paragraph.text).collect())
    }

    fn expected() -> Vec<String> {
        [ONE, TWO, THREE, ONE, TWO].iter().map(|text| text.replace("\\\"", "\"")).collect()
    }

    fn body_in_html() -> String {
        [ONE, TWO, THREE, ONE, TWO].iter().map(|text| format!("<p>{text}<\\/p>")).collect()
    }

    #[test]
    fn the_usual_ways_to_put_a_state_into_a_page_are_read() {
        let state = format!("{{\"a\":{{\"title\":\"Rain in town\",\"body\":\"{}\"}},\"b\":[1,2]}}", body_in_html());
        let literal = serde_json::to_string(&state).unwrap();
        for script in [
            format!("<script type=application/json>{state}</script>"),
            format!("<script id=__NEXT_DATA__ type='application/json'>{state}</script>"),
            format!("<script>window.__INITIAL_STATE__ = {state};</script>"),
            format!("<script>window.__APOLLO_STATE__={state};(function(){{}}());</script>"),
            format!("<script>var x = {{a: 1}}; window.__NUXT__={state}</script>"),
            format!("<script>window.state = JSON.parse({literal})</script>"),
            format!("<script>hydrate({state}, document.body)</script>"),
            format!("<script type=application/json>{}</script>", state.replace('<', "\\u003c")),
        ] {
            assert_eq!(texts("Rain in town", &script), Some(expected()), "{script}");
        }
    }

    #[test]
    fn an_article_body_in_json_ld_is_read_with_or_without_lines() {
        let script = |body: &str| {
            format!(
                "<script type=application/ld+json>{{\"@graph\":[{{\"@type\":\"WebSite\",\"name\":\"The Portal\"}},\
                 {{\"@type\":\"NewsArticle\",\"headline\":\"Rain in town\",\"articleBody\":\"{body}\"}}]}}</script>"
            )
        };
        let all = [ONE, TWO, THREE, ONE, TWO];
        assert_eq!(texts("Rain in town", &script(&all.join("\\n\\n"))), Some(expected()));
        assert_eq!(texts("Rain in town", &script(&all.join("\\r\\n"))), Some(expected()));
        assert_eq!(texts("Rain in town", &script(&all.join("\n"))), Some(expected()), "broken JSON is repaired");
        assert_eq!(texts("Rain in town", &script(&all.join(" "))).map(|texts| texts.len()), Some(1));
        assert_eq!(texts("", &script(&all.join("\\n\\n"))), None, "no title confirms the text");
        let review = script(&all.join("\\n\\n")).replace("articleBody", "reviewBody");
        assert_eq!(texts("Rain in town", &review), None, "the text is declared as a review");
    }

    #[test]
    fn a_body_in_html_keeps_its_links_lists_and_pictures() {
        let domain = Domain::named("portal.example");
        let body = format!(
            "{}<h2>The river</h2><ul><li>One <a href=/b>bridge</a></li><li>Two boats</li></ul><p>So.</p>\
             <figure><img src=/a.jpg alt=Bridge></figure><p>On.</p>",
            body_in_html()
        );
        let state = format!("{{\"headline\":\"Rain in town\",\"@type\":\"NewsArticle\",\"articleBody\":\"{body}\"}}");
        let html =
            format!("<title>Rain in town</title><div id=app></div><script type=application/ld+json>{state}</script>");
        let url = goldminer_html::CrawlUrl::parse("http://portal.example/rain").unwrap();
        let source = SourcePage::new(html.as_bytes(), &domain).with_url(&url);
        let document = Extractor::default().extract(&source, None).unwrap();
        let part = |text: &str| document.paragraphs.iter().find(|part| part.text == text).unwrap();
        assert_eq!((part("Rain in town").level, part("The river").level), (Some(1), Some(2)));
        assert_eq!(part("One bridge").marks[0].target.as_deref(), Some("http://portal.example/b"));
        assert_eq!(part("Two boats").item.unwrap().depth, 1);
        let before = document.objects[0].before as usize;
        assert_eq!(document.paragraphs[before].text, "On.");
        let plain = Extractor::default().with_structure(false).extract(&source, None).unwrap();
        assert!(plain.text == document.text && plain.objects.is_empty() && plain.structure.is_none());
    }

    #[test]
    fn blocks_become_paragraphs_whatever_their_keys_are_called() {
        let blocks: Vec<String> = [ONE, TWO, THREE, ONE, TWO]
            .iter()
            .map(|text| {
                let (first, rest) = text.split_at(9);
                format!(
                    "{{\"kind\":\"paragraph\",\"id\":\"x7\",\"nodes\":[{{\"leaf\":\"{first}\"}},{{\"mark\":\"b\",\"leaf\":\"{rest}\"}}]}}"
                )
            })
            .collect();
        let heading = "{\"kind\":\"heading\",\"nodes\":[{\"leaf\":\"The river\"}]}";
        let state = format!(
            "{{\"title\":\"Rain in town\",\"doc\":{{\"nodes\":[{},{heading},{}]}}}}",
            blocks[..2].join(","),
            blocks[2..].join(",")
        );
        let found = texts("Rain in town", &format!("<script type=application/json>{state}</script>")).unwrap();
        assert_eq!(found.len(), 6, "{found:#?}");
        assert_eq!((&*found[0], &*found[2]), (ONE, "The river"));
    }

    #[test]
    fn a_state_that_refers_to_its_items_by_number_is_resolved() {
        let body = body_in_html();
        let state = format!(
            "[[\"ShallowReactive\",1],{{\"data\":2}},{{\"story\":3}},{{\"title\":4,\"html\":5}},\"Rain in town\",\"{body}\"]"
        );
        let script = format!("<script type=application/json id=__NUXT_DATA__>{state}</script>");
        assert_eq!(texts("Rain in town", &script), Some(expected()));
        let circle = "<script type=application/json>[[\"Reactive\",1],{\"a\":1,\"b\":0},2]</script>";
        assert_eq!(texts("Rain in town", circle), None);
    }

    #[test]
    fn texts_that_are_not_the_article_of_the_page_are_ignored() {
        let body = body_in_html();
        let script = |json: &str| format!("<script type=application/json>{json}</script>");
        let story = format!("{{\"title\":\"Rain in town\",\"body\":\"{body}\"}}");
        let snow = body.replace("rained", "snowed");
        let other = format!("{{\"title\":\"A quite different thing\",\"body\":\"{snow}\"}}");
        assert_eq!(texts("Rain in town", &script(&other)), None, "another headline");
        let list = format!("{{\"site\":\"The Portal of Rome\",\"stories\":[{story},{other}]}}");
        assert_eq!(texts("The Portal of Rome", &script(&list)), None, "a front page");
        assert_eq!(texts("", &script(&format!("[{story},{other}]"))), None, "no title shows which text it is");
        assert_eq!(texts("Rain in town", &script(&format!("{{\"html\":\"{body}\"}}"))), None, "no headline");
        let teasers: Vec<String> =
            (0..9).map(|n| format!("{{\"title\":\"Story number {n} of today\",\"lead\":\"{ONE}\"}}")).collect();
        let teasers = format!("{{\"title\":\"Rain in town\",\"more\":[{}]}}", teasers.join(","));
        assert_eq!(texts("Rain in town", &script(&teasers)), None, "teasers");
        let style = ".a { color: red; margin: 0 auto; } .b { padding: 1px; } ".repeat(20);
        assert_eq!(
            texts("Rain in town", &script(&format!("{{\"title\":\"Rain in town\",\"css\":\"{style}\"}}"))),
            None
        );
        let program = format!("call(\\\"p\\\", [\\\"{ONE}\\\"]) ").repeat(9);
        let program = format!("{{\"title\":\"Rain in town\",\"code\":\"{program}\"}}");
        assert_eq!(texts("Rain in town", &script(&program)), None, "a program");
        assert_eq!(
            texts("Rain in town", &script(&format!("{{\"title\":\"Rain in town\",\"body\":\"{ONE}\"}}"))),
            None,
            "short"
        );
    }

    #[test]
    fn deep_and_huge_data_give_nothing_in_little_time() {
        let deep = "[".repeat(100_000);
        assert_eq!(texts("Rain", &format!("<script type=application/json>{deep}</script>")), None);
        let many = "={\"a\":".repeat(100_000);
        assert_eq!(texts("Rain", &format!("<script>{many}</script>")), None);
        let wide = format!("[{}1]", "{\"a\":\"b\"},".repeat(200_000));
        assert_eq!(texts("Rain", &format!("<script type=application/json>{wide}</script>")), None);
        let numbers = "2,".repeat(100_000);
        let again = format!("[[\"Reactive\",1],[{numbers}2],\"{}\"]", ONE.repeat(2_000));
        let again = texts("", &format!("<script type=application/json>{again}</script>")).unwrap_or_default();
        assert!(again.iter().map(String::len).sum::<usize>() < 4 << 20, "a text to which all others refer");
        let nested =
            (0..100).fold(format!("\"{ONE}\""), |inner, _| format!("[{inner},{inner_short}]", inner_short = 1));
        assert_eq!(texts("Rain", &format!("<script type=application/json>{nested}</script>")), None);
    }

    #[test]
    fn data_are_used_without_a_profile_or_if_its_cut_is_empty() {
        let profile: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse().unwrap();
        let domain = Domain::named("portal.example");
        let extracted = |body: &str, profile: Option<&DomainProfile>| {
            let state = format!("{{\"title\":\"Rain in town\",\"body\":\"{}\"}}", body_in_html());
            let html = format!("<title>Rain in town</title>{body}<script type=application/json>{state}</script>");
            match Extractor::default().extract(&SourcePage::new(html.as_bytes(), &domain), profile) {
                Ok(document) => Ok((document.provenance.method, document.paragraphs.len())),
                Err(why) => Err(why),
            }
        };
        assert_eq!(extracted("<div id=app></div>", None), Ok((Method::PageData, 6)), "headline and text");
        assert_eq!(extracted("<div class=story></div>", Some(&profile)), Ok((Method::PageData, 6)));
        assert_eq!(
            extracted("<div id=app></div>", Some(&profile)),
            Err(NoArticle::NoTemplate),
            "the template does not match"
        );
        let teasers = (0..6).map(|n| format!("<h2><a href=/{n}>Rain in town number {n}</a></h2>")).collect::<String>();
        assert_eq!(extracted(&format!("<div class=story>{teasers}</div>"), None), Err(NoArticle::List), "a front page");
        let own = format!("<div class=story><p>{ONE}</p><p>{THREE}</p></div>");
        assert_eq!(extracted(&own, Some(&profile)), Ok((Method::Goldminer, 2)), "the page itself comes first");
    }
}
