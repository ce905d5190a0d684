//! Tests profiles that are stored in the database.

use goldminer_core::document::Document;

use crate::crawl_world::{LONG, documents, run};
use crate::takeovers::{Cluster, HOSTS};

#[test]
fn profiles_of_one_crawl_can_be_copied_to_another() {
    let Some(cluster) = Cluster::new(&HOSTS[..2], 0.3) else { return };
    let ran = cluster.worker("first").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let keys = cluster.postgres.ask("SELECT key FROM profile GROUP BY key ORDER BY key");
    let domains: Vec<&str> = keys.iter().map(String::as_str).collect();
    assert_eq!(domains, ["courier.example", "naplo.example"]);
    assert_eq!(
        cluster.number("SELECT count(*) FROM (SELECT FROM profile GROUP BY key, blake3 HAVING count(*) > 1) AS twice"),
        0
    );

    cluster.postgres.ask("CREATE DATABASE later");
    let later = cluster.postgres.url_of("later");
    let store = cluster.world.path("store-of-later");
    let mut init = cluster.init(&store);
    init.env("GOLDMINER_DB", &later).arg("--learned-from").arg(cluster.postgres.url());
    let ran = run(&mut init, LONG);
    assert!(ran.code() == Some(0) && ran.stdout.contains("2 profiles copied from the other crawl"), "{ran:?}");
    let mut work = cluster.verb("work");
    work.env("GOLDMINER_DB", &later).args(["--name", "later", "--dir"]).arg(cluster.world.path("later"));
    let ran = run(&mut work, LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let corpus = cluster.world.path("corpus-of-later");
    let ran = run(cluster.verb("export").env("GOLDMINER_DB", &later).arg("-o").arg(&corpus), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");

    // All documents, from the first page on, are extracted with profiles, and no article is missing.
    let found = documents(&corpus);
    let mut unbroken = documents(&cluster.world.crawled("unbroken").join("corpus"));
    let is_by_profile = |document: &Document| document.provenance.profile.is_some();
    unbroken.retain(|_, document| is_by_profile(document));
    let other: Vec<&String> = unbroken.keys().filter(|url| !found.get(*url).is_some_and(is_by_profile)).collect();
    assert!(other.is_empty() && unbroken.len() > 20, "missing, or read without a profile: {other:#?}");
}
