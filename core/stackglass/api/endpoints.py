"""``/debug/pprof/`` of this process: a server of its own, or an application to mount."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.whole_numbers import read_whole

if TYPE_CHECKING:  # a program that serves nothing does not load servers
    from stackglass.http.asgi import Application as AsgiApplication
    from stackglass.http.server import Server
    from stackglass.http.wsgi import Application as WsgiApplication


class Endpoints:
    """Three ways to serve this process's profiles. ``hosts``: names that a request's Host may have,
    besides addresses and localhost; ``*`` allows all."""

    __slots__ = ("_cpu",)

    def __init__(self, cpu: CpuProfiler) -> None:
        self._cpu = cpu

    def serve(
        self, port: int = 6060, host: str = "127.0.0.1", hosts: Collection[str] = ()
    ) -> Server:
        """Serve this process's profiles at a port; 0 = any free port, which the returned server's
        ``port`` has. ``close()``, the end of a ``with`` block or of the program stops the server.

        Raises EngineError if the server cannot listen there.
        """
        from stackglass.api.own_source import OwnSource
        from stackglass.http.server import Server

        return Server(OwnSource(self._cpu), read_whole("port", port), host, hosts)

    def wsgi_app(self, hosts: Collection[str] = ()) -> WsgiApplication:
        """Return a WSGI application that serves ``/debug/pprof/``."""
        from stackglass.api.own_source import OwnSource
        from stackglass.http import wsgi

        return wsgi.make_application(OwnSource(self._cpu), hosts)

    def asgi_app(self, hosts: Collection[str] = ()) -> AsgiApplication:
        """Return an ASGI application that serves ``/debug/pprof/``."""
        from stackglass.api.own_source import OwnSource
        from stackglass.http import asgi

        return asgi.make_application(OwnSource(self._cpu), hosts)
