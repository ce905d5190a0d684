//! Pages made to break parsers. Reading any page ends, in time proportional to its size.
//!
//! The sizes are small here, and the bound is generous, for slow machines. The figures for real sizes:
//!
//! ```text
//! HOSTILE_MB=10 cargo test --profile fast --test it hostile -- --nocapture --test-threads 1
//! ```

use std::time::Duration;

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::document::{Document, DocumentParagraph};
use goldminer_core::extract::{Algorithm, Extractor, SourcePage};
use goldminer_core::goldminer::explain::trials;
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::justext::{Thresholds, classify, language};
use goldminer_core::metadata::{of_page, rights_of_page};
use goldminer_core::page::encoding::decode;
use goldminer_core::page::{Page, Reading};
use proptest::prelude::*;

/// The most time for a megabyte of any page. It takes far less unless something is quadratic.
const BOUND_FOR_EACH_MB: Duration = Duration::from_secs(10);

/// Does everything that is done to a page before its article is cut out. Returns the number of paragraphs.
fn read(bytes: &[u8], content_type: Option<&str>) -> usize {
    let address = CrawlUrl::parse("https://www.portal.example/news/").expect("an address");
    let text = decode(bytes, content_type).text.into_owned();
    let mut paragraphs = 0;
    for reading in [Reading::Article, Reading::Justext] {
        let page = Page::parse_as(text.clone(), reading);
        let links = page.links(&address);
        assert!(links.links.len() <= 6_000);
        let metadata = of_page(&page, Some(&address));
        assert!(metadata.authors.len() <= 20);
        let found = language(page.paragraphs(), &["en"]);
        assert_eq!(Classifier::of(Convention::Article).classify(&page).probabilities.len(), page.paragraphs().len());
        paragraphs = classify(page.paragraphs(), found.stoplist, &Thresholds::default()).len();
    }
    paragraphs
}

/// The CPU time of this thread. Other programs on the machine do not affect it.
fn cpu_time() -> Duration {
    Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).unwrap()
}

#[test]
fn a_paragraph_of_numbered_links_is_cut_in_linear_time() {
    let prose =
        "It rained in Rome for a week, and then the sun came out over the river and the people went to see it. ";
    let links: String = (0..20_000).map(|n| format!("<a href=/{n}><b>{n:012}</b></a>, ")).collect();
    let page = format!("<title>Rain</title><h1>Rain</h1><p>{}</p><p>{links}", prose.repeat(10));
    let domain = Domain::named("portal.example");
    let classifier = Algorithm::Classifier(Classifier::of(Convention::Article));
    let begun = cpu_time();
    let found =
        Extractor::default().with_algorithm(classifier).extract(&SourcePage::new(page.as_bytes(), &domain), None);
    assert!(found.is_ok(), "{found:?}");
    assert!(cpu_time() - begun < BOUND_FOR_EACH_MB, "{:?}", cpu_time() - begun);
}

#[test]
fn no_page_takes_more_than_linear_time() {
    let megabytes = std::env::var("HOSTILE_MB").ok().and_then(|mb| mb.parse().ok()).unwrap_or(1);
    let size = megabytes * 1_000_000;
    let repeated = |piece: &str| piece.repeat(size / piece.len());
    let half = |piece: &str| piece.repeat(size / 2 / piece.len());
    let pages = [
        ("<div>", repeated("<div>")),
        ("<", repeated("<")),
        ("</", repeated("</")),
        ("<!--", repeated("<!--")),
        ("<![CDATA[ in svg", format!("<svg>{}", repeated("<![CDATA["))),
        ("&", repeated("&")),
        ("&amp", repeated("&amp")),
        ("one attribute", format!("<a href=\"{}\">x</a>", "x".repeat(size))),
        ("one attribute without an end", format!("<a href=\"{}", repeated("x y"))),
        ("many attributes", format!("<a {}>x</a>", repeated("a=b "))),
        ("many classes", format!("<p class=\"{}\">x", repeated("a "))),
        ("nested tables", repeated("<table><tr><td>")),
        ("nested lists", repeated("<ul><li>")),
        (
            "paragraphs inside of deep inline elements",
            format!("<p><table>{}{}", "<b>".repeat(500), repeated("<div></div>")),
        ),
        ("end tags of what is not open", format!("{}{}", "<x-b>".repeat(511), repeated("</x-a>"))),
        ("misnested formatting", repeated("<a><b></a></b>")),
        ("unclosed headings", repeated("<h1><div>")),
        ("headings", repeated("<h1>x</h1>")),
        ("short paragraphs", repeated("<p>x")),
        ("line breaks", repeated("<br>x")),
        ("scripts in comments in scripts", format!("<script>{}", repeated("<!--<script></script>"))),
        ("links", repeated("<a href=/1>x</a>")),
        ("links behind a sign", repeated("< <a href=y>")),
        ("links in a heading with many attributes", format!("<h2 {}>{}", half("a "), half("<a href=#x>"))),
        (
            "signs in an element with many attributes",
            format!("<p {}>{}", half("a "), half("<b aria-hidden=true>x</b>")),
        ),
        ("links that open something, without an end", format!("<p id=x hidden>x</p>{}", repeated("href="))),
        ("authors", repeated("<meta name=author content='A B'>")),
        ("properties", repeated("<b itemprop=author>A B")),
        ("times", format!("<h1>x</h1>{}", repeated("<nav><time datetime=2026-11-20>"))),
        ("bylines", format!("<h1>x</h1>{}", repeated("<b class=author>"))),
        (
            "dates in articles in articles",
            format!(
                "{}<h1>x</h1>{}{}",
                "<b></b>".repeat(size / 20),
                "<article>".repeat(500),
                "<p>Published 2026-11-20".repeat(size / 40)
            ),
        ),
        ("deep JSON", format!("<script type=application/ld+json>\"headline\"{}</script>", repeated("["))),
        (
            "wide JSON",
            format!(
                "<script type=application/ld+json>[{}]</script>",
                repeated("{\"@type\":\"WebSite\",\"headline\":\"\"},")
            ),
        ),
        ("one word", repeated("a")),
        ("white space", repeated(" \u{a0}")),
        ("NULs", repeated("\0")),
    ];
    for (name, page) in pages {
        let start = cpu_time();
        let paragraphs = read(page.as_bytes(), None);
        let time = cpu_time() - start;
        eprintln!("{:>7.0} ms for both readings: {name}, {paragraphs} paragraphs", time.as_secs_f64() * 1e3);
        assert!(time < BOUND_FOR_EACH_MB * megabytes as u32, "{name} takes {time:?}");
    }
}

/// Markup in which `*` stands for a part of any length: the article around it is still found.
const HUGE_PARTS: [&str; 20] = [
    "<x-* class=a id=b>x</x-*>",
    "<x*",
    "</x*>",
    "<p *>x",
    "<p *=a>x",
    "<p class='*'>x",
    "<p class=a id='*' class=b>x",
    "<p title='*' class=a id=b style=display:block>x",
    "<a rel=author href='/*'>*</a>",
    "<a href='*'>x</a>",
    "<base href='/*'>",
    "<!--*-->",
    "<!doctype *>",
    "<?*>",
    "<title>*</title>",
    "<meta name=author content='*'>",
    "<meta property='og:title' content='*'>",
    "<meta charset='*'>",
    "<script type=application/ld+json>{\"@type\":\"NewsArticle\",\"headline\":\"*\",\"author\":\"*\"}</script>",
    "<style>.*{display:none} #*{display:none}</style><p class='*'>x",
];

/// Markup that is shown as text, which then is not prose.
const SHOWN_HUGE_PARTS: [&str; 4] = ["<p itemprop=author>*", "<h1>*</h1>", "<time datetime='*'>*</time>", "&*;"];

#[test]
fn pages_with_huge_parts_are_read_learned_and_extracted() {
    let towns = ["Rome", "Oslo", "Paris", "Cairo", "Lima", "Delhi", "Quito", "Accra", "Hanoi", "Sofia"];
    let paragraph = |n: usize, m: usize| {
        let (town, other, third) = (towns[n], towns[m], towns[(n + m) % towns.len()]);
        format!(
            "<p>In {town} it rained for a week, {other} had the sun, and nobody knew why {other} was so much luckier \
             than {town}. The people of {third} say that it is the river, and that those of {town} should have built their \
             houses on the hills as they did in {other}, where the wind from {third} dries the streets in an hour."
        )
    };
    let page = |n: usize, part: &str| {
        let story: String = (2..6).map(|m| paragraph(n, m)).collect();
        format!(
            "<ul><li><a href=/>News</a></ul>{part}<h1>Week {n}</h1><div class=story>{story}{part}</div><p>The Portal"
        )
    };
    let domain = Domain::named("portal.example");
    for part in HUGE_PARTS.into_iter().chain(SHOWN_HUGE_PARTS) {
        for filling in ["é", "漢", "a-1 ", "\u{a0}"] {
            let long = part.replace('*', &filling.repeat(66_000 / filling.len() + 1));
            let mut learner = Learner::of(domain.clone());
            for n in 0..8 {
                learner.add_page(&Page::parse(page(n, if n == 4 { &long } else { "" })), None);
            }
            let profile = learner.learn().unwrap_or_else(|e| panic!("{part} {filling}: {e}"));
            let html = page(9, &long);
            let source = SourcePage::new(html.as_bytes(), &domain);
            for profile in [Some(&profile), None] {
                let found = Extractor::default().extract(&source, profile);
                let has_text = matches!(&found, Ok(it) if it.text.contains("luckier than Sofia"));
                assert!(has_text || SHOWN_HUGE_PARTS.contains(&part), "{part} {filling}: {found:?}");
            }
            let read = Extractor::read(&source).expect("it is HTML");
            check_outline(&read);
            std::hint::black_box((trials(&read, None, None, &profile), read.words_digest(), rights_of_page(&read)));
            std::hint::black_box(Classifier::of(Convention::Page).explain(&read));
            for id in read.ids() {
                std::hint::black_box((read.name(id), read.path(id), read.marks(id), read.attributes(id).count()));
            }
        }
    }
}

/// Whether a document's structure is consistent.
fn is_well_formed(document: &Document) -> bool {
    let marks = |part: &DocumentParagraph| {
        let length = part.text.chars().count() as u32;
        let mut open: Vec<u32> = Vec::new();
        part.marks.iter().all(|mark| {
            open.retain(|end| *end > mark.start);
            let is_inside = mark.start < mark.end && mark.end <= open.last().copied().unwrap_or(length);
            open.push(mark.end);
            is_inside && mark.target.as_ref().is_none_or(|target| target.len() <= 8_192)
        })
    };
    let count = document.paragraphs.len() as u32;
    let objects = document.objects.iter().all(|object| {
        let is_data = object.source.as_ref().is_some_and(|source| source.starts_with("data:") || source.len() > 8_192);
        object.before <= count && !is_data && object.quoted.iter().all(|at| *at < count)
    });
    objects && document.paragraphs.iter().all(|part| !part.text.is_empty() && marks(part))
}

#[test]
fn huge_structures_are_read_in_linear_time() {
    let size = 1_000_000;
    let repeated = |piece: &str| piece.repeat(size / piece.len());
    let prose =
        "<p>It rained in Rome for a week, and then the sun came out over the river and the people went to see it.</p>";
    let pages = [
        ("a table", format!("<table><tr><th>a<th>b{}</table>", repeated("<tr><td>1<td>2"))),
        ("one row", format!("<table><tr><th>a{}<tr><td>b</table>", repeated("<td>1"))),
        ("spans", format!("<table><tr><th>a{}</table>", repeated("<tr><td rowspan=65534 colspan=1000>1"))),
        ("tables without rows", format!("<table>{}</table>", repeated("<tbody><p>x"))),
        ("lists", repeated("<ul><li>x")),
        ("items that no list holds", format!("<ol>{}</ol>", repeated("<p>x</p><div><li>x</li></div>"))),
        ("quotes", repeated("<blockquote>x")),
        ("formula", format!("<p>x <math><mi>{}</mi></math>", repeated("x"))),
        ("elements of a formula", format!("<p>x <math>{}</math>", repeated("<mrow><msup>"))),
        ("numbers in formulas", format!("<p>x <math><mn>{}</mn></math>", "1".repeat(250_000)).repeat(4)),
        (
            "renderings in renderings",
            format!("<p>x {}{}", "<i class=katex>".repeat(size / 19), "</i>".repeat(size / 19)),
        ),
        ("formulas in formulas", format!("<p>x {}{}", "<math>".repeat(size / 13), "</math>".repeat(size / 13))),
        ("formulas without an end", repeated("<p>x <math>")),
        ("renderings without an end", repeated("<p>x <span class=MathJax>")),
        ("raw formulas", repeated("$a$ ")),
        ("raw formulas without an end", format!("MathJax <p>{}", repeated("\\( $x \\["))),
        ("paragraphs that end in a link", repeated("<p>x [<a href=/>y</a>]")),
        (
            "the same text in an element with a long class",
            format!("<p class='{}'>{prose}{}", "a".repeat(size / 2), prose.repeat(size / 2 / prose.len())),
        ),
        ("marks", format!("<p>{}", repeated("<b>x<i>y</b>z</i>"))),
        ("marks without an end", format!("<p>{}", repeated("<b>x<a href=/>"))),
        ("pictures", repeated("<img src=/a.jpg>")),
        (
            "a picture",
            format!("<img src='data:image/png;base64,{0}' data-src='/{0}'><img srcset='{0}'>", repeated("x")),
        ),
        ("a set of pictures", format!("<img srcset='{}'>", repeated("/a.jpg 1w, "))),
        ("captions", repeated("<p class=caption>x</p><img src=/a.jpg>")),
        ("figures in figures", repeated("<figure><img src=/a.jpg><figcaption>x")),
        ("posts", repeated("<blockquote class=twitter-tweet>x<a href=//x.com/a>y</a>")),
        (
            "notes",
            (0..20_000).map(|n| format!("<sup id=r{n}><a href=#n>1</a></sup>")).collect::<String>() + "<p id=n>x",
        ),
        ("listings", repeated("<pre><code class=language-x>x</code></pre>")),
        ("a listing", format!("<pre><code>{}</code></pre>", repeated("<span class=ln>1</span>x = 1\n"))),
        ("formulas", format!("<p>{}", repeated("<math><mi>x</mi></math>"))),
        ("titles of comments", format!("{}{}", "<div>".repeat(500), repeated("<p>Comments (3)"))),
        ("footers of a figure", format!("<figure>{}", repeated("<footer></footer>"))),
        ("media of a figure", format!("<figure>{}", repeated("<audio src=a></audio>"))),
        (
            "headings below a title",
            format!("<title>{}</title>{}", "abcdefgi ".repeat(50_000), "<h1>abcdefgh".repeat(40_000)),
        ),
    ];
    let profile: DomainProfile =
        "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse().expect("a profile");
    let domain = Domain::named("portal.example");
    let address = CrawlUrl::parse("https://www.portal.example/news/").expect("an address");
    for (name, hostile) in pages {
        let page = format!("<h1>Rain</h1><div class=story>{}{hostile}", prose.repeat(3));
        let source = SourcePage::new(page.as_bytes(), &domain).with_url(&address);
        for profile in [Some(&profile), None] {
            let begun = cpu_time();
            if let Ok(document) = Extractor::default().extract(&source, profile) {
                assert!(is_well_formed(&document), "{name}");
            }
            assert!(cpu_time() - begun < BOUND_FOR_EACH_MB, "{name}: {:?}", cpu_time() - begun);
        }
    }
}

#[test]
fn bytes_of_a_foreign_encoding_take_linear_time() {
    for byte in [0x80, 0xa0, 0xc3, 0xff] {
        let start = cpu_time();
        read(&vec![byte; 1_000_000], Some("text/html; charset=utf-8"));
        assert!(cpu_time() - start < BOUND_FOR_EACH_MB, "{byte:x}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(
        bytes in proptest::collection::vec(any::<u8>(), 0..400), charset in "(utf-8|utf-16|gbk|latin1|x)?",
    ) {
        read(&bytes, Some(&format!("text/html; charset={charset}")));
    }

    #[test]
    fn any_soup_of_tags_is_read(parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..60)) {
        let page = parts.concat();
        read(page.as_bytes(), None);
        check_outline(&Page::parse(page));
    }
}

const PARTS: &[&str] = &[
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<li>",
    "<ul>",
    "</ul>",
    "<a href=x>",
    "</a>",
    "<b>",
    "</b>",
    "<h1>",
    "</h2>",
    "<head>",
    "</head>",
    "<body>",
    "</body>",
    "<html>",
    "<title>",
    "</title>",
    "<script>",
    "</script>",
    "<svg>",
    "</svg>",
    "<svg/>",
    "<foreignObject>",
    "<select>",
    "<option>",
    "</select>",
    "<button>",
    "</button>",
    "<form>",
    "</form>",
    "<template>",
    "</template>",
    "<br>",
    "<br>",
    "<x-y>",
    "</x-y>",
    "<dd>",
    "<dt>",
    "<caption>",
    "text",
    " ",
    "é漢 ",
    "&amp;",
    "&nbsp;",
    "<!-- c -->",
    "<meta name=author content='A and B'>",
    "<time datetime=2026-11-20>",
    "<b itemprop=author>",
    "<iframe>",
    "</iframe>",
    "<![CDATA[x]]>",
];

/// Checks the invariants of an outline: elements nest, and each paragraph is inside its element.
fn check_outline(page: &Page) {
    for (id, element) in page.ids().zip(page.elements()) {
        assert!(element.start <= element.content && element.content <= element.close && element.close <= element.end);
        if let Some(parent) = element.parent {
            let outer = page.element(parent);
            assert!(outer.content <= element.start && element.end <= outer.close.max(outer.end), "{}", page.text());
            assert!(page.is_within(id, parent));
            assert_eq!(outer.depth + 1, element.depth);
        }
    }
    for paragraph in page.paragraphs() {
        assert!(!paragraph.text.is_empty() && paragraph.text.trim() == &*paragraph.text);
        assert_eq!(paragraph.chars as usize, paragraph.text.chars().count());
        assert_eq!(paragraph.words as usize, paragraph.text.split_whitespace().count(), "{:?}", paragraph.text);
        if let Some(id) = paragraph.element {
            let element = page.element(id);
            assert!(element.content <= paragraph.span.start && paragraph.span.end <= element.close, "{}", page.text());
        }
    }
}
