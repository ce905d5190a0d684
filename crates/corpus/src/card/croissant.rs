//! The card for programs, in Croissant 1.0 (mlcommons.org): JSON-LD with the vocabularies of schema.org, Croissant,
//! and Croissant for responsible AI. It lists files with checksums, and the keys of a document with types. Counts are
//! in separate record sets (`domains`, `languages`, `years`, `licenses`, `rights`, `methods` and so on). This module
//! also writes the citation file.
//!
//! The version is 1.0, because readers of 1.0 refuse 1.1, and the card needs nothing of 1.1.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::content::{Card, SEAL, UNSEALED};
use super::fields::{croissant as fields, row};
use super::readme::{classes, in_short, in_words, limits};
use crate::Format;
use crate::figures::thousands;
use crate::holdings::PartSize;
use crate::schema::DOCUMENT;

const MAKERS: &str = "(the makers of this corpus)";

/// If a corpus has more files, none is listed with its checksum: readers take a tenth of a second per hundred files.
const MAX_FILES: usize = 2_000;
/// The name of the set of files.
const FILES: &str = "files";

pub(super) fn croissant(card: &Card) -> String {
    let holdings = &card.holdings;
    let mut metadata = json!({
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "identifier": format!("{SEAL}{UNSEALED}"),
        "name": card.name,
        "description": format!("{} Made by GoldMiner, as {}.", in_short(holdings), in_words(card.format)),
        "license": license(card),
        // The specification requires `creator` and `url`, and only the makers of the corpus know them.
        "creator": {"@type": "Organization", "name": MAKERS},
        "url": "https://example.org/where-this-corpus-is-found",
        "citeAs": cite_as(card),
        "datePublished": card.date.to_string(),
        "version": "1.0.0",
        "inLanguage": holdings.languages.keys().filter(|name| *name != "und").collect::<Vec<_>>(),
        "keywords": ["web pages", "text corpus", "GoldMiner"],
        "rai:dataCollectionType": "Web crawl",
        "rai:dataCollection": "Pages of the domains in the record set `domains`, fetched by a crawler or read from \
                               archives. GoldMiner's own crawls always follow robots.txt.",
        "rai:dataPreprocessingProtocol": holdings.methods.keys().map(|m| format!("text by the method {m}")).collect::<Vec<_>>(),
        "rai:dataLimitations": limits(card),
        "rai:dataReleaseMaintenancePlan": "Later opt-outs are applied with `goldminer convert --robots-now`, pages \
                                           are deleted with `goldminer drop`.",
    });
    // The macro would copy these values.
    metadata["@context"] = context();
    metadata["distribution"] = distribution(card).into();
    metadata["recordSet"] = record_sets(card).into();
    if let Some((first, last)) = holdings.fetched {
        metadata["rai:dataCollectionTimeframe"] =
            json!([first.strftime("%FT%TZ").to_string(), last.strftime("%FT%TZ").to_string()]);
    }
    if let Some((first, last)) = &holdings.published {
        metadata["temporalCoverage"] = format!("{first}/{last}").into();
    }
    let mut text = serde_json::to_string_pretty(&metadata).unwrap_or_default();
    text.push('\n');
    text
}

/// The citation file (Citation File Format 1.2.0). It has a placeholder for the makers of the corpus, who must name
/// themselves.
pub(super) fn citation(card: &Card) -> String {
    format!(
        "cff-version: 1.2.0\n\
         message: If you use this corpus, please cite it.\n\
         type: dataset\n\
         title: {}\n\
         # Who made it: put in persons (family-names, given-names, orcid) or an entity (name).\n\
         authors:\n\
         - name: {}\n\
         abstract: {}\n\
         date-released: {}\n\
         references:\n\
         - type: software\n  title: GoldMiner\n  version: {}\n  repository-code: {}\n  authors:\n  - name: The GoldMiner developers\n\
         # {SEAL}{UNSEALED}\n",
        quoted(&card.name),
        quoted(MAKERS),
        quoted(&in_short(&card.holdings).replace('\u{a0}', " ")),
        card.date,
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_REPOSITORY"),
    )
}

/// Returns a text as a YAML string. A JSON string is also a YAML string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The licence, if all pages name the same one; else a text that says where to find the rights of each page.
fn license(card: &Card) -> Value {
    let mut licenses = card.holdings.licenses.iter();
    match (licenses.next(), licenses.next()) {
        (Some((license, documents)), None) if *documents == card.holdings.documents => license.as_str().into(),
        _ => json!({
            "@type": "CreativeWork",
            "name": "None for the whole corpus: the texts belong to their portals",
            "description": "The rights statements of each page are in the field `rights` of its document; the record \
                            sets `rights` and `licenses` count them.",
        }),
    }
}

fn cite_as(card: &Card) -> String {
    let key: String = card.name.chars().filter(char::is_ascii_alphanumeric).collect();
    // Braces would end the BibTeX entry.
    let plain = |text: &str| text.replace(['{', '}', '\\'], "");
    format!(
        "@misc{{{}{}, title = {{{}}}, author = {{{{{MAKERS}}}}}, year = {{{}}}, note = {{Made with GoldMiner {}}}}}",
        if key.is_empty() { "corpus" } else { &key },
        card.date.year(),
        plain(&card.name),
        card.date.year(),
        env!("CARGO_PKG_VERSION"),
    )
}

fn distribution(card: &Card) -> Vec<Value> {
    let (encoding, includes) = match card.format {
        Format::Jsonl => (json!(["application/jsonlines", "application/zstd"]), "*.jsonl.zst"),
        Format::Parquet => (json!("application/x-parquet"), "*.parquet"),
        Format::Text => (json!("text/plain"), "*.txt"),
        Format::Cleaneval => (json!("text/plain"), "*/*.txt"),
        Format::Markdown => (json!("text/markdown"), "*/*.md"),
        Format::Html => (json!("text/html"), "*/*.html"),
        Format::Vertical => (json!("text/plain"), "corpus.vert"),
        Format::Tei => (json!("application/tei+xml"), "corpus.xml"),
    };
    let mut files = vec![json!({
        "@type": "cr:FileSet", "@id": FILES, "name": FILES,
        "description": format!("All documents: {}.", in_words(card.format)),
        "encodingFormat": encoding, "includes": includes,
    })];
    if card.files.len() <= MAX_FILES {
        files.extend(card.files.iter().filter(|file| !file.sha256.is_empty()).map(|file| {
            json!({
                "@type": "cr:FileObject", "@id": file.name, "name": file.name, "contentUrl": file.name,
                "contentSize": format!("{} B", file.bytes), "encodingFormat": encoding, "sha256": file.sha256,
            })
        }));
    }
    files
}

fn record_sets(card: &Card) -> Vec<Value> {
    let holdings = &card.holdings;
    let mut sets = Vec::new();
    let source = json!({"fileSet": {"@id": FILES}});
    let keys = match card.format {
        Format::Jsonl => Some(fields(DOCUMENT, &source)),
        Format::Parquet => Some(fields(&row(), &source)),
        _ => None,
    };
    if let Some(keys) = keys {
        let description = format!("A record for each document, {} in all.", thousands(holdings.documents));
        let mut set =
            json!({"@type": "cr:RecordSet", "@id": "documents", "name": "documents", "description": description});
        set["field"] = keys.into();
        sets.push(set);
    }
    let domains = holdings.largest_domains();
    let elsewhere = (holdings.elsewhere.documents > 0).then_some(("(others)", holdings.elsewhere));
    let rows = domains.into_iter().chain(elsewhere);
    sets.extend(counts("domains", "domain", "Documents and words by domain, the largest first.", true, rows));
    let of = |counts: &BTreeMap<String, u64>| -> Vec<(String, u64)> {
        counts.iter().map(|(name, n)| (name.clone(), *n)).collect()
    };
    let mut add = |id: &str, name: &str, about: &str, rows: Vec<(String, u64)>| {
        let rows = rows.iter().map(|(name, documents)| (name.as_str(), PartSize { documents: *documents, words: 0 }));
        sets.extend(counts(id, name, about, false, rows));
    };
    add(
        "languages",
        "language",
        "Documents by language (BCP 47); `und` where it was not recognised.",
        of(&holdings.languages),
    );
    add("years", "year", "Documents by the year of publication that their pages state.", of(&holdings.years));
    add("licenses", "license", "Documents by the licence that their pages name.", of(&holdings.licenses));
    let classes = classes(holdings).into_iter().map(|(class, n)| (class.replace('`', ""), n)).collect();
    add("rights", "class", "Documents by statements on their rights; a document may be in several classes.", classes);
    add("methods", "method", "Documents by the method that made their text.", of(&holdings.methods));
    add("programs", "program", "Documents by the program that made them.", of(&holdings.programs));
    let profiles = holdings.profiles.iter().map(|(version, n)| (version.to_string(), *n)).collect();
    add("profiles", "version", "Documents by the version of the profile of their domain.", profiles);
    sets
}

/// A record set with its records; None if there are none.
fn counts<'r>(
    id: &str,
    name: &str,
    about: &str,
    has_words: bool,
    rows: impl Iterator<Item = (&'r str, PartSize)>,
) -> Option<Value> {
    let field = |key: &str, kind: &str| json!({"@type": "cr:Field", "@id": format!("{id}/{key}"), "name": key, "dataType": kind});
    let data: Vec<Value> = rows
        .map(|(row, size)| {
            let mut record = json!({(format!("{id}/{name}")): row, (format!("{id}/documents")): size.documents});
            if has_words {
                record[format!("{id}/words")] = size.words.into();
            }
            record
        })
        .collect();
    if data.is_empty() {
        return None;
    }
    let mut fields = vec![field(name, "sc:Text"), field("documents", "sc:Integer")];
    fields.extend(has_words.then(|| field("words", "sc:Integer")));
    Some(json!({
        "@type": "cr:RecordSet", "@id": id, "name": id, "description": about, "field": fields, "data": data,
    }))
}

/// The JSON-LD context, complete as in the specification, because readers compare it with their own copy.
fn context() -> Value {
    json!({
        "@language": "en", "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs", "column": "cr:column", "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/", "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "dct": "http://purl.org/dc/terms/",
        "equivalentProperty": "cr:equivalentProperty", "examples": {"@id": "cr:examples", "@type": "@json"},
        "extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject",
        "fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
        "recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated",
        "replace": "cr:replace", "samplingRate": "cr:samplingRate", "sc": "https://schema.org/", "separator": "cr:separator",
        "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
    })
}
