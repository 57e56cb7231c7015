"""Leak by a cache: a web service that renders a shop's pages, with its customers.

The cache's key has the whole query, and customers' queries differ in a session number. So no entry
is ever found again, and none is dropped.
"""

import argparse
import http.client
import http.server
import json
import random
import threading
import time
import urllib.parse

GOODS = {number: {"name": f"article {number}", "pence": 50 + number} for number in range(400)}
_answers = {}


def render_page(path, query):
    """A page with a hundred articles, as JSON."""
    first = int(query.get("page", ["0"])[0]) * 100 % 300
    articles = [dict(GOODS[number], number=number) for number in range(first, first + 100)]
    return json.dumps({"path": path, "articles": articles}).encode()


def answer(target):
    """Return a page from the cache, or render and keep it."""
    url = urllib.parse.urlsplit(target)
    if target not in _answers:
        _answers[target] = render_page(url.path, urllib.parse.parse_qs(url.query))
    return _answers[target]


def count_words(body):
    """Use memory that is soon freed, which is no leak."""
    words = body.decode().split()
    return len({word.strip('",{}[]:') for word in words})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet

    def do_GET(self):
        body = answer(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def visit(port, seconds, per_second):
    """A customer: the same hundred pages again and again, each time with another session."""
    chance = random.Random(port)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        session = chance.randrange(10**9)
        connection.request("GET", f"/shop?page={session % 3}&session={session}")
        count_words(connection.getresponse().read())
        time.sleep(1 / per_second)
    connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--per-second", type=float, default=60)
    arguments = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="server", daemon=True).start()
    print("serving", flush=True)
    visit(server.server_address[1], arguments.seconds, arguments.per_second)
    server.shutdown()
    print(f"{len(_answers)} answers kept")


if __name__ == "__main__":
    main()
