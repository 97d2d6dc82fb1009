"""Clients of the drill monday: they ask, wait as they are told, and write down how long it took.

How long somebody waits is counted from the first try to the answer that is neither 429 nor 503, since that is what a
person waits. Every refusal on the way is counted, too.
"""
import asyncio
import collections
import json
import ssl
import time
import urllib.parse

PATIENCE = 120
TOO_BUSY = (429, 503)


class Book:
    """What happened: waits by kind, refusals by kind and status, other answers, and who gave up."""

    def __init__(self):
        self.waits = collections.defaultdict(list)
        self.refusals = collections.Counter()
        self.strange = collections.Counter()
        self.lacking = collections.Counter()

    def table(self):
        yield "| kind | answered | p50 ms | p95 ms | p99 ms | longest ms | refusals | other answers |"
        yield "|---|---|---|---|---|---|---|---|"
        kinds = {*self.waits, *(kind for kind, _ in [*self.refusals, *self.strange])}
        for kind in sorted(kinds):
            waits = sorted(self.waits[kind])
            figures = [f"{1000 * waits[min(int(len(waits) * share), len(waits) - 1)]:,.0f}" if waits else "–"
                       for share in (0.5, 0.95, 0.99, 1)]
            yield "| " + " | ".join([kind, f"{len(waits):,}", *figures, *(
                ", ".join(f"{count:,} × {status}" for (of, status), count in sorted(counts.items(), key=str)
                          if of == kind) or "none" for counts in (self.refusals, self.strange))]) + " |"
        if self.lacking:
            yield "Without Retry-After: " + ", ".join(f"{n} × {status}" for status, n in self.lacking.items())


class Wire:
    """One connection, with HTTP/1.1 as far as this service speaks it."""

    def __init__(self, host, port, tls):
        self.host, self.port, self.tls, self.reader, self.writer = host, port, tls, None, None

    async def ask(self, head, body):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls)
        self.writer.write(head + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
        if "chunked" in fields.get("transfer-encoding", ""):
            content = b""
            while size := int((await self.reader.readline()).split(b";")[0], 16):
                content += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        else:
            content = await self.reader.readexactly(int(fields.get("content-length", 0)))
        if "close" in fields.get("connection", ""):
            self.close()
        return int(lines[0].split()[1]), fields, content

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.writer = None


class Clients:
    """Connections that are used again, as a proxy before the service does it."""

    def __init__(self, url, book):
        address = urllib.parse.urlsplit(url)
        self.host, self.port, self.book, self.idle, self.tls = address.hostname, address.port, book, [], None
        if address.scheme == "https":
            # The certificate is a drill's own, and may be expired.
            self.tls = ssl._create_unverified_context()

    async def ask(self, kind, method, path, token=None, body=None, address=None, expected=(200, 201, 202, 204)):
        """The status and the content. Who is told to wait waits so long, and asks again; after two minutes it gives up."""
        sent = json.dumps(body).encode() if body is not None else b""
        head = self.head(method, path, token, sent, address)
        begun = time.perf_counter()
        while True:
            status, fields, content = await self.once(head, sent)
            if status not in TOO_BUSY and status != 0:
                break
            self.book.refusals[kind, status or "no answer"] += 1
            if status in TOO_BUSY and "retry-after" not in fields:
                self.book.lacking[status] += 1
            if time.perf_counter() - begun > PATIENCE:
                self.book.strange[kind, "gave up"] += 1
                return 0, b""
            await asyncio.sleep(float(fields.get("retry-after", 1)))
        if status in expected:
            self.book.waits[kind].append(time.perf_counter() - begun)
        else:
            self.book.strange[kind, status] += 1
        return status, content

    def head(self, method, path, token, sent, address):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}", "Accept-Encoding: identity",
                 f"X-Forwarded-For: {address or '198.51.100.1'}"]
        if token:
            lines.append(f"Authorization: Bearer {token}")
        if sent or method in ("POST", "PUT"):
            lines += ["Content-Type: application/json", f"Content-Length: {len(sent)}"]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def once(self, head, sent):
        """One answer; the status is 0 if there is none. A connection that was idle may just have been closed."""
        for wire in [*([self.idle.pop()] if self.idle else []), Wire(self.host, self.port, self.tls)]:
            was_idle = wire.writer is not None
            try:
                answer = await asyncio.wait_for(wire.ask(head, sent), PATIENCE)
                if wire.writer is not None:
                    self.idle.append(wire)
                return answer
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
                wire.close()
                if not was_idle or isinstance(error, asyncio.TimeoutError):
                    return 0, {}, b""
        return 0, {}, b""
