// Makes pages livelier. Nothing depends on it: every page works without.
"use strict";

// The person menu closes with Escape and with a click elsewhere.
for (const menu of document.querySelectorAll("details.menu")) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  document.addEventListener("click", (event) => {
    if (menu.open && !menu.contains(event.target)) menu.open = false;
  });
}

// A form is sent once, however often its button is pressed.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
  });
}
// A page that comes back from the cache of the Back button may send its forms again.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[method=post]")) delete form.dataset.sent;
});

// The secret of a badge stands behind # in the address, which no browser sends to a server. It goes into the form, and out
// of the address and of this tab's history. The button is still to be pressed: looking at an address signs nobody in.
for (const field of document.querySelectorAll("[data-badge]")) {
  const secret = location.hash.slice(1);
  if (secret) {
    field.value = secret;
    field.parentElement.hidden = true;
    history.replaceState(null, "", location.pathname);
  }
  window.addEventListener("pagehide", () => { field.value = ""; });
}

// What is typed into a form is kept in this tab until the form was taken: a page that is loaded again, a phone that drops
// the tab, or a connection that breaks loses nothing. Passwords are never kept, and nothing while nobody is signed in.
(() => {
  const prefix = "homeroom typed ", owner = "homeroom typist";
  const person = document.body.dataset.person;
  const kinds = "textarea, select, input:is([type=text], [type=email], [type=url], [type=tel], [type=number], [type=date], "
    + "[type=time], [type=checkbox], [type=radio], :not([type]))";
  const store = (() => { try { return window.sessionStorage; } catch { return null; } })();
  const keys = () => store ? Object.keys(store).filter((key) => key.startsWith(prefix)) : [];
  const forget = () => { for (const key of [...keys(), owner]) store?.removeItem(key); };
  const read = (key) => { try { return JSON.parse(store.getItem(key)); } catch { return null; } };
  const write = (key, entry) => {
    try { entry ? store.setItem(key, JSON.stringify(entry)) : store.removeItem(key); } catch { /* The store is full. */ }
  };
  let isLeaving = false;

  // What somebody else has typed is nobody's business.
  if (person && store && store.getItem(owner) !== person) {
    forget();
    try { store.setItem(owner, person); } catch { /* Without a store nothing is kept. */ }
  }

  // A form was taken if the page that answers says so, or if its answer led here. Where it was refused, or the server
  // did not answer, what was typed stays.
  const arrival = performance.getEntriesByType("navigation")[0];
  const sent = document.body.dataset.sent;
  const isTaken = sent ? sent === "done" : arrival?.redirectCount > 0;
  for (const key of keys()) {
    const entry = read(key);
    if (!entry?.sent) continue;
    if (isTaken) write(key, null);
    else if (sent) write(key, { ...entry, sent: false });
  }

  const controls = (form) => [...form.elements].filter((control) =>
    control.matches(kinds) && control.name && !/password|secret/i.test(control.name));
  const isBox = (control) => control.type === "checkbox" || control.type === "radio";
  const value = (control) => isBox(control) ? control.checked
    : control.multiple ? [...control.selectedOptions].map((option) => option.value) : control.value;

  // Controls by what stays the same when the page is loaded again.
  const named = (form) => {
    const count = {};
    return controls(form).map((control) => {
      const name = isBox(control) ? control.name + "=" + control.value : control.name;
      count[name] = (count[name] ?? 0) + 1;
      return [name + " " + count[name], control];
    });
  };

  // What the server put in: the browser may have put its own memory in its place already.
  const given = (control) => {
    if (isBox(control)) return control.defaultChecked;
    if (!control.options) return control.defaultValue;
    const options = [...control.options], chosen = options.filter((option) => option.defaultSelected);
    if (control.multiple) return chosen.map((option) => option.value);
    return (chosen.at(-1) ?? options.find((option) => !option.disabled))?.value ?? "";
  };

  const forms = [];
  const changes = (form) => named(form).filter(([, control]) =>
    JSON.stringify(value(control)) !== JSON.stringify(given(control))).map(([name, control]) => [name, value(control)]);

  const put = (control, kept) => {
    if (isBox(control)) control.checked = kept;
    else if (control.multiple) for (const option of control.options) option.selected = kept.includes(option.value);
    else control.value = kept;
  };

  const restore = (known, entry) => {
    const kept = new Map(entry.values);
    let isDifferent = false;
    for (const [name, control] of named(known.form)) {
      if (!kept.has(name) || JSON.stringify(value(control)) === JSON.stringify(kept.get(name))) continue;
      put(control, kept.get(name));
      isDifferent = true;
    }
    if (isDifferent) say(known);
  };

  const say = (known) => {
    const box = document.createElement("div"), words = document.createElement("p"), button = document.createElement("button");
    box.className = "notice";
    box.setAttribute("role", "status");
    words.textContent = document.body.dataset.restored + " ";
    button.type = "button";
    button.className = "button button-plain";
    button.textContent = document.body.dataset.discard;
    button.addEventListener("click", () => {
      known.form.reset();
      write(known.key, null);
      box.remove();
    });
    words.append(button);
    const inner = document.createElement("div");
    inner.append(words);
    box.append(inner);
    known.form.before(box);
  };

  const keep = (form) => {
    if (form.method !== "post" || form.matches("[data-upload]") || !controls(form).length) return;
    const address = form.dataset.typedAt || location.pathname + location.search;
    const place = address + "\n" + form.getAttribute("action");
    const number = forms.filter((other) => other.place === place).length;
    const known = { form, place, key: prefix + place + "\n" + number };
    forms.push(known);
    // A page that answers a form has what was typed in it, as if the server had put it in.
    const isAnswer = sent || form.dataset.typedAt;
    const entry = read(known.key);
    if (entry && !isAnswer) restore(known, entry);
    const note = (more) => {
      const values = new Map(changes(form)), earlier = isAnswer ? read(known.key)?.values : [];
      for (const [name, control] of named(form)) {
        if (earlier?.some(([other]) => other === name)) values.set(name, value(control));
      }
      write(known.key, values.size ? { values: [...values], ...more } : null);
    };
    form.addEventListener("input", () => note());
    form.addEventListener("change", () => note());
    form.addEventListener("submit", (event) => { if (!event.defaultPrevented) note({ sent: true }); });
  };

  if (person && store) for (const form of document.querySelectorAll("form[method=post]")) keep(form);

  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    isLeaving = true;
    if (event.target.getAttribute("action") === "/sign-out") forget();
  });
  for (const link of document.querySelectorAll("a[data-forget]")) {
    link.addEventListener("click", () => {
      isLeaving = true;
      for (const known of forms) if (known.form.contains(link)) write(known.key, null);
    });
  }
  window.addEventListener("beforeunload", (event) => {
    if (!isLeaving && forms.some((known) => changes(known.form).length)) event.preventDefault();
  });
  window.addEventListener("pageshow", () => { isLeaving = false; });
})();

// A form that only leads on to another system needs no click.
for (const form of document.querySelectorAll("form[data-go]")) form.requestSubmit();

// The button of a publication says what it will do, and promises that, while the day and the time are typed.
for (const button of document.querySelectorAll("button[data-later]")) {
  const form = button.form;
  const locale = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
  const format = new Intl.DateTimeFormat(locale, {
    weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit", hourCycle: "h23", timeZone: "UTC",
  });
  form.addEventListener("input", (event) => {
    const [date, time] = [form.elements.date.value, form.elements.time.value];
    if (![form.elements.date, form.elements.time].includes(event.target)) return;
    const moment = new Date(`${date}T${time}Z`);
    const isMoment = date && time && !isNaN(moment);
    button.value = date || time ? `${date} ${time}` : "now";
    button.textContent = isMoment ? button.dataset.later.replace("{when}", format.format(moment))
      : date || time ? button.dataset.neither : button.dataset.now;
  });
}

// Who gets a handout is said in words while students are ticked.
for (const line of document.querySelectorAll("[data-ticked]")) {
  const boxes = [...document.querySelectorAll(`input[name=${line.dataset.ticked}]`)];
  const say = () => {
    const count = boxes.filter((box) => box.checked).length;
    const words = [line.dataset.none, line.dataset.one][count] ?? line.dataset.many.replace("{n}", count);
    if (line.textContent !== words) line.textContent = words;
  };
  for (const box of boxes) box.addEventListener("change", say);
  say();
}

// The code of a device gets its dash while it is typed.
for (const field of document.querySelectorAll("input.input-code")) {
  field.addEventListener("input", () => {
    const letters = field.value.replace(/[^A-Za-z0-9]/g, "").toUpperCase().slice(0, 8);
    field.value = letters.length > 4 ? letters.slice(0, 4) + "-" + letters.slice(4) : letters;
  });
}

// Links that open the page to print also open the print dialog.
for (const link of document.querySelectorAll("a[data-print]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    window.print();
  });
}

// A form with a file shows how far it has come; then the page that answers takes the place of this one.
document.addEventListener("submit", (event) => {
  const form = event.target;
  const file = form.querySelector("input[type=file]");
  if (event.defaultPrevented || !form.matches("form[data-upload]") || !file.files.length) return;
  event.preventDefault();
  const box = form.querySelector("[data-progress]");
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.responseType = "document";
  request.upload.addEventListener("progress", (sent) => {
    const percent = sent.total ? Math.floor((100 * sent.loaded) / sent.total) : 0;
    box.hidden = false;
    box.querySelector("progress").value = percent;
    box.querySelector("span").textContent = box.dataset.progress.replace("{percent}", percent);
  });
  request.addEventListener("load", () => {
    const main = request.response && request.response.getElementById("main");
    if (!main) return location.assign(request.responseURL);
    if (request.responseURL !== location.href) history.pushState(null, "", request.responseURL);
    document.title = request.response.title;
    document.getElementById("main").replaceWith(main);
    const errors = main.querySelector(".errors");
    if (errors) errors.focus();
    watch();
  });
  // The browser says in its own words what is wrong with the connection.
  request.addEventListener("error", () => form.submit());
  request.send(new FormData(form));
});
window.addEventListener("popstate", () => location.reload());

// What is under way is looked at again until it is over.
function watch() {
  const pending = document.querySelector("[data-pending]");
  if (!pending) return;
  setTimeout(async () => {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.querySelector("[data-pending]");
      if (!next && answer.ok) return location.reload();
      if (next) pending.replaceChildren(...next.childNodes);
    } catch {
      // Without a connection, the page stays as it is until there is one.
    }
    watch();
  }, 3000);
}
watch();

// A report follows what students do. What the events say is only that there is something new; the page is then read
// again, and what differs is put in its place, so that focus, scrolling and open parts stay.
const live = document.querySelector("[data-live]");
if (live) {
  let address = live.dataset.live;
  let events, wait = 5, reading = false, again = false;

  // Listens while the page is looked at: a browser has few connections to a server.
  const listen = () => {
    events?.close();
    if (document.hidden) return;
    events = new EventSource(address);
    events.addEventListener("open", () => { wait = 5; });
    events.addEventListener("report", read);
    // The browser connects again by itself, unless the server has refused.
    events.addEventListener("error", () => {
      if (events.readyState !== EventSource.CLOSED) return;
      setTimeout(async () => { if (await read() !== false) listen(); }, wait * 1000);
      wait = Math.min(wait * 2, 120);
    });
  };

  // Returns false if the page may no longer be read.
  const read = async () => {
    if (reading) return again = true;
    reading = true;
    try {
      const answer = await fetch(location.href, { headers: { "Homeroom-Refresh": "yes" } });
      if (answer.redirected || [401, 403, 404].includes(answer.status)) return end();
      if (answer.ok) replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // Without a connection there is nothing to show; the events come back with it.
    } finally {
      reading = false;
      if (again) { again = false; read(); }
    }
  };

  const end = () => {
    events?.close();
    document.removeEventListener("visibilitychange", listen);
    document.querySelector("[data-part=updated] p").prepend(live.dataset.ended + " ");
    return false;
  };

  const replace = (page) => {
    address = page.querySelector("[data-live]")?.dataset.live ?? address;
    for (const part of document.querySelectorAll("[data-part]")) {
      const fresh = page.querySelector(`[data-part=${part.dataset.part}]`);
      if (fresh && !replaceCells(part, fresh) && part.innerHTML !== fresh.innerHTML) swap(part, fresh);
    }
  };

  // Where the rows are the same, only the cells that differ change, and are marked for a moment.
  const replaceCells = (part, fresh) => {
    const rows = [...part.querySelectorAll(".table-box tr")];
    const others = [...fresh.querySelectorAll(".table-box tr")];
    const isAlike = (row, other) => row.cells.length === other?.cells.length
      && [...row.querySelectorAll("th")].every((head, at) => head.innerHTML === other.cells[at].innerHTML);
    if (!rows.length || rows.length !== others.length || !rows.every((row, at) => isAlike(row, others[at]))) return false;
    rows.forEach((row, at) => [...row.cells].forEach((cell, column) => {
      const other = others[at].cells[column];
      if (cell.innerHTML === other.innerHTML) return;
      cell.replaceChildren(...other.childNodes);
      cell.classList.add("changed");
      setTimeout(() => cell.classList.remove("changed"), 4000);
    }));
    return true;
  };

  const swap = (part, fresh) => {
    const open = [...part.querySelectorAll("details")].map((fold) => fold.open);
    const focus = part.contains(document.activeElement) && document.activeElement.getAttribute("href");
    part.replaceChildren(...fresh.childNodes);
    part.querySelectorAll("details").forEach((fold, at) => { if (at in open) fold.open = open[at]; });
    if (focus) part.querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  };

  document.addEventListener("visibilitychange", listen);
  listen();
}
