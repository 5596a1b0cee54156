# SPDX-License-Identifier: BSD-3-Clause
"""Servers of files on ports of this machine, and a proxy that spoils what passes through it."""

import contextlib
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

HOST = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def wait_for_port(port: int, process: subprocess.Popen | None = None, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1):
            return
        time.sleep(0.02)
    raise RuntimeError(f"nothing listens on port {port}")


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# nginx


NGINX = """
daemon off; master_process off; worker_processes 1; pid {work}/nginx.pid; error_log {work}/error.log;
{modules}
events {{ worker_connections 256; }}
http {{
  log_format requests '$request_method $uri $status "$http_range" "$http_authorization" $connection';
  access_log {work}/access.log requests;
  client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
  uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
  default_type application/octet-stream;
  server {{
    listen {host}:{port}; {tls_listen}
    root {root};
    client_max_body_size 1g;
    location / {{ {dav} }}
    location /few/ {{ alias {root}/; max_ranges 1; }}
    location /secret/ {{ alias {root}/; if ($http_authorization != "Bearer right-token-4711") {{ return 401; }} }}
    location /away/ {{ rewrite ^/away/(.*)$ http://{host}:{port}/$1 redirect; }}
  }}
}}
"""


def write_events(generate, folder: Path) -> Path:
    """Writes two files of dimuon events and one of all objects, for servers to offer: no new ones, which no
    cache keeps."""
    folder.chmod(0o755)
    generate("dimuon", folder / "a1.root", 60000, "--seed", 1)
    generate("dimuon", folder / "a2.root", 20000, "--seed", 2)
    generate("adl", folder / "events.root", 20000, "--seed", 3)
    for path in folder.glob("*.root"):
        os.utime(path, (time.time() - 3600,) * 2)
    return folder


@dataclass
class Nginx:
    """The real thing, for a folder: http and, if there is a certificate, https."""

    root: Path
    work: Path
    tls: tuple[Path, Path] | None = None
    port: int = field(default_factory=free_port)
    tls_port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    def start(self) -> "Nginx":
        self.work.mkdir(parents=True, exist_ok=True)
        dav = Path("/usr/lib/nginx/modules/ngx_http_dav_ext_module.so")
        tls = ""
        if self.tls:
            tls = f"listen {HOST}:{self.tls_port} ssl http2; ssl_certificate {self.tls[0]}; ssl_certificate_key {self.tls[1]};"
        config = NGINX.format(
            work=self.work,
            root=self.root,
            host=HOST,
            port=self.port,
            tls_listen=tls,
            modules=f"load_module {dav};" if dav.exists() else "",
            dav="dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS;"
            if dav.exists()
            else "",
        )
        (self.work / "nginx.conf").write_text(config)
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        # It would otherwise run as another user, who may not read what a test has written.
        options = ["-g", "user root;"] if os.getuid() == 0 else []
        command = [nginx, "-p", self.work, "-c", self.work / "nginx.conf", *options]
        with (self.work / "stderr.log").open("w") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)
        wait_for_port(self.port, self.process)
        return self

    def stop(self) -> None:
        stop(self.process)

    def url(self, path: str, scheme: str = "http") -> str:
        port = self.tls_port if scheme in ("https", "davs") else self.port
        return f"{scheme}://{HOST}:{port}/{path}"

    def requests(self) -> list[str]:
        """What was asked for since the last call, a line each."""
        time.sleep(0.05)
        log = self.work / "access.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.write_text("")
        return lines


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that nobody else has signed, and its key."""
    certificate, key = folder / "server.pem", folder / "server.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


# A server whose answers a test decides


@dataclass
class Answer:
    """What is sent for a request: a status, headers, and the body."""

    status: int
    headers: dict[str, str]
    body: bytes


class ScriptedServer:
    """Answers range requests for the files of a folder. `change(request, answer)` may change each answer, or
    return None to close the connection; requests are kept as (method, path, headers)."""

    def __init__(self, root: Path, change=None):
        self.root, self.change = root, change or (lambda request, answer: answer)
        self.seen = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                outer.handle(self)

            def do_PROPFIND(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.handle(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((HOST, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://{HOST}:{self.port}/{path}"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def handle(self, handler) -> None:
        request = (handler.command, handler.path, dict(handler.headers))
        self.seen.append(request)
        answer = self.change(request, self.right_answer(handler))
        if answer is None:
            handler.close_connection = True
            return
        handler.send_response(answer.status)
        for name, value in ({"Content-Length": str(len(answer.body))} | answer.headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        with contextlib.suppress(OSError):
            handler.wfile.write(answer.body)

    def right_answer(self, handler) -> Answer:
        path = self.root / unquote(urlsplit(handler.path).path).lstrip("/")
        if not path.is_file():
            return Answer(404, {}, b"")
        data = path.read_bytes()
        headers = {"ETag": f'"{path.stat().st_mtime_ns:x}"'}
        wanted = handler.headers.get("Range")
        if not wanted:
            return Answer(200, headers, data)
        ranges = []
        for first, last in re.findall(r"(\d*)-(\d*)", wanted.removeprefix("bytes=")):
            begin = int(first) if first else max(0, len(data) - int(last))
            ranges.append((begin, min(int(last) + 1 if first and last else len(data), len(data))))
        if len(ranges) == 1:
            (begin, end) = ranges[0]
            headers["Content-Range"] = f"bytes {begin}-{end - 1}/{len(data)}"
            return Answer(206, headers, data[begin:end])
        headers["Content-Type"] = "multipart/byteranges; boundary=between"
        body = b"".join(
            f"\r\n--between\r\nContent-Range: bytes {begin}-{end - 1}/{len(data)}\r\n\r\n".encode()
            + data[begin:end]
            for begin, end in ranges
        )
        return Answer(206, headers, body + b"\r\n--between--\r\n")


class ServerOfKeys(ScriptedServer):
    """Sends `get?fileKey=1` as 1.root, or another ending; says of all files that they are the same, as of equal times and sizes."""

    def __init__(self, root: Path, ending: str = "root"):
        self.ending = ending
        super().__init__(root)

    def right_answer(self, handler) -> Answer:
        handler.path = f"/{handler.path.rsplit('=', 1)[1]}.{self.ending}"
        answer = super().right_answer(handler)
        return Answer(answer.status, answer.headers | {"ETag": '"5e1f-2b3c"'}, answer.body)


# A proxy of TCP


@dataclass
class Faults:
    """What becomes of connections through the proxy."""

    latency: float = 0.0  # seconds one way
    bytes_per_second: float = 0.0  # of answers; 0 for no limit
    reset_after: int = -1  # bytes of answers of one connection
    stall_after: int = -1
    drip_after: int = -1  # then ten bytes a second
    resets: int = 10**9  # how many connections are reset, stall or drip


class FaultyProxy:
    """Passes bytes to a port and back, late, slowly, or not at all."""

    def __init__(self, target: int, faults: Faults | None = None):
        self.target, self.faults = target, faults or Faults()
        self.listener = socket.create_server((HOST, 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        self.is_stopped = threading.Event()
        self.accepted = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.is_stopped.set()
        self.drop_all()
        for connection in self.open:
            connection.close()

    def drop_all(self) -> None:
        for connection in self.open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection((HOST, self.target))
            except OSError:  # as if nobody were there
                client.close()
                continue
            self.accepted += 1
            self.open += [client, server]
            for end in (client, server):  # what comes in pieces shall not wait for acknowledgements
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for pair in ((client, server, False), (server, client, True)):
                threading.Thread(target=self.carry, args=pair, daemon=True).start()

    def carry(self, source, sink, is_answer: bool) -> None:
        passed = 0
        # Bytes wait their turn in a thread of their own, so that latency does not limit how many come.
        queue, ready = [], threading.Condition()

        def send():
            while True:
                with ready:
                    ready.wait_for(lambda: queue)
                    due, data = queue.pop(0)
                time.sleep(max(0.0, due - time.monotonic()))
                try:
                    if data is None:
                        return sink.shutdown(socket.SHUT_WR)
                    sink.sendall(data)
                except OSError:
                    return None
                if is_answer and self.faults.bytes_per_second:
                    time.sleep(len(data) / self.faults.bytes_per_second)

        threading.Thread(target=send, daemon=True).start()
        while True:
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            faults = self.faults
            if is_answer and data and faults.resets > 0:
                if 0 <= faults.stall_after <= passed + len(data):
                    faults.resets -= 1
                    self.is_stopped.wait()
                if 0 <= faults.drip_after <= passed + len(data):
                    faults.resets -= 1
                    for byte in data:
                        with ready:
                            queue.append((time.monotonic(), bytes([byte])))
                            ready.notify()
                        if self.is_stopped.wait(0.1):
                            return
                if 0 <= faults.reset_after <= passed + len(data):
                    faults.resets -= 1
                    for end in (source, sink):
                        with contextlib.suppress(OSError):
                            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                            end.shutdown(socket.SHUT_RDWR)
                        end.close()
                    return
            passed += len(data)
            with ready:
                queue.append((time.monotonic() + faults.latency, data or None))
                ready.notify()
            if not data:
                return


# S3


@dataclass
class S3Server:
    """moto, which checks signatures by botocore, with one user."""

    work: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None
    keys: dict[str, str] = field(default_factory=dict)

    def start(self) -> "S3Server":
        command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(self.port)]
        with (self.work / "log").open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        wait_for_port(self.port, self.process, 60)
        self.client("s3").create_bucket(Bucket="data")
        iam = self.client("iam")
        iam.create_user(UserName="reader")
        rights = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [rights]})
        iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=policy)
        self.keys = iam.create_access_key(UserName="reader")["AccessKey"]
        url = f"http://{HOST}:{self.port}/moto-api/reset-auth"
        headers = {"Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(url, b"0", headers, method="POST")).close()
        return self

    def client(self, service: str):
        import boto3

        return boto3.client(
            service,
            endpoint_url=f"http://{HOST}:{self.port}",
            region_name="us-east-1",
            aws_access_key_id=self.keys.get("AccessKeyId", "test"),
            aws_secret_access_key=self.keys.get("SecretAccessKey", "test"),
        )

    def put(self, bucket: str, key: str, path: Path) -> None:
        with path.open("rb") as data:
            self.client("s3").put_object(Bucket=bucket, Key=key, Body=data)

    def anonymous(self) -> dict[str, str]:
        nowhere = str(self.work / "nowhere")
        url = f"http://{HOST}:{self.port}"
        return {"AWS_ENDPOINT_URL": url, "AWS_CONFIG_FILE": nowhere, "AWS_SHARED_CREDENTIALS_FILE": nowhere}

    def environment(self) -> dict[str, str]:
        return self.anonymous() | {
            "AWS_ACCESS_KEY_ID": self.keys["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": self.keys["SecretAccessKey"],
        }

    def stop(self) -> None:
        stop(self.process)


# XRootD


@dataclass
class XrootdServer:
    """xrootd for a folder; with `secret`, only for who has the key that is made in the work folder."""

    root: Path
    work: Path
    secret: bool = False
    checksums: bool = False
    port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    def start(self) -> "XrootdServer":
        self.work.mkdir(exist_ok=True)
        for folder in (self.root.parent, self.root):
            folder.chmod(0o755)
        (self.work / "admin").mkdir(exist_ok=True)
        self.work.chmod(0o777)
        (self.work / "admin").chmod(0o777)
        lines = [
            f"xrd.port {self.port}",
            "all.export / r/w",
            f"oss.localroot {self.root}",
            f"all.adminpath {self.work}/admin",
            f"all.pidpath {self.work}/admin",
            "xrd.network nodnr",
        ]
        if self.secret:
            lines += [
                "xrootd.seclib libXrdSec.so",
                f"sec.protocol sss -s {self.keytab()}",
                "sec.protbind * only sss",
            ]
        if self.checksums:
            lines += ["xrootd.chksum max 2 adler32"]
        (self.work / "xrootd.cfg").write_text("\n".join(lines) + "\n")
        user = ["-R", "nobody"] if os.getuid() == 0 else []
        command = ["xrootd", *user, "-n", "test", "-c", self.work / "xrootd.cfg", "-l", self.work / "log"]
        for is_last in (False, False, True):
            self.process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.work
            )
            try:
                wait_for_port(self.port, self.process)
                break
            except RuntimeError:
                # Where the machine is busy, the server may crash while it starts.
                if is_last or self.process.returncode != -signal.SIGSEGV:
                    raise
        return self

    def keytab(self) -> Path:
        """The key of the server, of which whoever may read has a copy, `key`: each must own theirs."""
        path = self.work / "keytab"
        command = ["xrdsssadmin", "-k", "test", "-u", "anybody", "-g", "anygroup", "add", path]
        subprocess.run(command, check=True, capture_output=True, input=b"y\n")
        shutil.copy(path, self.work / "key")
        (self.work / "key").chmod(0o600)
        if os.getuid() == 0:
            shutil.chown(path, "nobody")
        return path

    def url(self, path: str) -> str:
        return f"root://{HOST}:{self.port}//{path}"

    def stop(self) -> None:
        stop(self.process)


class Target:
    """Where outputs of one kind go: URLs, what has to be in the environment, and what is there."""

    def __init__(self, kind, server):
        self.kind = kind
        self.server = server
        self.environment = {}
        if kind == "davs":
            self.environment = {"SSL_CERT_FILE": str(self.server.tls[0])}
        if kind == "s3":
            self.environment = self.server.environment()
        self.clear()

    def clear(self):
        for name in self.names():
            if self.kind == "s3":
                self.server.client("s3").delete_object(Bucket="data", Key=name)
            else:
                (self.server.root / name).unlink()

    def url(self, name):
        if self.kind == "s3":
            return f"s3://data/{name}"
        return self.server.url(name, self.kind) if self.kind in ("http", "davs") else self.server.url(name)

    def names(self):
        if self.kind == "s3":
            listed = self.server.client("s3").list_objects_v2(Bucket="data")
            return sorted(each["Key"] for each in listed.get("Contents", []))
        return sorted(path.name for path in self.server.root.iterdir())

    def bytes_of(self, name):
        if self.kind == "s3":
            return self.server.client("s3").get_object(Bucket="data", Key=name)["Body"].read()
        return (self.server.root / name).read_bytes()

    def put(self, name, data):
        if self.kind == "s3":
            self.server.client("s3").put_object(Bucket="data", Key=name, Body=data)
        else:
            (self.server.root / name).write_bytes(data)
            (self.server.root / name).chmod(0o666)
