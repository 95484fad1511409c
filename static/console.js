// What htmx does not do: the zone cookie, copying, dialogs, the "/" key. The console works without any of it.
"use strict";

document.documentElement.dataset.js = "";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.split("; ").includes(`timezone=${zone}`)) {
  document.cookie = `timezone=${zone}; path=/; max-age=31536000; samesite=lax`;
}

const announce = (text) => { document.getElementById("announce").textContent = text; };

async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  announce("✓");
  button.classList.add("done");
  setTimeout(() => button.classList.remove("done"), 1500);
}

// One menu serves all rows; without JavaScript its link leads to the memory's page, which has the same actions.
const menu = document.getElementById("row-menu");
let closed = 0;
// "toggle" would come after the click that closed it, which then opened it again.
menu?.addEventListener("beforetoggle", (event) => { if (event.newState === "closed") closed = event.timeStamp; });

function openMenu(link, event) {
  if (event.detail && menu.opener === link && event.timeStamp - closed < 300) return;
  menu.opener = link;
  for (const item of menu.querySelectorAll("a[data-path]")) {
    item.href = link.getAttribute("href") + item.dataset.path;
    if ("dialog" in item.dataset) item.href += `?next=${encodeURIComponent(location.pathname + location.search)}`;
  }
  menu.showPopover({ source: link });
  menu.querySelector("a").focus();
}

function enhance(root) {
  const copying = root.querySelector("#copy-name")?.content;
  for (const cell of root.querySelectorAll("[data-bank] td.c-name")) cell.append(copying.cloneNode(true));
  for (const link of root.querySelectorAll("[data-menu]")) {
    link.setAttribute("role", "button");
    link.setAttribute("aria-haspopup", "true");
  }
}
enhance(document);

document.addEventListener("click", async (event) => {
  const opening = event.target.closest("[data-menu]");
  if (opening && menu && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    return openMenu(opening, event);
  }

  const asking = event.target.closest("#row-menu [data-dialog]");
  if (asking) {
    event.preventDefault();
    opener = menu.opener;
    menu.hidePopover();
    return htmx.ajax("GET", asking.getAttribute("href"), { target: "#dialog", swap: "innerHTML" });
  }

  const naming = event.target.closest("[data-copy-name]");
  if (naming) {
    const id = naming.closest("td").querySelector("a").textContent;
    return copy(`${naming.closest("table").dataset.bank}/memories/${id}`, naming);
  }

  const button = event.target.closest("[data-copy]");
  if (button) return copy(button.dataset.copy, button);

  const link = event.target.closest("[data-copy-from]");
  if (link && navigator.clipboard && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    const answer = await fetch(link.href);
    if (!answer.ok) return location.assign(link.href);
    await copy(await answer.text(), link);
    link.closest("[popover]")?.hidePopover();
    return;
  }

  if (event.target.closest("[data-close]") && event.target.closest("dialog")) {
    event.preventDefault();
    event.target.closest("dialog").close();
    return;
  }

  const more = event.target.closest("[data-add-row]");
  if (more) {
    event.preventDefault();
    const rows = more.closest("fieldset").querySelector("[data-rows]");
    const row = rows.lastElementChild.cloneNode(true);
    row.querySelectorAll("input").forEach((input) => { input.value = ""; });
    row.querySelectorAll(".error").forEach((error) => error.remove());
    rows.append(row);
    row.querySelector("input").focus();
  }
});

// A dialog is whatever a server puts into #dialog; focus goes back to where it was opened from.
let opener = null;
document.addEventListener("htmx:before:request", (event) => {
  const { target, sourceElement } = event.detail.ctx;
  if (target?.id === "dialog" && !target.open && sourceElement.matches("a")) opener = sourceElement;
});
document.addEventListener("htmx:after:swap", (event) => {
  const target = event.detail.ctx.target;
  if (target?.id === "dialog") {
    const dialog = document.getElementById("dialog");
    dialog.setAttribute("aria-labelledby", "dialog-title");
    if (!dialog.open) dialog.showModal();
  }
  if (target?.id === "memories" || target?.matches("[data-list]")) {
    enhance(target);
    const input = target.querySelector("#add");
    if (refocus && input) {
      input.focus();
      input.setSelectionRange(input.value.length, input.value.length);
    }
    announce((target.querySelector("#count, .state h2, #faults")?.textContent ?? "").trim());
  }
});
document.getElementById("dialog")?.addEventListener("close", () => opener?.isConnected && opener.focus());

// What fails on the way is said where the reader is; whatever a server answers, errors too, is drawn by htmx.
document.addEventListener("htmx:error", () => {
  const dialog = document.getElementById("dialog");
  const place = dialog.open ? dialog : document.getElementById("messages");
  place.prepend(document.getElementById("lost").content.cloneNode(true));
});
document.addEventListener("htmx:before:request", () => {
  document.querySelectorAll(".lost").forEach((note) => note.remove());
});

// After a change of the filter the box keeps the focus; after a page turn the reader starts at the top.
let refocus = false;
document.addEventListener("htmx:config:request", (event) => {
  refocus = Boolean(event.target.closest?.(".filter"));
  if (event.target.closest?.(".pager")) scrollTo({ top: 0 });
});

document.addEventListener("keydown", (event) => {
  const open = event.target.closest(".menu:popover-open");
  if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    const items = [...open.querySelectorAll("a, button")];
    items.at((items.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)) % items.length).focus();
  }
  const typing = event.target.matches("input, textarea, select, [contenteditable]");
  const box = document.querySelector("#add, #filter");
  if (event.key === "/" && !typing && box && !event.metaKey && !event.ctrlKey && !event.altKey) {
    event.preventDefault();
    box.focus();
  }
  if (event.key === "Backspace" && event.target.id === "add" && !event.target.value) {
    [...document.querySelectorAll(".pill > a:first-child")].pop()?.click();
  }
});
