from memories.access import checks
from memories.server import banks, operations, records
from memories.server import purge as purging
from memories.server.door import Call, Written
from memories.wire.resources import PurgeMemoriesRequest


def purge(call: Call) -> Written:
    """Deletes what matches, with `force`; without it counts what would be. What is purged may be deleted and listed."""
    listed = checks.check(call.principal, "aiplatform.memories.list", resource=call.resource)
    bank = banks.find(call.bank)
    asked = call.body(PurgeMemoriesRequest)
    found = purging.doomed(
        bank, filter=asked.filter or "", groups=asked.filter_groups or (), conditions=(listed, call.condition)
    )
    count = purging.purge(bank, found) if asked.force else purging.count(found)
    name = records.bank_name(bank)
    body = operations.done(name, "PurgeMemories", {"purgeCount": count})
    return Written(body, str(name), count=count, changed=bool(asked.force))
