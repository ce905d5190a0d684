use goldminer_html::address::CrawlUrl;
use goldminer_html::{Page, Tag};

use super::*;
use crate::document::MarkKind;

/// The structure of some HTML between a headline and a last sentence.
fn read(html: &str) -> Structured {
    let page = Page::parse(format!(
        "<h1>Rain</h1><article><p>It rained all day in the town.{html}<p>So it was in all of the country.</article>"
    ));
    let kept: Vec<usize> = (0..page.paragraphs().len()).collect();
    let address = CrawlUrl::parse("http://portal.example/news/rain").unwrap();
    let settings = Settings { headline: Some(0), least_thirds: 2, address: Some(&address), structure: true };
    let mut made = of(&page, &kept, settings);
    made.paragraphs.drain(..2);
    made.paragraphs.pop();
    made
}

fn kinds(html: &str) -> Vec<(&'static str, String)> {
    read(html).paragraphs.into_iter().map(|part| (part.kind.as_str(), part.text)).collect()
}

/// The marks of the first paragraph, with the marked texts.
fn marks(html: &str) -> Vec<(MarkKind, String, Option<String>)> {
    let paragraph = read(html).paragraphs.swap_remove(0);
    let chars: Vec<char> = paragraph.text.chars().collect();
    let covered =
        |mark: &crate::document::Mark| chars[mark.start as usize..mark.end as usize].iter().collect::<String>();
    paragraph.marks.iter().map(|mark| (mark.mark, covered(mark), mark.target.clone())).collect()
}

#[test]
fn a_listing_with_numbers_beside_it_is_one_paragraph() {
    let html = "<table class=highlight><tr><td><pre>1\n2\n3</pre><td><pre><code>a = 1\n\nprint(a)</code></pre></table>";
    assert_eq!(kinds(html), [("code", "a = 1\n\nprint(a)".to_owned())]);
    let gist = "<table class=js-file-line-container><tr><td class=blob-num data-line-number=1></td><td class=blob-code>if a:</td></tr>\
        <tr><td class=blob-num data-line-number=2></td><td class=blob-code>  b = 1</td></tr></table>";
    assert_eq!(kinds(gist), [("code", "if a:\n  b = 1".to_owned())]);
}

#[test]
fn a_table_is_its_full_grid_with_heads_spans_and_caption() {
    let html = "<table><caption>Cup</caption><thead><tr><th rowspan=2>Team<th colspan=2>Points<tr><th>Home<th>Away</thead>\
        <tr><th>Pécs<td>9<td><a href=/g>4</a><tr><th>Győr<td rowspan=65534>7</table>";
    let made = read(html).paragraphs.swap_remove(1);
    assert_eq!(made.text, "Team\tPoints\t\n\tHome\tAway\nPécs\t9\t4\nGyőr\t7\t");
    let table = made.table.unwrap();
    assert_eq!((table.head_rows, table.head_columns, table.caption.as_deref()), (2, 1, Some("Cup")));
    assert_eq!(table.spans.len(), 2);
    assert_eq!((made.marks[0].start, made.marks[0].end), (31, 32));
}

#[test]
fn a_span_counts_only_columns_in_which_cells_begin() {
    let rows = "<tr><td>Greens<td>21".repeat(200);
    for html in [
        format!("<table><tr><th>Party<th>Seats{rows}<tr><td colspan=1000>Source: the council</table>"),
        format!("<table><tr><td colspan=1000>Source: the council{rows}</table>"),
        format!("<table><tr><th colspan=900>Party<th>Seats{rows}</table>"),
    ] {
        let made = read(&html).paragraphs.swap_remove(0);
        let tabs = made.text.bytes().filter(|byte| *byte == b'\t').count();
        assert!(tabs <= 2 * made.text.lines().count(), "{tabs}");
        assert!(made.text.contains("Greens\t21"), "{}", &made.text[..99]);
        let spans: Vec<_> = made.table.unwrap().spans.iter().map(|span| (span.rows, span.columns)).collect();
        assert_eq!(spans, [(1, 2)]);
    }
}

#[test]
fn no_cell_spans_beyond_its_row_group_or_over_another_cell() {
    let spans = |html: &str| {
        let made = read(html).paragraphs.swap_remove(0);
        let spans = made.table.unwrap().spans;
        (made.text, spans.iter().map(|span| [span.row, span.column, span.rows, span.columns]).collect::<Vec<_>>())
    };
    let (text, found) = spans(
        "<table><tbody><tr><th rowspan=2>Mill<td>1<td>2<tr><td>3<td rowspan=9>4</tbody><tbody><tr><th colspan=3>Lock<tr><td>5<td rowspan=0>6<td>7<tr><td>8<td>9</tbody></table>",
    );
    assert_eq!(text, "Mill\t1\t2\n\t3\t4\nLock\t\t\n5\t6\t7\n8\t\t9");
    assert_eq!(found, [[0, 0, 2, 1], [2, 0, 1, 3], [3, 1, 2, 1]]);
    let (text, found) = spans("<table><tr><td>1<td rowspan=2>2<td>3<tr><td colspan=2>4<td>5</table>");
    assert_eq!((&*text, found), ("1\t2\t3\n4\t\t5", vec![[0, 1, 2, 1]]));
}

#[test]
fn the_text_of_a_table_s_caption_is_a_paragraph_beside_it() {
    let rows = "<tr><th>Team<th>Points<tr><td>A<td>9";
    for (html, expected) in [
        (format!("<table><caption>Cup <b>final</b></caption>{rows}</table>"), ["caption", "table"]),
        (format!("<figure><figcaption>Cup final</figcaption><table>{rows}</table></figure>"), ["caption", "table"]),
        (format!("<figure><table>{rows}</table><figcaption>Cup final</figcaption></figure>"), ["table", "caption"]),
    ] {
        let made = read(&html).paragraphs;
        assert_eq!(made.iter().map(|part| part.kind.as_str()).collect::<Vec<_>>(), expected, "{html}");
        let captions = made.iter().filter_map(|part| part.table.as_ref()?.caption.as_deref());
        assert_eq!(captions.collect::<Vec<_>>(), ["Cup final"], "{html}");
    }
}

#[test]
fn cells_outside_of_a_row_are_a_row_as_in_browsers() {
    for html in [
        "<table><tr><th>Team<th>Points<tr><td>Pécs<td>9</tr><td>Győr<td>7</tr></table>",
        "<table><th>Team<th>Points</th><tr><td>Pécs<td>9<tr><td>Győr<td>7</table>",
        "<table><tbody><tr><th>Team<th>Points</tr><tr><td>Pécs<td>9</tr></tbody><td>Győr</td><td>7</td></table>",
        "<table><tr><th>Team<th>Points</tr><tr><td>Pécs<td>9</tr></tr><td>Győr<td>7</tr></table>",
        "<table><thead><td>Team<td>Points</thead><tbody><tr><td>Pécs<td>9<tr><td>Győr<td>7</table>",
    ] {
        assert_eq!(kinds(html), [("table", "Team\tPoints\nPécs\t9\nGyőr\t7".to_owned())], "{html}");
    }
}

#[test]
fn a_layout_table_is_no_data_table() {
    let story = "It rained all day in the town, and nobody came to the bridge. ";
    for html in [
        format!("<table><tr><td><p>{story}<p>{story}<p>{story}<p>{story}<p>{story}<td>Menu</table>"),
        format!("<table><tr><td>{}<td>Photo<tr><td>{story}<td>More</table>", story.repeat(8)),
        format!("<table><tr><td>{story}</td></tr><tr><td>{story}</table>"),
        format!("<table><tr><td><img src=/a.jpg alt=''><td>{story}<tr><td><img src=/b.jpg><td>{story}</table>"),
        format!("<table><tr><td><h2>Rain</h2>{story}<td>Bridge<tr><td>{story}<td>Town</table>"),
        format!("<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>{story}<tr><td>x<td>{story}</table>"),
    ] {
        assert!(
            kinds(&html).iter().any(|(_, text)| text.trim_end() == story.trim_end() || text.starts_with(story)),
            "{html}"
        );
    }
    let signs =
        "<table><tr><td><img src=/a.png alt=Sun><td>It is dry.<tr><td><img src=/b.png alt=Cloud><td>It is wet.</table>";
    assert_eq!(kinds(signs), [("table", "\tIt is dry.\n\tIt is wet.".to_owned())]);
}

#[test]
fn items_have_their_list_their_number_and_further_blocks() {
    let html = "<ol start=3><li><p>One</p><p>and more</p><pre><code>x = 1</code></pre><li>Two<ul><li>Deep</ul><li value=9>Nine</ol><ol><li>New</ol>";
    let items: Vec<_> = read(html).paragraphs.into_iter().map(|part| part.item.unwrap()).collect();
    let found: Vec<_> = items.iter().map(|item| (item.depth, item.number, item.list, item.continues)).collect();
    let expected = [
        (1, Some(3), 0, false),
        (1, Some(3), 0, true),
        (1, Some(3), 0, true),
        (1, Some(4), 0, false),
        (2, None, 1, false),
        (1, Some(9), 0, false),
        (1, Some(1), 2, false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn checkboxes_before_list_items_are_read() {
    let html = "<ul><li class=task-list-item><input type=checkbox disabled checked> One<li><p><label><INPUT TYPE='CheckBox'> Two\
        <ul><li>Deep</ul></label><li>Three <input type=checkbox><li><input type=radio>Four</ul>";
    let checked: Vec<_> = read(html).paragraphs.iter().map(|part| part.item.unwrap().checked).collect();
    assert_eq!(checked, [Some(true), Some(false), None, None, None]);
}

#[test]
fn links_to_edit_a_section_are_no_part_of_its_heading() {
    for html in [
        "<h2>Rain and sun <span>[<a href='/w/index.php?title=Rain&amp;action=edit&amp;section=2'>edit</a>]</span></h2>",
        "<h3>Rain and sun[<a href='?veaction=edit'>Bearbeiten</a> | <a href='?action=edit'>Quelltext bearbeiten</a>]</h3>",
    ] {
        assert_eq!(kinds(html)[0].1, "Rain and sun", "{html}");
    }
    for html in [
        "<h2>Rain [<a href=/rain.pdf>PDF</a>]</h2>",
        "<h2>Rain [<a href=/credits/edition-3>Credits</a>]</h2>",
        "<h2>Rain [again]</h2>",
    ] {
        assert!(kinds(html)[0].1.ends_with(']'), "{html}");
    }
}

#[test]
fn links_to_edit_a_section_beside_its_heading_are_no_text() {
    let html = "<div class=mw-heading><h2>Rain</h2><span>[<a href='/w?action=edit'>edit</a> | <a href='/w?veaction=edit'>edit source</a>]</span></div>";
    assert_eq!(kinds(html), [("h", "Rain".to_owned())]);
    assert_eq!(kinds("<p>[<a href=/rain.pdf>PDF</a>]")[0].1, "[PDF]");
}

#[test]
fn a_block_quote_is_a_quote_unless_it_holds_the_article() {
    assert_eq!(kinds("<blockquote><p>Nobody came.</blockquote>"), [("quote", "Nobody came.".to_owned())]);
    assert_eq!(kinds("<ul><li>Eggs<blockquote><p>Two.</blockquote></ul>")[1], ("quote", "Two.".to_owned()));
    assert_eq!(kinds("<blockquote><ul><li>Eggs</ul></blockquote>")[0], ("l", "Eggs".to_owned()));
    let story = "<p>It rained all day in the town, and nobody came to the bridge. ".repeat(20);
    assert!(kinds(&format!("<blockquote>{story}</blockquote>")).iter().all(|(kind, _)| *kind == "p"));
}

#[test]
fn marks_are_nested_and_their_targets_absolute() {
    let html = "<p>Read <a href='../b?c=1'>the <em>first</em></a> of H<sub>2</sub>O, <b>not <a href='javascript:x()'>this</a></b> <a href='#top'>up</a><br>ever.</p>";
    let expected = [
        (MarkKind::Link, "the first", Some("http://portal.example/b?c=1")),
        (MarkKind::Emphasis, "first", None),
        (MarkKind::Sub, "2", None),
        (MarkKind::Strong, "not this", None),
        (MarkKind::LineBreak, " ", None),
    ];
    let expected = expected.map(|(kind, text, target)| (kind, text.to_owned(), target.map(str::to_owned)));
    assert_eq!(marks(html), expected);
    assert_eq!(marks("<p><i>Ő <b>x</i> y</b> z")[0].1, "Ő x");
    let strong = |range| inline::ByteMark { range, kind: MarkKind::Strong, target: None };
    let marks = vec![strong(0..2), strong(3..9), strong(0..9)];
    let mut inline = Inline { text: "It rained".to_owned(), marks, ..Inline::default() };
    inline.order();
    assert_eq!(inline.marks, [strong(0..9)]);
}

#[test]
fn formulas_are_marks_or_paragraphs_of_their_own() {
    assert_eq!(
        kinds("<p>So \\[x^2\\] is it."),
        [("p", "So".into()), ("formula", "x^2".into()), ("p", "is it.".into())]
    );
    assert_eq!(kinds("<p><math><mi>x</mi></math></p>"), [("formula", "x".to_owned())]);
    assert_eq!(marks("<p>So \\(é_1\\) and <code>\\(y\\)</code>")[0], (MarkKind::Math, "é_1".to_owned(), None));
    assert_eq!(kinds("<p>It cost $5 and then $10.")[0].1, "It cost $5 and then $10.");
}

#[test]
fn a_figure_has_its_caption_and_its_position() {
    let html = "<p>So.</p><figure><img src=/a.jpg alt='A  bridge'><figcaption>The bridge. <span class=credit>Photo: May</span></figcaption></figure><p>On.</p>";
    let made = read(html);
    let figure = &made.objects[0];
    assert_eq!(figure.source.as_deref(), Some("http://portal.example/a.jpg"));
    assert_eq!((figure.alt.as_deref(), figure.caption.as_deref()), (Some("A bridge"), Some("The bridge. Photo: May")));
    assert_eq!((figure.credit.as_deref(), figure.before), (Some("Photo: May"), 3));
    assert_eq!(made.paragraphs[1].kind, Kind::Caption);
}

#[test]
fn a_caption_of_several_blocks_is_one_paragraph() {
    for html in [
        "<figure><img src=/a.jpg><figcaption><p>The bridge.</p><p class=credit>May</p></figcaption></figure>",
        "<figure class=caption><img src=/a.jpg><figcaption><div><div><div><p class=caption-text>The bridge.</p></div></div></div><p class=credit>May</figcaption></figure>",
        "<div><img src=/a.jpg><div class=image-caption><div class=caption-text>The bridge.</div><div class=credit>May</div></div></div>",
    ] {
        let made = read(html);
        let captions: Vec<_> = made.paragraphs.iter().map(|part| (part.kind, &*part.text)).collect();
        assert_eq!(captions, [(Kind::Caption, "The bridge. May")], "{html}");
        assert_eq!(made.objects[0].caption.as_deref(), Some("The bridge. May"), "{html}");
        assert_eq!(made.objects[0].credit.as_deref(), Some("May"), "{html}");
    }
}

#[test]
fn a_caption_goes_after_its_picture_and_a_label_is_no_credit() {
    let html = "<figure><figcaption>The bridge. <span class=credit><span class=sr-only>Credit</span> May</span> (2026)</figcaption><img src=/a.jpg></figure>";
    let made = read(html);
    // The headline and the first sentence are before it.
    assert_eq!((made.objects[0].before, made.objects[0].credit.as_deref()), (2, Some("May")));
}

#[test]
fn captions_of_galleries_embeds_and_framed_pictures_are_found() {
    let caption = |html: &str| {
        let made = read(html);
        let captions =
            made.paragraphs.iter().filter(|part| part.kind == Kind::Caption).map(|part| part.text.to_string());
        (captions.collect::<Vec<_>>(), made.objects.into_iter().map(|object| object.caption).collect::<Vec<_>>())
    };
    let gallery = "<figure><figure><img src=/a.jpg><figcaption>One</figcaption></figure><figure><img src=/b.jpg></figure><figcaption>Both</figcaption></figure>";
    assert_eq!(caption(gallery).1, [Some("One".to_owned()), Some("Both".to_owned())]);
    let framed =
        "<figure class=caption><article><div><img src=/a.jpg></div></article><figcaption>One</figcaption></figure>";
    assert_eq!(caption(framed).1, [Some("One".to_owned())]);
    let embed = "<figure><div><iframe src='https://www.youtube.com/embed/b'></iframe></div><figcaption>A film</figcaption></figure>";
    assert_eq!(caption(embed).0, ["A film"]);
}

#[test]
fn a_picture_and_its_copy_without_scripts_are_one() {
    let lazy = "<img src='data:image/svg+xml,x' data-src=/a-300.jpg data-srcset='/a-300.jpg 300w, /a.jpg 900w'>";
    let copy = "<noscript><img src=/a-300.jpg alt=Rain></noscript>";
    for html in [format!("<figure>{copy}{lazy}</figure>"), format!("<figure>{lazy}{copy}</figure>")] {
        let objects = read(&html).objects;
        let [picture] = &objects[..] else { panic!("{html}: {objects:?}") };
        assert_eq!(picture.source.as_deref(), Some("http://portal.example/a.jpg"), "{html}");
        assert_eq!(picture.alt.as_deref(), Some("Rain"), "{html}");
    }
}

#[test]
fn elements_that_scripts_replace_by_media_are_read() {
    let html = "</p><amp-img src=/a.jpg width=900 height=600 alt=Rain><noscript><img src=/a.jpg></noscript></amp-img>\
        <amp-youtube data-videoid=b layout=responsive></amp-youtube><amp-video src=/c.mp4><div fallback>No video</div></amp-video>\
        <lite-youtube videoid=d></lite-youtube><amp-ad src=/ad></amp-ad>";
    let made = read(html);
    let sources: Vec<_> = made.objects.iter().filter_map(|object| object.source.as_deref()).collect();
    let at = |path: &str| format!("http://portal.example/{path}");
    let tube = |id: &str| format!("https://www.youtube.com/embed/{id}");
    assert_eq!(sources, [at("a.jpg"), tube("b"), at("c.mp4"), tube("d")]);
    assert!(made.paragraphs.is_empty(), "{:?}", made.paragraphs);
}

#[test]
fn the_line_ends_of_a_poem_are_kept() {
    let breaks = |html: &str| marks(html).iter().filter(|mark| mark.0 == MarkKind::LineBreak).count();
    assert_eq!(breaks("<pre class=verse>Rain,  rain,\n  go <i>away</i>,\ncome&nbsp;again</pre>"), 2);
    assert_eq!(breaks("<p>Rain, rain,\ngo away</p>"), 0);
    assert_eq!(breaks("<p>Rain<br><b><br>go away</b></p>"), 1);
}

#[test]
fn markers_that_browsers_draw_are_not_an_item_s_text() {
    let html = "<ul><li><span>•</span><div>Eggs</div></ul><ol><li><span>1.</span><p>Salt</p><li><p>2</p></ol><dl><dt>Oil<dd>–</dl>";
    let texts: Vec<_> = kinds(html).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["Eggs", "Salt", "2", "Oil", "–"]);
}

#[test]
fn posts_of_other_sites_are_quotes_with_their_addresses() {
    let html = "<blockquote class=twitter-tweet><p>It rains.</p>— A <a href='https://twitter.com/a/status/1'>May</a></blockquote><iframe src='https://www.youtube.com/embed/b'></iframe>";
    let made = read(html);
    assert_eq!((made.objects[0].provider.as_deref(), &*made.objects[0].quoted), (Some("x"), &[2, 3][..]));
    assert_eq!(made.objects[1].provider.as_deref(), Some("youtube"));
    assert!(made.paragraphs.iter().all(|part| part.kind == Kind::Quote));
}

#[test]
fn a_post_in_the_text_is_kept_whole_with_its_links() {
    for html in [
        "<blockquote class=twitter-tweet><p><a href=/t/rain>#rain</a></p><p>It rains.</p>— A <a href=/a/1>May</a></blockquote>",
        "<blockquote class=instagram-media><p><a href=/p/1>A bridge</a></p><p><a href=/a>A</a></p></blockquote>",
        "<figure><blockquote class=tiktok-embed><section><a href=/@a>@a</a> <p>Rain</p></section></blockquote></figure>",
        "<blockquote class='mastodon-embed'><a href=/@a/1><p>Post by @a</p><p>View on Mastodon</p></a></blockquote>",
        "<div><blockquote class=bluesky-embed><p>Rain<p><a href=/x>[image]</a></p>&mdash; A (<a href=/a>@a</a>)</blockquote></div>",
    ] {
        let page = Page::parse(format!("<h1>Rain</h1><p>It rained all day.</p>{html}<p>So it was.</p>"));
        let post = page.elements_of(Tag::Blockquote).next().unwrap();
        let linked = |at: &usize| page.paragraphs_in(post).contains(at) && page.paragraphs()[*at].link_chars > 0;
        let kept: Vec<usize> = (0..page.paragraphs().len()).filter(|at| !linked(at)).collect();
        let settings = Settings { headline: Some(0), least_thirds: 2, address: None, structure: true };
        assert_eq!(of(&page, &kept, settings).paragraphs.len(), page.paragraphs().len(), "{html}");
        // No paragraphs are added from a post after the text.
        assert_eq!(of(&page, &[0, 1], settings).paragraphs.len(), 2, "{html}");
    }
}

#[test]
fn the_depth_of_lists_is_limited() {
    let story = "<p>It rained all day in the town, and nobody came to the bridge.".repeat(200);
    let html = (0..500).map(|n| format!("<ul><li>item {n}")).collect::<String>();
    let depths: Vec<u8> = read(&(story + &html)).paragraphs.iter().filter_map(|part| Some(part.item?.depth)).collect();
    assert_eq!((depths.len(), depths[0], depths[31], depths[499]), (500, 1, 32, 32));
}

#[test]
fn a_list_directly_in_a_list_is_one_deeper() {
    let html = "<ol><li>One</li><ul><li>Deep</li><ol><li>Deeper</li></ol></ul><li>Two</li></ol>";
    let items = read(html).paragraphs.into_iter().map(|part| part.item.unwrap());
    let found: Vec<_> = items.map(|item| (item.depth, item.number)).collect();
    assert_eq!(found, [(1, Some(1)), (2, None), (3, Some(1)), (1, Some(2))]);
}

#[test]
fn footnotes_are_found_by_links_to_and_from_them() {
    let html = "<p>It rained<sup id=r1><a href='#n1'>1</a></sup> on.</p><ol><li id=n1>In <em>May</em>. <a href='#r1'>back</a></ol>";
    let made = read(html);
    assert_eq!(made.paragraphs[0].marks[0].mark, MarkKind::NoteReference);
    let note = &made.paragraphs[1];
    assert_eq!((note.note.as_deref(), &*note.text, note.item), (Some("1"), "In May.", None));
    let signs = "<p>It rained<sup id=r1><a href='#n1'>*</a></sup>, and<a id=r2 href='#n2'>**</a> on.</p><p id=n1><a href='#r1'>*</a> In May.<p id=n2><a href='#r2'>**</a> In June.";
    let made = read(signs);
    let texts: Vec<_> = made.paragraphs.iter().map(|part| (&*part.text, part.note.as_deref())).collect();
    assert_eq!(texts, [("It rained*, and** on.", None), ("In May.", Some("*")), ("In June.", Some("**"))]);
    let brackets = "<p>It rained<sup id=r1><a href='#n1'><span>[</span>1<span>]</span></a></sup> on.</p><ol><li id=n1>In May. <a href='#r1'>back</a></ol>";
    assert_eq!(read(brackets).paragraphs[0].text, "It rained[1] on.");
}

#[test]
fn a_note_keeps_the_signs_that_it_begins_with() {
    for (note, text) in [
        (".NET is older. <a href='#r1'>back</a>", ".NET is older."),
        ("[sic] In May. <a href='#r1'>back</a>", "[sic] In May."),
        ("[<a href='#r1'>1</a>] In May.", "In May."),
        ("^ <a href='#r1'>a</a>. In May.", "In May."),
        ("^ <a href='#r9'>a</a> In May. <a href='#r1'>back</a>", "a In May."),
    ] {
        let made = read(&format!("<p>It rained<sup id=r1><a href='#n1'>1</a></sup> on.</p><ol><li id=n1>{note}</ol>"));
        assert_eq!(made.paragraphs[1].text, text, "{note}");
    }
}
