// Components of a mixture: their weights, their densities over the response, and how sure its rows are of them.

// normalParts are the components of y ~ 1 with normal laws, by posterior means; null of other models.
function normalParts(f, detail) {
  if (!/^mixture of gaussian$/.test(f.family) || f.link !== "identity" || f.columns !== 1) return null;
  const c = detail.coefficients, mean = (n) => c.mean[c.name.indexOf(n)];
  const parts = detail.mixture.components.map((m, k) => ({ weight: m.weight[0], mu: mean("mu" + (k + 1) + "_Intercept"), sigma: mean("sigma" + (k + 1)) }));
  return parts.every((p) => [p.weight, p.mu, p.sigma].every((v) => typeof v === "number") && p.sigma > 0) ? parts : null;
}

// densities draws each component's share of the density of the response, over its histogram where there is one.
function densities(f, detail) {
  const parts = normalParts(f, detail);
  if (!parts) return null;
  const bins = (detail.bins || []).filter((b) => b.low !== null && b.high !== null), n = d3.sum(detail.bins || [], (b) => b.observed);
  const low = d3.min([...parts.map((p) => p.mu - 3 * p.sigma), ...bins.map((b) => b.low)]), high = d3.max([...parts.map((p) => p.mu + 3 * p.sigma), ...bins.map((b) => b.high)]);
  const law = (p, x) => p.weight * Math.exp(-(((x - p.mu) / p.sigma) ** 2) / 2) / (p.sigma * Math.sqrt(2 * Math.PI));
  const at = d3.range(201).map((k) => low + (high - low) * k / 200);
  const lines = parts.flatMap((p, part) => at.map((x) => ({ x, y: law(p, x), part }))), sum = at.map((x) => ({ x, y: d3.sum(parts, (p) => law(p, x)) }));
  const bars = bins.map((b) => ({ low: b.low, high: b.high, y: b.observed / (n * (b.high - b.low)) }));
  const node = figure("Components over the response", "Lines: weight times density of each component at posterior means. Dashed: their sum." + (bars.length > 0 ? " Bars: the data." : " With run: {ppc: true} the data appear behind them."), () => ({
    height: 260, x: { label: null, tickFormat: tick, ticks: 6 }, y: { label: null, ticks: [], domain: [0, 1.05 * d3.max([...sum, ...bars], (r) => r.y)] }, marginLeft: 16,
    marks: [Plot.rect(bars, { x1: "low", x2: "high", y1: 0, y2: "y", fill: "var(--band)", insetLeft: 0.5, insetRight: 0.5 }), Plot.ruleY([0]),
      Plot.line(lines, { x: "x", y: "y", z: "part", stroke: (r) => chainColour(r.part), strokeWidth: 2 }), Plot.line(sum, { x: "x", y: "y", stroke: "currentColor", strokeDasharray: "4,3" })],
  }));
  node.append(legend(parts.map((_, k) => "component " + (k + 1))));
  return node;
}

// sureness stacks the rows by the probability of their most probable component.
function sureness(m) {
  const rows = m.components.flatMap((c, part) => c.best.map((n, i) => ({ low: i / 10, high: (i + 1) / 10, n, part })));
  const sure = d3.sum(m.components, (c) => c.best[9]);
  const node = figure("How sure rows are of their component", "Rows by the probability of their most probable component: of " + m.rows + ", " + sure + " are above 0.9.", () => ({
    height: 260, x: { label: "probability →", domain: [0, 1], ticks: 5, tickFormat: tick }, y: { label: null, grid: true, tickFormat: tick, ticks: 5 },
    marks: [Plot.rectY(rows, Plot.stackY({ x1: "low", x2: "high", y: "n", fill: (r) => chainColour(r.part), insetLeft: 0.5, insetRight: 0.5 })), Plot.ruleY([0])],
  }));
  node.append(legend(m.components.map((_, k) => "component " + (k + 1))));
  return node;
}

function mixturePictures(f, detail) {
  const m = detail.mixture;
  if (!m) return null;
  const switches = d3.sum(m.switches);
  return [el("h3", {}, "Components"),
    el("p", {}, switches === 0 ? "The order of the components never changed within a chain: a number means one group of rows." : "The order of the components changed " + plural(switches, "time") + " within chains: they overlap in what they are numbered by, and a number means one group of rows in some draws and for another one in others."),
    el("div", { class: "charts" }, densities(f, detail), m.rows > 0 && sureness(m)),
    simpleTable("Components", ["Component", "#Weight", "#2.5 %", "#97.5 %", "#Rows expected"], m.components.map((c, k) => [String(k + 1), ...c.weight.map((v) => number(v, 3)), m.rows > 0 ? number(c.rows, 4) : "—"]))];
}
