"use strict";
// Filters, sorts and opens the findings; the page says the same without it. Text of the page is only read as text.
const at = (id) => document.getElementById(id);
const list = at("lines");

// A link to what is folded opens it.
function unfold() {
  let node = location.hash && at(location.hash.slice(1));
  if (!node) return;
  const target = node;
  for (; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", unfold);
document.addEventListener("click", (event) => {
  if (event.target.closest("a") && event.target.hash === location.hash) setTimeout(unfold);
});

if (list) {
  const said = (line, name) => line.querySelector(name)?.textContent.trim() ?? "";
  const lines = [...list.children].map((line, index) => ({
    line,
    index,
    status: said(line, ".badge"),
    dataset: said(line, ".dataset-name"),
    check: said(line, ".check-name"),
    hits: Number(said(line, ".hits").replace(/\D/g, "")),
  }));
  const chosen = ["status", "dataset", "check"];
  for (const name of chosen) {
    for (const word of new Set(lines.map((each) => each[name]))) at(`by-${name}`).append(new Option(word, word));
  }
  const form = at("filter");
  const show = () => {
    const wanted = at("by-text").value.trim().toLowerCase();
    let count = 0;
    for (const each of lines) {
      const fits = chosen.every((name) => !at(`by-${name}`).value || at(`by-${name}`).value === each[name]);
      if (wanted) each.text ??= each.line.textContent.toLowerCase();
      each.line.hidden = !(fits && (!wanted || each.text.includes(wanted)));
      count += !each.line.hidden;
    }
    at("count").value = `${count} / ${lines.length}`;
  };
  const order = () => {
    const by = at("sort").value;
    const worst = (a, b) => a.index - b.index;
    const others = { hits: (a, b) => b.hits - a.hits, "": worst };
    const compare = others[by] ?? ((a, b) => a[by].localeCompare(b[by]));
    list.append(...lines.sort((a, b) => compare(a, b) || worst(a, b)).map((each) => each.line));
  };
  const fold = (open) => {
    for (const { line } of lines) if (!line.hidden) line.open = open;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  at("sort").addEventListener("change", order);
  at("open").addEventListener("click", () => fold(true));
  at("close").addEventListener("click", () => fold(false));
  form.hidden = false;
  show();
}
unfold();
