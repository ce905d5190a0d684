//! The words by which bylines and date lines are told, and names from what stands beside them: tables, no behaviour. In the
//! languages of most of the web's news: English, German, French, Spanish, Portuguese, Italian, Dutch, the Scandinavian ones,
//! Hungarian, Czech, Polish, Russian, Greek, Turkish, Chinese, Japanese and Korean. In lower case where nothing else is said.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Words and phrases in an order.
pub(super) type List = LazyLock<Vec<&'static str>>;
/// Single words.
pub(super) type Set = LazyLock<FxHashSet<&'static str>>;

/// Separated by commas.
fn phrases(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.split(',').map(str::trim).filter(|phrase| !phrase.is_empty())
}

/// Names that a publishing system puts in where nobody is named.
pub(super) static NOBODY: Set = LazyLock::new(|| {
    phrases("admin, administrator, root, editor, webmaster, user, author, unknown, anonymous, none, null, undefined")
        .collect()
});

/// Words that begin something else behind a name.
pub(super) static ENDS: Set = LazyLock::new(|| {
    phrases(
        "published, posted, updated, reviewed, edited, last, medically, publié, publicado, pubblicato, veröffentlicht, \
         aktualisiert, fact, photos, photography, illustrations, illustrated, on, for, via, at, min, read, from, is, \
         was, has, who, about, share, follow, email, e-mail, editor:, photo, foto, fotos",
    )
    .collect()
});

/// Words of what a person is, and not of a name.
pub(super) static ROLES: Set = LazyLock::new(|| {
    phrases(
        "writer, editor, reporter, contributor, correspondent, journalist, columnist, author, staff, senior, sr, junior, \
         founder, cofounder, ceo, cto, cmo, cfo, coo, chief, president, director, manager, coordinator, specialist, \
         strategist, analyst, engineer, expert, consultant, head, lead, editorial, producer, professor, educator, \
         officer, developer, designer, redakteur, redakteurin, redaktion, chefredakteur, korrespondent, korrespondentin, \
         volontär, rédacteur, rédactrice, journaliste, redactor, redactora, periodista, giornalista, redattore, \
         szerkesztő, újságíró, redaktor, redaktorka, dziennikarz, dziennikarka, журналист, корреспондент, редактор, \
         blogger, certified, licensed, freelance, horticulturalist, dietitian, nutritionist, vp, partner",
    )
    .collect()
});

/// Words of organisations whose names have conjunctions in them.
pub(super) static ORGANISATIONS: List = LazyLock::new(|| {
    phrases(
        "Center for, Centre for, Institute, Department, University, Ministry, Office of, Association, Society, Agency, \
         Administration, Foundation, Council",
    )
    .collect()
});

/// Words within names that are in lower case.
pub(super) static PARTICLES: Set = LazyLock::new(|| {
    phrases(
        "de, da, do, dos, das, del, della, di, du, van, von, der, den, ter, ten, la, le, el, al, bin, ibn, y, e, af, av, \
         zu, zur, vom, the, of, and, och, og, dr, prof, lo",
    )
    .collect()
});

/// Words that no name begins with.
pub(super) static NO_FIRST_NAMES: Set = LazyLock::new(|| {
    phrases(
        "the, a, an, in, on, our, your, this, these, how, why, what, when, my, we, it, read, more, share, subscribe, \
         click, learn, updated, published, posted, fact, written, released, reviewed, by, signing, clicking, \
         submitting, continuing, using, all, most, popular, category, date, country, price, brand, topic, type",
    )
    .collect()
});

/// Words of sections, buttons and labels that are written like names.
pub(super) static NO_NAMES: Set = LazyLock::new(|| {
    phrases(
        "news, blog, article, articles, read, time, min, share, home, menu, search, latest, more, guide, guides, tips, \
         health, business, politics, sports, sport, culture, travel, food, technology, tech, science, opinion, reviews, \
         review, best, top, featured, category, published, updated, posted, by, table, contents, subscribe, newsletter, \
         comments, comment, facebook, twitter, linkedin, instagram, email, print, copy, link, save, follow, company, \
         product, products, marketing, security, software, design, data, resources, resource, insights, learning, \
         education, finance, personal, photo, photos, image, images, video, videos, credit, getty, your, you, what, how, \
         the, to, for, with, and, in, on, of, listen, view, profile, back, next, previous, key, takeaways, summary, \
         about, us, contact, press, release, story, stories, post, posts, all, see, team, community, world, local, life, \
         style, lifestyle, entertainment, real, estate, cloud, computing, management, services, service, digital, \
         social, media, online, jump, recipe, recipes, advertisement, disclosure, free, customer, success, case, study, \
         studies, research, report, reports, event, events, webinar, artificial, intelligence, machine, engineering, \
         development, web, mobile, app, apps, small, new, york, united, states, garden, gardening, house, kitchen, diy, \
         family, pets, fitness, training, nutrition, wellness, beauty, fashion, shopping, deals, gifts, wedding, \
         weddings, car, cars, music, film, books, art, arts, history, nature, environment, climate, energy, money, \
         startup, startups, leadership, career, careers, jobs, hr, seo, ecommerce, sales, analytics, aktuelles, \
         nachrichten, güncelleme, politik, wirtschaft, kultur, startseite, teilen, actualités, accueil, noticias, \
         inicio, notizie, hírek, zprávy, wiadomości, новости",
    )
    .collect()
});

/// Beginnings of words that say that an article was published at the date behind them.
pub(super) static PUBLISHED: List = LazyLock::new(|| {
    phrases(
        "publi, post, pubbl, veröff, erschienen, erstellt, datum, date, written, first appeared, megjelen, \
         közzét, létrehoz, vydán, zveřej, vytvoř, opubl, dodano, utworz, data, fecha, creado, опубл, дата, создан, \
         δημοσ, ανάρτ, αναρτ, gepubliceerd, geplaatst, publicer, publisert, yayın, 발행, 입력, 发布, 發布, 发表, 時間, 时间, 日期, 公開, \
         投稿, 掲載, 配信, 作成",
    )
    .collect()
});

/// Those of them that any date may have.
pub(super) static ANY_DATE: Set =
    LazyLock::new(|| phrases("datum, date, data, fecha, дата, 時間, 时间, 日期").collect());

/// Beginnings of words that say that it was changed then.
pub(super) static MODIFIED: List = LazyLock::new(|| {
    phrases(
        "updat, modif, edited, revis, changed, refresh, aktuali, geändert, mis à jour, mise à jour, \
         màj, actuali, atuali, aggiorn, frissít, módosít, změn, uprav, zmien, zaktual, обновл, измен, редакт, ενημ, \
         τροπ, bijgewerkt, gewijzigd, opdater, oppdater, uppdater, güncel, 수정, 更新, 修改, 修正, 改訂",
    )
    .collect()
});

/// Beginnings of words whose date is another one: of a review, an event, a right, a picture.
pub(super) static OTHER: List = LazyLock::new(|| {
    phrases(
        "review, release, fact check, fact-check, expire, deadline, until, copyright, ©, (c), event, valid, \
         effective, photo, foto, image, joined, member, born, died, geprüft, gültig, due, ends, \
         retrieved, accessed, archiv, recorded",
    )
    .collect()
});

/// Words that may stand beside a date without meaning anything.
pub(super) static BESIDE: Set = LazyLock::new(|| {
    phrases(
        "stand, min, mins, minute, minutes, read, reading, time, by, on, at, am, pm, uhr, of, the, in, est, edt, et, pst, pdt, \
         pt, cst, cdt, gmt, utc, cet, cest, bst, ist, mon, tue, tues, wed, thu, thurs, fri, sat, sun, monday, tuesday, \
         wednesday, thursday, friday, saturday, sunday, montag, dienstag, mittwoch, donnerstag, freitag, samstag, \
         sonntag, den, vom, um, le, à, el, em, às, il, alle, ore, hod, godz, г, в, στις, originally, first, this, \
         article, entry, was",
    )
    .collect()
});

/// Verbs and prepositions that authors' names stand behind, in lower case; a capital must follow.
pub(super) static VERBS: List = LazyLock::new(|| {
    phrases(
        "written by, words by, text by, story by, posted by, published by, article by, post by, created by, reported by, \
         interview by, review by, authored by, contributed by, a post by, an article by, recipe by, \
         written and researched by, by, text von, ein beitrag von, verfasst von, geschrieben von, von, écrit par, \
         rédigé par, publié par, par, escrito por, publicado por, texto de, por, scritto da, pubblicato da, a cura di, \
         testo di, di, írta, napsal, napsala, připravil, připravila, opracował, opracowała, napisał, napisała, γράφει ο, \
         γράφει η, geschreven door, door, skrevet av, skrevet af, skriven av, av, af, yazan, 记者, 記者",
    )
    .collect()
});

/// Nouns before authors' names; a colon or the like must follow.
pub(super) static NOUNS: List = LazyLock::new(|| {
    phrases(
        "author, authors, writer, words, text, by, autor, autorin, autoren, auteur, auteurs, texte, texto, autora, \
         autores, autore, autori, testo, szerző, szerzők, szöveg, írta, autoři, autorka, autorzy, tekst, автор, авторы, \
         текст, автор текста, συντάκτης, κείμενο, συγγραφέας, yazar, 作者, 撰文, 记者, 記者, 文, 編集, 執筆, 執筆者, 著者, ライター, 取材・文, \
         来源作者, 기자",
    )
    .collect()
});

/// All that authors' names stand behind.
pub(super) static LABELS: Set = LazyLock::new(|| VERBS.iter().chain(&*NOUNS).copied().collect());

/// The single words of them.
pub(super) static LABEL_WORDS: Set =
    LazyLock::new(|| VERBS.iter().chain(&*NOUNS).flat_map(|label| label.split_whitespace()).collect());

/// Labels that say too little where they stand far from the headline.
pub(super) static WEAK: Set = LazyLock::new(|| {
    phrases(
        "by, von, par, por, di, av, af, door, text, texte, tekst, texto, testo, words, 文, review by, recipe by, \
         texto de, published by, created by",
    )
    .collect()
});
