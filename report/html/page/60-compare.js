// Two samplers on one posterior: whether they agree, and what each took.

const agreementOrder = ["differ", "unknown", "agree"];
const agreementClass = { differ: "v-fail", unknown: "v-warn", agree: "v-pass" };

// sooner writes a ratio of times; it is 0 where the first sampler did not get there.
const sooner = (v) => (v[0] === 0 ? "not reached" : interval(v));

function pairTable(pairs) {
  const columns = [
    { title: "Agreement", value: (p) => agreementOrder.indexOf(p.agreement), text: (p) => p.agreement, classOf: (p) => agreementClass[p.agreement] },
    { title: "Posterior", head: true, value: posteriorOf, text: posteriorOf, cell: (p) => name(posteriorOf(p)) },
    { title: "First and second", value: (p) => p.a.sampler + " " + p.b.sampler, text: (p) => p.a.sampler + " and " + p.b.sampler },
    { title: "Largest z (limit)", numeric: true, descending: true, value: (p) => p.z_max, text: (p) => number(p.z_max, 3) + " (" + number(p.z_limit, 3) + ")" },
    { title: "At", value: (p) => p.worst, text: (p) => p.worst, cell: (p) => name(p.worst) },
    { title: "First sooner, times", numeric: true, descending: true, value: (p) => p.ratio[0], text: (p) => sooner(p.ratio) },
    { title: "the same, least ESS", numeric: true, descending: true, value: (p) => p.ratio_min[0], text: (p) => sooner(p.ratio_min) },
    { title: "the same, log_lik", numeric: true, descending: true, value: (p) => p.ratio_log_lik[0], text: (p) => sooner(p.ratio_log_lik) },
    { title: "Pairs", numeric: true, value: (p) => p.replicates, text: (p) => String(p.replicates) },
  ];
  return new DataTable(pairs, columns, { label: "Pairs of samplers, disagreement first", filterText: (p) => posteriorOf(p) + " " + p.a.sampler + " " + p.b.sampler + " " + p.agreement, sort: [0, false], filterLabel: "Filter pairs" }).node;
}

const pairsOfSamplers = (pairs) => [...new Set(pairs.map((p) => p.a.sampler + " and " + p.b.sampler))];

// scatter sets the times of both samplers against each other on log axes.
function scatter(pairs, kinds) {
  const dots = pairs.map((p) => ({ x: p.a.to_ess[0], y: p.b.to_ess[0], kind: kinds.indexOf(p.a.sampler + " and " + p.b.sampler), title: posteriorOf(p) + "\n" + p.a.sampler + " " + seconds(p.a.to_ess[0]) + ", " + p.b.sampler + " " + seconds(p.b.to_ess[0]), differ: p.agreement === "differ" }))
    .filter((d) => d.x > 0 && d.y > 0);
  if (dots.length === 0) return el("p", { class: "note" }, "No pair has times of both samplers to an effective sample size of 100, so there is no scatter of them.");
  const all = dots.flatMap((d) => [d.x, d.y]);
  const domain = [Math.min(...all) / 1.5, Math.max(...all) * 1.5];
  return figure("Seconds to a median ESS of 100", "Each mark is a posterior: across the first sampler's seconds, up the second's. Above the line the first is sooner; a cross is a pair that disagrees.", () => ({
    height: 330, marginLeft: 64, x: { type: "log", label: "first sampler, s →", domain, ticks: 5, tickFormat: tick }, y: { type: "log", label: "↑ second sampler, s", domain, ticks: 5, tickFormat: tick, grid: true },
    symbol: { range: ["circle", "times"], domain: [false, true] },
    marks: [Plot.line([[domain[0], domain[0]], [domain[1], domain[1]]], { strokeDasharray: "4,3" }),
      Plot.dot(dots, { x: "x", y: "y", r: 5, symbol: "differ", stroke: (d) => chainColour(d.kind), strokeWidth: 2, title: "title" })],
  }));
}

function ratioChart(pairs, kinds) {
  const dots = pairs.map((p) => ({ x: p.columns / p.rows, y: p.ratio[0], low: p.ratio[1], high: p.ratio[2], kind: kinds.indexOf(p.a.sampler + " and " + p.b.sampler), title: posteriorOf(p) + "\n" + p.a.sampler + " is " + number(p.ratio[0], 3) + " times as fast as " + p.b.sampler }))
    .filter((d) => d.x > 0 && d.y > 0);
  if (dots.length === 0) return null;
  return figure("How much sooner, by shape of the data", "Ratio of the second sampler's time to the first's against columns over rows; above 1 the first is sooner. Lines are 95 % intervals, where there are at least six replicates.", () => ({
    height: 330, marginLeft: 64, x: { type: "log", label: "columns / rows →", ticks: 5, tickFormat: tick }, y: { type: "log", label: "↑ times as fast", ticks: 5, tickFormat: tick, grid: true },
    marks: [Plot.ruleY([1], { strokeDasharray: "4,3" }), Plot.ruleX(dots.filter((d) => d.low > 0 && d.high > 0), { x: "x", y1: "low", y2: "high", stroke: (d) => chainColour(d.kind), strokeWidth: 1.5 }),
      Plot.dot(dots, { x: "x", y: "y", r: 5, fill: (d) => chainColour(d.kind), title: "title" })],
  }));
}

// costsOf lists every sampler of every posterior once.
function costsOf(pairs) {
  const seen = new Map();
  for (const p of pairs) for (const c of [p.a, p.b]) seen.set(posteriorOf(p) + "\n" + c.sampler, { posterior: posteriorOf(p), ...c });
  return [...seen.values()];
}

function rateChart(costs) {
  const samplers = [...new Set(costs.map((c) => c.sampler))].sort();
  const rows = costs.filter((c) => c.per_second[0] > 0).map((c) => ({ label: c.posterior, x: c.per_second[0], low: c.per_second[1], high: c.per_second[2], kind: samplers.indexOf(c.sampler), title: c.sampler + ": " + interval(c.per_second) })).slice(0, 120);
  if (rows.length === 0) return null;
  const posteriors = [...new Set(rows.map((r) => r.label))];
  const node = figure("Effective draws a second", "Median bulk ESS over coefficients a second of one core, set-up and warm-up included, with 95 % intervals where there are at least six replicates.", (width) => ({
    height: 70 + 17 * posteriors.length * (samplers.length + 1), marginLeft: 76, marginBottom: 40, x: { type: "log", grid: true, label: "ESS a second →", ticks: 5, tickFormat: tick },
    y: { label: null, axis: null, domain: [-1, ...samplers.map((_, i) => i)], padding: 0.2 }, fy: { label: null, axis: null, domain: posteriors, padding: 0.1 },
    marks: [Plot.text(posteriors, { fy: (d) => d, y: () => -1, text: (d) => d, frameAnchor: "left", fontWeight: 600, lineWidth: width / 14, textOverflow: "ellipsis" }),
      Plot.ruleY(rows.filter((r) => r.low > 0), { fy: "label", y: "kind", x1: "low", x2: "high", stroke: (d) => chainColour(d.kind), strokeWidth: 3 }),
      Plot.dot(rows, { fy: "label", y: "kind", x: "x", r: 4, fill: (d) => chainColour(d.kind), title: "title" }),
      Plot.text(rows, { fy: "label", y: "kind", text: (d) => samplers[d.kind], frameAnchor: "left", textAnchor: "end", dx: -6 })],
  }));
  return node;
}

function rankedTable(ranked) {
  if (ranked.length === 0) return [];
  return [el("h3", {}, "Models by leave-one-out"), el("p", { class: "quiet" }, "Difference of expected log predictive density to the best fit on the same responses; a difference of less than about two standard errors is none."),
    simpleTable("Models by leave-one-out", ["Fit", "#Difference", "#Standard error", "#elpd", "Note"], ranked.map((r) => [name(fitName(r)), number(r.diff, 4), number(r.se, 3), number(r.elpd, 5), r.note || ""]))];
}

function comparePage(page) {
  const title = el("h2", {}, "Samplers compared");
  if (page.pairs.length === 0) {
    return [title, el("p", { class: "note" }, "No two samplers have fitted the same posterior here: same data, same model. Give a model two samplers in the spec to compare them."), rankedTable(page.loo)];
  }
  const kinds = pairsOfSamplers(page.pairs);
  const { pairs, differ, failed: unsound } = page.agreement;
  let sum = differ > 0 ? plural(differ, "pair") + " of " + pairs + " disagree." : "No pair of " + pairs + " disagrees.";
  if (unsound > 0) sum += " In " + unsound + " of them a fit failed its own gates: that one is not to be trusted, and says nothing against the other.";
  if (differ > unsound) sum += " Where both hold their gates, at least one sampler is wrong, and its speed is of no interest.";
  const costs = costsOf(page.pairs);
  return [title, el("p", { class: differ > 0 ? "bad" : null }, sum), pairTable(page.pairs),
    kinds.length > 1 && legend(kinds), el("div", { class: "charts" }, scatter(page.pairs, kinds), ratioChart(page.pairs, kinds)), rateChart(costs),
    el("h3", {}, "What each sampler took"), simpleTable("What each sampler took", ["Posterior", "Sampler", "Method", "Verdict", "#Fits", "#Seconds to ESS 100, median", "#the same, least", "#ESS a second, median", "#the same, least"],
      costs.map((c) => [name(c.posterior), name(c.sampler), c.method, c.verdict, String(c.fits), interval(c.to_ess), interval(c.to_min), interval(c.per_second), interval(c.min_per_second)])), rankedTable(page.loo)];
}
