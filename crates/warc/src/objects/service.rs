//! Creates the client of a store. The scheme of the address decides which; settings and credentials come from
//! environment variables.
//!
//! The client library retries temporary errors after growing pauses, but it ignores `Retry-After` (RFC 9110, section
//! 10.2.3), and allows only 30 seconds for a whole response. So this module adds pauses as long as the store asks for,
//! and timeouts that allow for slow connections.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, Checksum};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{
    ClientConfigKey, ClientOptions, HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use tokio::time::Instant;

use super::address::ObjectAddress;

/// Creates the client. Data for S3 is sent with its digest, which the store verifies.
pub(super) fn open(address: &ObjectAddress) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    // This only fails if a provider of cryptography is installed already, which is then used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let bucket = address.bucket();
    Ok(match bucket.split("://").next() {
        Some("s3") => Arc::new(
            AmazonS3Builder::from_env()
                .with_url(bucket)
                .with_checksum_algorithm(Checksum::SHA256)
                .with_http_connector(PausingConnector)
                .build()?,
        ),
        Some("gs") => Arc::new(
            GoogleCloudStorageBuilder::from_env().with_url(bucket).with_http_connector(PausingConnector).build()?,
        ),
        Some("az") => {
            Arc::new(MicrosoftAzureBuilder::from_env().with_url(bucket).with_http_connector(PausingConnector).build()?)
        }
        _ => {
            let is_plain = bucket.starts_with("http://").to_string();
            let options = ClientOptions::new().with_config(ClientConfigKey::AllowHttp, is_plain);
            let builder = HttpBuilder::new().with_url(bucket).with_client_options(options);
            Arc::new(builder.with_http_connector(PausingConnector).build()?)
        }
    })
}

/// The timeout of a whole request: enough for a part of 16 MB at 30 kB/s.
const WHOLE: Duration = Duration::from_secs(10 * 60);
/// The longest time without any bytes of a response.
const SILENCE: Duration = Duration::from_secs(60);
/// The longest pause between requests, even if a store asks for a longer one.
const LONGEST: Duration = Duration::from_secs(2 * 60);

/// Creates HTTP clients that pause for as long as a store asks.
#[derive(Debug)]
struct PausingConnector;

impl HttpConnector for PausingConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let options = options.clone().with_timeout(WHOLE).with_read_timeout(SILENCE);
        let client = ReqwestConnector::default().connect(&options)?;
        Ok(HttpClient::new(PausingService { client, until: Mutex::new(now()) }))
    }
}

/// An HTTP client that pauses for as long as a store asks.
#[derive(Debug)]
struct PausingService {
    client: HttpClient,
    /// No request starts before this time.
    until: Mutex<Instant>,
}

impl PausingService {
    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        tokio::time::sleep_until(until).await;
        let answer = self.client.execute(request).await?;
        if let Some(pause) = pause_of(&answer) {
            let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
            *until = (*until).max(now() + pause);
        }
        Ok(answer)
    }
}

impl HttpService for PausingService {
    fn call<'service, 'answer>(
        &'service self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'answer>>
    where
        'service: 'answer,
        Self: 'answer,
    {
        Box::pin(self.ask(request))
    }
}

/// The runtime's clock, which tests can pause and advance.
#[allow(clippy::disallowed_methods, reason = "the client of a store is created where no other clock is available")]
fn now() -> Instant {
    Instant::now()
}

/// The pause that an overloaded store asks for in `Retry-After`, or None. Stores send seconds, never a date.
fn pause_of(answer: &HttpResponse) -> Option<Duration> {
    if !matches!(answer.status().as_u16(), 429 | 503) {
        return None;
    }
    let seconds = answer.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST))
}
