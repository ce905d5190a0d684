//! Tests that a frontier (the URLs to fetch, with the state of each host) can move to another machine: as a checkpoint,
//! and with the last requests of its earlier owners.

use std::fs::File;
use std::time::{Duration, Instant};

use goldminer_core::{DomainProfile, ServingProfile};
use goldminer_crawl::frontier::{Discovery, HostWait, UrlKind};
use goldminer_crawl::store::profiles::ProfileStore;
use goldminer_crawl::store::{Store, checkpoint};
use jiff::SignedDuration;

use crate::frontier::world::{PORTAL, World, busy, host, url};

#[test]
fn a_takeover_keeps_the_delay_since_earlier_requests() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a"]);
    world.pass(600.0);
    world.open();
    let now = world.now;
    world.f().take_over(now - SignedDuration::from_secs(2), &[], now).unwrap();
    world.pass(2.9);
    assert!(world.lease().is_none(), "earlier workers may have sent a request 4.9 s ago");
    world.pass(0.1);
    assert!(world.lease().is_some());
}

#[test]
fn waits_of_hosts_survive_a_takeover_and_a_restart() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a"]);
    let lease = world.next_page();
    world.finish(lease, busy(Some(3_600)), &[]);
    let (now, portal) = (world.now, host(PORTAL));
    let asked = world.f().wait_of(&portal, now).expect("the host asked for a pause");
    assert!(asked.wait >= Duration::from_secs(3_599), "{asked:?}");

    // Another machine has a checkpoint from before that.
    let mut other = World::new(&[PORTAL]);
    other.fetch(&["/a"]);
    let now = other.now;
    assert_eq!(other.f().wait_of(&portal, now), None);
    let unknown = HostWait { host: host("https://new.example/"), wait: Duration::ZERO, crawl_delay: None };
    let waits = [HostWait { crawl_delay: Some(Duration::from_secs(30)), ..asked }, unknown];
    other.f().take_over(now - SignedDuration::from_hours(2), &waits, now).unwrap();
    other.pass(3_000.0);
    other.open();
    assert!(other.lease().is_none(), "Retry-After named an hour");
    other.pass(600.0);
    assert!(other.lease().is_some());
    assert_eq!(other.status(PORTAL).crawl_delay, Some(Duration::from_secs(30)));
}

/// With `GOLDMINER_CHECKPOINT_URLS=1000000`, this measures a large checkpoint (in a release build).
#[test]
fn a_checkpoint_is_small_and_restores_the_same_frontier() {
    let urls = std::env::var("GOLDMINER_CHECKPOINT_URLS").map_or(3_000, |urls| urls.parse().unwrap());
    let mut world = World::with(&[PORTAL], |config| config.hosts_of_domain = usize::MAX);
    world.fetch(&["/a", "/b"]);
    let portal = world.portal(PORTAL);
    let found = |n: u64| {
        let path =
            format!("https://portal.example/news/{}/{:02}/story-of-{n}-{:x}.html", 2000 + n % 26, n % 12, n * 7919);
        Discovery::seed(url(&path), UrlKind::Page, portal)
    };
    for first in (0..urls).step_by(10_000) {
        let some: Vec<Discovery> = (first..urls.min(first + 10_000)).map(found).collect();
        world.add(&some);
    }
    let before = world.account();
    let dir = tempfile::tempdir().unwrap();
    let (saved, frontier) = (dir.path().join("checkpoint.zst"), dir.path().join("frontier"));
    let began = Instant::now();
    let from = world.close();
    let profiles = ProfileStore::open(&dir.path().join("profiles.sled")).unwrap();
    let learned =
        ServingProfile::everywhere(DomainProfile::from_toml("key = 'portal.example'\ntemplate = []").unwrap());
    profiles.put(&learned).unwrap();
    checkpoint::save(&Store::open(&from).unwrap(), &profiles, File::create(&saved).unwrap()).unwrap();
    let (took, bytes) = (began.elapsed(), std::fs::metadata(&saved).unwrap().len());
    let began = Instant::now();
    checkpoint::restore(&frontier, &dir.path().join("other.sled"), File::open(&saved).unwrap()).unwrap();
    let each = bytes as f64 / urls as f64;
    eprintln!("{urls} URLs: {each:.1} bytes each, saved in {took:?}, restored in {:?}", began.elapsed());
    assert!(each <= 60.0, "{each} bytes a URL");
    let restored = ProfileStore::open(&dir.path().join("other.sled")).unwrap();
    assert_eq!(restored.latest("portal.example").unwrap(), Some(learned));

    world.open();
    let next = |world: &mut World| (0..20).map(|_| world.fetch(&[])).collect::<Vec<_>>();
    let expected = next(&mut world);
    let now = world.now;
    world.open_at(&frontier);
    world.now = now;
    assert_eq!(world.account(), before);
    assert_eq!(next(&mut world), expected, "other URLs, or in another order");

    let mut damaged = std::fs::read(&saved).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xFF;
    let refused = checkpoint::restore(&dir.path().join("x"), &dir.path().join("x.sled"), damaged.as_slice());
    assert!(refused.is_err(), "a damaged checkpoint is taken for a whole one");
    let refused = checkpoint::restore(&dir.path().join("y"), &dir.path().join("y.sled"), &b"nonsense"[..]);
    assert!(refused.is_err());
}
