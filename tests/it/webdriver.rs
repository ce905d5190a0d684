//! A browser under remote control (W3C WebDriver over loopback): the parts that the tests of the reports and the
//! console need.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// The longest time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(240);
/// How WebDriver names the id of an element (section 12.1 of its specification).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A headless Chromium with an empty profile and without its own network requests. It ends when this is dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser. The error is the reason why there is none.
    pub(crate) fn start() -> Result<Self, String> {
        Self::start_with(&[])
    }

    /// Starts a browser with more arguments.
    pub(crate) fn start_with(more: &[&str]) -> Result<Self, String> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|cause| format!("chromedriver does not start ({cause})"))?;
        let stdout = BufReader::new(driver.stdout.take().expect("piped"));
        let port = stdout
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.split("successfully on port ").nth(1)?.trim_end_matches('.').trim().parse().ok());
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self { driver, port: port.unwrap_or(0), session: String::new(), _profile: profile };
        let Some(_) = port else { return Err("chromedriver names no port".to_owned()) };
        let user_data = format!("--user-data-dir={}", browser._profile.path().display());
        let mut arguments = vec![
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            &user_data,
        ];
        arguments.extend(more);
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = browser.request("POST", "/session", Some(&wanted))?;
        browser.session = session["sessionId"].as_str().ok_or("no session")?.to_owned();
        Ok(browser)
    }

    /// The width of the window in CSS pixels, on a phone or a desk.
    pub(crate) fn resize(&self, width: u32) {
        let metrics = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500});
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Sets the preferred colours of the reader: `light` or `dark`.
    pub(crate) fn prefer(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Presses and releases a key, such as `Tab` or `Enter`.
    pub(crate) fn press(&self, key: &str) {
        let code = if key == "Tab" { 9 } else { 13 };
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.devtools("Input.dispatchKeyEvent", &event);
        }
    }

    /// Opens a file, and clears the logs of before.
    pub(crate) fn open(&self, file: &Path) {
        self.log("browser");
        self.log("performance");
        self.post("url", &json!({"url": format!("file://{}", file.display())}));
    }

    /// Opens an address.
    pub(crate) fn visit(&self, url: &str) {
        self.post("url", &json!({ "url": url }));
    }

    /// Saves a screenshot as PNG.
    pub(crate) fn picture(&self, file: &Path) {
        let path = format!("/session/{}/screenshot", self.session);
        let picture = self.request("GET", &path, None).unwrap_or_else(|why| panic!("a picture: {why}"));
        let bytes = data_encoding::BASE64.decode(picture.as_str().unwrap_or_default().as_bytes()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }

    /// Saves a picture of the page: in cargo's folder for tests or, with `GOLDMINER_PICTURES=docs/src/guide`, in the
    /// book.
    pub(crate) fn picture_for_the_book(&self, name: &str) {
        let folder = std::env::var_os("GOLDMINER_PICTURES").map_or_else(
            || PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
            |folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
        );
        self.picture(&folder.join(format!("console-{name}.png")));
    }

    /// Returns the result of a script. None while the page is being replaced by another.
    pub(crate) fn script_while_loading(&self, script: &str) -> Option<Value> {
        let path = format!("/session/{}/execute/sync", self.session);
        self.request("POST", &path, Some(&json!({"script": script, "args": []}))).ok()
    }

    /// Returns the result of a script.
    pub(crate) fn script(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Runs a script in the first frame that matches a CSS selector, and returns the script's result. None if there is
    /// no such frame.
    pub(crate) fn script_in(&self, frame: &str, script: &str) -> Option<Value> {
        let found = self.post("elements", &json!({"using": "css selector", "value": frame}));
        let frame = found.as_array()?.first()?;
        self.post("frame", &json!({ "id": frame }));
        let result = self.script(script);
        self.post("frame", &json!({ "id": null }));
        Some(result)
    }

    /// Clicks, or taps, the first element that a CSS selector finds.
    pub(crate) fn click(&self, selector: &str) {
        let found = self.post("element", &json!({"using": "css selector", "value": selector}));
        let id = found[ELEMENT].as_str().unwrap_or_else(|| panic!("{selector} is not on the page: {found}"));
        self.post(&format!("element/{id}/click"), &json!({}));
    }

    /// The messages in the browser's console.
    pub(crate) fn console(&self) -> Vec<String> {
        self.log("browser").iter().map(|entry| entry["message"].to_string()).collect()
    }

    /// The URLs that were requested.
    pub(crate) fn requests(&self) -> Vec<String> {
        let events = self.log("performance");
        let message = |entry: &Value| serde_json::from_str::<Value>(entry["message"].as_str()?).ok();
        let url = |event: Value| {
            let event = &event["message"];
            let is_request = event["method"] == "Network.requestWillBeSent";
            is_request.then(|| event["params"]["request"]["url"].as_str().unwrap_or_default().to_owned())
        };
        events.iter().filter_map(message).filter_map(url).collect()
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        self.post("se/log", &json!({"type": kind})).as_array().cloned().unwrap_or_default()
    }

    fn devtools(&self, command: &str, parameters: &Value) {
        self.post("goog/cdp/execute", &json!({"cmd": command, "params": parameters}));
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        let path = format!("/session/{}/{what}", self.session);
        self.request("POST", &path, Some(body)).unwrap_or_else(|why| panic!("{what}: {why}"))
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let text = body.map(Value::to_string).unwrap_or_default();
        let exchange = || -> std::io::Result<Vec<u8>> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            write!(
                stream,
                "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
                self.port,
                text.len()
            )?;
            let mut reader = BufReader::new(stream);
            let (mut length, mut line) = (0, String::new());
            while reader.read_line(&mut line)? > 0 && line != "\r\n" {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap_or(0);
                }
                line.clear();
            }
            let mut answer = vec![0; length];
            reader.read_exact(&mut answer)?;
            Ok(answer)
        };
        let answer = exchange().map_err(|cause| cause.to_string())?;
        let answer: Value = serde_json::from_slice(&answer).map_err(|cause| cause.to_string())?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", answer["value"]["message"])),
            None => Ok(answer["value"].clone()),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.request("DELETE", &format!("/session/{}", self.session), None);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
