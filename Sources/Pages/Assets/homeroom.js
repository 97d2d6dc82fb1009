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
