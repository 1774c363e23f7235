"""A page on this machine that shows results as they come, for a workshop: `grader class summary --live`.

It listens on the loopback address alone and answers only who knows the random part of its address.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class LivePage:
    """Serves what `page()` returns, made anew at each request. `address` is where it is."""

    def __init__(self, page: Callable[[], str], port: int = 0):
        path = f"/{secrets.token_urlsafe(16)}/"

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if not secrets.compare_digest(self.path.encode(), path.encode()):
                    self.send_error(404)
                    return
                body = page().encode()
                self.send_response(200)
                for name, value in HEADERS.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Answer)
        self.address = f"http://127.0.0.1:{self._server.server_port}{path}"

    def serve(self) -> None:
        """Until it is interrupted."""
        try:
            self._server.serve_forever()
        finally:
            self._server.server_close()

    def close(self) -> None:
        """End `serve` from another thread."""
        self._server.shutdown()
