//! Causes the faults of a cluster, one after the other, and decides how long each lasts.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::Cluster;
use crate::crawl_world::{LONG, pause, run};
use crate::relay::RelayMode;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    Kill,
    Stop,
    DatabaseCrash,
    NoDatabase,
    DatabaseHangsUp,
    NoStore,
    StoreHangsUp,
    Neither,
    SlowStore,
    ClockForth,
    ClockBack,
    SameName,
    FullDisk,
    NoByteLeft,
    DamagedCheckpoint,
    Commands,
    CommandsWhileMoving,
    Drain,
}

/// All faults. They are caused in turn, so that each is equally frequent.
pub(crate) const ALL: [Fault; 18] = [
    Fault::Kill,
    Fault::ClockForth,
    Fault::Stop,
    Fault::NoDatabase,
    Fault::Commands,
    Fault::NoStore,
    Fault::DatabaseCrash,
    Fault::SameName,
    Fault::DatabaseHangsUp,
    Fault::Drain,
    Fault::StoreHangsUp,
    Fault::DamagedCheckpoint,
    Fault::Neither,
    Fault::ClockBack,
    Fault::SlowStore,
    Fault::FullDisk,
    Fault::CommandsWhileMoving,
    Fault::NoByteLeft,
];

/// The free bytes on a disk at which a crawl of this bench stops.
pub(crate) const MIN_FREE: u64 = 8_000_000;

/// Longer than the lease and the grace period of this bench.
const PAST_LEASE: Duration = Duration::from_secs(14);

/// Causes a fault at a worker or at the servers that it uses. Returns whether the worker's uncommitted pages were lost,
/// or None if this machine cannot cause the fault.
pub(crate) fn happen(fault: Fault, cluster: &mut Cluster, victim: usize) -> Option<bool> {
    let set_relays = |cluster: &Cluster, database: RelayMode, store: RelayMode| {
        cluster.workers[victim].database.set(database);
        cluster.workers[victim].store.set(store);
    };
    match fault {
        Fault::Kill => {
            cluster.kill(victim);
            cluster.start(victim, None, None);
            pause(Duration::from_secs(2));
        }
        Fault::Stop => {
            cluster.workers[victim].signal("STOP");
            pause(PAST_LEASE);
            cluster.workers[victim].signal("CONT");
        }
        Fault::DatabaseCrash => {
            cluster.postgres.crash(Duration::from_secs(3));
            return Some(false);
        }
        Fault::NoDatabase | Fault::DatabaseHangsUp => {
            let how = if fault == Fault::NoDatabase { RelayMode::Silent } else { RelayMode::Cut };
            set_relays(cluster, how, RelayMode::Whole);
            pause(PAST_LEASE);
            set_relays(cluster, RelayMode::Whole, RelayMode::Whole);
        }
        Fault::NoStore | Fault::StoreHangsUp => {
            let how = if fault == Fault::NoStore { RelayMode::Silent } else { RelayMode::Cut };
            set_relays(cluster, RelayMode::Whole, how);
            pause(Duration::from_secs(12));
            set_relays(cluster, RelayMode::Whole, RelayMode::Whole);
            return Some(false);
        }
        Fault::Neither => {
            set_relays(cluster, RelayMode::Silent, RelayMode::Silent);
            pause(PAST_LEASE);
            set_relays(cluster, RelayMode::Whole, RelayMode::Whole);
        }
        Fault::SlowStore => {
            set_relays(cluster, RelayMode::Whole, RelayMode::Slow);
            pause(Duration::from_secs(10));
            set_relays(cluster, RelayMode::Whole, RelayMode::Whole);
            return Some(false);
        }
        Fault::ClockForth | Fault::ClockBack => {
            cluster.faketime.as_ref()?;
            cluster.workers[victim].step_clock(if fault == Fault::ClockForth { 3600 } else { -3600 });
            pause(Duration::from_secs(6));
            return Some(false);
        }
        Fault::SameName => {
            let other = cluster.workers[(victim + 1) % cluster.workers.len()].name.clone();
            cluster.kill(victim);
            cluster.start(victim, Some(other), None);
            pause(Duration::from_secs(2));
        }
        Fault::FullDisk | Fault::NoByteLeft => {
            let disk = SmallDisk::mount(cluster)?;
            cluster.drain(victim);
            cluster.start(victim, None, Some(disk.0.clone()));
            pause(Duration::from_secs(12));
            // The space that a crawl leaves free is enough for its last commit. Without it, the commit fails.
            disk.fill(if fault == Fault::FullDisk { MIN_FREE / 2 } else { 0 });
            let full = cluster.workers[victim].ends_within(Duration::from_secs(90));
            println!("    it ended by itself: {full:?}");
            if full != Some(Some(3)) {
                cluster.wrong.push(format!("a worker with a full disk must end and say so: {full:?}"));
                cluster.kill(victim);
            }
            drop(disk);
            cluster.start(victim, None, None);
            return Some(fault == Fault::NoByteLeft);
        }
        Fault::DamagedCheckpoint => {
            // The next worker of a partition finds that its checkpoint is not the committed one.
            let statement = "UPDATE partition SET blake3 = repeat('0', 64) WHERE id = (SELECT partition.id FROM partition
                JOIN worker ON worker.session = owner WHERE worker.name = '{}' AND checkpoint IS NOT NULL AND done IS NULL
                ORDER BY id LIMIT 1)";
            let name = cluster.workers[victim].name.clone();
            cluster.kill(victim);
            cluster.postgres.ask(&statement.replace("{}", &name));
            cluster.start(victim, None, None);
            pause(Duration::from_secs(2));
        }
        Fault::Commands => {
            let host = cluster.hosts[victim % cluster.hosts.len()].clone();
            for command in ["pause", "resume"] {
                let ran = run(cluster.verb("ctl").args(["--wait", "60s", command, &host]), LONG);
                println!("    {command} {host}: {:?} {}{}", ran.code(), ran.stdout.trim(), ran.stderr.trim());
            }
            return Some(false);
        }
        Fault::CommandsWhileMoving => {
            // Commands for hosts of a worker that is cut off completely. Other workers take over its partitions
            // meanwhile.
            let hosts = cluster.hosts_of(victim);
            set_relays(cluster, RelayMode::Silent, RelayMode::Silent);
            for command in ["pause", "resume"] {
                for host in hosts.iter().take(3) {
                    let ran = run(cluster.verb("ctl").args(["--wait", "0s", command, host]), LONG);
                    assert_eq!(ran.code(), Some(0), "{ran:?}");
                }
            }
            pause(PAST_LEASE);
            set_relays(cluster, RelayMode::Whole, RelayMode::Whole);
            println!("    {} commands were given to its hosts", 2 * hosts.len().min(3));
        }
        Fault::Drain => {
            cluster.drain(victim);
            cluster.start(victim, None, None);
            return Some(false);
        }
    }
    Some(true)
}

/// A small disk in memory (tmpfs). It exists only if this process may mount one.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(cluster: &Cluster) -> Option<Self> {
        let place = cluster.dir.path().join("small-disk");
        std::fs::create_dir_all(&place).ok()?;
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=400m", "tmpfs"]).arg(&place).output().ok()?;
        if !mounted.status.success() {
            println!("    skipped: this process may not mount a disk of its own");
            return None;
        }
        Some(Self(place))
    }

    /// Fills the disk, except for this many bytes.
    fn fill(&self, but: u64) {
        let ballast = self.0.join("ballast");
        let file = std::fs::File::create(&ballast).and_then(|mut file| {
            let free = fs4::available_space(&self.0)?;
            std::io::copy(&mut std::io::repeat(1).take(free.saturating_sub(but)), &mut file)
        });
        let free = fs4::available_space(&self.0).unwrap_or(0);
        println!("    the disk is filled ({:?} bytes of ballast), {free} bytes are free", file.ok());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
