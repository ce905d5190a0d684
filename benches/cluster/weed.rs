//! SeaweedFS, an S3 server in one program, with a bucket `crawl`.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::crawl_world::pause;

/// A running server. It ends when this is dropped.
pub(crate) struct Weed {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Weed {
    /// Starts a server. None if `GOLDMINER_WEED` names no program.
    pub(crate) fn start(dir: &Path) -> Option<Self> {
        let program = std::env::var_os("GOLDMINER_WEED")?;
        let data = dir.join("weed");
        std::fs::create_dir_all(&data).expect("a folder");
        // Each gRPC port is 10,000 above its port. All are below the ports that the system assigns itself.
        let ports: Vec<u16> =
            (21_000..22_000).filter(|port| is_free(*port) && is_free(port + 10_000)).take(4).collect();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, ports[0]));
        let mut server = Command::new(program);
        server.args(["server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", "-volume.max=20"]);
        server.arg(format!("-dir={}", data.display()));
        for (what, port) in ["-s3.port", "-master.port", "-volume.port", "-filer.port"].iter().zip(&ports) {
            server.arg(format!("{what}={port}"));
        }
        let log = std::fs::File::create(dir.join("weed.log")).expect("its log");
        let process = server.stdout(Stdio::null()).stderr(log).spawn().expect("the S3 server");
        let this = Self { process, address };
        let made = (0..600).any(|_| {
            pause(Duration::from_millis(100));
            this.makes_bucket().unwrap_or(false)
        });
        assert!(made, "the S3 server makes no bucket");
        Some(this)
    }

    fn makes_bucket(&self) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(self.address)?;
        let head =
            format!("PUT /crawl HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", self.address);
        stream.write_all(head.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 409"))
    }
}

impl Drop for Weed {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The environment variables with which a program finds the server.
pub(crate) fn environment(address: SocketAddr) -> Vec<(String, String)> {
    let endpoint = format!("http://{address}");
    let settings = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_SKIP_SIGNATURE", "true"),
        ("AWS_REGION", "us-east-1"),
    ];
    settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}
