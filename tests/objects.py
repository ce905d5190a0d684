"""Archives in an object store give the same documents as on a disk, even if the store and the connection fail.

python tests/objects.py PROGRAM [--archive DIR]     (a goldminer built with --features cloud; needs moto[server])

A real S3 server (moto) runs on loopback, behind a proxy that breaks requests by a fixed plan. `cargo bench --bench archives --
--dir DIR` makes the archive in DIR, which is extracted through a proxy that breaks every twentieth request.
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import re
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
from moto.server import ThreadedMotoServer
from portal_warcs import warc

PROGRAM = os.path.abspath(sys.argv[1])
BUCKET = "archives"
SECRET = "hunter2-is-secret"
FAULTS = ("reset", "503", "500", "cut", "slow", "short head")
RETRY_AFTER_S = 3


class Proxy(socketserver.ThreadingTCPServer):
    """Passes requests on, one per connection. Breaks each `every`-th request, in turn by one of the faults."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, upstream: tuple[str, int], every: int = 0, answer: bytes | None = None) -> None:
        self.upstream, self.every, self.answer = upstream, every, answer
        self.requests, self.broken, self.turn = 0, [], threading.Lock()
        # The numbers of the requests at which the credentials expire, the store asks for a pause, and `change` is called.
        self.expires_at, self.throttles_at, self.changes_at = 0, 0, 0
        self.change: Callable[[], None] = lambda: None
        # The duration of the body of the first part of a file, in seconds.
        self.trickle_s, self.quiet_until, self.asked_too_soon = 0.0, 0.0, 0
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def fault(self) -> str | None:
        with self.turn:
            self.requests += 1
            self.asked_too_soon += time.monotonic() < self.quiet_until
            if self.requests == self.throttles_at:
                self.quiet_until = time.monotonic() + RETRY_AFTER_S
                return "throttled"
            if self.expires_at and self.requests >= self.expires_at:
                return "expired"
            if self.requests == self.changes_at:
                self.change()
            if not self.every or self.requests % self.every:
                return None
            self.broken.append(FAULTS[len(self.broken) % len(FAULTS)])
            return self.broken[-1]

    def handle_error(self, *_: object) -> None:
        """Clients that close the connection are not reported."""


class Handler(socketserver.StreamRequestHandler):
    server: Proxy

    def handle(self) -> None:
        request = self.rfile.readline().split()
        if len(request) < 2:
            return
        headers = http.client.parse_headers(self.rfile)
        body = self.rfile.read(int(headers.get("Content-Length") or 0))
        fault = self.server.fault()
        if fault == "throttled":
            return self.send(b"HTTP/1.1 503 Slow Down\r\nConnection: close\r\nRetry-After: %d\r\nContent-Length: 0\r\n\r\n" % RETRY_AFTER_S)
        if fault == "expired":
            body = b"<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"
            return self.send(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        if fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return self.connection.close()
        if self.server.answer or fault in ("503", "500"):
            body = self.server.answer or b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
            status = b"403 Forbidden" if self.server.answer else fault.encode() + b" Busy"
            return self.send(b"HTTP/1.1 " + status + b"\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        upstream = http.client.HTTPConnection(*self.server.upstream, timeout=60)
        upstream.request(request[0].decode(), request[1].decode(), body, dict(headers.items()))
        answer = upstream.getresponse()
        body = answer.read()
        head = [f"HTTP/1.1 {answer.status} {answer.reason}", "Connection: close"]
        head += [f"{name}: {value}" for name, value in answer.getheaders() if name.lower() not in ("connection", "transfer-encoding", "content-length")]
        length = answer.getheader("Content-Length") if request[0] == b"HEAD" else str(len(body))
        head = "\r\n".join([*head, f"Content-Length: {length}", "", ""]).encode()
        if fault == "short head":
            return self.send(head[: len(head) // 2])
        if fault == "cut":
            return self.send(head + body[: len(body) // 2])
        if self.server.trickle_s and headers.get("Range", "").startswith("bytes=0-"):
            self.send(head)
            for at in range(0, len(body), max(1, len(body) // 20)):
                time.sleep(self.server.trickle_s / 20)
                self.send(body[at : at + max(1, len(body) // 20)])
            return None
        if fault == "slow":
            for at in range(0, len(body), max(1, len(body) // 8)):
                self.send(head + body[at : at + max(1, len(body) // 8)])
                head = b""
                time.sleep(0.05)
            return self.send(head)
        self.send(head + body)

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)


def environment(endpoint: str) -> dict[str, str]:
    settings = {"AWS_ENDPOINT": endpoint, "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": SECRET}
    return {**os.environ, **settings, "AWS_REGION": "us-east-1", "NO_PROXY": "127.0.0.1", "RUST_LOG": "trace"}


PEAK = [0]


def watch(pid: int) -> None:
    """Records the peak memory of a program in MB, as the system counts it, until the program ends."""
    status = Path(f"/proc/{pid}/status")
    try:
        while found := re.search(r"VmHWM:\s+(\d+)", status.read_text()):
            PEAK[0] = max(PEAK[0], int(found[1]) // 1024)
            time.sleep(0.01)
    except OSError:
        return  # It has ended.


def run(endpoint: str, *args: str, code: int = 0, kill_after: float | None = None, timeout: int = 120) -> str:
    """Runs the program with all log messages of its libraries. Returns its output, or its errors if it must fail."""
    log = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([PROGRAM, *args, "--json", "--threads", "2"], env=environment(endpoint), **log)
    threading.Thread(target=watch, args=(process.pid,), daemon=True).start()
    if kill_after is not None:
        time.sleep(kill_after)
        process.send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=timeout)
    assert SECRET not in out + err, "a secret was printed"
    assert kill_after is not None or process.returncode == code, f"{args}: {process.returncode}\n{out}\n{err[-3000:]}"
    return out if code == 0 else err


def documents(out: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(out.glob("*.jsonl.zst"))}


def long_run(made: Path) -> None:
    """Extracts an archive from a disk, from a store, and from a store that breaks every twentieth request."""
    moto, s3, upstream = store()
    for file in sorted((made / "warcs").iterdir()):
        s3.upload_file(str(file), BUCKET, f"news/{file.name}")
    clean, faulty = Proxy(upstream), Proxy(upstream, every=20)
    peaks: list[int] = []
    with tempfile.TemporaryDirectory(dir=made) as folder:
        room = Path(folder)
        for name, proxy, source in (("disk", clean, str(made / "warcs")), ("clean", clean, f"s3://{BUCKET}/news/"), ("faulty", faulty, f"s3://{BUCKET}/news/")):
            PEAK[0] = 0
            profiles = str(made / "profiles.gmp")
            run(proxy.url, "extract", "--stream", source, "--profiles", profiles, "-o", str(room / name), timeout=3600)
            peaks.append(PEAK[0])
        expected = documents(room / "disk")
        assert expected and documents(room / "clean") == expected, "a store gives other documents than a disk"
        assert documents(room / "faulty") == expected, f"faults make a difference: {faulty.broken}"
        assert len(faulty.broken) >= faulty.requests // 20 > 0, "nothing is tested"
        assert faulty.requests <= 1.2 * clean.requests, f"{faulty.requests} requests, and {clean.requests} without faults"
        assert max(peaks) <= 300 and peaks[2] <= 1.1 * peaks[1], f"{peaks} MB"
    counts = f"{faulty.requests} requests with {len(faulty.broken)} faults, {clean.requests} without"
    print(f"objects: the same {len(expected)} files; {counts}; from disk, store and faulty store at most {peaks} MB")
    moto.stop()


def store() -> tuple[ThreadedMotoServer, Any, tuple[str, int]]:
    """Starts a server with an empty bucket. Returns it, a client and its address."""
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    upstream = moto.get_host_and_port()
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "us-east-1"}
    s3 = boto3.client("s3", endpoint_url="http://%s:%s" % upstream, **keys)
    s3.create_bucket(Bucket=BUCKET)
    return moto, s3, upstream


def main() -> None:
    moto, s3, upstream = store()
    direct = "http://%s:%s" % upstream
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        (room / "warcs").mkdir()
        for number in range(1, 7):
            path = room / "warcs" / f"news-{number}.warc.gz"
            warc(path, number, rest_bytes=75_000)
            s3.upload_file(str(path), BUCKET, f"2026/{path.name}")
        assert path.stat().st_size > 5 << 20, "nothing is tested: a file has one part"
        s3.put_object(Bucket=BUCKET, Key="2026/paths.txt", Body=b"no archive")
        away = f"s3://{BUCKET}/2026/"

        run(direct, "sample", str(room / "warcs"), "-o", str(room / "samples"))
        run(direct, "learn", str(room / "samples"), "-o", str(room / "profiles.gmp"))
        run(direct, "extract", "--stream", str(room / "warcs"), "--profiles", str(room / "profiles.gmp"), "-o", str(room / "here"))
        expected = documents(room / "here")
        assert len(expected) == 6, expected.keys()
        s3.upload_file(str(room / "profiles.gmp"), BUCKET, "profiles.gmp")
        stream = ["extract", "--stream", "--profiles", f"s3://{BUCKET}/profiles.gmp"]

        for shard in ("1/2", "2/2"):
            run(direct, "sample", str(room / "warcs"), "-o", str(room / "two-shards"), "--buckets", "1", "--shard", shard)
        run(direct, "learn", str(room / "two-shards"), "-o", str(room / "two-shards.gmp"))

        clean = Proxy(upstream)
        of_sample = json.loads(run(clean.url, "sample", away, "-o", str(room / "far-samples")))
        assert of_sample["pages"] == 480, of_sample
        run(clean.url, "learn", str(room / "far-samples"), "-o", str(room / "far.gmp"))
        asked = clean.requests
        run(clean.url, *stream, away, "-o", str(room / "far"))
        asked = clean.requests - asked
        assert documents(room / "far") == expected, "a store gives other documents than a disk"

        # Samples and documents are written to the store, too.
        there = f"s3://{BUCKET}/made"
        for shard in ("2/2", "1/2"):
            run(direct, "sample", away, "-o", f"{there}/samples", "--buckets", "1", "--shard", shard)
        sampled = s3.list_objects_v2(Bucket=BUCKET, Prefix="made/samples/bucket-00000/")["Contents"]
        assert max(found["Size"] for found in sampled) > 16 << 20, "nothing is tested: a file is sent at once"
        run(direct, "learn", f"{there}/samples", "-o", str(room / "far-learned.gmp"))
        assert (room / "far-learned.gmp").read_bytes() == (room / "two-shards.gmp").read_bytes()
        run(direct, "learn", f"{there}/samples", "-o", f"{there}/profiles.gmp")
        assert s3.get_object(Bucket=BUCKET, Key="made/profiles.gmp")["Body"].read() == (room / "two-shards.gmp").read_bytes()

        faulty = Proxy(upstream, every=3)
        run(faulty.url, *stream, f"s3://{BUCKET}/2026/news-?.warc.gz", "-o", str(room / "faulty"))
        assert documents(room / "faulty") == expected, f"faults make a difference: {faulty.broken}"
        assert len(faulty.broken) >= len(FAULTS), "nothing is tested"
        extra = faulty.requests - asked
        assert extra <= len(faulty.broken) + 4, f"{extra} more requests than {asked} for {faulty.broken}"

        # As on most connections: one fault in twelve requests.
        rough = Proxy(upstream, every=12)
        run(rough.url, *stream, away, "-o", str(room / "rough"))
        assert documents(room / "rough") == expected and rough.broken, "nothing is tested"
        assert rough.requests <= 1.2 * asked, f"{rough.requests} requests, and {asked} without faults"

        # If the store asks for a pause, it gets only requests that are already under way, and those of the other thread,
        # which has its own client.
        throttling = Proxy(upstream)
        throttling.throttles_at = asked // 2
        run(throttling.url, *stream, away, "-o", str(room / "throttled"))
        assert documents(room / "throttled") == expected
        assert throttling.quiet_until and throttling.asked_too_soon <= 12, f"{throttling.asked_too_soon} requests too soon"
        assert throttling.requests <= asked + 2, f"{throttling.requests} requests, and {asked} without throttling"

        # A connection on which the first part of each file takes longer than a client waits by default.
        slow = Proxy(upstream)
        slow.trickle_s = 40
        run(slow.url, *stream, f"s3://{BUCKET}/2026/news-1.warc.gz", "-o", str(room / "slow"))
        assert documents(room / "slow") == {"news-1.jsonl.zst": expected["news-1.jsonl.zst"]}
        assert slow.requests <= asked // 2, f"{slow.requests} requests for one of six files, and {asked} for all"

        # If credentials expire during a command, it ends and says so. With new ones, the same command continues.
        expiring = Proxy(upstream)
        expiring.expires_at = 2 * asked // 3
        output = run(expiring.url, *stream, away, "-o", str(room / "expired"), code=1)
        assert "ExpiredToken" in output and "AWS_ACCESS_KEY_ID" in output, output[-1000:]
        assert documents(room / "expired"), "nothing is tested: nothing was done before"
        expiring.expires_at = 0
        run(expiring.url, *stream, away, "-o", str(room / "expired"))
        assert documents(room / "expired") == expected
        # Each of two threads fetches its file again, and the list is fetched again.
        assert expiring.requests <= asked + 2 * asked // 6 + 6, f"{expiring.requests} requests, and {asked} in one go"

        for after in (0.1, 0.4, 0.8):
            run(faulty.url, *stream, away, "-o", str(room / "killed"), kill_after=after)
        for shard in ("2/3", "1/3", "3/3"):
            run(faulty.url, *stream, away, "-o", str(room / "killed"), "--shard", shard)
        assert documents(room / "killed") == expected, "shards that were killed give other documents"

        for after in (0.2, 0.5, 0.9, None):
            run(faulty.url, *stream, away, "-o", f"{there}/out", "--shard", "1/2", kill_after=after)
        summary = json.loads(run(faulty.url, *stream, away, "-o", f"{there}/out"))
        assert summary["files"] == summary["planned"] == 6, summary
        keys = [found["Key"] for found in s3.list_objects_v2(Bucket=BUCKET, Prefix="made/out/")["Contents"]]
        made = {key.split("/")[-1]: s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys if key.endswith(".jsonl.zst")}
        assert made == expected, f"documents in a store are others: {keys}"
        assert "made/out/manifest/digests/news-1" in keys and "made/out/README.md" in keys, keys

        run(direct, "dedup", str(room / "here"), "-o", str(room / "unique"))
        for after in (0.1, 0.3, None):
            run(faulty.url, "dedup", f"{there}/out", "-o", f"{there}/unique", kill_after=after)
        summary = json.loads(run(faulty.url, "dedup", f"{there}/out", "-o", f"{there}/unique"))
        keys = [found["Key"] for found in s3.list_objects_v2(Bucket=BUCKET, Prefix="made/unique/")["Contents"]]
        made = {key.split("/")[-1]: s3.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in keys if key.endswith(".jsonl.zst")}
        assert made == documents(room / "unique") and summary["read"] > 400, f"{summary}: {keys}"

        web = f"{direct}/{BUCKET}/2026/news-1.warc.gz"
        s3.put_object_acl(Bucket=BUCKET, Key="2026/news-1.warc.gz", ACL="public-read")
        run(direct, "extract", "--stream", web, "--profiles", str(room / "profiles.gmp"), "-o", str(room / "web"))
        assert documents(room / "web") == {"news-1.jsonl.zst": expected["news-1.jsonl.zst"]}

        run(direct, *stream, away, "-o", str(room / "changed"), "--shard", "1/4")
        for number in range(1, 7):
            s3.put_object(Bucket=BUCKET, Key=f"2026/news-{number}.warc.gz", Body=path.read_bytes()[:-1])
        output = "".join(run(direct, *stream, away, "-o", str(room / "changed"), "--shard", f"{n}/4", code=1) for n in (2,))
        assert "has changed since" in output, output[-1000:]

        # Files change between two of their parts.
        behind = Proxy(upstream)
        behind.changes_at = 6
        behind.change = lambda: [
            s3.put_object(Bucket=BUCKET, Key=f"2026/news-{n}.warc.gz", Body=path.read_bytes()[:-2]) for n in range(1, 7)
        ]
        output = run(behind.url, "sample", away, "-o", str(room / "behind"), code=1)
        assert re.search(r"news-\d\.warc\.gz has changed since", output), output[-1000:]

        refusal = f"<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message><AWSAccessKeyId>AKIAEXAMPLE</AWSAccessKeyId><StringToSign>{SECRET}</StringToSign></Error>"
        output = run(Proxy(upstream, answer=refusal.encode()).url, "sample", away, "-o", str(room / "refused"), code=1)
        assert "AWS_ACCESS_KEY_ID" in output and "AKIAEXAMPLE" not in output, output[-1000:]
        output = run(direct, "sample", f"s3://{BUCKET}/2027/", "-o", str(room / "none"), code=1)
        assert "no pages in" in output, output[-1000:]
        run(direct, "sample", f"s3://key:{SECRET}@{BUCKET}/a", "-o", str(room / "secret"), code=2)

    assert PEAK[0] <= 300, f"{PEAK[0]} MB"
    print(f"objects: the same documents with {len(faulty.broken)} faults of {faulty.requests} requests; {PEAK[0]} MB at most")
    moto.stop()


if sys.argv[2:3] == ["--archive"]:
    long_run(Path(sys.argv[3]))
else:
    main()
