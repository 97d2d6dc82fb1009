"""Which alerts of deploy/monitoring/alerts.yml fire on metrics that were noted: promtool decides, in simulated time.

    alerts.py RULES METRICS FROM TO [still]

METRICS is a folder with what `/metrics` answered, in files that are named by their moments, of which those from FROM to
TO count; one that is empty means that nothing answered. Between two moments the earlier one holds. Prints a line for
each alert that fired: the moment from which on it did, and its name. With `still`, only those that fire at the end.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

rules, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
begin, end = int(sys.argv[3]), int(sys.argv[4])
only_last = sys.argv[5:] == ["still"]
MINUTE, LABELS = 60, 'job="homeroom",instance="cell"'
text = rules.read_text()
asked = set(re.findall(r"\b(?:homeroom|process)_\w+", text))
alerts = re.findall(r"alert: (\w+)", text)


def samples(path):
    """The samples that rules ask for, by their series. Moments count from the beginning, where promtool's begin."""
    lines = path.read_text().splitlines()
    found = {f"up{{{LABELS}}}": 1 if lines else 0}
    for line in lines:
        name = re.match(r"\w+", line)
        if not name or name.group() not in asked:
            continue
        series, value = line.rsplit(" ", 1)
        labels = series[len(name.group()):].strip("{}")
        value = float(value)
        if name.group().endswith("_timestamp_seconds") or name.group() == "process_start_time_seconds":
            value -= begin
        found[f"{name.group()}{{{LABELS}{',' if labels else ''}{labels}}}"] = value
    return found


def series():
    """The values of each series, one for each minute; `_` where there is none."""
    moments = sorted(int(path.name) for path in folder.iterdir() if path.name.isdigit() and int(path.name) <= end)
    moments = [m for m in moments if m >= begin] or moments[-1:]
    known = [(m, samples(folder / str(m))) for m in moments]
    minutes = (end - begin) // MINUTE + 1
    held = [known[max(0, sum(m <= begin + n * MINUTE for m, _ in known) - 1)][1] for n in range(minutes)]
    return {name: runs([found.get(name) for found in held]) for name in sorted({n for _, f in known for n in f})}


def runs(values):
    """In promtool's notation, where `3x4` is five times 3."""
    parts, first = [], 0
    for n in range(1, len(values) + 1):
        if n == len(values) or values[n] != values[first]:
            word = "_" if values[first] is None else repr(values[first]).replace("inf", "Inf").replace("nan", "NaN")
            parts.append(f"{word}x{n - first}" if word == "_" else f"{word}+0x{n - first - 1}")
            first = n
    return " ".join(parts)


def ask():
    """What promtool says of a test that expects no alert at any minute."""
    lines = [f"rule_files: [{rules}]", "evaluation_interval: 1m", "tests:", "  - interval: 1m", "    input_series:"]
    for name, values in series().items():
        lines += ["      - series: '" + name.replace("'", "''") + "'", f"        values: '{values}'"]
    lines.append("    alert_rule_test:")
    for n in range((end - begin) // MINUTE + 1):
        for alert in alerts:
            lines.append(f"      - {{eval_time: {n}m, alertname: {alert}, exp_alerts: []}}")
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        said = subprocess.run(["promtool", "test", "rules", file.name], capture_output=True, text=True)
    return said.stdout + said.stderr, said.returncode


said, status = ask()
fired = collections.defaultdict(list)
for alert, days, hours, minutes in re.findall(r"alertname: (\w+), time: (?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?", said):
    fired[alert].append(begin + ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)) * MINUTE)
if status != 0 and not fired:
    sys.exit(f"promtool: {said[-2000:]}")
last = begin + (end - begin) // MINUTE * MINUTE
for alert, moments in sorted(fired.items(), key=lambda one: min(one[1])):
    if max(moments) == last or not only_last:
        print(min(moments), f"alert:{alert}")
