// A table of rows that may be many: sorted by its headings, filtered by a box,
// a page of it at a time, and copied whole.
//
// columns: {title, value(row) for sorting, text(row) for show and copy, cell(row)
// for a node instead, head: it names the row, numeric, unsorted, classOf(row)}.
// options: label, filterText(row), pageSize, sort: [column, descending], extra:
// nodes beside the filter, onchange(rows), filterLabel.

function filterOf(text) {
  const words = text.toLowerCase().split(/\s+/).filter((w) => w !== "");
  return (candidate) => words.every((w) => candidate.includes(w));
}

function compareValues(a, b) {
  const none = (v) => v === null || v === undefined || v === "";
  if (none(a) || none(b)) return none(a) === none(b) ? 0 : none(a) ? 1 : -1; // what has no value comes last
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

class DataTable {
  constructor(rows, columns, options) {
    Object.assign(this, { rows, columns, options, page: 0, size: options.pageSize || 50, query: "", keep: () => true });
    this.sort = options.sort || null;
    this.keys = rows.map((r) => options.filterText(r).toLowerCase());
    this.head = el("tr", {});
    this.body = el("tbody", {});
    this.status = el("span", { role: "status", class: "quiet" });
    this.table = el("table", { class: options.class }, el("caption", { class: "hidden" }, options.label), el("thead", {}, this.head), this.body);
    this.node = el("div", {}, this.toolbar(), el("div", { class: "wide", role: "region", "aria-label": options.label, tabindex: "0" }, this.table), this.pager());
    this.refresh();
  }

  toolbar() {
    const box = el("input", { type: "search", autocomplete: "off", spellcheck: "false", "data-filter": "", oninput: () => { this.query = box.value; this.page = 0; this.refresh(); } });
    box.addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      box.value = this.query = "";
      this.refresh();
    });
    this.copied = el("span", { role: "status", class: "quiet" });
    return el("div", { class: "tools" },
      this.rows.length > 1 && el("label", {}, this.options.filterLabel || "Filter", box),
      this.options.extra,
      el("button", { type: "button", onclick: () => this.copy() }, "Copy table"), this.copied, this.status);
  }

  pager() {
    this.back = el("button", { type: "button", onclick: () => this.turn(-1) }, "Previous");
    this.next = el("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    this.where = el("span", {});
    this.paging = el("div", { class: "tools" }, this.back, this.where, this.next);
    return this.paging;
  }

  turn(by) {
    this.page += by;
    this.draw();
  }

  // refresh chooses and sorts the rows, then shows them.
  refresh() {
    const match = filterOf(this.query);
    this.chosen = this.rows.filter((r, i) => match(this.keys[i]) && this.keep(r));
    if (this.sort) {
      const [i, down] = this.sort;
      const value = this.columns[i].value;
      this.chosen.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        const order = compareValues(x, y);
        return down && x !== null && y !== null ? -order : order;
      });
    }
    this.page = Math.min(this.page, Math.max(0, Math.ceil(this.chosen.length / this.size) - 1));
    this.headings();
    this.draw();
    if (this.options.onchange) this.options.onchange(this.chosen);
  }

  headings() {
    const active = document.activeElement && this.head.contains(document.activeElement) ? [...this.head.children].indexOf(document.activeElement.parentNode) : -1;
    this.head.replaceChildren(...this.columns.map((c, i) => {
      const sorted = this.sort && this.sort[0] === i;
      const title = c.title + (sorted ? (this.sort[1] ? " ▼" : " ▲") : "");
      const content = c.unsorted ? c.title : el("button", { type: "button", onclick: () => this.sortBy(i), title: "Sort by " + c.title }, title);
      return el("th", { scope: "col", class: c.numeric ? "n" : null, "aria-sort": sorted ? (this.sort[1] ? "descending" : "ascending") : null }, content, c.below);
    }));
    if (active >= 0) this.head.children[active].querySelector("button").focus();
  }

  sortBy(i) {
    const down = this.sort && this.sort[0] === i ? !this.sort[1] : Boolean(this.columns[i].descending);
    this.sort = [i, down];
    this.page = 0;
    this.refresh();
  }

  draw() {
    const from = this.page * this.size;
    const shown = this.chosen.slice(from, from + this.size);
    if (this.options.before) this.options.before(shown, this.chosen);
    this.body.replaceChildren(...shown.map((row) => el("tr", {}, this.columns.map((c) => {
      const attributes = { class: [c.numeric ? "n" : "", c.classOf ? c.classOf(row) : ""].join(" ").trim() || null };
      if (c.head) attributes.scope = "row";
      else if (c.numeric) attributes["data-l"] = c.short || c.title;
      return el(c.head ? "th" : "td", attributes, c.cell ? c.cell(row) : c.text(row));
    }))));
    const n = this.chosen.length;
    this.status.textContent = n === this.rows.length ? plural(n, "row") : n + " of " + plural(this.rows.length, "row");
    this.paging.hidden = n <= this.size;
    this.where.textContent = n === 0 ? "" : (from + 1) + " to " + Math.min(n, from + this.size) + " of " + n;
    this.back.disabled = this.page === 0;
    this.next.disabled = from + this.size >= n;
  }

  // text is every chosen row, tab-separated, for a spreadsheet.
  text() {
    const columns = this.columns.filter((c) => c.text);
    const lines = [columns.map((c) => c.title), ...this.chosen.map((r) => columns.map((c) => plain(c.text(r))))];
    return lines.map((l) => l.join("\t")).join("\n") + "\n";
  }

  copy() {
    const area = el("textarea", { class: "hidden", "aria-hidden": "true", tabindex: "-1" });
    area.value = this.text();
    document.body.append(area);
    const active = document.activeElement;
    area.select();
    const done = document.execCommand("copy"); // also where a page from a file has no clipboard
    area.remove();
    if (active) active.focus();
    this.copied.textContent = done ? plural(this.chosen.length, "row") + " copied" : "the browser does not allow copying: select the table instead";
  }
}

// region makes a plain table of few rows scroll by itself.
function simpleTable(label, heads, rows) {
  return el("div", { class: "wide", role: "region", "aria-label": label, tabindex: "0" },
    el("table", { class: heads.length > 4 ? "cards" : null }, el("caption", { class: "hidden" }, label),
      el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col", class: h.startsWith("#") ? "n" : null }, h.replace(/^#/, ""))))),
      el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((c, i) =>
        el(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: heads[i].startsWith("#") ? "n" : null, "data-l": i === 0 ? null : heads[i].replace(/^#/, "") }, c)))))));
}
