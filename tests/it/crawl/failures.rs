//! Unreachable hosts: each cause is named in the log, `status`, `why` and the report, with advice; no URL of these
//! hosts is lost or waits for ever.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;

use crate::crawl_world::{LONG, goldminer, run};
use crate::raw_server::{RawServer, page};
use crate::tls_server::{Authority, Kind, TlsServer};

const HEAD: &str = "[crawl]\nuser_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\n\
                    ip_spacing = \"0s\"\nbackoff = \"50ms\"\nretry_wait = \"50ms\"\n";

fn seeds(dir: &Path, starts: &[&str]) -> std::path::PathBuf {
    let portals = starts.iter().map(|start| format!("\n[[portal]]\nstart = [\"{start}\"]\n"));
    let path = dir.join("seeds.toml");
    std::fs::write(&path, format!("{HEAD}{}", portals.collect::<String>())).unwrap();
    path
}

/// A port on loopback that nobody listens on.
fn closed_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn log_of(job: &Path) -> String {
    let files = std::fs::read_dir(job.join("log")).unwrap();
    files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

#[test]
fn each_cause_of_an_unreachable_host_is_named_everywhere() {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let ca = dir.path().join("ca.pem");
    authority.write(&ca);
    let tls = |names: &[&str], kind| {
        let identity = authority.issue(names, kind);
        runtime.block_on(TlsServer::start(identity, &[], |_| async {}))
    };
    let expired = tls(&["expired.example"], Kind::Expired);
    let foreign = tls(&["other.example"], Kind::Good);
    let own = tls(&["self.example"], Kind::SelfSigned);
    let mute = runtime.block_on(RawServer::start(|_, _| async { None }));
    let plain = runtime.block_on(RawServer::greeting("SSH-2.0-OpenSSH_9.6\r\n"));
    let garbage = runtime.block_on(RawServer::saying("SSH-2.0-OpenSSH_9.6\r\n"));
    let good = runtime.block_on(RawServer::start(|_, mut stream| async move {
        let _ = stream.write_all(&page("<p>Hello.</p>")).await;
        Some(stream)
    }));
    let hosts = [
        ("http://closed.example", format!("closed.example:80:127.0.0.1:{}", closed_port()), "connection-refused"),
        ("http://10.1.2.3", String::new(), "private-address"),
        ("https://expired.example", format!("expired.example:443:{}", expired.address), "certificate-expired"),
        ("https://foreign.example", format!("foreign.example:443:{}", foreign.address), "certificate-foreign"),
        ("https://self.example", format!("self.example:443:{}", own.address), "certificate-untrusted"),
        ("https://plain.example", format!("plain.example:443:{}", plain.address), "tls"),
        ("http://mute.example", format!("mute.example:80:{}", mute.address), "reset"),
        ("http://garbage.example", format!("garbage.example:80:{}", garbage.address), "no-http"),
    ];
    let mut starts: Vec<String> = hosts.iter().map(|(host, ..)| format!("{host}/")).collect();
    starts.push("http://good.example/".to_owned());
    let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
    let job = dir.path().join("job");
    let mut command = goldminer(&["crawl"]);
    command.arg(seeds(dir.path(), &starts)).arg("--dir").arg(&job).args(["--allow-private", "--delay", "0s"]);
    command.env("SSL_CERT_FILE", &ca).env_remove("HTTP_PROXY").env_remove("HTTPS_PROXY").env_remove("ALL_PROXY");
    command.args(["--resolve", &format!("good.example:80:{}", good.address)]);
    for (_, rule, _) in hosts.iter().filter(|(_, rule, _)| !rule.is_empty()) {
        command.args(["--resolve", rule]);
    }
    let ran = run(&mut command, LONG);
    assert!(matches!(ran.code(), Some(0 | 3 | 4)), "{ran:?}");

    let status = run(goldminer(&["status", "--json"]).arg(&job), LONG);
    let status: Value = serde_json::from_str(&status.stdout).unwrap();
    let (text, log) = (run(goldminer(&["status"]).arg(&job), LONG).stdout, log_of(&job));
    let report = dir.path().join("report.html");
    let made = run(goldminer(&["report"]).arg(&job).arg("-o").arg(&report), LONG);
    assert_eq!(made.code(), Some(0), "{made:?}");
    let report = std::fs::read_to_string(&report).unwrap();
    for (host, _, cause) in &hosts {
        let line = status["hosts"].as_array().unwrap().iter().find(|line| line["host"] == *host);
        let trouble = &line.unwrap_or_else(|| panic!("{host} is missing in {status:#}"))["trouble"];
        assert_eq!(trouble["cause"], *cause, "{host}: {trouble:#}");
        assert!(trouble["count"].as_u64() > Some(0) && trouble["last"].is_string(), "{host}: {trouble:#}");
        let why = run(goldminer(&["why"]).arg(&job).arg(format!("{host}/")), LONG).stdout;
        assert!(why.contains("robots.txt is unreachable: ") && why.contains("next request"), "{why}");
        assert!(log.contains(&format!("{host}/robots.txt")), "the log does not name {host}");
        assert!(report.contains(&host[7..]), "the report does not name {host}");
    }
    assert!(text.contains("its port is closed"), "{text}");
    assert!(report.contains("its certificate is not trusted") && report.contains("SSL_CERT_FILE"));
    let why = |url: &str| run(goldminer(&["why"]).arg(&job).arg(url), LONG).stdout;
    assert!(why("http://10.1.2.3/").contains("--allow-private"), "{}", why("http://10.1.2.3/"));
    assert!(why("https://self.example/").contains("SSL_CERT_FILE"));
    let good = status["hosts"].as_array().unwrap().iter().find(|line| line["host"] == "http://good.example").unwrap();
    assert!(good.get("trouble").is_none(), "{good:#}");
}

#[test]
fn the_authority_in_ssl_cert_file_is_trusted() {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let ca = dir.path().join("ca.pem");
    authority.write(&ca);
    let identity = authority.issue(&["own.example"], Kind::Good);
    let server = runtime.block_on(TlsServer::start(identity, &["http/1.1"], |mut stream| async move {
        let _ = stream.write_all(&page("<p>Hello.</p>")).await;
        let _ = stream.shutdown().await;
    }));
    let job = dir.path().join("job");
    let mut command = goldminer(&["crawl"]);
    command.arg(seeds(dir.path(), &["https://own.example/"])).arg("--dir").arg(&job);
    command.args(["--allow-private", "--delay", "0s", "--resolve", &format!("own.example:443:{}", server.address)]);
    let ran = run(command.env("SSL_CERT_FILE", &ca), LONG);
    assert!(ran.stdout.contains("2 fetched"), "{ran:?}");
}

#[test]
fn a_silent_host_is_tried_again_before_the_crawl_ends() {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let tries = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let server = runtime.block_on(RawServer::start(move |_, mut stream| {
        let tries = tries.clone();
        async move {
            // The server closes two connections without a response, and then works.
            if tries.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2 {
                return None;
            }
            let _ = stream.write_all(&page("<p>Hello.</p>")).await;
            Some(stream)
        }
    }));
    let job = dir.path().join("job");
    let mut command = goldminer(&["crawl"]);
    command.arg(seeds(dir.path(), &["http://late.example/"])).arg("--dir").arg(&job);
    command.args(["--allow-private", "--delay", "0s", "--resolve", &format!("*:80:{}", server.address)]);
    let settings = std::fs::read_to_string(dir.path().join("seeds.toml")).unwrap().replace("\"50ms\"", "\"3s\"");
    std::fs::write(dir.path().join("seeds.toml"), settings).unwrap();
    let ran = run(&mut command, LONG);
    assert!(ran.stdout.contains("2 fetched"), "{ran:?}");
    assert!(ran.took < Duration::from_secs(60), "{:?}", ran.took);
}
