// Night over night: each fit against the complete fit before it.

function driftChart(drift) {
  const names = [...new Set(drift.map(fitName))];
  const rows = drift.filter((d) => d.shift !== null).map((d) => ({ x: new Date(d.created), y: d.shift, kind: fitName(d), title: fitName(d) + "\n" + clock(d.created) + ": " + number(d.shift, 3) + " sds at " + d.shift_of }));
  const most = new Map();
  for (const r of rows) most.set(r.kind, Math.max(most.get(r.kind) || 0, r.y));
  const marked = [...most.entries()].sort((a, b) => b[1] - a[1]).slice(0, Math.min(5, names.length)).map(([k]) => k);
  const colour = (k) => (marked.includes(k) ? chainColour(marked.indexOf(k)) : "var(--line)");
  rows.sort((a, b) => marked.includes(a.kind) - marked.includes(b.kind) || a.x - b.x);
  const first = new Map(); // of each night, or of each run of one night
  for (const t of [...new Set(drift.map((d) => d.created))].sort()) if (!first.has(t.slice(0, 10))) first.set(t.slice(0, 10), new Date(t));
  const days = first.size > 1, nights = days ? [...first.values()] : undefined;
  const node = figure("Largest shift of a posterior mean, by night", "In posterior standard deviations of the night before." + (names.length > 5 ? " The five fits that moved most are coloured, of " + names.length + "." : ""), () => ({
    height: 280, x: { type: "utc", label: null, ticks: 5 }, y: { label: null, grid: true, domain: [0, Math.max(1, ...rows.map((r) => r.y)) * 1.05] },
    marks: [Plot.line(rows, { x: "x", y: "y", z: "kind", stroke: (d) => colour(d.kind), strokeWidth: 1.5 }), Plot.dot(rows, { x: "x", y: "y", r: 3, fill: (d) => colour(d.kind), title: "title" })],
  }));
  node.append(legend(marked));
  return node;
}

function driftPage(page) {
  const title = el("h2", {}, "Night over night");
  if (page.drift.length === 0) {
    return [title, el("p", { class: "note" }, "No fit has a predecessor here: a complete fit before it of the same pipeline, data set, key, model and sampler, with other data or settings. There is nothing to compare after a first night.")];
  }
  const seen = new Set();
  const newest = page.drift.filter((d) => !seen.has(fitName(d)) && seen.add(fitName(d)));
  const numeric = (head, value, text) => ({ title: head, numeric: true, descending: true, value, text });
  const of = (v, where) => number(v, 3) + (where ? " (" + where + ")" : "");
  const columns = [
    { title: "Verdict", value: (d) => d.verdict, text: (d) => d.verdict, classOf: (d) => "v-" + d.verdict },
    { title: "Fit", head: true, value: fitName, text: fitName, cell: (d) => name(fitName(d)) },
    numeric("Largest shift, sds", (d) => d.shift, (d) => of(d.shift, d.shift_of)),
    numeric("Ratio of sds", (d) => d.sd_ratio, (d) => of(d.sd_ratio, d.sd_ratio_of)),
    numeric("Rows", (d) => Math.abs(d.rows - d.rows_before) / Math.max(1, d.rows_before), (d) => (d.rows === d.rows_before ? String(d.rows) : d.rows_before + " → " + d.rows)),
    numeric("Response, sds", (d) => d.response_shift, (d) => number(d.response_shift, 3)),
    numeric("Column moved, sds", (d) => d.centre_shift, (d) => of(d.centre_shift, d.centre_of)),
    { title: "Changed", value: (d) => d.changed, text: (d) => d.changed },
    { title: "Night", value: (d) => d.created, text: (d) => clock(d.created) },
  ];
  const table = new DataTable(newest, columns, { label: "Each fit against the one before it", filterText: (d) => fitName(d) + " " + d.verdict, sort: [2, true], filterLabel: "Filter fits", pageSize: 50 });
  return [title, el("p", { class: "quiet" }, "The newest fit of each name against the complete fit before it, those that moved most first. The limits of gates: {drift: …} decide about verdicts; this only shows."), driftChart(page.drift), table.node];
}
