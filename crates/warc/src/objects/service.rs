//! The client of a store, by the scheme of its address, with settings and credentials from the environment; asked with time
//! for slow ways, and not before the time that a store names.
//!
//! The client repeats what fails for a while, with growing pauses of its own; it knows nothing of `Retry-After` (RFC 9110,
//! section 10.2.3), and gives a whole answer 30 seconds, in which a part does not arrive over a slow line.

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

/// The client. What is written to S3 goes with its digest, which the store verifies.
pub(super) fn open(address: &ObjectAddress) -> Result<Arc<dyn ObjectStore>, object_store::Error> {
    // It fails when a provider is there already, which is as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let bucket = address.bucket();
    Ok(match bucket.split("://").next() {
        Some("s3") => Arc::new(
            AmazonS3Builder::from_env()
                .with_url(bucket)
                .with_checksum_algorithm(Checksum::SHA256)
                .with_http_connector(Patient)
                .build()?,
        ),
        Some("gs") => {
            Arc::new(GoogleCloudStorageBuilder::from_env().with_url(bucket).with_http_connector(Patient).build()?)
        }
        Some("az") => {
            Arc::new(MicrosoftAzureBuilder::from_env().with_url(bucket).with_http_connector(Patient).build()?)
        }
        _ => {
            let is_plain = bucket.starts_with("http://").to_string();
            let options = ClientOptions::new().with_config(ClientConfigKey::AllowHttp, is_plain);
            let builder = HttpBuilder::new().with_url(bucket).with_client_options(options);
            Arc::new(builder.with_http_connector(Patient).build()?)
        }
    })
}

/// For an answer as a whole: a part of 16 MB over a line of 30 kB/s.
const WHOLE: Duration = Duration::from_secs(10 * 60);
/// For the next bytes of it.
const SILENCE: Duration = Duration::from_secs(60);
/// A store that wants to be left alone for longer is asked again after this.
const LONGEST: Duration = Duration::from_secs(2 * 60);

/// Connects to a store.
#[derive(Debug)]
struct Patient;

impl HttpConnector for Patient {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let options = options.clone().with_timeout(WHOLE).with_read_timeout(SILENCE);
        let client = ReqwestConnector::default().connect(&options)?;
        Ok(HttpClient::new(Waiting { client, until: Mutex::new(now()) }))
    }
}

/// A client that is quiet for as long as the store wishes.
#[derive(Debug)]
struct Waiting {
    client: HttpClient,
    /// No request begins before.
    until: Mutex<Instant>,
}

impl Waiting {
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

impl HttpService for Waiting {
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

/// The runtime's clock, which tests can stop and move. A store's client is made where no other clock is at hand.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}

/// How long a store that is asked too much wants to be left alone. Stores name seconds, never a date.
fn pause_of(answer: &HttpResponse) -> Option<Duration> {
    if !matches!(answer.status().as_u16(), 429 | 503) {
        return None;
    }
    let seconds = answer.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST))
}
