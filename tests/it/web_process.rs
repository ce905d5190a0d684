//! The test web in a separate process, so that its time, memory and open files are not counted. A bench that needs it
//! starts its own executable again, with `--serve LOG` after its own arguments.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use goldminer_testkit::access_log::Entry;
use goldminer_testkit::web::{Web, WebConfig};

/// A server process. It is killed when this is dropped.
pub(crate) struct WebProcess {
    child: Child,
    /// Rules for `--resolve`.
    pub rules: Vec<String>,
}

impl WebProcess {
    /// Starts this executable again as a server that writes its log to a file.
    pub(crate) fn start(log: &Path) -> Self {
        let mut server = Command::new(std::env::current_exe().expect("our own path"));
        server.args(std::env::args().skip(1).filter(|arg| arg != "--bench")).arg("--serve").arg(log);
        let mut child = server.stdout(Stdio::piped()).spawn().expect("a server process");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let rules = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
        Self { child, rules }
    }
}

impl Drop for WebProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until it is killed. The first lines of its output are the rules for `--resolve`.
pub(crate) fn serve(config: WebConfig) -> ! {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let web = runtime.block_on(Web::start(config)).expect("free ports on loopback");
    println!("{}\n", web.resolve_rules().join("\n"));
    std::io::stdout().flush().expect("a reader");
    loop {
        std::thread::park();
    }
}

/// Reads the log of a server.
pub(crate) fn read_log(log: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(log).expect("the server's log");
    text.lines().filter_map(Entry::from_tsv).collect()
}
