//! A relay between a worker and one of its servers (PostgreSQL or the store). It passes on the data, or holds or slows
//! them, or closes all connections.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The server to which a relay leads.
#[derive(Clone)]
pub(crate) enum Server {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// How a relay treats data and connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelayMode {
    Whole = 0,
    /// No data pass, and connections stay open.
    Silent = 1,
    /// All connections are closed, and new ones immediately.
    Cut = 2,
    /// Data are delayed by 300 ms.
    Slow = 3,
}

/// The time between two checks whether the relay is cut.
const CHECK_EVERY: Duration = Duration::from_millis(50);

pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    mode: Arc<AtomicU8>,
    /// Bytes that came from the server.
    received: Arc<AtomicU64>,
}

impl Relay {
    pub(crate) fn to(server: Server) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("its address");
        let mode = Arc::new(AtomicU8::new(RelayMode::Whole as u8));
        let (state, received) = (Arc::clone(&mode), Arc::new(AtomicU64::new(0)));
        let count = Arc::clone(&received);
        thread::spawn(move || {
            for guest in listener.incoming().flatten() {
                let (server, mode, count) = (server.clone(), Arc::clone(&state), Arc::clone(&count));
                thread::spawn(move || match server {
                    Server::Tcp(address) => {
                        let Ok(host) = TcpStream::connect(address) else { return };
                        let (from, to) = (host.try_clone(), host.try_clone());
                        if let (Ok(from), Ok(to)) = (from, to) {
                            let _ = host.set_read_timeout(Some(CHECK_EVERY));
                            both(&guest, from, to, &mode, &count);
                        }
                        let _ = host.shutdown(Shutdown::Both);
                    }
                    Server::Unix(path) => {
                        let Ok(host) = UnixStream::connect(path) else { return };
                        let (from, to) = (host.try_clone(), host.try_clone());
                        if let (Ok(from), Ok(to)) = (from, to) {
                            let _ = host.set_read_timeout(Some(CHECK_EVERY));
                            both(&guest, from, to, &mode, &count);
                        }
                        let _ = host.shutdown(Shutdown::Both);
                    }
                });
            }
        });
        Self { address, mode, received }
    }

    /// How many bytes have come from the server so far.
    #[allow(dead_code)] // the tests count
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Acquire)
    }

    pub(crate) fn set(&self, mode: RelayMode) {
        self.mode.store(mode as u8, Ordering::Release);
    }
}

/// Passes data in both directions until one side ends or the relay is cut.
fn both(
    guest: &TcpStream,
    from: impl Read + Send + 'static,
    to: impl Write + Send + 'static,
    mode: &Arc<AtomicU8>,
    received: &Arc<AtomicU64>,
) {
    let _ = guest.set_read_timeout(Some(CHECK_EVERY));
    let _ = guest.set_nodelay(true);
    let (Ok(guest_from), Ok(guest_to), Ok(ending)) = (guest.try_clone(), guest.try_clone(), guest.try_clone()) else {
        return;
    };
    let (back, received) = (Arc::clone(mode), Arc::clone(received));
    let backward = thread::spawn(move || {
        carry(from, guest_to, &back, &received);
        let _ = ending.shutdown(Shutdown::Both);
    });
    carry(guest_from, to, mode, &AtomicU64::new(0));
    let _ = guest.shutdown(Shutdown::Both);
    // The thread that reads from the server notices the end at its next check.
    let _ = backward.join();
}

fn carry(mut from: impl Read, mut to: impl Write, mode: &AtomicU8, carried: &AtomicU64) {
    let mut buffer = vec![0; 64 * 1024];
    let is = |state: RelayMode| mode.load(Ordering::Acquire) == state as u8;
    loop {
        if is(RelayMode::Cut) {
            return;
        }
        let read = match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
            Err(_) => return,
        };
        while is(RelayMode::Silent) {
            thread::sleep(CHECK_EVERY);
        }
        if is(RelayMode::Slow) {
            thread::sleep(Duration::from_millis(300));
        }
        carried.fetch_add(read as u64, Ordering::AcqRel);
        if to.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
}
