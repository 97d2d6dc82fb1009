"""The calls of trouble.py in Python."""
import sys

from homeroom_client import ClientCredentials, Homeroom, NotModified, Problem

school = Homeroom(sys.argv[1], ClientCredentials("id", "secret"))
person = school.get_me()["person"]
print("signed in as", person["givenName"] if person else "a service")
print("made", school.post_handouts({"classId": "c", "title": "Cells"})["id"])
print("people", *(student["givenName"] for student in school.iterate_people(role="student", limit=2)))
try:
    school.get_terms_by_id("t1", if_none_match='"7"')
except NotModified:
    print("not modified")
try:
    school.get_terms_by_id("t2")
except Problem as problem:
    print(problem.status, problem.code)
try:
    school.patch_people_by_id("source:sis/1", {"grade": "8"}, if_match='"7"')
except Problem as problem:
    print(problem.status, problem.code)
try:
    school.patch_people_by_id("source:sis/1", {"grade": "8"})
except OSError:
    print("lost")
