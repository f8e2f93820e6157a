"""The library against the real program: HIPPO_BINARY is its path."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, List, Optional

import hippo_memory
from hippo_memory import Client, ConnectionLost, HippoError, InvalidError, ProgramNotFound, SecretError, TimedOut
from hippo_memory._process import Process
from hippo_memory.aio import AsyncClient

HERE = Path(__file__).parent


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = f"sqlite:{self.folder / 'memory.db'}"
        self.client = Client(store=self.store)
        self.addCleanup(self.client.close)

    def process(self, client: Optional[Any] = None) -> Process:
        process = (client or self.client)._process
        assert isinstance(process, Process)
        return process

    def fake(self, body: str, timeout: float = 10) -> Client:
        """Return a client of a program in Python, whose line(text) reads a line."""
        script = self.folder / "fake"
        head = f"#!{sys.executable}\nimport json, os, sys, time\ndef line(): return json.loads(sys.stdin.buffer.readline())\n"
        script.write_text(head + textwrap.dedent(body))
        script.chmod(0o755)
        client = Client(binary=script, timeout=timeout)
        self.addCleanup(client.close)
        return client


class DesignTest(Case):
    """The examples of the design."""

    def test_search(self) -> None:
        for i in range(4):
            self.client.store(f"Architecture decision {i}: SQLite keeps the memory", tags=["note", "important"])
        results = self.client.search("recent architecture decisions", limit=3)
        self.assertEqual(repr(results), "SearchResult(found=4, shown=3)")
        self.assertEqual(results.query, "recent architecture decisions")
        for m in results.memories:
            self.assertEqual(len(m.hash), 8)
            self.assertTrue(m.preview.startswith("Architecture decision"))
            self.assertEqual(m.tags, ("note", "important"))
            self.assertGreater(m.score, 0)
            self.assertGreater(m.created, 1.7e9)

    def test_is_compact(self) -> None:
        for i in range(5):
            self.client.store(f"Architecture decision {i}: " + "SQLite keeps the memory. " * 40, tags=["note"])
        found = self.client.search("architecture", limit=5)
        self.assertEqual(len(found.memories), 5)
        self.assertTrue(all(len(m.preview) <= 200 for m in found.memories))
        self.assertLess(len(repr(found.memories)), 5 * 1024)

    def test_threshold(self) -> None:
        self.client.store("Retries need jitter")
        self.assertEqual(self.client.search("retries jitter", threshold=0.99).memories, ())
        self.assertEqual(len(self.client.search("retries jitter", threshold=0.0).memories), 1)

    def test_store_search_expand_update_delete(self) -> None:
        c = self.client
        hash = c.store("Important decision", tags="decision", memory_type="note", metadata={"a": 1, "b": None, "ü": ["x"]})
        self.assertEqual(len(hash), 8)
        m = c.expand(hash)
        assert m is not None
        self.assertEqual((m.content, m.tags, m.memory_type), ("Important decision", ("decision",), "note"))
        self.assertEqual(dict(m.metadata), {"a": 1, "b": None, "ü": ["x"]})
        self.assertTrue(c.update(hash, tags=["new"], memory_type="decision", metadata={"a": None, "c": 3}))
        m = c.get(m.id)
        assert m is not None
        self.assertEqual((m.tags, m.memory_type), (("new",), "decision"))
        self.assertEqual((m.metadata["a"], m.metadata["c"]), (1, 3))
        self.assertTrue(c.update(hash, clear=["metadata.a"]))
        m = c.get(m.id)
        assert m is not None
        self.assertNotIn("a", m.metadata)
        self.assertTrue(c.update(hash, tags=[], memory_type="note"))
        m = c.get(m.id)
        assert m is not None
        self.assertEqual((m.tags, m.memory_type), (("new",), "note"))
        self.assertRaises(InvalidError, lambda: c.update(hash, tags=[]))
        self.assertRaises(InvalidError, lambda: c.update(hash, clear=["content"]))
        self.assertTrue(c.update(hash, clear=["tags", "type"]))
        m = c.get(m.id)
        assert m is not None
        self.assertEqual((m.tags, m.memory_type), ((), ""))
        self.assertEqual((c.delete(hash), c.delete(hash)), (True, False))
        self.assertEqual(c.search("important decision").total, 0)
        self.assertEqual(c.health().count, 0)

    def test_help(self) -> None:
        for name in hippo_memory.__all__:
            verb = getattr(Client, name, None)
            if verb is None or name == "close":
                continue
            said = inspect.getdoc(verb)
            self.assertTrue(said, name)
            self.assertEqual([inspect.getdoc(getattr(module, name)) for module in (hippo_memory, AsyncClient)], [said] * 2, name)

    def test_search_by_tag(self) -> None:
        a, b = self.client.store("one", tags=["a"]), self.client.store("two", tags=["b", "a"])
        self.client.store("three", tags=["c"])
        one = self.client.search_by_tag("a", limit=1)
        self.assertEqual((one.total, len(one.memories), one.query, one.memories[0].score), (2, 1, "tags:a", 1.0))
        any_of = self.client.search_by_tag(["b", "a", "zz"])
        self.assertEqual(({m.hash for m in any_of.memories}, any_of.total, any_of.query), ({a, b}, 2, "tags:b,a,zz"))

    def test_recall(self) -> None:
        hash = self.client.store("What happened")
        found = self.client.recall("today")
        self.assertEqual([(m.hash, m.score) for m in found.memories], [(hash, 1.0)])
        self.assertEqual(self.client.recall("last year").memories, ())

    def test_search_iter(self) -> None:
        stored = {self.client.store(f"Deploy number {i} went well") for i in range(23)}
        seen = [m.hash for m in self.client.search_iter("deploy", batch_size=5)]
        self.assertEqual((len(seen), set(seen)), (23, stored))
        first = next(iter(self.client.search_iter("deploy")))
        self.assertIn(first.hash, stored)

    def test_health(self) -> None:
        self.client.store("one")
        info = self.client.health()
        self.assertEqual((info.backend, info.count, info.ready), ("sqlite", 1, True))

    def test_votes(self) -> None:
        c = self.client
        hash = c.store("The pump needs oil")
        self.assertEqual(c.votes(hash), ())
        for vote, more in (("upvote", ["--query", "what does the pump need?"]), ("downvote", [])):
            command = [os.environ.get("HIPPO_BINARY", "hippo"), vote, hash, "--store", self.store, *more]
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        votes = c.votes(hash)
        assert votes is not None
        self.assertEqual([(v.kind, v.weight, v.tied, v.newest) for v in votes], [("up", 1.0, True, False), ("down", 1.0, False, True)])
        self.assertTrue(c.unvote(hash))
        self.assertEqual(c.votes(hash), votes[:1])
        with self.assertRaises(HippoError) as caught:
            c.unvote(hash)
        self.assertEqual(caught.exception.code, "conflict")
        self.assertIsNone(c.votes("deadbeef"))
        self.assertFalse(c.unvote("deadbeef"))

    def test_module_and_old_import_path(self) -> None:
        code = """
            from mcp_memory_service.api import search, store, health, expand_memory, delete, recall, search_by_tag
            hash = store("New memory", tags=["note", "important"])
            assert [m.hash for m in search("new memory", limit=5).memories] == [hash]
            assert expand_memory(hash).content == "New memory"
            print(f"Backend: {health().backend}, Count: {health().count}")
        """
        env = dict(os.environ, HIPPO_STORE=self.store, PYTHONPATH=os.pathsep.join(sys.path))
        out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual((out.stdout, out.stderr), ("Backend: sqlite, Count: 1\n", ""))


class InputTest(Case):
    def test_unknown(self) -> None:
        self.assertIsNone(self.client.expand("deadbeef"))
        self.assertFalse(self.client.delete("deadbeef"))
        self.assertFalse(self.client.update("deadbeef", tags="x"))

    def test_invalid(self) -> None:
        c: Any = self.client
        hash = c.store("kept", tags=["a"])
        wrong: List[Callable[[], Any]] = [
            lambda: c.search(""), lambda: c.search(None), lambda: c.search(b"x"), lambda: c.search("x", limit=0),
            lambda: c.search("x", limit=True), lambda: c.search("x", limit="5"), lambda: c.search("x", threshold=2),
            lambda: c.search("x", threshold=float("nan")), lambda: c.search_by_tag([]),
            lambda: c.search_by_tag([1]), lambda: c.search_by_tag({"a": 1}), lambda: c.search_by_tag("a", limit=-1),
            lambda: c.recall("blub"), lambda: c.search_iter("x", batch_size=0), lambda: c.store("  "), lambda: c.store(b"x"),
            lambda: c.store("x", metadata=[1]), lambda: c.store("x", metadata={1: 2}), lambda: c.store("x", metadata={"a": {1}}),
            lambda: c.store("x", metadata={"a": float("nan")}), lambda: c.store("x", importance=7), lambda: c.store("a\ud800"),
            lambda: c.store("x" * (600 << 10)), lambda: c.store("x", tags=["t" * 200]), lambda: c.update(hash),
            lambda: c.delete("zz"), lambda: c.delete(7), lambda: c.votes(""), lambda: c.unvote(7), lambda: c.expand(""), lambda: Client(timeout=0),
        ]  # fmt: skip
        for i, call in enumerate(wrong):
            with self.subTest(i), self.assertRaises(InvalidError) as caught:
                call()
            self.assertIsInstance(caught.exception, ValueError)
            self.assertIsInstance(caught.exception, RuntimeError)
        self.assertEqual(c.health().count, 1)

    def test_secret(self) -> None:
        with self.assertRaises(SecretError):
            self.client.store("the key is AKIAIOSFODNN7EXAMPLQ")
        self.assertEqual(self.client.health().count, 0)

    def test_huge(self) -> None:
        content = "äö " * (100 << 10)
        hash = self.client.store(content)
        m = self.client.expand(hash)
        assert m is not None
        self.assertEqual(m.content, content)
        self.assertLessEqual(len(self.client.search("äö").memories[0].preview), 200)

    def test_lines_and_controls_stay(self) -> None:
        for content in ("a\nb\r\n\tc", "\u2028 \U0001f600 \u200b x", '{"jsonrpc":"2.0"}\n'):
            m = self.client.expand(self.client.store(content))
            assert m is not None
            self.assertEqual(m.content, content)


class ProcessTest(Case):
    def test_missing_program(self) -> None:
        for binary in (self.folder / "none", self.folder):
            with self.assertRaises(ProgramNotFound):
                Client(binary=binary).health()

    def test_says_what_is_wrong_with_settings(self) -> None:
        with self.assertRaises(InvalidError) as caught:
            Client(store="foo:bar").health()
        self.assertIn("must be sqlite:PATH, dir:PATH, shared:PATH or postgres://HOST/DATABASE", str(caught.exception))

    def test_starts_again(self) -> None:
        hash = self.client.store("kept")
        for _ in range(3):
            old = self.process()
            old._child.kill()
            old._child.wait()
            self.assertIsNotNone(self.client.expand(hash))
            self.assertIsNot(self.process(), old)

    def test_stores_once_though_it_dies(self) -> None:
        self.client.health()
        started, real = self.process(), self.process().call

        def dies(tool: str, arguments: Any) -> Any:
            future = real(tool, arguments)
            future.exception()  # it was stored, but nobody saw the answer
            started._child.kill()
            started._reader.join()
            raise ConnectionLost("killed")

        setattr(started, "call", dies)
        hash = self.client.store("exactly once", metadata={"n": 1})
        found = self.client.search("exactly once")
        self.assertEqual([m.hash for m in found.memories], [hash])
        self.assertIsNot(self.process(), started)

    def test_dies_in_the_middle(self) -> None:
        client = self.fake("line(); line(); line(); sys.stderr.write('disk on fire'); os._exit(3)")
        with self.assertRaises(ConnectionLost) as caught:
            client.health()
        self.assertIn("status 3) disk on fire", str(caught.exception))

    def test_breaks_the_protocol(self) -> None:
        for reply in (b"\xff\xfe\n", b"not json\n", b"[1]\n", b'{"id":2}\n', b'{"id":2,"result":[]}\n'):
            with self.subTest(reply):
                client = self.fake(f"line(); line(); line(); os.write(1, {reply!r}); time.sleep(60)")
                with self.assertRaises(ConnectionLost):
                    client.health()

    def test_timeout(self) -> None:
        client = self.fake("line(); line(); line(); print(line(), file=open(sys.argv[0] + '.log', 'w'), flush=True); line()", 0.2)
        with self.assertRaises(TimedOut) as caught:
            client.store("x")
        self.assertIsInstance(caught.exception, TimeoutError)
        client.close()
        self.assertIn("notifications/cancelled", (self.folder / "fake.log").read_text())

    def test_program_that_does_not_read(self) -> None:
        client = self.fake("time.sleep(60)", 0.2)
        with self.assertRaises(TimedOut):
            client.store("x" * (300 << 10))
        self.process(client)._child.kill()

    def test_threads(self) -> None:
        with ThreadPoolExecutor(16) as pool:
            stored = set(pool.map(lambda i: self.client.store(f"memory {i}", tags=["t"]), range(100)))
            self.assertTrue(all(pool.map(lambda h: self.client.expand(h) is not None, stored)))
        self.assertEqual(self.client.search_by_tag("t").total, len(stored))

    def test_close(self) -> None:
        self.client.health()
        child = self.process()._child
        self.client.close()
        self.client.close()
        self.assertEqual(child.returncode, 0)
        with self.assertRaises(HippoError):
            self.client.health()

    @unittest.skipIf(sys.platform == "win32", "forks")
    def test_fork(self) -> None:
        hash = self.client.store("before the fork")
        child = os.fork()
        if child == 0:
            ok = self.client.expand(hash) is not None and self.client.store("in the child") != ""
            self.client._end()
            os._exit(0 if ok else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.client.health().count, 2)

    def test_interpreter_ends(self) -> None:
        """The program ends with the interpreter, also after an error or an interrupt, and what was stored is there."""
        ends = ["", "raise SystemExit(3)", "1/0", "import signal, os; os.kill(os.getpid(), signal.SIGINT)", "client = None"]
        for i, end in enumerate(ends):
            with self.subTest(end):
                code = f"from hippo_memory import Client\nclient = Client()\nclient.store('memory {i}')\n"
                code += f"print(client._process._child.pid, flush=True)\n{end}\n"
                env = dict(os.environ, HIPPO_STORE=self.store, PYTHONPATH=os.pathsep.join(sys.path))
                out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
                with self.assertRaises(ProcessLookupError):
                    os.kill(int(out.stdout), 0)
                self.assertNotIn("Exception ignored", out.stderr)
        self.assertEqual(self.client.health().count, len(ends))


class AsyncTest(Case):
    def test_verbs(self) -> None:
        async def main() -> None:
            async with AsyncClient(store=self.store) as c:
                hashes: List[str] = await asyncio.gather(*(c.store(f"deploy {i}", tags=["d"]) for i in range(20)))
                self.assertEqual((await c.search("deploy", limit=3)).total, 20)
                self.assertEqual((await c.search_by_tag(["d", "e"])).total, 20)
                self.assertEqual(len((await c.recall("today", 20)).memories), 20)
                self.assertEqual({m.hash async for m in c.search_iter("deploy", batch_size=7)}, set(hashes))
                self.assertTrue(await c.update(hashes[0], metadata={"a": 1}))
                m = await c.expand(hashes[0])
                assert m is not None
                self.assertEqual(m.metadata["a"], 1)
                self.assertEqual((await c.votes(hashes[0]), await c.unvote("deadbeef")), ((), False))
                self.assertTrue(await c.delete(hashes[0]))
                self.assertFalse(await c.delete("deadbeef"))
                self.assertEqual((await c.health()).count, 19)
                self.process(c)._child.kill()
                self.process(c)._child.wait()
                self.assertEqual((await c.health()).count, 19)
                with self.assertRaises(InvalidError):
                    await c.search("")

        asyncio.run(main())

    def test_cancel_and_timeout(self) -> None:
        body = "line(); line(); line(); print(line(), file=open(sys.argv[0] + '.log', 'w'), flush=True); line()"
        fake = self.fake(body)

        async def main() -> None:
            client = AsyncClient(binary=fake._binary, timeout=10)
            task = asyncio.ensure_future(client.store("x"))
            while client._process is None or not client._process._pending:
                await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await client.close()
            late = AsyncClient(binary=fake._binary, timeout=0.1)
            with self.assertRaises(TimedOut):
                await late.store("x")
            await late.close()

        asyncio.run(main())
        self.assertIn("notifications/cancelled", (self.folder / "fake.log").read_text())


class PackageTest(unittest.TestCase):
    def test_names(self) -> None:
        for name in hippo_memory.__all__:
            self.assertTrue(hasattr(hippo_memory, name), name)
        with self.assertRaises(AttributeError):
            getattr(hippo_memory, "nothing")

    def test_no_threads_stay(self) -> None:
        self.assertFalse([t.name for t in threading.enumerate() if t.name.startswith("hippo-")])


if __name__ == "__main__":
    signal.alarm(120) if hasattr(signal, "alarm") else None
    unittest.main()
