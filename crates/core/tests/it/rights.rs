//! What pages and responses say of rights, case by case from the specifications: each case is named after its text and the
//! section there. TDMRep is the final report of 10 May 2024, AI Preferences are draft-ietf-aipref-attach-05 and -vocab-08,
//! RSL is RSL-SPEC-1.0, Google's rules are those of "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications".

use goldminer_core::capture::Headers;
use goldminer_core::page::Page;
use goldminer_core::rights::{Rights, RightsSource, Signal};

/// A response's fields and its page, and what follows: the restrictions with commas, `!` before what signals contradict
/// each other in, and the licence.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str, &'static str, Option<&'static str>);

const ROBOTS_HEADER: &[Case] = &[
    ("Google, X-Robots-Tag: one rule", &[("X-Robots-Tag", "noindex")], "", "noindex", None),
    ("Google, X-Robots-Tag: field names know no case", &[("x-RoBoTs-TaG", "noindex")], "", "noindex", None),
    ("Google, X-Robots-Tag: rules know no case", &[("X-Robots-Tag", "NoIndex")], "", "noindex", None),
    (
        "Google, X-Robots-Tag: several fields",
        &[("X-Robots-Tag", "noarchive"), ("X-Robots-Tag", "noindex")],
        "",
        "noindex,noarchive",
        None,
    ),
    (
        "Google, X-Robots-Tag: several rules in one",
        &[("X-Robots-Tag", "noarchive, nosnippet")],
        "",
        "noarchive,nosnippet",
        None,
    ),
    ("Google, X-Robots-Tag: a rule for another crawler", &[("X-Robots-Tag", "otherbot: noindex")], "", "", None),
    (
        "Google, X-Robots-Tag: behind another's rule, by a comma, all are its",
        &[("X-Robots-Tag", "otherbot: noindex, noarchive")],
        "",
        "",
        None,
    ),
    (
        "Google, X-Robots-Tag: a rule for all before one for another",
        &[("X-Robots-Tag", "noarchive, otherbot: noindex")],
        "",
        "noarchive",
        None,
    ),
    (
        "Google, X-Robots-Tag: a field for another and one for all",
        &[("X-Robots-Tag", "otherbot: noindex"), ("X-Robots-Tag", "nosnippet")],
        "",
        "nosnippet",
        None,
    ),
    ("Google, X-Robots-Tag: the star is everybody", &[("X-Robots-Tag", "*: noindex")], "", "noindex", None),
    ("Google, all: nothing is restricted", &[("X-Robots-Tag", "all")], "", "", None),
    ("Google, none: as noindex, nofollow", &[("X-Robots-Tag", "none")], "", "noindex", None),
    ("Google, nofollow: a matter of links", &[("X-Robots-Tag", "nofollow")], "", "", None),
    ("Google, max-snippet:0: as nosnippet", &[("X-Robots-Tag", "max-snippet:0")], "", "nosnippet", None),
    ("Google, max-snippet with a space", &[("X-Robots-Tag", "max-snippet: 0")], "", "nosnippet", None),
    ("Google, max-snippet: some characters", &[("X-Robots-Tag", "max-snippet:50")], "", "", None),
    ("Google, max-snippet:-1: no limit", &[("X-Robots-Tag", "max-snippet:-1")], "", "", None),
    (
        "Google, max-image-preview beside another rule",
        &[("X-Robots-Tag", "max-image-preview:large, noindex")],
        "",
        "noindex",
        None,
    ),
    (
        "Google, notranslate and noimageindex: no matter of text",
        &[("X-Robots-Tag", "notranslate, noimageindex")],
        "",
        "",
        None,
    ),
    (
        "Google, unavailable_after hides no rule behind it",
        &[("X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 GMT, noarchive")],
        "",
        "noarchive",
        None,
    ),
    (
        "Google, combining rules: the more restrictive one",
        &[("X-Robots-Tag", "max-snippet:50, nosnippet")],
        "",
        "nosnippet",
        None,
    ),
    ("DeviantArt, noai in the field", &[("X-Robots-Tag", "noai, noimageai")], "", "noai,noimageai", None),
    ("Mojeek, noml", &[("X-Robots-Tag", "noml")], "", "noai", None),
    ("X-Robots-Tag: empty", &[("X-Robots-Tag", "")], "", "", None),
    ("X-Robots-Tag: nothing but marks", &[("X-Robots-Tag", ",,:,")], "", "", None),
    (
        "X-Robots-Tag: an unknown rule beside a known one",
        &[("X-Robots-Tag", "nosuchrule, noarchive")],
        "",
        "noarchive",
        None,
    ),
];

const ROBOTS_META: &[Case] = &[
    ("HTML, name=robots: one rule", &[], "<meta name=robots content=noindex>", "noindex", None),
    ("HTML, name=robots: names know no case", &[], "<META NAME=ROBOTS CONTENT=NOINDEX>", "noindex", None),
    (
        "HTML, name=robots: several rules",
        &[],
        "<meta name=robots content='noindex, noarchive'>",
        "noindex,noarchive",
        None,
    ),
    (
        "HTML, name=robots: divided by spaces, as some write",
        &[],
        "<meta name=robots content='noindex noarchive'>",
        "noindex,noarchive",
        None,
    ),
    (
        "HTML, name=robots: divided by semicolons, as some write",
        &[],
        "<meta name=robots content='noindex;noarchive'>",
        "noindex,noarchive",
        None,
    ),
    (
        "HTML, name=robots: several elements add up",
        &[],
        "<meta name=robots content=noindex><meta name=robots content=noarchive>",
        "noindex,noarchive",
        None,
    ),
    ("HTML, name=robots: index, follow", &[], "<meta name=robots content='index, follow'>", "", None),
    ("HTML, name=robots: none", &[], "<meta name=robots content=none>", "noindex", None),
    ("HTML, name=robots: without content", &[], "<meta name=robots>", "", None),
    ("HTML, name=robots: nocache, an early name", &[], "<meta name=robots content=nocache>", "noarchive", None),
    ("Google, data-nosnippet is for parts of a page", &[], "<p data-nosnippet>Text", "", None),
    ("Google, name=googlebot: said to that crawler", &[], "<meta name=googlebot content=noindex>", "", None),
    (
        "Google, name=googlebot beside robots",
        &[],
        "<meta name=googlebot content=noindex><meta name=robots content=nosnippet>",
        "nosnippet",
        None,
    ),
    (
        "Google, max-snippet:0 in meta",
        &[],
        "<meta name=robots content='max-snippet:0, max-image-preview:large'>",
        "nosnippet",
        None,
    ),
    (
        "Google, max-snippet:-1 in meta",
        &[],
        "<meta name=robots content='index, follow, max-image-preview:large, max-snippet:-1, max-video-preview:-1'>",
        "",
        None,
    ),
    ("DeviantArt, noai", &[], "<meta name=robots content=noai>", "noai", None),
    ("DeviantArt, noimageai", &[], "<meta name=robots content='noai, noimageai'>", "noai,noimageai", None),
    ("HTML, robots in a property is read as well", &[], "<meta property=robots content=noindex>", "noindex", None),
    ("HTML, a comment says nothing", &[], "<!-- <meta name=robots content=noindex> -->", "", None),
    ("HTML, a script says nothing", &[], "<script>var a = '<meta name=robots content=noindex>'</script>", "", None),
];

const TDMREP: &[Case] = &[
    ("TDMRep, tdm-reservation: 1", &[("tdm-reservation", "1")], "", "tdm", None),
    ("TDMRep, tdm-reservation: 0", &[("tdm-reservation", "0")], "", "", None),
    ("TDMRep, tdm-reservation: another number is an error", &[("tdm-reservation", "2")], "", "", None),
    ("TDMRep, tdm-reservation: a word is an error", &[("tdm-reservation", "true")], "", "", None),
    ("TDMRep, tdm-reservation: an empty value is an error", &[("tdm-reservation", "")], "", "", None),
    ("TDMRep, HTTP: names of fields know no case", &[("TDM-Reservation", "1")], "", "tdm", None),
    ("TDMRep, HTTP: with white space around", &[("TDM-Reservation", "  1 ")], "", "tdm", None),
    (
        "TDMRep, tdm-policy beside a reservation",
        &[("tdm-reservation", "1"), ("tdm-policy", "https://p.example/policy.json")],
        "",
        "tdm",
        None,
    ),
    ("TDMRep, tdm-policy alone reserves nothing", &[("tdm-policy", "https://p.example/policy.json")], "", "", None),
    (
        "TDMRep, tdm-policy is no licence",
        &[("tdm-reservation", "0"), ("tdm-policy", "https://p.example/p")],
        "",
        "",
        None,
    ),
    ("TDMRep, HTML: tdm-reservation 1", &[], "<meta name='tdm-reservation' content='1'>", "tdm", None),
    ("TDMRep, HTML: tdm-reservation 0", &[], "<meta name='tdm-reservation' content='0'>", "", None),
    ("TDMRep, HTML: another value is an error", &[], "<meta name='tdm-reservation' content='yes'>", "", None),
    ("TDMRep, HTML: without content", &[], "<meta name='tdm-reservation'>", "", None),
    (
        "TDMRep, HTML: with a policy",
        &[],
        "<meta name='tdm-reservation' content='1'><meta name='tdm-policy' content='https://p.example/p'>",
        "tdm",
        None,
    ),
    ("TDMRep, HTML: names know no case", &[], "<meta name='TDM-Reservation' content=1>", "tdm", None),
    (
        "TDMRep, priorities: field and page agree",
        &[("tdm-reservation", "1")],
        "<meta name=tdm-reservation content=1>",
        "tdm",
        None,
    ),
    (
        "TDMRep, priorities: the field allows, the page reserves",
        &[("tdm-reservation", "0")],
        "<meta name=tdm-reservation content=1>",
        "tdm,!tdm",
        None,
    ),
    (
        "TDMRep, priorities: the field reserves, the page allows",
        &[("tdm-reservation", "1")],
        "<meta name=tdm-reservation content=0>",
        "tdm,!tdm",
        None,
    ),
    ("TDMRep, two fields that differ", &[("tdm-reservation", "0"), ("tdm-reservation", "1")], "", "tdm,!tdm", None),
];

const USAGE: &[Case] = &[
    ("AI Preferences, attach 2: the field", &[("Content-Usage", "train-ai=n")], "", "noai", None),
    ("AI Preferences, vocab 4.1: train-ai=y allows", &[("Content-Usage", "train-ai=y")], "", "", None),
    ("AI Preferences, vocab 4.2: ai-use=n", &[("Content-Usage", "ai-use=n")], "", "no-ai-input", None),
    ("AI Preferences, vocab 4.3: search=n", &[("Content-Usage", "search=n")], "", "no-search", None),
    ("AI Preferences, vocab 6: several", &[("Content-Usage", "train-ai=n, search=y")], "", "noai", None),
    (
        "AI Preferences, vocab 6: all of them",
        &[("Content-Usage", "train-ai=n,ai-use=n,search=n")],
        "",
        "noai,no-ai-input,no-search",
        None,
    ),
    (
        "AI Preferences, vocab 6: an unknown key beside a known one",
        &[("Content-Usage", "flying=n, train-ai=n")],
        "",
        "noai",
        None,
    ),
    ("AI Preferences, vocab 6: a value that is none says nothing", &[("Content-Usage", "train-ai=no")], "", "", None),
    ("AI Preferences, vocab 6: values know case", &[("Content-Usage", "train-ai=N")], "", "", None),
    ("AI Preferences, vocab 6: a key alone says nothing", &[("Content-Usage", "train-ai")], "", "", None),
    (
        "AI Preferences, vocab 6: parameters are passed over",
        &[("Content-Usage", "train-ai=n;since=2026")],
        "",
        "noai",
        None,
    ),
    (
        "RFC 9651, 3.1.2: keys are in lower case, or all is lost",
        &[("Content-Usage", "Train-AI=n, search=n")],
        "",
        "",
        None,
    ),
    ("RFC 9651, 4.2: a trailing comma loses all", &[("Content-Usage", "train-ai=n,")], "", "", None),
    ("RFC 9651, 4.2: a member without a key loses all", &[("Content-Usage", "train-ai=n, =y")], "", "", None),
    (
        "RFC 9651, 4.2.2: of a key that comes twice the last counts",
        &[("Content-Usage", "train-ai=y, train-ai=n")],
        "",
        "noai",
        None,
    ),
    (
        "RFC 9651, 4.2.2: and where the last allows, it allows",
        &[("Content-Usage", "train-ai=n, train-ai=y")],
        "",
        "",
        None,
    ),
    (
        "RFC 9651, 4.2: two fields are one dictionary",
        &[("Content-Usage", "train-ai=n"), ("Content-Usage", "search=n")],
        "",
        "noai,no-search",
        None,
    ),
    ("RFC 9651, 4.2: white space around members", &[("Content-Usage", "  train-ai=n ,\tsearch=y ")], "", "noai", None),
    ("AI Preferences, attach 2: an empty field", &[("Content-Usage", "")], "", "", None),
    ("AI Preferences, vocab-02: tdm=n", &[("Content-Usage", "tdm=n")], "", "tdm", None),
    ("AI Preferences, vocab-02: genai=n", &[("Content-Usage", "genai=n")], "", "noai", None),
    (
        "AI Preferences, vocab-04: bots=n is all of them",
        &[("Content-Usage", "bots=n")],
        "",
        "noai,no-ai-input,no-search,tdm",
        None,
    ),
    (
        "AI Preferences, vocab 7.1: field and another source combine to the stricter",
        &[("Content-Usage", "train-ai=y")],
        "<meta name=robots content=noai>",
        "noai,!noai",
        None,
    ),
    ("Content Signals: ai-train=no", &[("Content-Signal", "ai-train=no")], "", "noai", None),
    ("Content Signals: ai-train=yes", &[("Content-Signal", "ai-train=yes")], "", "", None),
    ("Content Signals: ai-input=no", &[("Content-Signal", "ai-input=no")], "", "no-ai-input", None),
    ("Content Signals: search=no", &[("Content-Signal", "search=no")], "", "no-search", None),
    (
        "Content Signals: the usual three",
        &[("Content-Signal", "search=yes, ai-input=yes, ai-train=no")],
        "",
        "noai",
        None,
    ),
    ("Content Signals: without spaces", &[("Content-Signal", "search=yes,ai-train=no")], "", "noai", None),
    ("Content Signals: (c) a signal that is not there says nothing", &[("Content-Signal", "search=yes")], "", "", None),
    (
        "Content Signals: an unknown signal beside a known one",
        &[("Content-Signal", "use=reference, ai-train=no")],
        "",
        "noai",
        None,
    ),
    ("Content Signals: neither yes nor no", &[("Content-Signal", "ai-train=maybe")], "", "", None),
    ("Content Signals: case means nothing", &[("CONTENT-SIGNAL", "AI-Train=NO")], "", "noai", None),
    (
        "Content Signals and AI Preferences contradict each other",
        &[("Content-Signal", "ai-train=no"), ("Content-Usage", "train-ai=y")],
        "",
        "noai,!noai",
        None,
    ),
];

const LICENSES: &[Case] = &[
    (
        "RFC 8288, 3: Link with rel=license",
        &[("Link", "<https://p.example/terms>; rel=\"license\"")],
        "",
        "",
        Some("https://p.example/terms"),
    ),
    ("RFC 8288, 3: relation without quotes", &[("Link", "</terms>; rel=license")], "", "", Some("/terms")),
    (
        "RFC 8288, 3.3: several relations",
        &[("Link", "</terms>; rel=\"terms-of-service license\"")],
        "",
        "",
        Some("/terms"),
    ),
    ("RFC 8288, 3.3: relations know no case", &[("Link", "</terms>; rel=\"LICENSE\"")], "", "", Some("/terms")),
    (
        "RFC 8288, 3: several links in a field",
        &[("Link", "</a>; rel=next, </terms>; rel=license")],
        "",
        "",
        Some("/terms"),
    ),
    (
        "RFC 8288, 3: a comma in quotes ends no link",
        &[("Link", "</a>; title=\"a, <b>\"; rel=next, </t>; rel=license")],
        "",
        "",
        Some("/t"),
    ),
    ("RFC 8288, 3: a comma in an address ends no link", &[("Link", "</a,b>; rel=license")], "", "", Some("/a,b")),
    ("RFC 8288, 3: another relation", &[("Link", "</style.css>; rel=preload")], "", "", None),
    ("RFC 8288, 3: a broken field", &[("Link", "</terms; rel=license")], "", "", None),
    (
        "RSL, HTTP Link header: terms and no licence",
        &[("Link", "<https://p.example/l.xml>; rel=\"license\"; type=\"application/rsl+xml\"")],
        "",
        "",
        None,
    ),
    (
        "RSL, HTML link: terms and no licence",
        &[],
        "<link rel=license type='application/rsl+xml' href=/l.xml>",
        "",
        None,
    ),
    (
        "HTML, link type license: link",
        &[],
        "<link rel=license href=https://p.example/terms>",
        "",
        Some("https://p.example/terms"),
    ),
    ("HTML, link type license: a", &[], "<p><a rel=license href=/terms>Terms</a>", "", Some("/terms")),
    (
        "HTML, link type license: among others",
        &[],
        "<a rel='nofollow license noopener' href=/terms>Terms</a>",
        "",
        Some("/terms"),
    ),
    ("HTML, link types know no case", &[], "<a rel=License href=/terms>Terms</a>", "", Some("/terms")),
    ("HTML, link type license: without an address", &[], "<a rel=license>Terms</a>", "", None),
    ("HTML, license in an address is no link type", &[], "<a href=/license>Our licence</a>", "", None),
    (
        "HTML, link type license is of the main content: not of a picture",
        &[],
        "<figure><img src=1><a rel=license href=http://creativecommons.org/licenses/by/4.0/>CC</a></figure>",
        "",
        None,
    ),
    (
        "ccREL 4: cc:license in RDFa",
        &[],
        "<span rel='cc:license' resource='http://creativecommons.org/licenses/by/3.0/'></span>",
        "",
        Some("http://creativecommons.org/licenses/by/3.0/"),
    ),
    (
        "ccREL 4: license with an address of its own",
        &[],
        "<a rel='http://www.w3.org/1999/xhtml/vocab#license' href=/cc>CC</a>",
        "",
        Some("/cc"),
    ),
    ("DCMI 2: dcterms:license in RDFa", &[], "<a property='dct:license' href=/cc>CC</a>", "", Some("/cc")),
    (
        "DC-HTML 3: DCTERMS.license in meta",
        &[],
        "<meta name='DCTERMS.license' content='https://creativecommons.org/licenses/by-sa/4.0/'>",
        "",
        Some("https://creativecommons.org/licenses/by-sa/4.0/"),
    ),
    (
        "DC-HTML 3: DC.rights is a notice and no licence",
        &[],
        "<meta name='DC.rights' content='© 2026 The Portal'>",
        "",
        None,
    ),
    (
        "schema.org, license: an address",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","license":"https://p.example/l"}</script>"#,
        "",
        Some("https://p.example/l"),
    ),
    (
        "schema.org, license: a CreativeWork",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","license":{"@type":"CreativeWork","url":"https://p.example/l"}}</script>"#,
        "",
        Some("https://p.example/l"),
    ),
    (
        "schema.org, license: of the WebPage, without an article",
        &[],
        r#"<script type="application/ld+json">{"@type":"WebPage","license":"https://p.example/l"}</script>"#,
        "",
        Some("https://p.example/l"),
    ),
    (
        "schema.org, license: of a picture",
        &[],
        r#"<script type="application/ld+json">{"@type":"ImageObject","license":"https://p.example/l"}</script>"#,
        "",
        None,
    ),
    (
        "schema.org, license: of an article that the page announces",
        &[],
        r#"<script type="application/ld+json">[{"@type":"NewsArticle","headline":"A"},{"@type":"NewsArticle","headline":"B","license":"/b"}]</script>"#,
        "",
        None,
    ),
    (
        "schema.org, license in microdata",
        &[],
        "<div itemscope itemtype=https://schema.org/Article><a itemprop=license href=/l>L</a></div>",
        "",
        Some("/l"),
    ),
    (
        "schema.org, license in microdata: of a picture",
        &[],
        "<div itemscope itemtype=https://schema.org/ImageObject><a itemprop=license href=/l>L</a></div>",
        "",
        None,
    ),
    (
        "Contradiction: a free licence and a stricter one",
        &[],
        "<a rel=license href=https://creativecommons.org/licenses/by/4.0/>1</a><a rel=license href=https://creativecommons.org/licenses/by-nc-nd/4.0/>2</a>",
        "!license",
        Some("https://creativecommons.org/licenses/by-nc-nd/4.0/"),
    ),
    (
        "Contradiction: what nobody knows is stricter than Creative Commons",
        &[("Link", "</terms>; rel=license")],
        "<a rel=license href=https://creativecommons.org/licenses/by/4.0/>1</a>",
        "!license",
        Some("/terms"),
    ),
    (
        "Creative Commons: deeds in two languages are one licence",
        &[],
        "<a rel=license href=http://creativecommons.org/licenses/by/4.0/deed.de>1</a><a rel=license href=https://creativecommons.org/licenses/by/4.0/>2</a>",
        "",
        Some("http://creativecommons.org/licenses/by/4.0/deed.de"),
    ),
];

const ACCESS: &[Case] = &[
    (
        "schema.org, isAccessibleForFree: false",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","isAccessibleForFree":false}</script>"#,
        "paywall",
        None,
    ),
    (
        "schema.org, isAccessibleForFree: true",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","isAccessibleForFree":true}</script>"#,
        "",
        None,
    ),
    (
        "Google, paywalled content: \"False\" as text",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","isAccessibleForFree":"False"}</script>"#,
        "paywall",
        None,
    ),
    (
        "schema.org, Boolean: by its address",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","isAccessibleForFree":"http://schema.org/False"}</script>"#,
        "paywall",
        None,
    ),
    (
        "Google, paywalled content: a part of the page",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","hasPart":{"@type":"WebPageElement","isAccessibleForFree":"False","cssSelector":".paywall"}}</script>"#,
        "paywall",
        None,
    ),
    (
        "Contradiction: the page is free, and a part of it is not",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","isAccessibleForFree":true,"hasPart":{"@type":"WebPageElement","isAccessibleForFree":false}}</script>"#,
        "paywall,!paywall",
        None,
    ),
    (
        "schema.org, isAccessibleForFree: of a product",
        &[],
        r#"<script type="application/ld+json">{"@type":"Product","isAccessibleForFree":false}</script>"#,
        "",
        None,
    ),
    (
        "schema.org, isAccessibleForFree: a value that is none",
        &[],
        r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A","isAccessibleForFree":"partly"}</script>"#,
        "",
        None,
    ),
    (
        "schema.org, isAccessibleForFree in microdata",
        &[],
        "<div itemscope itemtype=https://schema.org/NewsArticle><meta itemprop=isAccessibleForFree content=False></div>",
        "paywall",
        None,
    ),
    (
        "OpenGraph, article:content_tier: locked",
        &[],
        "<meta property='article:content_tier' content='locked'>",
        "paywall",
        None,
    ),
    ("OpenGraph, article:content_tier: free", &[], "<meta property='article:content_tier' content='free'>", "", None),
    (
        "OpenGraph, article:content_tier: metered depends on the reader",
        &[],
        "<meta property='article:content_tier' content='metered'>",
        "",
        None,
    ),
];

const CONTRADICTIONS: &[Case] = &[
    (
        "Google, combining rules: field and page add up",
        &[("X-Robots-Tag", "noarchive")],
        "<meta name=robots content=noindex>",
        "noindex,noarchive",
        None,
    ),
    (
        "Contradiction: the page says index, the field noindex",
        &[("X-Robots-Tag", "noindex")],
        "<meta name=robots content='index, follow'>",
        "noindex,!noindex",
        None,
    ),
    (
        "Contradiction: two elements",
        &[],
        "<meta name=robots content=index><meta name=robots content=noindex>",
        "noindex,!noindex",
        None,
    ),
    (
        "Contradiction: archive and noarchive",
        &[],
        "<meta name=robots content='archive, noarchive'>",
        "noarchive,!noarchive",
        None,
    ),
    (
        "Contradiction: what is said to another crawler is none",
        &[("X-Robots-Tag", "otherbot: noindex")],
        "<meta name=robots content=index>",
        "",
        None,
    ),
    (
        "Several languages that agree contradict nobody",
        &[("tdm-reservation", "1"), ("Content-Signal", "ai-train=no")],
        "<meta name=robots content=noai>",
        "noai,tdm",
        None,
    ),
    ("Nobody says anything", &[("Content-Type", "text/html")], "<title>Rain</title><p>It rained.", "", None),
];

#[test]
fn what_is_said_means_what_its_specification_says() {
    let tables = [ROBOTS_HEADER, ROBOTS_META, TDMREP, USAGE, LICENSES, ACCESS, CONTRADICTIONS];
    let mut names: Vec<&str> = tables.iter().flat_map(|cases| cases.iter().map(|case| case.0)).collect();
    assert!(names.len() >= 120, "{} cases", names.len());
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "two cases have one name");
    let mut wrong = Vec::new();
    for (name, fields, html, expected, license) in tables.into_iter().flatten() {
        let mut said = Signal::of_headers(&Headers::from_iter(fields.iter().copied()));
        said.append(&mut Page::parse((*html).to_owned()).rights());
        let rights = Rights::of(said);
        let restricted = rights.restrictions.iter().map(|restriction| restriction.as_str().to_owned());
        let contradicted = rights.contradictions.iter().map(|what| format!("!{what}"));
        let found = restricted.chain(contradicted).collect::<Vec<_>>().join(",");
        if (found.as_str(), rights.license.as_deref()) != (*expected, *license) {
            wrong.push(format!("{name}: {found:?} {:?} instead of {expected:?} {license:?}", rights.license));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_said_to_one_crawler_is_kept_with_its_name() {
    let page = Page::parse("<meta name=GoogleBot content='noindex, noarchive'>".to_owned());
    let rights = Rights::of(page.rights());
    let told: Vec<_> = rights.signals.iter().map(|s| (s.agent.as_deref(), s.value.as_str())).collect();
    assert_eq!(told, [(Some("googlebot"), "noindex"), (Some("googlebot"), "noarchive")]);
    assert!(rights.restrictions.is_empty());
}

#[test]
fn notices_and_holders_are_kept_as_they_stand() {
    let html = r#"<meta name="DC.Rights" content="© 2026 The &amp; Portal"><script type="application/ld+json">
        {"@type":"NewsArticle","headline":"A","copyrightHolder":{"@type":"Organization","name":"The Portal Ltd."},
        "copyrightNotice":"All rights reserved."}</script>"#;
    let rights = Rights::of(Page::parse(html.to_owned()).rights());
    let told: Vec<_> = rights.signals.iter().map(|s| (s.source, s.name.as_str(), s.value.as_str())).collect();
    assert_eq!(
        told,
        [
            (RightsSource::JsonLd, "copyrightholder", "The Portal Ltd."),
            (RightsSource::JsonLd, "copyrightnotice", "All rights reserved."),
            (RightsSource::Meta, "dc.rights", "© 2026 The & Portal"),
        ]
    );
}

#[test]
fn an_open_licence_is_told_from_one_that_keeps_something_back() {
    for (license, is_creative_commons, is_open) in [
        ("https://creativecommons.org/licenses/by/4.0/", true, true),
        ("http://creativecommons.org/licenses/by-sa/3.0/deed.hu", true, true),
        ("https://creativecommons.org/publicdomain/zero/1.0/", true, true),
        ("https://creativecommons.org/publicdomain/mark/1.0/", true, true),
        ("https://creativecommons.org/licenses/by-nc/4.0/", true, false),
        ("https://creativecommons.org/licenses/by-nd-nc/1.0/", true, false),
        ("CC BY-SA 4.0", true, true),
        ("CC-BY-NC-ND-4.0", true, false),
        ("CC0 1.0", true, true),
        ("https://creativecommons.org/", false, false),
        ("https://portal.example/terms", false, false),
        ("All rights reserved", false, false),
    ] {
        let rights = Rights::of(vec![Signal::new(RightsSource::Link, "license", license)]);
        assert_eq!((rights.is_creative_commons(), rights.is_open()), (is_creative_commons, is_open), "{license}");
    }
}

#[test]
fn rights_come_back_from_json_as_they_were() {
    let mut said = Signal::of_headers(&Headers::from_iter([("tdm-reservation", "1"), ("Link", "</t>; rel=license")]));
    said[0].fetched = Some("2026-11-20T09:15:00Z".parse().unwrap());
    let rights = Rights::of(said);
    let json = serde_json::to_string(&rights).unwrap();
    assert!(json.contains("\"fetched\":\"2026-11-20T09:15:00.000000000Z\""), "{json}");
    assert_eq!(serde_json::from_str::<Rights>(&json).unwrap(), rights);
}

#[test]
fn a_page_that_says_one_thing_without_end_has_rights_of_some_length() {
    let html = (0..2_000).map(|n| format!("<a rel=license href=/{n}{}>x</a>", "l".repeat(3_000))).collect::<String>();
    let rights = Rights::of(Page::parse(html).rights());
    assert!(rights.signals.len() <= 64 && rights.signals.iter().all(|signal| signal.value.len() <= 1_000));
}
