//! Connects a process to PostgreSQL. A lost connection is made again, and every wait for the database, except for
//! changes of the schema, has a limit. Connections to other machines use TLS with the web's root certificates or those
//! in a file, and verify server names.

use std::future::poll_fn;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, Notify};
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::ClusterError;

/// The longest time for one statement. It is short, because each statement uses only a few rows.
const PATIENCE: Duration = Duration::from_secs(10);

/// A database. The connection is made when it is first needed.
pub struct Database {
    config: Config,
    /// The settings of TLS; None if the database is on this machine, or its address has `sslmode=disable`.
    tls: Option<MakeRustlsConnect>,
    client: Mutex<Option<Arc<Client>>>,
    /// Notifies that a worker has released something, or that there is a command.
    notifications: Arc<Notify>,
}

impl Database {
    /// The database at an address (`postgres://user@host/name`, or `host=… user=…`). The password may also be in the
    /// environment variable `PGPASSWORD`. A connection to another machine uses TLS, and verifies the server's
    /// certificate with the web's roots or those in a file.
    ///
    /// # Errors
    /// When the address cannot be parsed.
    pub fn at(address: &str, roots: Option<&Path>) -> Result<Self, ClusterError> {
        // The parser's message may contain what was typed, such as a password.
        let mut config: Config =
            address.parse().map_err(|_| ClusterError::Address("it is not a valid address".to_owned()))?;
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        config.application_name("goldminer").connect_timeout(PATIENCE).keepalives_idle(PATIENCE);
        let is_local = config.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
            Host::Unix(_) => true,
        });
        let tls = if is_local && config.get_ssl_mode() != SslMode::Require || config.get_ssl_mode() == SslMode::Disable
        {
            config.ssl_mode(SslMode::Disable);
            None
        } else {
            config.ssl_mode(SslMode::Require);
            Some(tls(roots)?)
        };
        Ok(Self { config, tls, client: Mutex::new(None), notifications: Arc::default() })
    }

    /// Executes a statement and returns its rows.
    pub(crate) async fn query(
        &self,
        doing: &'static str,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, ClusterError> {
        let client = self.client(doing).await?;
        match timeout(PATIENCE, client.query(statement, values)).await {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => Err(ClusterError::database(doing, &error)),
            Err(_) => {
                // The next statement gets a new connection, whatever happened to this one.
                self.client.lock().await.take();
                Err(ClusterError::Database { doing, reason: format!("no answer in {} s", PATIENCE.as_secs()) })
            }
        }
    }

    /// Executes a statement and returns its only row, if there is one.
    pub(crate) async fn row(
        &self,
        doing: &'static str,
        statement: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, ClusterError> {
        Ok(self.query(doing, statement, values).await?.into_iter().next())
    }

    /// Executes statements without values, such as those of the schema. If they fail, the connection is closed, which
    /// rolls back a transaction that they have begun.
    pub(crate) async fn batch(&self, doing: &'static str, statements: &str) -> Result<(), ClusterError> {
        let client = self.client(doing).await?;
        let done = client.batch_execute(statements).await;
        if done.is_err() {
            self.client.lock().await.take();
        }
        done.map_err(|error| ClusterError::database(doing, &error))
    }

    /// Waits for a notification that there may be something to do (see `lease`). If a notification is lost with the
    /// connection, the worker looks for work at its next heartbeat.
    pub(crate) async fn notified(&self) {
        self.notifications.notified().await;
    }

    async fn client(&self, doing: &'static str) -> Result<Arc<Client>, ClusterError> {
        let mut kept = self.client.lock().await;
        if let Some(client) = kept.as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        let failed = |error: tokio_postgres::Error| ClusterError::database(doing, &error);
        let connecting = async {
            match &self.tls {
                None => {
                    let (client, connection) = self.config.connect(NoTls).await?;
                    tokio::spawn(forward_notifications(connection, Arc::clone(&self.notifications)));
                    Ok(client)
                }
                Some(tls) => {
                    let (client, connection) = self.config.connect(tls.clone()).await?;
                    tokio::spawn(forward_notifications(connection, Arc::clone(&self.notifications)));
                    Ok(client)
                }
            }
        };
        let client: Arc<Client> = match timeout(PATIENCE, connecting).await {
            Ok(client) => Arc::new(client.map_err(failed)?),
            Err(_) => return Err(ClusterError::Database { doing, reason: "it cannot be reached".to_owned() }),
        };
        timeout(PATIENCE, client.batch_execute("LISTEN goldminer")).await.ok().transpose().map_err(failed)?;
        *kept = Some(Arc::clone(&client));
        Ok(client)
    }
}

/// Runs a connection, and passes its notifications on.
async fn forward_notifications<S, T>(mut connection: Connection<S, T>, notifications: Arc<Notify>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if matches!(message, AsyncMessage::Notification(_)) {
            notifications.notify_one();
        }
    }
}

/// TLS with the root certificates in a PEM file, or else those of the web.
fn tls(roots: Option<&Path>) -> Result<MakeRustlsConnect, ClusterError> {
    let mut trusted = RootCertStore::empty();
    match roots {
        None => drop(trusted.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned())),
        Some(path) => {
            let unreadable = |reason: String| ClusterError::Store { place: path.display().to_string(), reason };
            for root in CertificateDer::pem_file_iter(path).map_err(|e| unreadable(e.to_string()))? {
                let root = root.map_err(|e| unreadable(e.to_string()))?;
                trusted.add(root).map_err(|e| unreadable(e.to_string()))?;
            }
        }
    }
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .map_err(|e| ClusterError::Address(e.to_string()))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_about_an_address_do_not_contain_its_password() {
        let said = Database::at("postgres://me:hunter2@host:notaport/x", None).err().unwrap().to_string();
        assert!(said.contains("postgres://USER@HOST/NAME") && !said.contains("hunter2"), "{said}");
    }

    #[test]
    fn only_connections_to_this_machine_omit_tls_by_default() {
        let is_secret = |address: &str| Database::at(address, None).unwrap().tls.is_some();
        assert!(is_secret("postgres://me@db.example/crawl") && is_secret("postgres://me@10.0.0.7/crawl"));
        assert!(is_secret("postgres://me@localhost/crawl?sslmode=require"));
        assert!(!is_secret("postgres://me@localhost/crawl") && !is_secret("postgres://me@%2Frun%2Fpg/crawl"));
        assert!(!is_secret("postgres://me@db.example/crawl?sslmode=disable"), "the address turns TLS off");
    }
}
