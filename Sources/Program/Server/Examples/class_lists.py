"""Prints who is in each class: python3 class_lists.py URL CLIENT_ID CLIENT_SECRET"""
import sys
from homeroom_client import ClientCredentials, Homeroom, Problem

url, client_id, client_secret = sys.argv[1:]
school = Homeroom(url, ClientCredentials(client_id, client_secret))
try:
    for group in school.iterate_classes(
        order="name", expand="teachers,students", fields="name,expanded", limit=50
    ):
        teachers = ", ".join(person["familyName"] for person in group["expanded"]["teachers"])
        print(f"{group['name']} ({teachers})")
        for person in group["expanded"]["students"]:
            print(f"  {person['givenName']} {person['familyName']}")
except Problem as problem:
    sys.exit(f"{problem.detail} Quote {problem.instance} when you ask for help.")
