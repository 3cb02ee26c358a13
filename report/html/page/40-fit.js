// The page of one fit.

function verdictBox(f) {
  const box = el("div", { class: "verdict v-" + (f.stale ? "fail" : f.verdict || "none") },
    el("strong", {}, f.stale && "stale; ", verdictWords[f.verdict] || "no verdict: the run " + f.action + " it"),
    (f.reasons.length > 0 ? el("ul", {}, f.reasons.map((r) => el("li", {}, r))) : f.why.length > 0 && el("ul", {}, f.why.map((r) => el("li", {}, r)))));
  if (f.advice.length > 0) box.append(el("p", {}, "What to do:"), el("ul", {}, f.advice.map((a) => el("li", {}, a))));
  return box;
}

function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.filter(([, v]) => v).map(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));
}

function factsOf(f) {
  return facts([
    ["Model", f.formula && [el("code", {}, name(f.formula)), ", " + f.family + (f.link ? "(" + f.link + ")" : "")]],
    ["Data", f.family === "mrf" ? plural(f.rows, "variable") + ", " + plural(f.columns, "edge") : f.rows > 0 && plural(f.rows, "row") + ", " + plural(f.columns, "column") + " of the design, " + plural(f.parameters, "parameter")],
    ["Sampler", f.method && [name(f.sampler), " (" + f.method + ")" + (f.chains ? ", " : ""), f.chains > 0 && plural(f.chains, "chain") + " of " + f.draws + " draws after " + f.warmup + " iterations of warm-up" + (f.divergences ? ", " + f.divergences + " divergent" : "")]],
    ["Seconds of one core", f.seconds !== null && number(f.seconds, 3) + (f.setup === null ? "" : " (set-up " + number(f.setup, 2) + ", warm-up " + number(f.warmup_time, 2) + ", sampling " + number(f.sampling, 2) + ")")],
    ["In the ledger", f.id > 0 && "fit " + f.id + ", computed " + clock(f.created) + " (this run: " + f.action + ")"],
  ]);
}

// ownUnit lists kinds of parameters whose units differ from those of coefficients: they have no bar in the units of the data.
const ownUnit = ["dispersion", "scale", "local_scale", "group_sd", "group_correlation", "group_effect", "residual_correlation", "smooth_sd", "smooth_effect", "mixture_weight"];

// scaleOf maps values to a bar's width in per cent. Intercepts would squeeze all
// others, so they do not count if there are others; intervals outside are cut.
// Under units "sd" every interval is in its own posterior standard deviations.
function scaleOf(rows, units) {
  const size = (r) => (units === "sd" && r.sd > 0 ? r.sd : 1);
  const slopes = rows.filter((r) => ["coefficient", "derived", "functional", "variable"].includes(r.kind));
  const counted = (slopes.length > 0 ? slopes : rows.filter((r) => r.kind !== "statistic")).filter((r) => r.q025 !== null && r.q975 !== null);
  if (counted.length === 0) return null;
  let low = Math.min(0, ...counted.map((r) => r.q025 / size(r))), high = Math.max(0, ...counted.map((r) => r.q975 / size(r)));
  if (low === high) [low, high] = [low - 1, high + 1];
  const pad = (high - low) * 0.04;
  return { slopes: slopes.length > 0, low: low - pad, high: high + pad, at: (v, r) => 100 * (v / size(r) - low + pad) / (high - low + 2 * pad) };
}

const svg = (tag, attributes) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
  return node;
};

// bar draws an interval: thin for 95 %, thick for 50 %, a dot at the median.
function bar(row, scale, units) {
  const node = svg("svg", { role: "img", "aria-label": row.q025 === null ? "no interval" : "95 % from " + number(row.q025) + " to " + number(row.q975) });
  if (!scale || row.kind === "statistic" || (units !== "sd" && scale.slopes && ownUnit.includes(row.kind))) return node;
  const at = (v) => scale.at(v, row);
  const cut = (v) => Math.max(0, Math.min(100, at(v)));
  const line = (from, to, width, colour) => svg("line", { x1: from + "%", x2: to + "%", y1: "50%", y2: "50%", stroke: colour, "stroke-width": width });
  if (row.q025 === null) return node;
  if (at(row.q975) < 0 || at(row.q025) > 100) {
    const left = at(row.q975) < 0;
    const arrow = svg("text", { x: left ? "0%" : "100%", y: "70%", "text-anchor": left ? "start" : "end", fill: "var(--quiet)", "font-size": "12" });
    arrow.textContent = left ? "◀ outside" : "outside ▶";
    node.append(arrow);
    return node;
  }
  node.append(svg("line", { x1: at(0) + "%", x2: at(0) + "%", y1: 0, y2: "100%", stroke: "var(--quiet)", "stroke-dasharray": "2,2" }));
  node.append(line(cut(row.q025), cut(row.q975), 1.5, "var(--c1)"));
  if (row.q25 !== null) node.append(line(cut(row.q25), cut(row.q75), 5, "var(--c1)"));
  if (row.median !== null) node.append(svg("circle", { cx: cut(row.median) + "%", cy: "50%", r: 3.5, fill: "var(--paper)", stroke: "var(--c1)", "stroke-width": 2 }));
  return node;
}

// axisOf writes the numbers of a scale over the bars.
function axisOf(node, scale, units) {
  node.replaceChildren();
  if (!scale) return;
  const exp = units === "exp", step = d3.tickStep(scale.low, scale.high, 4);
  const at = exp ? d3.scaleLog([Math.exp(scale.low), Math.exp(scale.high)], [0, 1]).ticks(4).map(Math.log) : d3.ticks(scale.low, scale.high, 4);
  for (const v of exp && at.length > 5 ? at.filter((_, i) => i % Math.ceil(at.length / 5) === 0) : at) {
    const x = 100 * (v - scale.low) / (scale.high - scale.low);
    if (x < 4 || x > 96 || !(step > 0)) continue;
    const text = svg("text", { x: x + "%", y: "85%", "text-anchor": "middle", fill: "var(--quiet)", "font-size": "11" });
    text.textContent = tick(exp ? Math.exp(v) : v);
    node.append(text);
  }
}

// coefficientRows turns columns into rows.
function coefficientRows(c) {
  return c.name.map((n, i) => {
    const row = { name: n, place: i };
    for (const key of Object.keys(c)) if (key !== "name") row[key] = c[key][i];
    return row;
  });
}

const coefficientOrders = {
  place: ["as in the model", (r) => r.place, false],
  name: ["name", (r) => r.name, false],
  effect: ["distance from 0, in sds", (r) => (r.sd ? Math.abs(r.mean) / r.sd : null), true],
  rhat: ["R-hat, worst first", (r) => r.rhat, true],
  bulk: ["bulk ESS, worst first", (r) => r.ess_bulk, false],
};

// groupsOf says how group-level effects mixed, of which the table has the worst alone.
function groupsOf(groups) {
  return groups && groups.map((g) => el("p", { class: "quiet" },
    g.effects + " effects of the " + g.levels + " levels of ", name(g.grouping), ": least bulk ESS " + whole(g.ess_bulk) + " (", name(g.ess_bulk_of), "), largest R-hat " + fixed(g.rhat, 3) + " (", name(g.rhat_of), "). The few that mixed worst are among the coefficients; the ledger's view group_effects has every one."));
}

function coefficientTable(rows, link, label = "Coefficients") {
  let scale = null;
  const axis = svg("svg", { class: "axis", "aria-hidden": "true" });
  const ratio = (r) => units.value === "exp" && !["statistic", "dispersion", "scale", "group_sd", "group_correlation", "residual_correlation"].includes(r.kind);
  const column = (title, key, show, extra) => ({ title, numeric: true, value: (r) => r[key], text: (r) => show(r[key]), ...extra });
  const quantile = (title, key) => column(title, key, number, { text: (r) => number(ratio(r) && r[key] !== null ? Math.exp(r[key]) : r[key]) });
  const moment = (title, key) => column(title, key, number, { descending: true, text: (r) => (ratio(r) ? "—" : number(r[key])) });
  const columns = [
    { title: "Parameter", head: true, value: (r) => r.name, text: (r) => r.name, cell: (r) => name(r.name) },
    { title: "95 % and 50 % interval", unsorted: true, below: axis, classOf: () => "bar", cell: (r) => bar(r, scale, units.value) },
    moment("Mean", "mean"), moment("SD", "sd"), quantile("2.5 %", "q025"), quantile("Median", "median"), quantile("97.5 %", "q975"),
    column("R-hat", "rhat", (v) => fixed(v, 3), { descending: true }), column("Bulk ESS", "ess_bulk", whole), column("Tail ESS", "ess_tail", whole),
  ];
  const order = el("select", { "data-order": "" }, Object.entries(coefficientOrders).map(([key, [words]]) => el("option", { value: key }, words)));
  const units = el("select", {}, el("option", { value: "data" }, "in the units of the data"), el("option", { value: "sd" }, "in posterior sds"), ratioOf[link] && el("option", { value: "exp" }, "as " + ratioOf[link]));
  const table = new DataTable(rows, columns, {
    label, filterText: (r) => r.name + " " + r.kind, class: "coefficients cards", pageSize: 50,
    extra: [rows.length > 2 && el("label", {}, "Order", order), el("label", {}, "Bars", units)],
    before: (shown) => { scale = scaleOf(shown, units.value); axisOf(axis, scale, units.value); },
  });
  units.addEventListener("change", () => table.draw());
  order.addEventListener("change", () => {
    const [, value, down] = coefficientOrders[order.value];
    table.sort = null;
    table.rows = [...rows].sort((a, b) => compareValues(value(a), value(b)) * (down && value(a) !== null && value(b) !== null ? -1 : 1));
    table.keys = table.rows.map((r) => table.options.filterText(r).toLowerCase());
    table.page = 0;
    table.refresh();
  });
  return table.node;
}

// glance draws all slopes of a wide fit at once, in the order of their medians.
function glance(rows) {
  const slopes = rows.filter((r) => r.kind === "coefficient" && r.median !== null).sort((a, b) => a.median - b.median);
  if (slopes.length <= 50) return null;
  const step = Math.ceil(slopes.length / 700);
  const shown = slopes.map((r, i) => ({ ...r, i })).filter((r) => r.i % step === 0 || r.i === slopes.length - 1);
  const apart = slopes.filter((r) => r.q025 > 0 || r.q975 < 0).length;
  const words = plural(slopes.length, "slope") + " from the smallest median to the largest, with 95 % intervals; those of " + apart + " leave 0 out." + (step > 1 ? " One in " + step + " is drawn." : "");
  return figure("All slopes at a glance", words, () => ({
    x: { label: "rank of the median →" }, y: { label: null, grid: true },
    marks: [
      Plot.ruleX(shown, { x: "i", y1: "q025", y2: "q975", stroke: "var(--c1)", strokeOpacity: 0.35 }),
      Plot.ruleY([0]), Plot.dot(shown, { x: "i", y: "median", r: 1.2, fill: "var(--c1)" }),
    ],
  }));
}

// mixing shows the plots of one quantity at a time.
function mixing(f, detail) {
  if (detail.series.length === 0) return [];
  const holder = el("div", {}), choose = el("select", { "data-series": "", onchange: () => show(choose.selectedIndex) });
  const beside = (i) => { // the pair with the worst of the others
    const rest = detail.series.filter((s, k) => k !== i && s.name !== "log_lik");
    return rest.length > 0 && pairChart(detail.series[i], rest[0]);
  };
  const show = (i) => {
    const s = detail.series[i];
    if (choose.selectedIndex !== i) choose.selectedIndex = i;
    drawings = drawings.filter((d) => !d.mixing);
    const before = drawings.length;
    const charts = [traceChart(s), densityChart(s), rankChart(s), growthChart(s), autoChart(s), beside(i)].filter(Boolean);
    drawings.slice(before).forEach((d) => { d.mixing = true; });
    holder.replaceChildren(
      el("p", {}, name(s.name), ": R-hat " + fixed(s.rhat, 3) + ", bulk ESS " + whole(s.ess_bulk) + ", tail ESS " + whole(s.ess_tail) + ", " + plural(s.trace.length, "chain") + " of " + plural(s.draws, "draw") + "."),
      chainLegend(s), el("div", { class: "charts" }, charts));
    drawings.slice(before).forEach((d) => holder.isConnected && d());
  };
  choose.append(...detail.series.map((s) => el("option", {}, s.name)));
  show(Math.min(1, detail.series.length - 1));
  return [el("h3", {}, "How the chains mixed"),
    el("div", { class: "tools" }, el("label", {}, "Quantity", choose), el("span", { class: "quiet" }, "log_lik, then the " + plural(detail.series.filter((s) => s.name !== "log_lik").length, "parameter") + " that mixed worst, of " + f.parameters)),
    detail.series.length > 2 && smallTraces(detail.series, show), holder, detail.energy && el("div", { class: "charts" }, energyChart(detail.energy))];
}

const checkNames = { mean: "mean", sd: "standard deviation", min: "smallest", max: "largest", zeros: "share of zeros" };

// responseChart sets the histogram of the response beside those of replicated data: a rootogram where it counts.
function responseChart(bins, family) {
  if (!bins || bins.length === 0) return null;
  const counts = ["bernoulli", "binomial", "poisson", "negative_binomial"].includes(family.replace("mixture of ", ""));
  const inner = bins.filter((b) => b.low !== null && b.high !== null), width = inner[0].high - inner[0].low, shift = counts ? -0.5 : 0;
  const rows = bins.map((b) => {
    const low = (b.low === null ? b.high - width : b.low) + shift, high = (b.high === null ? b.low + width : b.high) + shift;
    const what = b.low === null ? "below " + tick(b.high) : b.high === null ? tick(b.low) + " and above" : counts && width === 1 ? tick(b.low) : tick(b.low) + " to " + (counts ? tick(b.high - 1) : tick(b.high));
    return { low, high, x: (low + high) / 2, seen: b.observed, q: b.quantiles, odd: b.observed < b.quantiles[0] || b.observed > b.quantiles[4], open: b.low === null || b.high === null, title: what + ": " + tick(b.observed) + " observed, replicates " + tick(b.quantiles[0]) + " to " + tick(b.quantiles[4]) };
  });
  const odd = rows.filter((r) => r.odd).length, open = rows.some((r) => r.open);
  const words = "Bars: the data. Lines: 95 % and 50 % of replicated data sets, with the median. " + (odd > 0 ? "In " + odd + " of " + rows.length + " classes the data lie outside, marked." : "No class of the data lies outside.") + (counts ? " Heights are square roots." : "") + (open ? " Pale: values outside the range of the data, as far as they may go." : "");
  return figure("The response, observed and replicated", words, () => ({
    height: 260, x: { label: null, tickFormat: tick, ticks: 6 }, y: { label: null, grid: true, type: counts ? "sqrt" : "linear", ticks: 5, tickFormat: tick, domain: [0, Math.max(...rows.map((r) => Math.max(r.seen, r.q[4]))) * 1.05] },
    marks: [Plot.rect(rows, { x1: "low", x2: "high", y1: 0, y2: "seen", fill: "var(--band)", insetLeft: 0.5, insetRight: 0.5, title: "title" }),
      Plot.ruleX(rows, { x: "x", y1: (r) => r.q[0], y2: (r) => r.q[4], stroke: (r) => (r.odd ? "var(--mark)" : "var(--c1)"), strokeWidth: 1.5, strokeOpacity: (r) => (r.open ? 0.5 : 1) }),
      Plot.ruleX(rows, { x: "x", y1: (r) => r.q[1], y2: (r) => r.q[3], stroke: (r) => (r.odd ? "var(--mark)" : "var(--c1)"), strokeWidth: 4, strokeOpacity: (r) => (r.open ? 0.5 : 1) }),
      Plot.dot(rows, { x: "x", y: (r) => r.q[2], r: 2, fill: "currentColor", title: "title" }), Plot.ruleY([0])],
  }));
}

function predictive(checks, detail, f) {
  const bins = detail.bins;
  if (checks.length === 0) return [];
  const rows = checks.filter((c) => c.sd > 0 && c.observed !== null).map((c) => ({
    statistic: checkNames[c.statistic] || c.statistic, low: (c.q025 - c.mean) / c.sd, high: (c.q975 - c.mean) / c.sd, seen: (c.observed - c.mean) / c.sd, odd: c.p < 0.025 || c.p > 0.975,
  }));
  const chart = rows.length > 0 && figure("Observed among replicated", "95 % of replicated data sets lie on the line; the mark is what was observed. Distances are in standard deviations over replicates.", () => ({
    height: 60 + 34 * rows.length, marginLeft: 140, x: { label: "standard deviations from the replicates' mean →", grid: true }, y: { label: null, domain: rows.map((r) => r.statistic) },
    marks: [Plot.ruleX([0], { strokeDasharray: "2,2" }), Plot.ruleY(rows, { y: "statistic", x1: "low", x2: "high", stroke: "var(--c1)", strokeWidth: 4 }),
      Plot.dot(rows, { x: "seen", y: "statistic", r: 6, symbol: "diamond", fill: (r) => (r.odd ? "var(--mark)" : "currentColor") })],
  }));
  return [el("h3", {}, "Posterior predictive check"), el("div", { class: "charts" }, responseChart(bins, f.family), chart),
    simpleTable("Posterior predictive check", ["Statistic of the response", "#Observed", "#Replicates' mean", "#2.5 %", "#97.5 %", "#Share above observed", "Note"],
      checks.map((c) => [checkNames[c.statistic] || c.statistic, number(c.observed), number(c.mean), number(c.q025), number(c.q975), number(c.p, 3), [c.expression && el("code", {}, name(c.expression)), c.note]])),
    detail.by_level && el("div", { class: "charts" }, detail.by_level.map(levelChart)), detail.over && detail.over.map((c) => el("div", { class: "charts" }, overCharts(c)))];
}

function leaveOneOut(loo) {
  if (!loo) return [];
  const rows = loo.shown.map((x, i) => ({ x, k: loo.k[i], high: loo.k[i] === null || loo.k[i] > loo.threshold }));
  const worst = loo.shown.map((x, i) => ({ x, k: loo.k[i], elpd: loo.pointwise[i] })).sort((a, b) => compareValues(b.k, a.k)).slice(0, 10);
  const chart = figure("Pareto k by row", "Rows above the line cannot be relied on: their leave-one-out densities may be far off." + (rows.length < loo.rows ? " Of " + loo.rows + " rows, " + rows.length + " are drawn, the largest k among them." : ""), () => ({
    x: { label: "row →" }, y: { label: null, grid: true },
    marks: [Plot.ruleY([0]), Plot.ruleY([loo.threshold], { stroke: "var(--mark)", strokeDasharray: "4,3" }),
      Plot.dot(rows, { x: "x", y: "k", r: 2.2, fill: (r) => (r.high ? "var(--mark)" : "var(--c1)") })],
  }));
  return [el("h3", {}, "Leave-one-out"),
    el("p", {}, "Expected log predictive density " + number(loo.elpd, 5) + " ± " + number(loo.se, 3) + " (higher is better), " + number(loo.p, 3) + " effective parameters, looic " + number(loo.looic, 5) + ". " +
      (loo.high > 0 ? plural(loo.high, "row") + " of " + loo.rows + " above a Pareto k of " + number(loo.threshold, 2) + ": fit again without them, or give the family heavier tails." : "All " + loo.rows + " rows are below a Pareto k of " + number(loo.threshold, 2) + ".")),
    el("div", { class: "charts" }, chart, pitChart(loo.pit), el("div", {}, el("h4", {}, "Rows with the largest k"), simpleTable("Rows with the largest Pareto k", ["Row", "#Pareto k", "#elpd"], worst.map((w) => [whole(w.x), number(w.k, 3), number(w.elpd, 4)]))))];
}

// pictures shows an image's layers side by side, without smoothing of pixels.
function pictures(d) {
  if (!d || d.pictures.length === 0) return [];
  return [el("h3", {}, "The image"), el("div", { class: "pictures" }, d.pictures.map((p) => el("figure", {},
    el("img", { src: p.data, alt: p.alt, width: p.width, height: p.height }), el("figcaption", {}, el("strong", {}, p.title), p.caption ? ": " + p.caption + "." : ""))))];
}

const percent = (x) => (x === null ? "—" : number(100 * x, 3) + " %");

// proved tells what is known of a fit of discrete variables besides draws.
function proved(d) {
  if (!d) return [];
  return [facts([
    ["Most probable state seen", d.best !== null && "log density " + number(d.best, 6) + ", without its constant"],
    ["log Z", d.log_z !== null && number(d.log_z, 6)],
    ["Against the truth", d.known > 0 && percent(d.wrong_marginal) + " of " + plural(d.known, "known state") + " wrong by marginals, " + percent(d.wrong_best) + " in the most probable state seen; mean squared error " + number(d.squared, 3)],
  ]), d.proofs.length > 0 && [el("h3", {}, "What is proved"),
    simpleTable("What is proved of the error", ["By", "Of", "Variables", "#After updates", "#Error at most", "Note"],
      d.proofs.map((p) => [p.method, p.bounded, p.of, p.updates > 0 ? whole(p.updates) : "—", number(p.bound, 3), p.note]))]];
}

function fitPage(page, i) {
  const f = page.fits[i];
  const detail = dataOf("data-fit-" + i);
  const step = (by, words) => page.fits[i + by] && el("a", { href: "#fit-" + (i + by) }, words);
  const node = [
    page.fits.length > 1 && el("p", { class: "tools" }, step(-1, "← previous fit"), step(1, "next fit →"), el("span", { class: "quiet" }, "fit " + (i + 1) + " of " + page.fits.length + ", failures first")),
    el("h2", {}, name(fitName(f))), verdictBox(f), factsOf(f),
  ];
  if (i >= page.pages) return [...node, el("p", { class: "note" }, "This report has pages of its first " + plural(page.pages, "fit") + ". A report with a page of this one: ", el("code", {}, "pipeline report --fit " + f.id))];
  if (!detail) return [...node, el("p", { class: "note" }, "The ledger holds no draws and no summaries of it, so there is nothing more to show.")];
  const apart = detail.incomplete ? ["imputation", "imputed"] : []; // they have a part of their own
  const rows = coefficientRows(detail.coefficients).filter((r) => !apart.includes(r.kind)), discrete = detail.discrete;
  node.push(proved(discrete), pictures(discrete));
  node.push(rows.length > 0 && discrete && [el("h3", {}, "Functionals of the state"), coefficientTable(rows)]);
  node.push(rows.length > 0 && !discrete && [el("h3", {}, "Coefficients"), el("p", { class: "quiet" }, "In the units of the data. Bars of coefficients share one scale, with 0 dotted. Parameters in other units have no bar."), glance(rows), coefficientTable(rows, f.link)],
    pooledSection(detail.pooled), effectsOf(detail.effects), smoothPictures(detail), mixturePictures(f, detail),
    groupPictures(detail), incompletePictures(detail),
    detail.missing.map((m) => el("p", { class: "note" }, m)), mixing(f, detail), predictive(detail.checks, detail, f), leaveOneOut(detail.loo));
  return node;
}
