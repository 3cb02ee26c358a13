// The overview of a run. Its table stands in the page as plain HTML, for readers
// without scripts; here it becomes one that sorts and filters.

function overview(page) {
  const place = byId("overview-table");
  if (!place || page.fits.length < 2) return;
  const order = ["error", "fail", "", "warn", "pass"];
  const columns = [
    { title: "Verdict", value: (f) => (f.stale ? 0 : order.indexOf(f.verdict)), text: (f) => (f.verdict || f.action) + (f.stale ? ", stale" : ""), classOf: (f) => "v-" + (f.stale ? "fail" : f.verdict || "none") },
    { title: "Fit", head: true, value: fitName, text: fitName, cell: (f) => el("a", { href: "#fit-" + page.fits.indexOf(f) }, name(fitName(f))) },
    { title: "Why", value: (f) => f.why.join(" "), text: (f) => (f.reasons.length > 0 ? f.reasons : f.why).join("; "), cell: (f) => f.why.join("; ") },
    { title: "Largest R-hat", short: "R-hat", numeric: true, descending: true, value: (f) => f.rhat_max, text: (f) => fixed(f.rhat_max, 3) },
    { title: "Least bulk ESS", short: "ESS", numeric: true, value: (f) => f.ess_min, text: (f) => whole(f.ess_min) },
    { title: "Draws", numeric: true, descending: true, value: (f) => f.chains * f.draws, text: (f) => (f.draws ? f.chains + " × " + f.draws : "—") },
    { title: "Seconds", numeric: true, descending: true, value: (f) => f.seconds, text: (f) => number(f.seconds, 3) },
  ];
  const only = el("select", { "data-verdict": "" }, ["all verdicts", "error or fail", "error", "fail", "warn", "pass"].map((v) => el("option", {}, v)));
  const table = new DataTable(page.fits, columns, {
    label: "Fits, failures first", filterText: (f) => fitName(f) + " " + f.verdict + " " + f.why.join(" ") + " " + f.reasons.join(" "), class: "cards", pageSize: 100, filterLabel: "Filter fits", extra: el("label", {}, "Show", only),
  });
  table.table.id = "overview-table";
  only.addEventListener("change", () => {
    const v = only.value;
    table.keep = v === "all verdicts" ? () => true : v === "error or fail" ? (f) => f.verdict === "error" || f.verdict === "fail" : (f) => f.verdict === v;
    table.page = 0;
    table.refresh();
  });
  place.closest(".wide").replaceWith(table.node);
}

// transforms of coefficients to a scale that is read as a ratio, by link.
const ratioOf = { log: "ratios: exp()", logit: "odds ratios: exp()" };

// resultsOf draws the coefficients of a model over its fits: by coefficient, or all of few fits.
function resultsOf(page) {
  const holder = byId("overview-results");
  if (!holder || page.results.length === 0 || page.fits.length < 2) return () => {};
  const label = (i) => fitName(page.fits[i]);
  const model = el("select", { "data-model": "" }, page.results.map((m) => el("option", {}, m.model + " (" + plural(m.fits, "fit") + ")")));
  const what = el("select", { "data-coefficient": "" }), ratios = el("input", { type: "checkbox" });
  const place = el("div", {}), ratioLabel = el("label", {}, ratios, "");
  let now = () => {};
  const rowsOf = (m, chosen) => {
    const several = chosen.length > 1, rows = [];
    for (const f of chosen) {
      if (several) rows.push({ head: f.name, label: f.name, q: [null, null, null, null, null] });
      f.fit.forEach((i, k) => rows.push({ label: unitOf(page.fits[i]) + " · " + page.fits[i].sampler, fit: i, q: f.of[k], kind: f.kind }));
    }
    if (!several) rows.sort((a, b) => compareValues(b.q[2], a.q[2]));
    const cut = rows.slice(0, 80);
    cut.forEach((r, y) => { r.y = y; r.title = r.label + ": " + number(r.q[2], 4) + " [" + number(r.q[0], 4) + ", " + number(r.q[4], 4) + "]"; });
    return cut;
  };
  const show = () => {
    const m = page.results[model.selectedIndex], all = what.value === "";
    const chosen = all ? m.forests : m.forests.filter((f) => f.name === what.value);
    const exp = ratios.checked && ratioOf[m.link] !== undefined;
    const rows = rowsOf(m, exp ? chosen.filter((f) => f.kind === "coefficient") : chosen);
    const samplers = [...new Set(rows.filter((r) => r.fit !== undefined).map((r) => page.fits[r.fit].sampler))];
    if (exp) for (const r of rows) { r.q = r.q.map((v) => (v === null ? null : Math.exp(v))); r.title = r.label + ": " + number(r.q[2], 4) + " [" + number(r.q[0], 4) + ", " + number(r.q[4], 4) + "]"; }
    const words = "95 % and 50 % intervals with medians" + (exp ? ", as ratios; the line is 1." : ", in the units of the data; the line is 0.") + (rows.length === 80 ? " The first 80 are drawn." : "");
    const before = drawings.length;
    const node = figure("Results of " + m.model + (all ? "" : ": " + what.value), words, (width) => rowPlot(rows, width, { rule: exp ? 1 : 0, log: exp, colour: (r) => (r.fit === undefined ? "var(--c1)" : chainColour(samplers.indexOf(page.fits[r.fit].sampler))) }));
    now = drawings.splice(before)[0];
    if (samplers.length > 1) node.append(legend(samplers));
    place.replaceChildren(node);
    if (place.isConnected) now();
  };
  const fill = () => {
    const m = page.results[model.selectedIndex], few = m.forests.reduce((n, f) => n + f.fit.length + 1, 0) <= 45;
    what.replaceChildren(el("option", { value: "" }, "all"), ...m.forests.map((f) => el("option", { value: f.name }, f.name)));
    what.selectedIndex = few ? 0 : 1;
    ratioLabel.hidden = ratioOf[m.link] === undefined;
    ratioLabel.lastChild.textContent = " as " + (ratioOf[m.link] || "");
    show();
  };
  model.addEventListener("change", fill);
  what.addEventListener("change", show);
  ratios.addEventListener("change", show);
  holder.replaceChildren(el("h3", {}, "Results"), el("div", { class: "tools" }, page.results.length > 1 && el("label", {}, "Model", model), el("label", {}, "Coefficient", what), ratioLabel), place);
  fill();
  return () => now();
}

function earlierRuns(page) {
  if (page.runs.length < 2) return;
  const kinds = ["error", "fail", "warn", "pass"];
  byId("overview-runs").replaceChildren(el("h3", {}, "Runs of this pipeline, newest first"),
    simpleTable("Runs of this pipeline", ["Started", "Run", "#Exit code", "#Seconds", ...kinds.map((k) => "#" + k)],
      page.runs.map((r) => [clock(r.started), el("code", {}, r.id), r.exit_code === null ? "did not end" : String(r.exit_code), number(r.seconds, 3), ...kinds.map((k) => String(r.counts[k] || 0))])));
}
