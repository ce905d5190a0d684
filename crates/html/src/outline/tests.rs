//! Tests of `outline`: elements, and their text in both readings.

use super::*;
use crate::Page;
use crate::paragraph::MAX_PARAGRAPHS;

/// The text of each paragraph, with the path of its element.
fn paragraphs(html: &str, reading: Reading) -> Vec<(String, String)> {
    let page = Page::parse_as(html.to_owned(), reading);
    page.paragraphs()
        .iter()
        .map(|p| (p.element.map_or_else(String::new, |id| page.path(id)), p.text.to_string()))
        .collect()
}

fn texts(html: &str, reading: Reading) -> Vec<String> {
    paragraphs(html, reading).into_iter().map(|(_, text)| text).collect()
}

fn read(html: &str) -> Vec<String> {
    texts(html, Reading::Article)
}

fn paths(html: &str) -> Vec<String> {
    let page = Page::parse(html.to_owned());
    page.ids().map(|id| page.path(id)).collect()
}

#[test]
fn omitted_end_tags_are_implied() {
    for (html, expected) in [
        ("<p>a<p>b", vec!["p", "p"]),
        ("<p>a<div>b", vec!["p", "div"]),
        ("<p><b>a<p>b", vec!["p", "p.b", "p"]),
        ("<p><table><tr><td><p>a", vec!["p", "table", "table.tr", "table.tr.td", "table.tr.td.p"]),
        ("<ul><li>a<li><ul><li>b</ul><li>c", vec!["ul", "ul.li", "ul.li", "ul.li.ul", "ul.li.ul.li", "ul.li"]),
        ("<dl><dt>a<dd>b<dt>c", vec!["dl", "dl.dt", "dl.dd", "dl.dt"]),
        (
            "<table><tr><td>a<td>b<tr><th>c",
            vec!["table", "table.tr", "table.tr.td", "table.tr.td", "table.tr", "table.tr.th"],
        ),
        (
            "<html><head><title>t</title><body><div>",
            vec!["html", "html.head", "html.head.title", "html.body", "html.body.div"],
        ),
        ("<head><div>", vec!["head", "div"]),
        ("<h1>a<h2>b", vec!["h1", "h2"]),
    ] {
        assert_eq!(paths(html), expected, "{html}");
    }
}

#[test]
fn a_stray_end_tag_closes_nothing() {
    assert_eq!(paths("<div><p>a</div></div></span><p>b"), ["div", "div.p", "p"]);
    assert_eq!(paths("<table><tr><td></div></table><p>"), ["table", "table.tr", "table.tr.td", "p"]);
    assert_eq!(paths("<div><span><div></span><b>"), ["div", "div.span", "div.span.div", "div.span.div.b"]);
    assert_eq!(paths("<x-a><x-b></x-a><x-c>"), ["x-a", "x-a.x-b", "x-c"]);
}

#[test]
fn an_element_has_its_bytes_and_descendants() {
    let html = "<div id=a><p>one<p>two</div><p>three";
    let page = Page::parse(html.to_owned());
    let bytes: Vec<&str> = page.elements().iter().map(|e| &html[e.span().range()]).collect();
    assert_eq!(bytes, ["<div id=a><p>one<p>two</div>", "<p>one", "<p>two", "<p>three"]);
    let [div, _, second, third] = page.ids().collect::<Vec<_>>()[..] else { panic!("four elements") };
    assert!(page.is_within(second, div) && !page.is_within(third, div));
    assert_eq!(page.inner_source(div), "<p>one<p>two");
    assert_eq!(page.attribute(div, "id").as_deref(), Some("a"));
}

#[test]
fn a_paragraph_has_the_innermost_element_around_its_text() {
    for (html, path) in [
        ("<div><p><b>all</b></p></div>", "div.p.b"),
        ("<div><p><b>some</b> more</p></div>", "div.p"),
        ("<div><p><i><b>some</b> <b>more</b></i></p></div>", "div.p.i"),
        ("<div><p><b>some</b><i> </i></p></div>", "div.p.b"),
        ("<div>one<span>two</span></div>", "div"),
    ] {
        assert_eq!(paragraphs(html, Reading::Article)[0].0, path, "{html}");
    }
}

#[test]
fn two_line_breaks_split_one_does_not() {
    let html = "one<br>two<br><!-- x --> &nbsp;<br>three<br><i></i><br>four";
    assert_eq!(texts(html, Reading::Justext), ["one two", "three four"]);
}

#[test]
fn the_readings_split_and_hide_at_different_elements() {
    let html = "<section>a</section><section>b</section><noscript>c</noscript><button>d</button><form>e</form>f";
    assert_eq!(texts(html, Reading::Article), ["a", "b", "e", "f"]);
    assert_eq!(texts(html, Reading::Justext), ["abcef"]);
}

#[test]
fn consecutive_custom_elements_are_blocks() {
    let html = "<x-app><x-who>Ann</x-who> <x-when>3 May</x-when><x-said>It rained.</x-said></x-app>";
    assert_eq!(texts(html, Reading::Article), ["Ann", "3 May", "It rained."]);
    assert_eq!(texts(html, Reading::Justext), ["Ann3 MayIt rained."]);
    for html in [
        "It <x-a>rained</x-a>.",
        "<p><x-a>It</x-a> <x-a>rained</x-a>.",
        "<h1><x-a>It</x-a> <x-a>rained</x-a>.",
        "<x-a>It</x-a> <b>rained</b>.",
        "<x-a>It</x-a> and <x-a>rained</x-a>.",
        "<b>It</b> well-nigh <x-a>rained</x-a>.",
    ] {
        assert_eq!(texts(html, Reading::Article).len(), 1, "{html}");
    }
}

#[test]
fn text_inside_an_object_for_a_plug_in_is_read() {
    let film =
        "<object classid='clsid:D27'><object type=application/x-shockwave-flash><p>A film of rain.</object></object>";
    assert_eq!(
        texts(&format!("<p>It rained.{film}<p>It rained on."), Reading::Article),
        ["It rained.", "A film of rain.", "It rained on."]
    );
    assert_eq!(texts("It <object classid=x><embed></object> rained.", Reading::Article), ["It rained."]);
    assert_eq!(texts("<object data=map.svg>No map.</object>It rained.", Reading::Article), ["It rained."]);
}

#[test]
fn an_unclosed_hidden_element_ends_with_its_container() {
    assert_eq!(texts("<div><button>x</div>a<div><svg><g></div><p>b", Reading::Article), ["a", "b"]);
}

#[test]
fn links_and_headings_are_counted() {
    let page = Page::parse("<h2>A <a href=x>link</a></h2><p>text".to_owned());
    let [heading, text] = page.paragraphs() else { panic!("two paragraphs") };
    assert_eq!((heading.heading, heading.link_chars, heading.chars, heading.words), (Some(2), 4, 6, 2));
    assert_eq!((text.heading, text.link_chars), (None, 0));
}

#[test]
fn a_paragraph_has_the_links_that_share_text_with_it() {
    let html = "a <a href=/1>b</a><a href=/2><div>c</div><div>d <table><td><a href=/3>e</a></table>f</div></a><p>g\
                <a href=/4>h</a><a href=/5></a><p>i";
    let page = Page::parse(html.to_owned());
    let links = |some: &[Paragraph]| {
        let links = page.links_in(some).map(|(id, at)| (page.attribute(id, "href").unwrap().into_owned(), at));
        links.collect::<Vec<_>>()
    };
    let all: Vec<_> = page.paragraphs().iter().map(|p| (&*p.text, links(std::slice::from_ref(p)))).collect();
    let two = |at| ("/2".to_owned(), at);
    let of = |n: usize| (format!("/{n}"), 0);
    assert_eq!(
        all,
        [
            ("a b", vec![of(1)]),
            ("c", vec![two(0)]),
            ("d", vec![two(0)]),
            ("e", vec![two(0), of(3)]),
            ("f", vec![two(0)]),
            ("gh", vec![of(4)]),
            ("i", vec![])
        ]
    );
    assert_eq!(links(&page.paragraphs()[3..6]), [two(0), of(3), ("/4".to_owned(), 2)]);
    assert_eq!(links(&[]), []);
}

#[test]
fn an_anchor_that_leads_nowhere_is_no_link() {
    let html = "<a name=top><p>text";
    let link_chars = |reading| Page::parse_as(html.to_owned(), reading).paragraphs()[0].link_chars;
    assert_eq!((link_chars(Reading::Article), link_chars(Reading::Justext)), (0, 4));
}

#[test]
fn the_sign_of_a_permalink_is_not_text() {
    for html in [
        "<h2 id=x>Rain<a href=#x>#</a></h2>",
        "<h2 id=x><a class=anchor href=#x><span>¶</span></a> Rain</h2>",
        "<h2 id=x>Rain <a href='/a#x' title=Link>§</a></h2>",
        "<h2 id=x>Rain <a href=#x>\u{1f517}</a></h2>",
        "<h2 id=x>Rain <a href=#x><i class=icon>\u{e9cb}</i></a></h2>",
        "<dl><dt id=x>Rain<a href=#x>&para;</a></dl>",
    ] {
        assert_eq!(texts(html, Reading::Article), ["Rain"], "{html}");
    }
    assert_eq!(texts("<h2>C<a href=/c>#</a> and # 5</h2>", Reading::Article), ["C# and # 5"]);
}

#[test]
fn signs_beside_words_in_a_link_are_text() {
    for (html, text) in [
        ("<a href='https://x.example/y#c'>“<em>Flood</em>”</a>", "“Flood”"),
        ("<a href=/y#c><i>“</i><em>Flood</em>”</a>", "“Flood”"),
        ("<a href='/y#Echobox=1'>It <b>rained</b>.</a>", "It rained."),
        ("<a href=/y#c>《<b>书</b>》</a>", "《书》"),
        ("<a href=/y#c>— <b hidden>See</b> <i>—</i></a> It rained.", "It rained."),
        ("<p><a href=#c><b>It rained</b> <i>—</i> all day <b>…</b>", "It rained — all day …"),
    ] {
        assert_eq!(texts(html, Reading::Article), [text], "{html}");
    }
}

#[test]
fn a_hidden_link_does_not_affect_the_text_after_it() {
    for html in ["<p hidden><a href=#x>Back</a></p><p>* * *", "<p><a href=#x hidden>Back</a> * * *"] {
        assert_eq!(texts(html, Reading::Article), ["* * *"], "{html}");
    }
}

#[test]
fn a_heading_that_links_to_itself_is_no_link() {
    let link_chars = |html: &str| Page::parse(html.to_owned()).paragraphs()[0].link_chars;
    for html in [
        "<h2 id=x><a href=#x>Rain</a></h2>",
        "<h2><a id=x href=#x>Rain</a></h2>",
        "<h2><a name=x></a><a href='https://a.example/b#x'>Rain</a></h2>",
        "<h2><span id=x></span><a href=/b#x>Rain</a></h2>",
        "<section id=x><h2><a href=#x>Rain</a></h2></section>",
    ] {
        assert_eq!(link_chars(html), 0, "{html}");
    }
    for html in ["<h2 id=x><a href=#y>Rain</a></h2>", "<p id=x><a href=#x>Rain</a>", "<h2><a href=#>Rain</a></h2>"] {
        assert_eq!(link_chars(html), 4, "{html}");
    }
}

#[test]
fn text_beyond_the_paragraph_limit_is_in_the_last_paragraph() {
    let page = Page::parse("<p>x".repeat(MAX_PARAGRAPHS + 2));
    assert_eq!(page.paragraphs().len(), MAX_PARAGRAPHS);
    assert_eq!(&*page.paragraphs().last().unwrap().text, "x x x");
}

#[test]
fn very_deeply_nested_text_is_kept() {
    let html = format!("{}text{}<p>end", "<div>".repeat(100_000), "</div>".repeat(100_000));
    let page = Page::parse(html);
    assert_eq!(page.paragraphs().len(), 2);
    assert!(page.elements().iter().all(|e| usize::from(e.depth) <= MAX_DEPTH));
    assert_eq!(page.elements().len(), 100_001);
}

#[test]
fn a_button_in_a_sentence_is_part_of_it() {
    for (html, text) in [
        (
            "<p>A ship that stays too long pays <button class=definition>demurrage</button>, by the hour.",
            "A ship that stays too long pays demurrage, by the hour.",
        ),
        (
            "<p>Esetén <button>állásdíjat</button> kell fizetni, amelyet óránként számolnak, nem naponként.",
            "Esetén állásdíjat kell fizetni, amelyet óránként számolnak, nem naponként.",
        ),
        (
            "<p>They say that <span><button>four in ten</button><span role=tooltip hidden>42</span></span> men there have no heating.",
            "They say that four in ten men there have no heating.",
        ),
        ("<p>By Jane Doe <button>Follow</button>, 3 May", "By Jane Doe , 3 May"),
        (
            "<p>It rained all day long in the town of Ellery. <button>Share</button> it stopped.",
            "It rained all day long in the town of Ellery. it stopped.",
        ),
        (
            "<p>It rained all day long in the town, and <button>Share</button> <button>Copy</button>",
            "It rained all day long in the town, and",
        ),
        (
            "<p>It rained all day long in the town, and <button hidden>hidden</button> it stopped.",
            "It rained all day long in the town, and it stopped.",
        ),
        (
            "<p>It rained all day long in the town<button>Copy</button>before it stopped.",
            "It rained all day long in the town before it stopped.",
        ),
    ] {
        assert_eq!(read(html), [text], "{html}");
    }
}

#[test]
fn footnote_signs_are_text_and_permalink_signs_are_not() {
    for (html, text) in [
        (
            "<p>Stolen<sup><a href='#n2' id=r2>*</a></sup>, and<a href='#n3'><sup>††</sup></a> twice.",
            "Stolen*, and†† twice.",
        ),
        ("<p>Stolen<sup><a href='#n2'>§</a></sup>.", "Stolen§."),
        ("<p>Stolen <a href='#n2'>§</a>", "Stolen"),
        ("<p>Stolen <a href='#n2'>¶</a>", "Stolen"),
        ("<h2 id=a>Stolen <a href='#a'>#</a></h2>", "Stolen"),
    ] {
        assert_eq!(read(html), [text], "{html}");
    }
}

#[test]
fn a_picture_or_control_between_two_words_separates_them() {
    for gap in
        ["<img src=a>", "<svg><path></svg>", "<button>x</button>", "<iframe></iframe>", "<input>", "<video></video>"]
    {
        assert_eq!(
            read(&format!("<p>the pier{gap}is <b>closed{gap}</b>, today")),
            ["the pier is closed, today"],
            "{gap}"
        );
        assert_eq!(read(&format!("<p>桟橋{gap}は")), ["桟橋は"], "{gap}");
    }
    let quote = "<blockquote>It rained.<cite>Ann</cite></blockquote><blockquote>“<cite>It</cite>” <cite>rai</cite>ns";
    assert_eq!(read(quote), ["It rained. Ann", "“It” rains"]);
    assert_eq!(read("<p>the pi<script></script>er<span hidden>x</span>s"), ["the piers"]);
}

#[test]
fn styles_can_make_inline_elements_blocks_or_cells() {
    for (html, texts) in [
        (
            "<p><span style='display:block;margin:0'>It rained.</span><span style='Display: Block !important'>It stopped.</span>Then",
            &["It rained.", "It stopped.", "Then"][..],
        ),
        ("<div style='display:flex'><span style='display:flex'>One</span>Two</div>", &["One", "Two"]),
        ("<p><span style='display:table-cell'>Nine</span><span style='display:table-cell'>ten</span>", &["Nine ten"]),
        ("<h2><span style='display:block'>It rained</span>and stopped</h2>", &["It rained and stopped"]),
        ("<p>So<a href=/a style='display:block'>one</a><a href=/b style=display:block>two</a>end", &["So one two end"]),
        ("<p><span style='display:inline-block'>r</span><span style='display:inline'>ain</span>", &["rain"]),
    ] {
        assert_eq!(read(html), texts, "{html}");
    }
    let page = Page::parse("<p><a href=/a style='display:block'>one</a>two".to_owned());
    assert_eq!(page.paragraphs()[0].link_chars, 3);
}

#[test]
fn a_picture_of_one_emoji_is_this_emoji() {
    let html = "<p>Open <img class=emoji alt='🎉'>: again<img alt='👨‍👩‍👧' src=x>, <img alt='x = 3'>and <img alt=''>so";
    assert_eq!(read(html), ["Open 🎉: again👨‍👩‍👧, and so"]);
}

#[test]
fn a_line_end_in_chinese_or_japanese_is_not_a_space() {
    for (html, text) in [
        ("<p>港は\n  月曜日\r\nまで、\n閉鎖", "港は月曜日まで、閉鎖"),
        ("<p>港<b>は</b>\n<i>月</i><a href=/a>\n曜日</a>\n。", "港は月曜日。"),
        ("<p>他说：\n“好。”\n然后", "他说：“好。”然后"),
        ("<p>항구\n폐쇄\n港は\n2024\n年\u{a0}\n月 日<br>\n火", "항구 폐쇄 港は 2024 年 月 日 火"),
        ("<pre>雨よ\n降れ</pre><p>雨\n降", "雨よ 降れ"),
    ] {
        assert_eq!(read(html)[0], text, "{html}");
    }
    assert_eq!(read("<pre>雨よ\n降れ</pre><p>雨\n降")[1], "雨降");
}

#[test]
fn a_block_with_the_role_of_a_heading_is_a_heading() {
    let page = Page::parse("<div role=heading aria-level=3><b>Rain</b></div><p>So.<p role=heading>It</p>".to_owned());
    let levels: Vec<_> = page.paragraphs().iter().map(|paragraph| paragraph.heading).collect();
    assert_eq!(levels, [Some(3), None, None]);
}
