# `just` lists these; each is an ordinary command.

default:
    @just --list

# Crawl the built-in portals.
demo *ARGS:
    cargo run --release -- demo {{ARGS}}

# The tests of all crates.
test *ARGS:
    cargo test {{ARGS}}

# Format, lints, documentation.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo clippy -p goldminer-python --no-default-features -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
    python3 .ci/public_items.py "${CARGO_TARGET_DIR:-target}/doc/goldminer_core"

# All that a change must pass.
ci:
    .ci/run

# The tests that need the evaluation sets below LAB/eval: floors of quality, and whatever else `cargo test` ignores.
quality LAB:
    .ci/sets {{LAB}}/eval

# Speed over folders of pages, stage by stage.
bench +FOLDERS:
    cargo bench --profile dist -p goldminer-core --bench page -- {{FOLDERS}}

# Fuzz one target for some seconds.
fuzz TARGET SECONDS="60":
    fuzz/run {{TARGET}} {{SECONDS}}

# A binary as it is published.
dist:
    cargo build --profile dist --bin goldminer

# What publishing would do.
publish:
    .ci/release crates --dry-run
