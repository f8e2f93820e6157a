"""Prints the medians of calls against the program of $HIPPO_BINARY, in milliseconds, with 1,000 memories."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, List

sys.path.insert(0, str(Path(__file__).parent / "src"))
from hippo_memory import Client  # noqa: E402

TOPICS = ["gateway", "deploy", "retry", "database", "backup", "export", "login", "cache", "queue", "invoice"]


def median(call: Callable[[int], Any], times: int) -> float:
    took: List[float] = []
    for i in range(times):
        began = time.perf_counter()
        call(i)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


def question(i: int) -> str:
    """A question that no other number has, so that its vector is not known yet."""
    return f"why did the {TOPICS[i % 10]} fail after {TOPICS[i // 10 % 10]} of the {TOPICS[i // 100]}"


def wait_for_vectors(store: str) -> None:
    """Returns when all models have embedded all memories: embedding takes a core."""
    status = [os.environ.get("HIPPO_BINARY", "hippo"), "--store", store, "status", "--json"]
    while True:
        models = json.loads(subprocess.run(status, check=True, capture_output=True).stdout)["models"]
        if all(m.get("embedded", 0) == m["memories"] for m in models):
            return
        time.sleep(1)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:{folder}/memory.db"
        with Client(store=store) as c:
            note = "Note {} on the {}: it failed on a Friday after the {} was changed by hand, and a restart of the {} helped"
            hashes = [c.store(note.format(i, TOPICS[i % 10], TOPICS[i // 10 % 10], TOPICS[i // 100])) for i in range(1000)]
            wait_for_vectors(store)
            print(f"warm health                       {median(lambda i: c.health(), 200):7.2f}")
            print(f"warm expand                       {median(lambda i: c.expand(hashes[i]), 200):7.2f}")
            print(f"warm search, 5 hits, a new query  {median(lambda i: c.search(question(i)), 200):7.2f}")
            print(f"warm search, 5 hits, asked before {median(lambda i: c.search(question(i)), 200):7.2f}")
            print(f"warm store                        {median(lambda i: c.store(f'one more {i}'), 200):7.2f}")

        def first(verb: Callable[[Client], Any]) -> float:
            def once(i: int) -> None:
                client = Client(store=store)
                clients.append(client)
                verb(client)

            clients: List[Client] = []
            result = median(once, 15)
            for client in clients:
                client.close()
            return result

        print(f"first health, nothing running     {first(lambda c: c.health()):7.2f}")
        print(f"first search, nothing running     {first(lambda c: c.search('why did the gateway fail')):7.2f}")
        code = "from hippo_memory import Client; c = Client(); c.search('why did the gateway fail'); import os; os._exit(0)"
        env = dict(os.environ, HIPPO_STORE=store, PYTHONPATH=sys.path[0])
        bare = median(lambda i: subprocess.run([sys.executable, "-c", "pass"], check=True), 15)
        whole = median(lambda i: subprocess.run([sys.executable, "-c", code], env=env, check=True), 15)
        print(f"import and first search           {whole - bare:7.2f}   above an empty Python, {bare:.2f}")


if __name__ == "__main__":
    main()
