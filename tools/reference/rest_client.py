"""Drives the REST interface with a client that openapi-python-client has generated from its document.

Usage: rest_client.py CLIENT URL TOKEN, where CLIENT is the folder of the generated package. It ends with an error
if a call does not do what the document says. The store must be empty.
"""

import datetime
import importlib
import io
import pathlib
import sys
import uuid

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder.parent))
package = importlib.import_module(folder.name)
models = importlib.import_module(folder.name + ".models")
types = importlib.import_module(folder.name + ".types")
client = package.AuthenticatedClient(base_url=sys.argv[2], token=sys.argv[3])


def call(name, *args, status=200, **kwargs):
    """Calls an operation and returns what it answered."""
    api = importlib.import_module(f"{folder.name}.api.default.{name}")
    r = api.sync_detailed(*args, client=client, **kwargs)
    if r.status_code != status:
        sys.exit(f"{name}: status {r.status_code}, want {status}: {r.content!r}")
    return r.parsed


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got {got!r}, want {want!r}")


first = call(
    "record",
    status=201,
    idempotency_key="one",
    body=models.RecordRequest(
        content="the pump needs oil",
        situation=["maintenance"],
        importance=0.3,
        tags=["pump"],
        type_="fact",
        event_time="2026-02-01",
        project="plant",
        source=models.RecordRequestSource(kind=models.RecordRequestSourceKind.USER, author="ana"),
        metadata=models.RecordRequestMetadata.from_dict({"colour": {"rgb": [1, 2, 3]}}),
    ),
).insight
check("uuid", type(first.uuid), uuid.UUID)
check("event_time", type(first.event_time), datetime.datetime)
check("metadata", first.metadata.additional_properties, {"colour": {"rgb": [1, 2, 3]}})
id = str(first.uuid)
again = call("record", idempotency_key="one", body=models.RecordRequest(content="the pump needs oil"))
check("the same key", again.insight.uuid, first.uuid)
second = call("record", status=201, body=models.RecordRequest(content="the valve is red")).insight

check("get", call("get", id[-8:]).content, "the pump needs oil")
check("get_many", len(call("get_many", body=models.GetManyRequest(uuids=[id, str(second.uuid)])).insights), 2)
check("short", call("resolve", body=models.ResolveRequest(uuids=[id])).ids[0].short, id[-8:])
changed = call("modify", id, if_match='"v1"', body=models.ModifyRequest(content="the pump needs much oil", pinned=True))
check("version", changed.version, 2)
problem = call("modify", id, if_match='"v1"', status=412, body=models.ModifyRequest(content="lost"))
check("lost update", (problem.code, problem.status), ("conflict", 412))

answer = call("search", body=models.SearchRequest(query="pump oil", explain=True, limit=5))
check("search", [h.insight.uuid for h in answer.results], [first.uuid])
check("signals", type(answer.results[0].signals.bm25), float)
page = call("list_", limit=1, tags=["pump"], project=["*"])
check("list", ([m.uuid for m in page.insights], page.total_count), ([first.uuid], 1))
check("history", [m.uuid for m in call("history", id).insights], [first.uuid])
votes = call("reinforce", body=models.ReinforceRequest(upvotes=[id], downvotes=[str(second.uuid)]))
check("votes", [v.after > v.before for v in votes.reinforced], [True, False])
call("context", body=models.ContextRequest(prompt="pump oil", project="plant"))

relation = models.RelateRequestRelationsItem(from_=id, to=str(second.uuid), kind="explains", weight=0.5)
call("relate", body=models.RelateRequest(relations=[relation]))
check("relations", [r.kind for r in call("relations_of", id).relations], ["explains"])
export = call("export")
export = export.payload.read() if hasattr(export, "payload") else export
check("lines of the export", export.count(b"\n"), 3)
report = call("import_", dry_run=True, body=types.File(payload=io.BytesIO(export)))
check("import", (report.added, report.present, report.rejected), (0, 2, []))
call("unrelate", status=204, from_=id, to=str(second.uuid), kind="explains")

for name, request, action in [
    ("forget", models.ForgetRequest, "forgotten"),
    ("restore", models.RestoreRequest, "restored"),
    ("purge", models.PurgeRequest, "purged"),
]:
    check(name, call(name, body=request(uuids=[id])).action, action)
check("a memory that is gone", call("get", id, status=404).code, "not_found")
check("a value that is wrong", call("search", status=400, body=models.SearchRequest(limit=100_000)).field, "limit")
check("projects", call("projects").projects, [])
check("status", (call("status").memories, call("status").forgotten), (1, 0))
