// Run over run: each fit against the complete fit before it.

function driftChart(drift) {
  const names = [...new Set(drift.map(fitName))];
  const rows = drift.filter((d) => d.shift !== null).map((d) => ({ x: new Date(d.created), y: d.shift, kind: fitName(d), title: fitName(d) + "\n" + clock(d.created) + ": " + number(d.shift, 3) + " sds at " + d.shift_of }));
  const most = new Map();
  for (const r of rows) most.set(r.kind, Math.max(most.get(r.kind) || 0, r.y));
  const marked = [...most.entries()].sort((a, b) => b[1] - a[1]).slice(0, Math.min(5, names.length)).map(([k]) => k);
  const colour = (k) => (marked.includes(k) ? chainColour(marked.indexOf(k)) : "var(--line)");
  rows.sort((a, b) => marked.includes(a.kind) - marked.includes(b.kind) || a.x - b.x);
  const first = new Map(); // of each day, or of each run of one day
  for (const t of [...new Set(drift.map((d) => d.created))].sort()) if (!first.has(t.slice(0, 10))) first.set(t.slice(0, 10), new Date(t));
  const ofDays = first.size > 1 ? [...first.values()] : undefined; // else runs of one day
  const node = figure("Largest shift of a posterior mean, by run", "In posterior standard deviations of the fit before." + (names.length > 5 ? " The five fits that moved most are coloured, of " + names.length + "." : ""), (width) => ({
    height: 280, x: { type: "utc", label: null, ticks: ofDays ? ofDays.filter((_, i) => (ofDays.length - 1 - i) % Math.ceil(ofDays.length * 50 / width) === 0) : 4, tickFormat: ofDays ? d3.utcFormat("%m-%d") : d3.utcFormat("%H:%M:%S") }, y: { label: null, grid: true, domain: [0, Math.max(1, ...rows.map((r) => r.y)) * 1.05] },
    marks: [Plot.line(rows, { x: "x", y: "y", z: "kind", stroke: (d) => colour(d.kind), strokeWidth: 1.5 }), Plot.dot(rows, { x: "x", y: "y", r: 3, fill: (d) => colour(d.kind), title: "title" })],
  }));
  node.append(legend(marked));
  return node;
}

// courses draw a coefficient of a fit over its runs, as a forest that lies on its side.
function courses(page) {
  if (!page.courses) return null;
  const fit = el("select", { "data-course": "" }, page.courses.map((c) => el("option", {}, fitName(page.fits[c.fit])))), what = el("select", {}), ratios = el("input", { type: "checkbox" });
  const ratioLabel = el("label", {}, ratios, ""), place = el("div", {});
  const show = () => {
    const c = page.courses[fit.selectedIndex], k = what.selectedIndex, exp = ratios.checked && !ratioLabel.hidden;
    const rows = c.of[k].map((q, i) => { const v = exp ? q.map((x) => (x === null ? null : Math.exp(x))) : q; return { x: i, at: c.created[k][i], q: v, title: clock(c.created[k][i]) + ": " + number(v[2], 4) + " [" + number(v[0], 4) + ", " + number(v[4], 4) + "]" }; }).filter((r) => r.q.every((v) => v !== null));
    const days = new Set(rows.map((r) => r.at.slice(0, 10))).size === rows.length, last = rows.length > 0 && rows[rows.length - 1];
    const before = drawings.length;
    const node = figure(c.name[k] + " by run", "95 % and 50 % intervals with medians, the newest run at the right; the band is the newest 95 % interval." + (exp ? " As ratios." : ""), (width) => ({
      height: 260, marginRight: 24, x: { label: null, domain: [-0.5, c.of[k].length - 0.5], ticks: rows.filter((_, i) => i % Math.ceil(rows.length * (days ? 46 : 76) / width) === 0).map((r) => r.x), tickFormat: (i) => (days ? c.created[k][i].slice(5, 10) : minute(c.created[k][i])) },
      y: { label: null, grid: true, tickFormat: tick, ticks: 5, type: exp ? "log" : "linear", nice: !exp },
      marks: [last && Plot.rect([last], { x1: -0.5, x2: c.of[k].length - 0.5, y1: (r) => r.q[0], y2: (r) => r.q[4], fill: "var(--c1)", fillOpacity: 0.1 }),
        Plot.ruleX(rows, { x: "x", y1: (r) => r.q[0], y2: (r) => r.q[4], stroke: "var(--c1)", strokeWidth: 1.4 }), Plot.ruleX(rows, { x: "x", y1: (r) => r.q[1], y2: (r) => r.q[3], stroke: "var(--c1)", strokeWidth: 4 }),
        Plot.dot(rows, { x: "x", y: (r) => r.q[2], r: 3, fill: "var(--paper)", stroke: "var(--c1)", strokeWidth: 1.6, title: "title" })].filter(Boolean),
    }));
    const draw = drawings.splice(before)[0];
    drawings = [...drawings.filter((d) => !d.course), Object.assign(draw, { course: true })];
    place.replaceChildren(node);
    if (place.isConnected) draw();
  };
  const fill = () => {
    const c = page.courses[fit.selectedIndex], link = page.fits[c.fit].link;
    what.replaceChildren(...c.name.map((n) => el("option", {}, n)));
    ratioLabel.hidden = ratioOf[link] === undefined;
    ratioLabel.lastChild.textContent = " as " + (ratioOf[link] || "");
    show();
  };
  fit.addEventListener("change", fill);
  what.addEventListener("change", show);
  ratios.addEventListener("change", show);
  fill();
  return [el("h3", {}, "Coefficients over runs"), el("div", { class: "tools" }, el("label", {}, "Fit", fit), el("label", {}, "Coefficient", what), ratioLabel), place];
}

function driftPage(page) {
  const title = el("h2", {}, "Run over run");
  if (page.drift.length === 0) {
    return [title, el("p", { class: "note" }, "No fit has a predecessor here: a complete fit before it of the same pipeline, data set, key, model and sampler, with other data or settings. There is nothing to compare after a first run.")];
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
    { title: "Run", value: (d) => d.created, text: (d) => clock(d.created) },
  ];
  const table = new DataTable(newest, columns, { label: "Each fit against the one before it", class: "cards", filterText: (d) => fitName(d) + " " + d.verdict, sort: [2, true], filterLabel: "Filter fits", pageSize: 50 });
  return [title, el("p", { class: "quiet" }, "The newest fit of each name against the complete fit before it, those that moved most first. The limits of gates: {drift: …} decide about verdicts; this only shows."), driftChart(page.drift), courses(page), table.node];
}
