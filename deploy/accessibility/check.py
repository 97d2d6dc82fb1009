"""Follows every link of the pages as each person of the demonstration school, in every language, and lets axe look.

Called by deploy/drills/accessibility with the URL of the service. Of pages that differ only in an id it looks at one.
It sends no form but the one to sign in, and those of FORMS without what they need. What content.py adds is removed
again.
"""

import pathlib
import re
import sys
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.ui import WebDriverWait

from content import content

URL = sys.argv[1].rstrip("/")
AXE = next(pathlib.Path(sys.prefix).rglob("axe_playwright_python/axe.min.js")).read_text()
# As `homeroom demo` prints them; None is who is not signed in.
PEOPLE = [
    None,
    ("ada.lindqvist@harbour.example", "granite-bridge-1"),
    ("rosa.delgado@harbour.example", "silver-willow-1"),
    ("mira.castell@harbour.example", "yellow-kite-1"),
]
# Pages that no link leads to, and pages that say what went wrong.
STARTS = ["/", "/sign-in", "/sign-in/with", "/sign-in/callback", "/device", "/me/password",
          "/oauth/authorize?client_id=unknown", "/my-work/none", "/classes/none",
          "/lti/authorize?client_id=unknown", "/lti/refused?why=unknown", "/open-tool/none"]
# Pages whose form is sent empty, to see how they say what is wrong.
FORMS = {page: "main form.card" for page in ["/tools/new", "/tools/{id}", "/roster-source",
                                             "/handouts/{id}/tools"]}
FORMS["/services/{id}"] = "#gradebook form[method=post]"
# Language, width, dark: every language on a large light screen, and one on the other screens.
SCREENS = [("en", 1440, False), ("de", 1440, False), ("ja", 1440, False), ("zh-Hans", 1440, False),
           ("en", 390, False), ("en", 390, True), ("en", 1440, True)]
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")
ELSEWHERE = re.compile(r"/docs|/open-tool/|/handouts/[^/]+/tools/begin/")


def browser(language, width, dark):
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu"]:
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    # Debian's, so that Selenium does not look for one on the network.
    options.binary_location = "/usr/bin/chromium"
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    return driver


def send(driver, managed_id, password):
    driver.get(URL + "/sign-in")
    driver.find_element(By.NAME, "managedId").send_keys(managed_id)
    driver.find_element(By.NAME, "password").send_keys(password)
    button = driver.find_element(By.CSS_SELECTOR, "main form button[type=submit]")
    button.click()
    # Checking a password takes its time.
    WebDriverWait(driver, 30).until(expected_conditions.staleness_of(button))


def sign_in(driver, managed_id, password):
    send(driver, managed_id, password)
    if urllib.parse.urlsplit(driver.current_url).path == "/sign-in":
        sys.exit(f"{managed_id} cannot sign in: URL must be the demonstration school's")


def pattern(target):
    """What pages that show other things the same way have in common."""
    parts = urllib.parse.urlsplit(target)
    names = sorted({name for name, _ in urllib.parse.parse_qsl(parts.query)})
    return ID.sub("{id}", parts.path) + ("?" + "&".join(names) if names else "")


def problems(driver, screen, who, page):
    """What axe finds, one line for each element."""
    driver.execute_script(AXE)
    # Everything that can be unfolded is looked at, too.
    driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true })")
    result = driver.execute_async_script(
        "axe.run(document, {resultTypes: ['violations']}).then(arguments[arguments.length - 1])")
    for violation in result["violations"]:
        for node in violation["nodes"]:
            yield (f"{' '.join(map(str, screen))} {who} {page}: {violation['id']} "
                   f"({violation['impact']}): {violation['help']}\n    {node['html'][:200]}")
    wide = driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        yield f"{' '.join(map(str, screen))} {who} {page}: {wide} pixels wider than the screen"


def send_empty(driver, selector):
    """Sends the page's form without what was filled in; the browser would not let a person do that."""
    form = driver.find_elements(By.CSS_SELECTOR, selector)
    if not form:
        return False
    driver.execute_script("""
        const form = arguments[0];
        form.noValidate = true;
        for (const field of form.querySelectorAll("input:not([type=hidden]), textarea")) field.value = "";
        form.querySelector("[type=submit]").click();""", form[-1])
    WebDriverWait(driver, 30).until(expected_conditions.staleness_of(form[-1]))
    return True


def walk(driver, screen, person, starts):
    """Looks at every kind of page that the person can reach; yields problems, and None for each page."""
    who = person[0].split("@")[0] if person else "nobody"
    if person:
        sign_in(driver, *person)
    else:
        send(driver, "nobody@harbour.example", "wrong")
        yield None
        yield from problems(driver, screen, who, "refused sign-in")
    seen, asked, waiting = set(), set(), STARTS + starts
    while waiting:
        target = waiting.pop(0)
        if target in asked or pattern(target) in seen and target not in starts:
            continue
        asked.add(target)
        seen.add(pattern(target))
        driver.get(URL + target)
        # Where it led to somewhere else, that page is looked at once.
        shown = pattern(driver.current_url.removeprefix(URL))
        if shown != pattern(target) and shown in seen:
            continue
        seen.add(shown)
        if driver.execute_script("return document.contentType") != "text/html":
            continue
        yield None
        yield from problems(driver, screen, who, shown)
        for link in driver.find_elements(By.CSS_SELECTOR, "a[href]"):
            address = urllib.parse.urldefrag(link.get_attribute("href")).url
            # The documentation of the API is no page of the school, and a tool is another system.
            if address.startswith(URL + "/") and not ELSEWHERE.match(address.removeprefix(URL)):
                waiting.append(address.removeprefix(URL))
        # The page before an app opens is behind a form, which also notes that the task was opened.
        for form in driver.find_elements(By.CSS_SELECTOR, "form[action$='/opened']"):
            waiting.append(form.get_attribute("action").removeprefix(URL).removesuffix("/opened"))
        if shown in FORMS and send_empty(driver, FORMS[shown]):
            yield None
            yield from problems(driver, screen, who, f"{shown}, refused")


def main():
    found, pages = [], 0
    with content(URL, *PEOPLE[1:]) as starts:
        for screen in SCREENS:
            for person in PEOPLE:
                driver = browser(*screen)
                try:
                    for problem in walk(driver, screen, person, starts[person[0]] if person else []):
                        if problem is None:
                            pages += 1
                        else:
                            found.append(problem)
                            print(problem, flush=True)
                finally:
                    driver.quit()
    print(f"{pages} pages, {len(found)} problems")
    sys.exit(1 if found or pages == 0 else 0)


main()
