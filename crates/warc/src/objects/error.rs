//! What goes wrong with objects.

/// What goes wrong with objects, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// This program has no way to any store.
    #[error(
        "{address} lies in an object store, and this program was built without them: build it with `cargo install goldminer \
         --features cloud`, or fetch the files with the store's own program"
    )]
    NotBuilt {
        /// What was asked for.
        address: String,
    },
    /// It is no address.
    #[error("{address} {what}")]
    Address {
        /// What was given, without what is secret in it.
        address: String,
        /// The reason.
        what: &'static str,
    },
    /// There is no such object.
    #[error("there is no {address}")]
    Missing {
        /// Its address.
        address: String,
    },
    /// It is not the one that was listed.
    #[error(
        "{address} has changed since the output was begun: what is made of it now would not fit the rest; name another -o"
    )]
    Changed {
        /// Its address.
        address: String,
    },
    /// The store refuses.
    #[error(
        "{address} may not be read or written ({cause}): give credentials in the environment (AWS_ACCESS_KEY_ID and \
         AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME and a key), or a role to the machine"
    )]
    Refused {
        /// Its address.
        address: String,
        /// What the store says.
        cause: String,
    },
    /// The store, or the way to it, fails and goes on failing.
    #[error("cannot {what} {address}: {cause}; run the same command again when the store answers")]
    Failed {
        /// What was tried.
        what: &'static str,
        /// Its address.
        address: String,
        /// What the store says, without what is secret in it.
        cause: String,
    },
    /// Our disk.
    #[error("cannot keep a copy of {address}: {cause}; TMPDIR says where copies go")]
    Disk {
        /// Its address.
        address: String,
        /// The system's reason.
        cause: std::io::Error,
    },
}
