"""Whether what was acknowledged, what was deliberately removed and what is there balance, in the drill `year`.

    balance.py LEDGER THERE NOW [EXPORTS]

LEDGER is what deploy/year/work.py noted. THERE has a file for each kind with the ids that are in the database. What a
rule or an order lets go may be gone when its time has come, not a moment earlier, and has to be gone four days later;
with EXPORTS, the folder of the nightly exports, a receiver of them has to know exactly the attempts that are there.
Prints a table and what removed how much, and fails if it does not balance, or if an order had nothing to remove.
"""
import collections
import gzip
import json
import pathlib
import re
import sys

ledger, there, now = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
exports = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
DAY = 86_400
NEVER = float("inf")


def noted(name):
    path = ledger / name
    return [line.split() for line in open(path)] if path.exists() else []


erased = {words[0] for words in noted("erased")}
# Organizations with the moment when they go, and those with a rule: from when on it holds, and for how long it keeps.
deleted = {words[0]: int(words[1]) for words in noted("deleted")}
rules = {words[0]: (int(words[2]) + 30 * DAY, int(words[1]) * DAY) for words in noted("rules")}


def goes_at(kind, words):
    """When something goes and what removes it: 0 if it went at once, or never."""
    of = words[2] if kind == "attempts" else words[0]
    if of in erased:
        return 0, "erasures"
    ends = [(deleted.get(words[1], NEVER), "deletions of organizations")]
    if kind == "attempts" and words[1] in rules:
        begins, kept = rules[words[1]]
        ends.append((max(begins, int(words[-1]) + kept), "rules"))
    return min(ends)


failures = []
removed = collections.Counter()


def balance(kind, is_whole):
    rows = noted(kind)
    found = collections.Counter((there / kind).read_text().split())
    ends = {words[0]: goes_at(kind, words) for words in rows}
    dues = {key: due for key, (due, _) in ends.items()}
    lost = [key for key, due in dues.items() if due > now and key not in found]
    left = [key for key, due in dues.items() if key in found and (due == 0 or due < now - 4 * DAY)]
    twice = sum(count > 1 for count in found.values())
    strange = [key for key in found if key not in dues] if is_whole else []
    repeated = len(rows) - len(ends)
    gone = [key for key, due in dues.items() if key not in found and due <= now]
    removed.update(ends[key][1] for key in gone)
    print(f"| {kind:<9} | {len(rows):>12,} | {len(gone):>19,} | {sum(key in found for key in dues):>6,} "
          f"| {len(lost):>4} | {len(left):>14} | {twice + repeated + len(strange):>8} |")
    if lost or left or twice or repeated or strange:
        failures.append(f"{kind}: lost {lost[:3]}, left {left[:3]}, never acknowledged {strange[:3]}, "
                        f"{twice} there twice, {repeated} acknowledged twice")
    if len(rows) == 0:
        failures.append(f"{kind}: nothing was acknowledged, so nothing is shown")


def received(folder):
    """The attempts that a receiver of an organization's exports has, after all folders in their order."""
    known = set()
    names = sorted(folder.iterdir(), key=lambda one: [int(n) for n in re.findall(r"\d+", one.name)])
    for one in names:
        if "since" not in (manifest := json.load(open(one / "manifest.json"))) or manifest["since"] is None:
            known.clear()
        for line in gzip.open(one / "deletions.ndjson.gz", "rt"):
            row = json.loads(line)
            if row["kind"] == "activity":
                known -= {(row["person_id"], row["subject_id"])}
            elif row["kind"] == "person":
                known = {key for key in known if key[0] != row["subject_id"]}
        for line in gzip.open(one / "activity_reports.ndjson.gz", "rt"):
            row = json.loads(line)
            known.add((row["person_id"], row["activity_id"]))
    return {activity for _, activity in known}


print("| kind      | acknowledged | removed on purpose  | there  | lost | left though due | strange |")
print("|---|---|---|---|---|---|---|")
balance("people", True)
balance("attempts", True)
balance("handouts", False)
print("Removed by " + ", ".join(f"{cause}: {removed[cause]:,}" for cause in
                                ("erasures", "rules", "deletions of organizations")) + ".")
# An order for which there was nothing to do shows nothing.
worked = {words[1] for words in noted("attempts")}
idle = [one for one in {*deleted, *rules} if one not in worked]
if idle:
    failures.append(f"orders: nothing was acknowledged in {idle[:3]}, so that nothing shows what they remove")
if exports:
    # Also of organizations whose last attempt a rule removed.
    by_organization = {one: set() for one in worked if deleted.get(one, NEVER) > now}
    # Of attempts at the same time, the former counts for nothing, and no report shows it.
    present = set((there / "counted").read_text().split())
    for activity, organization, *_ in noted("attempts"):
        if activity in present and organization in by_organization:
            by_organization[organization].add(activity)
    wrong = 0
    for organization, expected in by_organization.items():
        if received(exports / organization) != expected:
            wrong += 1
            failures.append(f"exports: a receiver of {organization} has others than are there")
    if not by_organization:
        failures.append("exports: no organization is left, so nothing is shown")
    print(f"Receivers of the exports of {len(by_organization)} organizations: {wrong} have others than are there.")
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(bool(failures))
