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
  const live = document.querySelector("[data-live]");
  if (!live) return;
  setTimeout(async () => {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.querySelector("[data-live]");
      if (!next && answer.ok) return location.reload();
      if (next) live.replaceChildren(...next.childNodes);
    } catch {
      // Without a connection, the page stays as it is until there is one.
    }
    watch();
  }, 3000);
}
watch();
