//! A bucket as the store: a real S3 server on loopback (moto, from PyPI: `GOLDMINER_MOTO` is its program). Where there is
//! none, the test says so and is skipped.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::crawl_world::{LONG, pause};
use crate::takeovers::{Cluster, HOSTS};

/// A server with one bucket, `crawl`; gone when dropped.
struct Moto {
    process: Child,
    address: SocketAddr,
}

impl Moto {
    fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("GOLDMINER_MOTO") else {
            eprintln!("skipped: GOLDMINER_MOTO names no S3 server (pip install 'moto[server,s3]': bin/moto_server)");
            return None;
        };
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let mut server = Command::new(program);
        server.args(["-H", "127.0.0.1", "-p", &address.port().to_string()]);
        let process = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let this = Self { process, address };
        let made = (0..300).any(|_| {
            pause(Duration::from_millis(100));
            this.makes_bucket().unwrap_or(false)
        });
        assert!(made, "the S3 server makes no bucket");
        Some(this)
    }

    fn makes_bucket(&self) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(self.address)?;
        write!(
            stream,
            "PUT /crawl HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            self.address
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 200"))
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.process.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    fn environment(&self) -> Vec<(String, String)> {
        let endpoint = format!("http://{}", self.address);
        let settings = [
            ("AWS_ENDPOINT", endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", "hunter2-is-secret"),
            ("AWS_REGION", "us-east-1"),
        ];
        settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn workers_whose_store_is_a_bucket_take_over_from_each_other_also_when_it_is_silent_for_a_while() {
    let Some(moto) = Moto::start() else { return };
    let store = Some("s3://crawl/of/november/");
    let Some(cluster) = Cluster::storing(&HOSTS[..3], 0.3, store, moto.environment()) else { return };
    let first = cluster.worker("first");
    cluster.until("something is committed", || {
        cluster.number("SELECT count(*) FROM partition WHERE checkpoint IS NOT NULL") > 1
    });
    moto.signal("STOP");
    pause(Duration::from_secs(3));
    moto.signal("CONT");
    let before = cluster.number("SELECT count(*) FROM piece");
    cluster.until("it commits again", || cluster.number("SELECT count(*) FROM piece") > before);
    first.kill();
    let ran = cluster.worker("second").end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!ran.stderr.contains("hunter2"), "a secret was told");
    // Two rounds of two seconds may have been uncommitted, at ten requests a second of each host.
    cluster.assert_whole(3 * 2 * 10 * 3);
    assert!(!cluster.world.path("store").exists(), "a folder was written");
}
