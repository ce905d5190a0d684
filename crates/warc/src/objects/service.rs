//! The client of a store, by the scheme of its address, with settings and credentials from the environment.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, Checksum};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{ClientConfigKey, ClientOptions};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;

use super::address::ObjectAddress;
use super::patience::Patient;

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

/// What a client says, in a line, without what is secret: of an answer of the store its code and message, and no query of
/// an address, which may be a signature.
pub(super) fn told(error: &object_store::Error) -> String {
    let mut text = error.to_string();
    if let Some(body) = text.find("<?xml").or_else(|| text.find("<Error>")) {
        let answer = text.split_off(body);
        let element = |name: &str| {
            let begin = answer.find(&format!("<{name}>"))? + name.len() + 2;
            Some(answer[begin..].split('<').next()?.to_owned())
        };
        text.extend(["Code", "Message"].iter().filter_map(|name| element(name)).map(|said| format!(" {said}")));
    }
    let mut shown = String::new();
    for word in text.split_whitespace() {
        let word = if word.contains("://") { word.split('?').next().unwrap_or_default() } else { word };
        shown.push_str(if shown.is_empty() { "" } else { " " });
        shown.push_str(word);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_says_is_told_without_keys_and_signatures() {
        let answer = "Client error with status 403 Forbidden for https://a.example/x?sig=SECRET: <?xml version=\"1.0\"?>\n\
            <Error><Code>SignatureDoesNotMatch</Code><Message>The signature differs</Message>\
            <AWSAccessKeyId>AKIAKEY</AWSAccessKeyId><StringToSign>SECRET</StringToSign></Error>";
        let error = object_store::Error::Generic { store: "S3", source: answer.into() };
        assert_eq!(
            told(&error),
            "Generic S3 error: Client error with status 403 Forbidden for https://a.example/x SignatureDoesNotMatch The \
             signature differs"
        );
    }
}
