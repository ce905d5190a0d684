//! The book in `docs/`: complete, and true. A new key, command or exit code that it does not describe fails here, and
//! so does an example that is no longer valid.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use goldminer::cli::Cli;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_corpus::schema::{DOCUMENT, Field, Kind, columns};
use goldminer_crawl::config::{Config, Overrides};
use goldminer_crawl::seeds::{HumanDuration, Seeds};

/// The keys of a seeds file: table, name, and the documented type.
const KEYS: &[(&str, &str, &str)] = &[
    ("[crawl]", "user_agent", "text"),
    ("[crawl]", "delay", "duration"),
    ("[crawl]", "ip_spacing", "duration"),
    ("[crawl]", "max_pages", "number"),
    ("[crawl]", "max_time", "duration"),
    ("[crawl]", "max_in_flight", "number"),
    ("[crawl]", "max_requests_per_second", "number"),
    ("[crawl]", "learning_pages", "number"),
    ("[crawl]", "shortest_revisit", "duration"),
    ("[crawl]", "longest_revisit", "duration"),
    ("[crawl]", "alarm_after", "duration"),
    ("[crawl]", "min_free", "size"),
    ("[crawl]", "disk_patience", "duration"),
    ("[crawl]", "backoff", "duration"),
    ("[crawl]", "retry_wait", "duration"),
    ("[crawl]", "proxy", "text"),
    ("[crawl]", "respect", "list of names"),
    ("[[portal]]", "name", "text"),
    ("[[portal]]", "start", "list of URLs"),
    ("[[portal]]", "feeds", "list of URLs"),
    ("[[portal]]", "sitemaps", "list of URLs"),
    ("[[portal]]", "scope", "`\"host\"`, `\"domain\"` or `\"prefix\"`"),
    ("[[portal]]", "include", "list of regular expressions"),
    ("[[portal]]", "exclude", "list of regular expressions"),
    ("[[portal]]", "max_pages", "number"),
    ("[[portal]]", "max_depth", "number"),
    ("[[portal]]", "max_bytes", "size"),
    ("[[portal]]", "delay", "duration"),
    ("[[portal]]", "accept_language", "text"),
];

fn page(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The sections of a page: `## part` and ``### `name` ``, with their text.
fn sections(page: &str) -> BTreeMap<(String, String), String> {
    let mut sections = BTreeMap::new();
    for part in page.split("\n## ").skip(1) {
        let (title, rest) = part.split_once('\n').unwrap();
        for section in rest.split("\n### ").skip(1) {
            let (name, text) = section.split_once('\n').unwrap();
            let key = (title.trim_matches('`').to_owned(), name.trim_matches('`').to_owned());
            assert!(sections.insert(key.clone(), text.to_owned()).is_none(), "{key:?} twice");
        }
    }
    sections
}

/// The code blocks in this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn seeds_with(example: &str) -> String {
    let portal = if example.contains("[[portal]]") { "" } else { "[[portal]]\nstart = [\"https://p.example/\"]\n" };
    format!("{example}\n{portal}")
}

/// Checks that a key's section has its type, default and purpose, and an example.
fn assert_described(name: &str, text: &str) {
    let first = text.trim_start().lines().next().unwrap_or_default();
    assert!(
        first.starts_with("Type: ") && first.contains(" Default: "),
        "{name}: type and default first, not {first:?}"
    );
    let words = text.split("```").next().unwrap().lines().skip(2).collect::<String>();
    assert!(words.len() > 5, "{name}: what it is for is missing");
    let example = blocks(text, "toml");
    let last = name.trim_matches(['[', ']']);
    assert!(example.iter().any(|block| block.contains(last)), "{name}: an example with it is missing");
}

#[test]
fn every_key_of_a_seeds_file_is_documented() {
    let page = page("reference/seeds.md");
    let sections = sections(&page);
    let documented: BTreeSet<&(String, String)> = sections.keys().collect();
    let keys: BTreeSet<(String, String)> =
        KEYS.iter().map(|(table, name, _)| ((*table).to_owned(), (*name).to_owned())).collect();
    assert_eq!(documented, keys.iter().collect(), "docs/src/reference/seeds.md and KEYS differ");
    for table in ["[crawl]", "[[portal]]"] {
        let error =
            toml::from_str::<Seeds>(&format!("{table}\nno_such_key = 1\n")).expect_err("an unknown key was taken");
        let read: BTreeSet<&str> = error.message().split('`').skip(3).step_by(2).collect();
        let keys: BTreeSet<&str> = KEYS.iter().filter(|key| key.0 == table).map(|key| key.1).collect();
        assert_eq!(read, keys, "the keys of {table}: bring KEYS and docs/src/reference/seeds.md up to date");
    }
    for (table, name, kind) in KEYS {
        let text = &sections[&((*table).to_owned(), (*name).to_owned())];
        assert_described(name, text);
        assert!(text.contains(&format!("Type: {kind}.")), "{name}: its type is {kind}");
    }
    for example in blocks(&page, "toml") {
        Seeds::parse(&seeds_with(&example), "docs/src/reference/seeds.md").unwrap_or_else(|e| panic!("{e}\n{example}"));
    }
}

#[test]
fn documented_defaults_are_the_actual_ones() {
    let sections = sections(&page("reference/seeds.md"));
    let mut seeds = Seeds::default();
    seeds.crawl.user_agent = "it/1.0 (+https://corpus.uni.hu/; it@corpus.uni.hu)".to_owned();
    let effective = Config::effective(seeds, &Overrides::default()).unwrap().crawl;
    let mut defaults: toml::Table = toml::from_str(&toml::to_string(&effective).unwrap()).unwrap();
    defaults.remove("user_agent");
    for (_, name, kind) in KEYS.iter().filter(|key| key.0 == "[crawl]") {
        let text = &sections[&("[crawl]".to_owned(), (*name).to_owned())];
        let documented = text.split("Default: ").nth(1).unwrap().split('\n').next().unwrap();
        match defaults.get(*name).filter(|value| value.as_str() != Some("")) {
            Some(value) => {
                let same = |documented: &str| match (*kind, value) {
                    ("duration", toml::Value::String(value)) => {
                        documented.trim_matches('"').parse::<HumanDuration>() == value.parse()
                    }
                    _ => documented == value.to_string(),
                };
                let written = documented.split('`').nth(1).unwrap_or_default();
                assert!(same(written), "{name}: {documented:?} is documented, {value} holds");
            }
            None => assert!(!documented.starts_with('`') || *name == "min_free", "{name}: it has no default"),
        }
    }
}

#[test]
fn every_key_of_a_profile_is_documented() {
    let page = page("guide/profiles.md");
    let sections = sections(&page);
    let tables = [
        ("The profile", "no_such_key = 1\n"),
        ("[[template]]", "key = \"a\"\n[[template]]\nstart = \"div\"\nno_such_key = 1\n"),
        ("[places]", "key = \"a\"\ntemplate = []\n[places]\nno_such_key = 1\n"),
        ("[manual]", "key = \"a\"\ntemplate = []\n[manual]\nno_such_key = 1\n"),
        ("[evidence]", "key = \"a\"\ntemplate = []\n[evidence]\nno_such_key = 1\n"),
    ];
    for (table, text) in tables {
        let error = DomainProfile::from_toml(text).expect_err("an unknown key was taken").to_string();
        let known: BTreeSet<&str> =
            error.split("expected one of").nth(1).unwrap().split('`').skip(1).step_by(2).collect();
        let documented: BTreeSet<&str> =
            sections.keys().filter(|(part, _)| part == table).map(|(_, name)| name.as_str()).collect();
        assert_eq!(documented, known, "the keys of {table}");
    }
    sections.iter().for_each(|((_, name), text)| assert_described(name, text));
    for example in blocks(&page, "toml") {
        DomainProfile::from_toml(&example).unwrap_or_else(|e| panic!("{e}\n{example}"));
    }
}

#[test]
fn every_command_exit_code_and_page_is_in_the_book() {
    let sections = sections(&page("reference/commands.md"));
    let documented: BTreeSet<String> = sections.keys().map(|(_, name)| name.replace("goldminer ", "")).collect();
    let cli = Cli::command();
    let known: BTreeSet<String> = cli
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(|command| command.get_name().to_owned())
        .collect();
    assert_eq!(documented, known, "docs/src/reference/commands.md and the command line differ");
    let codes: Vec<String> = page("reference/exit-codes.md")
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| ")?.split(' ').next()?.to_owned()))
        .filter(|code| code.parse::<u8>().is_ok())
        .collect();
    assert_eq!(codes, ["0", "1", "2", "3", "4", "130"]);
    let help = cli.get_after_help().map(ToString::to_string).unwrap_or_default();
    assert!(codes.iter().all(|code| help.contains(&format!("{code} "))), "{help}");
    let contents = page("SUMMARY.md");
    for path in book() {
        let name = path.strip_prefix(folder()).unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || contents.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
    }
}

#[test]
fn an_option_after_a_group_is_outside_of_it_in_the_help() {
    let cli = Cli::command();
    for (command, option) in [("try", "json"), ("convert", "json"), ("extract", "profiles"), ("extract", "json")] {
        let mut arguments = cli.find_subcommand(command).unwrap().get_arguments();
        let argument = arguments.find(|argument| argument.get_id().as_str() == option).unwrap();
        assert_eq!(argument.get_help_heading(), None, "{command} --{option}");
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src")
}

/// The pages of the book, without their pictures.
fn book() -> impl Iterator<Item = PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let (parts, mut pages): (Vec<_>, Vec<_>) = entries(&folder()).into_iter().partition(|path| path.is_dir());
    pages.extend(parts.iter().flat_map(|part| entries(part)));
    pages.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "md"))
}

#[test]
fn links_between_pages_have_targets() {
    for path in book() {
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let is_there = file.is_empty() || link.starts_with("https://") || path.with_file_name(file).is_file();
            assert!(is_there, "{}: {link} leads nowhere", path.display());
        }
    }
}

#[test]
fn commands_in_the_book_are_valid() {
    for path in book() {
        for block in blocks(&std::fs::read_to_string(&path).unwrap(), "sh") {
            for line in block.lines().filter(|line| line.starts_with("goldminer ")) {
                let line = line.split(" #").next().unwrap().split(" | ").next().unwrap();
                let parsed = Cli::command().try_get_matches_from(line.split_whitespace());
                assert!(parsed.is_ok(), "{}: {line}\n{}", path.display(), parsed.unwrap_err());
            }
        }
    }
}

/// Lists the fields below a key as the book and the stub of the Python package do: each with its key, its column and
/// its type.
fn fields(of: &[Field], above: &str, is_column: bool, found: &mut Vec<[String; 3]>) {
    for field in of {
        let key = format!("{above}{}", field.key);
        let (kind, inner, end): (_, &[Field], _) = match field.kind {
            Kind::Text => ("text", &[], ""),
            Kind::Date => ("date or time", &[], ""),
            Kind::Time => ("time", &[], ""),
            Kind::Truth => ("true or false", &[], ""),
            Kind::U32 | Kind::I32 | Kind::U64 | Kind::Share => ("number", &[], ""),
            Kind::Numbers => ("list of numbers", &[], ""),
            Kind::Texts => ("list of texts", &[], ""),
            Kind::One(inner) => ("", inner, "."),
            Kind::Many(inner) | Kind::Json(inner) => ("list of objects", inner, "[]."),
        };
        if !kind.is_empty() {
            let null = if field.is_nullable { " or null" } else { "" };
            let column = match field.kind {
                _ if !is_column => String::new(),
                Kind::Time => format!("`{0}`, `{0}_nanoseconds`", field.column),
                _ => format!("`{}`", field.column),
            };
            found.push([key.clone(), column, format!("{kind}{null}")]);
        }
        fields(inner, &format!("{key}{end}"), is_column && end == ".", found);
    }
}

#[test]
fn the_book_describes_every_field_of_a_document() {
    let mut known = Vec::new();
    fields(DOCUMENT, "", true, &mut known);
    let page = page("reference/documents.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let documented: Vec<[String; 3]> = rows
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            assert!(cells.len() == 4 && cells[3].len() > 5, "{row}: what it means is missing");
            [cells[0].trim_matches('`').to_owned(), cells[1].to_owned(), cells[2].to_owned()]
        })
        .collect();
    assert_eq!(documented, known, "docs/src/reference/documents.md and corpus::schema differ");
    let columns: Vec<&str> = columns().iter().map(|column| column.name).collect();
    assert!(columns.iter().all(|column| page.contains(&format!("`{column}`"))), "{columns:?}");
}

/// A type of Python, in a form that its stub has.
fn python_type(field: &Field) -> String {
    let name = |key: &str| key.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect::<String>();
    let plain = match field.kind {
        Kind::Text | Kind::Date | Kind::Time => "str".to_owned(),
        Kind::Truth => "bool".to_owned(),
        Kind::U32 | Kind::I32 | Kind::U64 => "int".to_owned(),
        Kind::Share => "float".to_owned(),
        Kind::Numbers => "list[int]".to_owned(),
        Kind::Texts => "list[str]".to_owned(),
        Kind::One(_) => format!("_{}", name(field.key)),
        Kind::Many(_) | Kind::Json(_) => format!("list[_{}]", name(field.key.trim_end_matches('s'))),
    };
    if field.is_nullable { format!("{plain} | None") } else { plain }
}

/// The classes of Python's stub for the objects below a field.
fn python_classes(field: &Field, classes: &mut Vec<String>) {
    let (Kind::One(inner) | Kind::Json(inner)) = field.kind else { return };
    let name = python_type(&Field { is_nullable: false, ..*field });
    let keys: String = inner.iter().map(|field| format!("    {}: {}\n", field.key, python_type(field))).collect();
    classes.push(format!("class {}(TypedDict):\n{keys}", name.trim_start_matches("list[").trim_end_matches(']')));
    inner.iter().for_each(|field| python_classes(field, classes));
}

#[test]
fn python_knows_the_type_of_every_field_of_a_document() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/goldminer/_goldminer.pyi");
    let stub = std::fs::read_to_string(path).unwrap();
    let mut classes = Vec::new();
    DOCUMENT.iter().for_each(|field| python_classes(field, &mut classes));
    for class in classes {
        assert!(stub.contains(&class), "the stub lacks:\n{class}");
    }
    let metadata = DOCUMENT.iter().find(|field| field.key == "metadata");
    let Some(Field { kind: Kind::One(metadata), .. }) = metadata else { panic!("{metadata:?}") };
    for field in DOCUMENT.iter().filter(|field| !matches!(field.key, "paragraphs" | "objects")).chain(*metadata) {
        let property = format!("def {}(self) -> {}:", field.key, python_type(field));
        assert!(stub.contains(&property), "the stub lacks: {property}");
    }
}

#[test]
fn the_page_for_corpus_tools_shows_what_the_program_writes() {
    let page = page("reference/corpus-tools.md");
    let block = |name: &str| {
        let block = page.split(&format!("```{name}\n")).nth(1).unwrap_or_else(|| panic!("no {name}"));
        block.split("```").next().unwrap().to_owned()
    };
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("page.html"), block("html")).unwrap();
    let extract = |args: &[&str]| {
        let input = std::fs::File::open(dir.path().join("page.html")).unwrap();
        let mut command =
            crate::crawl_world::goldminer(&["extract", "-", "--url", "https://portal.example/rain", "-o"]);
        assert!(command.args(args).stdin(input).current_dir(dir.path()).status().unwrap().success());
    };
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    extract(&["rain.vert"]);
    extract(&["folder", "--format", "vertical"]);
    let (sample, card) = (read("rain.vert"), read("folder/README.md"));
    // The confidence changes with each training of the classifier.
    let timeless = |text: &str| -> Option<[String; 2]> {
        let (before, rest) = text.split_once(" confidence=")?;
        Some([before, rest.split_once('>')?.1].map(str::to_owned))
    };
    assert_eq!(timeless(&block("xml")), timeless(&sample));
    assert!(card.contains(&format!("```sh\n{}```", block("sh"))), "{card}");
}
