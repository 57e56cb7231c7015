"""Fetches pages from a server of its own with sixteen workers, logs each to a slow log, and hands
the pages through a short queue to two readers that count words. The same as fetch.go.

    python fetch.py SECONDS
"""

from __future__ import annotations

import http.client
import http.server
import logging
import queue
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

N_WORKERS = 16
N_READERS = 2
QUEUE_LENGTH = 4
WRITE_S = 0.001  # what the log's disk takes for a line

log = logging.getLogger("fetch")


class SlowDisk:
    """Where the log is written."""

    def write(self, _line: str) -> None:
        time.sleep(WRITE_S)

    def flush(self) -> None:
        pass


class WordCount:
    def __init__(self) -> None:
        self.mutex = threading.Lock()
        self.words: Counter[str] = Counter()

    def add(self, page: str) -> None:
        with self.mutex:
            for word in page.split():
                self.words[word] += 1


class PageHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # as Go's

    def do_GET(self) -> None:
        page = (self.path + " word" * 200).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """Only the client logs."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = N_WORKERS


def fetch_pages(port: int, until: float, pages: queue.Queue[str | None]) -> None:
    client = http.client.HTTPConnection("127.0.0.1", port)
    number = 0
    while time.monotonic() < until:
        client.request("GET", f"/{number}")
        page = client.getresponse().read().decode()
        log.info("fetched %d bytes", len(page))
        pages.put(page)
        number += 1
    client.close()


def read_pages(pages: queue.Queue[str | None], count: WordCount) -> None:
    while (page := pages.get()) is not None:
        count.add(page)


def main() -> None:
    until = time.monotonic() + float(sys.argv[1])
    logging.basicConfig(stream=SlowDisk(), level=logging.INFO)
    server = Server(("127.0.0.1", 0), PageHandler)
    threading.Thread(target=server.serve_forever, name="server", daemon=True).start()
    pages: queue.Queue[str | None] = queue.Queue(QUEUE_LENGTH)
    count = WordCount()
    with ThreadPoolExecutor(N_READERS, "reader") as readers:
        for _ in range(N_READERS):
            readers.submit(read_pages, pages, count)
        with ThreadPoolExecutor(N_WORKERS, "worker") as workers:
            for done in [
                workers.submit(fetch_pages, server.server_port, until, pages)
                for _ in range(N_WORKERS)
            ]:
                done.result()
        for _ in range(N_READERS):
            pages.put(None)
    server.shutdown()
    server.server_close()
    print(count.words["word"])


if __name__ == "__main__":
    main()
