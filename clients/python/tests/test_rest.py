"""Every verb of RestClient against the real program: HIPPO_BINARY is its path."""

from __future__ import annotations

import functools
import http.server
import inspect
import os
import re
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Callable, List, Set, Tuple, Type
from unittest import mock

import hippo_memory
from hippo_memory import ConnectionLost, HippoError, InvalidError, NotFoundError, SecretError, TimedOut
from hippo_memory._process import find_program
from hippo_memory.verbs import RestClient

VERBS = {name for name, value in vars(RestClient).items() if inspect.isfunction(value) and not name.startswith("_")}


def serve(case: unittest.TestCase) -> Tuple[str, str]:
    """Start a server on a store of its own, and return its address and a token for everything."""
    folder = tempfile.TemporaryDirectory()
    case.addCleanup(folder.cleanup)
    home = Path(folder.name)
    env = {"HOME": folder.name, "PATH": os.environ["PATH"], "HIPPO_STORE": f"sqlite:{home / 'memory.db'}"}
    command = [find_program(None), "serve", "--http", "127.0.0.1:0"]
    server = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    case.addCleanup(server.stderr.close)
    case.addCleanup(server.wait)
    case.addCleanup(server.terminate)
    token = ""
    for line in server.stderr:
        if " its text is in " in line:
            token = Path(line.strip().split(" its text is in ")[1]).read_text().strip()
        found = re.search(r" on (http://\S+)", line)
        if found:
            return found.group(1), token
    raise AssertionError("the server ended")


class Counting(RestClient):
    """Remembers which verbs were called."""

    called: Set[str] = set()


def counted(name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def call(*args: Any, **kwargs: Any) -> Any:
        Counting.called.add(name)
        return verb(*args, **kwargs)

    return call


for _name in VERBS:
    setattr(Counting, _name, counted(_name, getattr(RestClient, _name)))


class VerbsTest(unittest.TestCase):
    def test_every_verb(self) -> None:
        url, token = serve(self)
        with mock.patch.dict(os.environ, http_proxy="http://127.0.0.1:1"), Counting(url, token) as c:  # not for this machine
            a, b = self.memories(c)
            self.relations(c, a, b)
            self.entities(c, a, b)
            self.past(c, a)
            self.namespaces(c)
            self.sync(c)
            self.whole(c, a, b)
            paths = c.openapi()["paths"]
        self.assertEqual(Counting.called, VERBS)
        self.assertEqual(len(VERBS), sum(len(methods) for methods in paths.values()))
        with self.assertRaises(InvalidError):
            c.status()

    def memories(self, c: RestClient) -> Tuple[str, str]:
        done = c.record("The pump needs oil", tags=["pump"], metadata={"rgb": [1, None, "ü"]}, idempotency_key="one")
        a, b = done["insight"]["uuid"], c.record("The valve is red", source={"kind": "user", "author": "ana"})["insight"]["uuid"]
        self.assertEqual(c.record("The pump needs oil", idempotency_key="one")["insight"]["uuid"], a)
        self.assertEqual([h["insight"]["uuid"] for h in c.search("pump oil", limit=1, no_touch=True)["results"]], [a])
        self.assertEqual(c.get(a)["metadata"], {"rgb": [1, None, "ü"]})
        self.assertEqual(len(c.get_many([a, b])["insights"]), 2)
        self.assertEqual(c.resolve([a[-8:]])["ids"][0]["uuid"], a)
        changed = c.modify(a, content="The pump needs much oil", reason="measured", if_match='"v1"')
        self.assertEqual((changed["content"], changed["version"]), ("The pump needs much oil", 2))
        with self.assertRaises(HippoError) as lost:
            c.modify(a, content="The pump needs no oil", if_match='"v1"')
        self.assertEqual(lost.exception.code, "conflict")
        votes = c.reinforce(upvotes=[a], query="how much oil?")["reinforced"]
        self.assertGreater(votes[0]["after"], 0)
        self.assertEqual([v["tied"] for v in c.votes(a)["votes"]], [False, True])  # new content is a vote, too
        found = c.list(tags=["pump"], pinned=False)
        self.assertEqual(([m["uuid"] for m in found["insights"]], found["total_count"]), ([a], 1))
        self.assertIsInstance(c.context("how much oil does the pump need?")["items"], list)
        self.assertEqual(c.history(a)["insights"][0]["uuid"], a)
        both = c.search_sources("pump oil", limit=1)
        self.assertEqual(([h["source"] for h in both["results"]], both["code_count"]), (["memory"], 0))
        self.assertRaises(InvalidError, lambda: c.search_sources("pump", sources=["memory"]))
        return a, b

    def relations(self, c: RestClient, a: str, b: str) -> None:
        c.relate([{"from": a, "to": b, "kind": "explains", "weight": 0.5}])
        self.assertEqual([r["kind"] for r in c.relations_of(a)["relations"]], ["explains"])
        self.assertEqual({n["uuid"] for n in c.neighbours(a)["nodes"]} & {b}, {b})
        self.assertEqual(c.path(from_=a, to=b)["paths"][0]["uuids"], [a, b])
        self.assertIn("explains", c.draw(a, format="graphviz")["text"])
        self.assertGreaterEqual(c.communities(learned=True)["insights"], 2)
        c.end_relation(from_=a, to=b, kind="explains")
        c.unrelate(from_=a, to=b, kind="explains")
        self.assertEqual(c.relations_of(a)["relations"], [])

    def entities(self, c: RestClient, a: str, b: str) -> None:
        c.add_entity("North/South pump?", kind="machine", aliases=["P1"])
        self.assertEqual(c.entity("North/South pump?")["entity"].get("kind"), "machine")
        self.assertEqual(c.modify_entity("P1", description="the pump in the hall")["name"], "North/South pump?")
        self.assertEqual(c.entities(kind="machine")["total"], 1)
        self.assertEqual(c.split_entity(entity="P1", name="P2")["entity"]["name"], "P2")
        self.assertEqual(c.merge_entities(from_="P2", into="P1")["entity"]["name"], "North/South pump?")
        c.remove_entity("P1")

    def past(self, c: RestClient, a: str) -> None:
        operations = c.log(memory=a)["operations"]
        self.assertEqual(operations[-1].get("reason"), "measured")
        self.assertIn("content", c.diff(a, from_=len(operations))["changed"])
        self.assertEqual(c.undo(operations[0]["uuid"], reason="a mistake")["uuids"], [a])
        with self.assertRaises(NotFoundError):
            c.undo("00000000")

    def whole(self, c: RestClient, a: str, b: str) -> None:
        self.assertEqual(c.status()["memories"], 2)
        self.assertEqual(c.projects()["projects"], [])
        self.assertEqual(c.clusters()["memories"], 2)
        self.assertEqual(c.audit(limit=1)["memories"], 2)
        self.assertTrue(c.consolidate(dry_run=True, horizon="daily").get("dry_run"))
        events = c.events()
        self.assertEqual(next(events).kind, "ready")
        self.assertEqual(c.forget([b])["action"], "forgotten")
        change = next(events)
        self.assertEqual((change.kind, change.data["uuid"], change.data["forgotten"]), ("change", b, True))
        events.close()
        self.assertEqual(c.restore([b])["uuids"], [b])
        lines = list(c.export())
        self.assertTrue(lines[0].startswith(b'{"hippo_export"'))
        for export in (b"".join(lines), lines, iter(lines)):
            report = c.import_(export, dry_run=True)
            self.assertEqual((report["added"], report["present"], report["rejected"]), (0, 4, []))  # two were entities
        c.purge([b])
        self.assertRaises(NotFoundError, lambda: c.get(b))

    def namespaces(self, c: RestClient) -> None:
        self.assertEqual([n["namespace"] for n in c.namespaces()["namespaces"]], [""])
        self.assertEqual(c.namespace_usage()["memories"], 2)
        self.assertEqual(len(list(c.export_namespace())), len(list(c.export())))
        with self.assertRaises(HippoError) as limited:  # of a store in files
            c.limit_namespace(namespace="team", memories=10)
        self.assertEqual(limited.exception.code, "unsupported")
        with self.assertRaises(NotFoundError):
            c.delete_namespace("team")

    def sync(self, c: RestClient) -> None:
        for verb in (c.sync_status, c.sync_now, c.sync_verify, c.sync_rebuild, c.sync_remove, lambda: c.sync_retire("laptop")):
            self.assertRaises(NotFoundError, verb)  # there is no remote

    def test_errors(self) -> None:
        url, token = serve(self)
        c = RestClient(url, token)
        cases: List[Tuple[Callable[[], Any], Type[HippoError], str, str]] = [
            (lambda: c.list(limit=100_000), InvalidError, "invalid", "limit"),
            (lambda: c.get("deadbeef"), NotFoundError, "not_found", ""),
            (lambda: c.get(".."), InvalidError, "invalid", ""),
            (lambda: c.get("\ud800"), InvalidError, "invalid", ""),
            (lambda: c.record("\ud800"), InvalidError, "invalid", ""),
            (lambda: c.record("x", importance=float("nan")), InvalidError, "invalid", ""),
            (lambda: c.record("x", idempotency_key="a\nb"), InvalidError, "invalid", ""),
            (lambda: c.record("the key is AKIAIOSFODNN7EXAMPLA"), SecretError, "secret", "content"),
            (lambda: c.import_("text"), InvalidError, "invalid", ""),  # type: ignore[arg-type]
            (lambda: c.import_(b"no export"), InvalidError, "invalid", "body"),
            (lambda: RestClient(url, "wrong").status(), HippoError, "forbidden", ""),
        ]
        for call, kind, code, field in cases:
            with self.assertRaises(kind) as failed:
                call()
            self.assertEqual((failed.exception.code, failed.exception.field), (code, field))
        self.assertIs(hippo_memory.RestClient, RestClient)

    def test_address(self) -> None:
        for url in ("", "file:///etc/passwd", "127.0.0.1:8420", "http://", "http://[::1", "http://host:x", "http://example.com", "https://u:p@h"):
            with self.assertRaises(InvalidError) as failed:
                RestClient(url, "token")
            self.assertEqual(failed.exception.field, "url")
        for token in ("", "a\nb", "ü"):
            with self.assertRaises(InvalidError) as failed:
                RestClient("https://example.com", token)
            self.assertEqual(failed.exception.field, "token")
        with mock.patch.dict(os.environ, HIPPO_URL="http://[::1]:1/", HIPPO_TOKEN="token\n"):
            self.assertRaises(ConnectionLost, RestClient().status)
        self.assertRaises(InvalidError, lambda: RestClient(timeout=0))
        RestClient("http://example.com", "token", insecure_http=True).close()

    def answering(self, handle: Callable[[Any], None]) -> RestClient:
        """Return a client of a server that does what handle does."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        handler: Any = type("Handler", (http.server.BaseHTTPRequestHandler,), {
            "do_GET": handle, "do_POST": handle, "protocol_version": "HTTP/1.1", "log_message": lambda *_: None,
        })  # fmt: skip
        server.RequestHandlerClass = handler
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return RestClient(f"http://127.0.0.1:{server.server_port}", "token", timeout=0.3)

    def test_bad_server(self) -> None:
        seen: List[str] = []

        def handle(request: Any) -> None:
            seen.append(request.path)
            if request.path.endswith("/status"):  # no token must follow a redirect
                request.send_response(302)
                request.send_header("Location", "/elsewhere")
                request.send_header("Content-Length", "0")
                request.end_headers()
            elif request.path.endswith("/export"):  # it ends in the middle
                request.send_response(200)
                request.send_header("Transfer-Encoding", "chunked")
                request.end_headers()
                request.wfile.write(b"5\r\nline\n\r\n")
                request.close_connection = True
            elif request.path.endswith("/projects"):
                request.send_response(200)
                request.send_header("Content-Length", "1")
                request.end_headers()
                request.wfile.write(b"{")
            else:
                threading.Event().wait(1)
                request.close_connection = True

        c = self.answering(handle)
        self.assertRaises(HippoError, c.status)
        self.assertRaises(ConnectionLost, lambda: list(c.export()))
        self.assertRaises(ConnectionLost, c.projects)
        self.assertRaises(TimedOut, c.openapi)
        self.assertNotIn("/elsewhere", seen)


if __name__ == "__main__":
    unittest.main()
