"""Load for the drill high-availability.

    load.py FOLDER HANDOUT

Reports activities as four apps, whose tokens are in FOLDER, and notes each that was acknowledged: when, and its id.
Beside them a teacher reads the report of the handout; each answer's status is noted.
"""
import datetime, http.client, json, sys, threading, time, uuid

folder, handout = sys.argv[1:]
acknowledged, reads = open(folder + "/acknowledged", "w"), open(folder + "/reads", "w")
lock = threading.Lock()

def ask(method, path, token, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=10)
    try:
        head = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        connection.request(method, path, body, head)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except OSError:
        return 0
    finally:
        connection.close()

def note(file, text):
    with lock:
        file.write("%.3f %s\n" % (time.time(), text))
        file.flush()

def report(token):
    number = 0
    while True:
        number += 1
        name = str(uuid.uuid4())
        now = datetime.datetime.utcnow().isoformat(timespec="milliseconds") + "Z"
        body = json.dumps({"activities": [{"id": name, "identifierPath": ["check-%d" % (number % 5 + 1)],
            "startedAt": now, "stoppedAt": now, "modifiedAt": now, "durationSeconds": 1, "progressRanges": [[0, 0.5]]}]})
        if ask("POST", "/v1/activities", token, body) == 202:
            note(acknowledged, name)
        time.sleep(0.05)

def read(token):
    while True:
        note(reads, ask("GET", "/v1/handouts/%s/report" % handout, token))
        time.sleep(0.05)

jobs = [(report, line.strip()) for line in open(folder + "/tokens")] + [(read, open(folder + "/teacher").read().strip())]
threads = [threading.Thread(target=job, args=(token,), daemon=True) for job, token in jobs]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
