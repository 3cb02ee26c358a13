// Predictive checks by group and over numbers, leave-one-out transforms, and energies.

const levelNames = { mean: "mean", sd: "standard deviation", zeros: "share of zeros" };

// outsideWords say how many lie outside, and how many chance puts there: some always do.
function outsideWords(outside, all, expected, of) {
  return outside + " of " + plural(all, of) + " outside, marked; chance alone puts about " + number(expected, 2) + " there.";
}

// levelChart sets a statistic of each level beside its replicates, by the replicated median.
function levelChart(c) {
  const rows = c.level.map((l, i) => ({ y: i, label: l, seen: c.observed[i], q: c.of[i], odd: c.observed[i] < c.of[i][0] || c.observed[i] > c.of[i][4],
    title: l + " (" + plural(c.rows[i], "row") + "): " + number(c.observed[i], 4) + " observed, replicates " + number(c.of[i][0], 4) + " to " + number(c.of[i][4], 4) }));
  const less = c.level.length < c.levels ? " The " + c.level.length + " farthest out are drawn." : "";
  return figure(levelNames[c.statistic] + " by " + c.variable, "Lines: 90 % and 50 % of replicated data sets, with the median. Diamonds: the data. " + outsideWords(c.outside, c.levels, c.expected, "level") + less, (width) => {
    const plot = rowPlot(rows.map((r) => ({ ...r, q: [...r.q, r.seen] })), width, {});
    return { ...plot, marks: [...plot.marks, Plot.dot(rows.filter((r) => r.seen !== null), { y: "y", x: "seen", r: 4, symbol: "diamond", fill: (r) => (r.odd ? "var(--mark)" : "currentColor"), title: "title" })] };
  });
}

// band draws quantiles over x: an area, or a line for each x where there are few.
function band(rows, key, colour) {
  const known = rows.filter((r) => r[key].every((v) => v !== null));
  if (known.length < 6) {
    return [Plot.ruleX(known, { x: "x", y1: (r) => r[key][0], y2: (r) => r[key][4], stroke: colour, strokeWidth: 2 }),
      Plot.ruleX(known, { x: "x", y1: (r) => r[key][1], y2: (r) => r[key][3], stroke: colour, strokeWidth: 5 })];
  }
  return [Plot.areaY(known, { x: "x", y1: (r) => r[key][0], y2: (r) => r[key][4], fill: colour, fillOpacity: 0.18 }),
    Plot.areaY(known, { x: "x", y1: (r) => r[key][1], y2: (r) => r[key][3], fill: colour, fillOpacity: 0.28 })];
}

// overCharts set the response in classes of a number beside single replicated responses, and beside replicated means.
function overCharts(c) {
  const rows = c.x.map((x, i) => ({ x, n: c.rows[i], seen: c.observed[i], mean: c.mean[i], single: c.single[i], odd: c.observed[i] < c.mean[i][0] || c.observed[i] > c.mean[i][4],
    title: c.variable + " about " + number(x, 4) + ", " + plural(c.rows[i], "row") + ": mean " + number(c.observed[i], 4) + ", replicated means " + number(c.mean[i][0], 4) + " to " + number(c.mean[i][4], 4) }));
  const odd = rows.filter((r) => r.odd).length, out = d3.sum(c.outside), all = d3.sum(c.rows);
  const chart = (title, words, key) => figure(title, words, () => ({
    height: 260, x: { label: shortened(c.variable, 40) + " →", tickFormat: tick, ticks: 6, nice: true }, y: { label: null, grid: true, tickFormat: tick, ticks: 5, nice: true },
    marks: [...band(rows, key, "var(--c1)"), Plot.line(rows, { x: "x", y: (r) => r[key][2], stroke: "var(--c1)", strokeWidth: 1.5 }),
      Plot.dot(rows, { x: "x", y: "seen", r: 3, fill: (r) => (r.odd ? "var(--mark)" : "currentColor"), title: "title" })],
  }));
  return [chart("Mean response over " + c.variable, "Bands: 90 % and 50 % of the means of replicated data, in " + rows.length + " classes. Dots: means of the data. " + outsideWords(odd, rows.length, c.expected, "class").replace("classs", "classes"), "mean"),
    chart("Single responses over " + c.variable, "Bands: 90 % and 50 % of single replicated responses. Of " + all + " observations " + out + " (" + number(100 * out / all, 2) + " %) lie outside 90 %. Dots: means of the data.", "single")];
}

// pitWords say what a shape of the transforms means.
function pitWords(points) {
  const over = points.filter((p) => p[1] > p[3]).map((p) => p[0]), under = points.filter((p) => p[1] < p[2]).map((p) => p[0]);
  if (over.length + under.length === 0) return "The line stays within the band, which holds 95 % of data sets that the model makes: nothing speaks against it here.";
  const low = (at) => at.some((z) => z < 0.5), high = (at) => at.some((z) => z >= 0.5);
  let shape = "the distribution of the response has another shape than the model gives it";
  if (low(over) && high(under) && !low(under) && !high(over)) shape = "more observations lie in the tails than predicted: predictions are too narrow (a family with more spread, or heavier tails)";
  else if (low(under) && high(over) && !low(over) && !high(under)) shape = "fewer observations lie in the tails than predicted: predictions are too wide";
  else if (under.length === 0) shape = "observations tend to be smaller than predicted";
  else if (over.length === 0) shape = "observations tend to be larger than predicted";
  return "The line leaves the band: " + shape + ".";
}

// pitChart draws shares of leave-one-out transforms, less what uniform ones have.
function pitChart(points) {
  if (!points) return null;
  const rows = [[0, 0, 0, 0], ...points, [1, 1, 1, 1]].map((p) => ({ x: p[0], y: p[1] - p[0], low: p[2] - p[0], high: p[3] - p[0] }));
  return figure("Leave-one-out transforms (LOO-PIT)", "Where each observation lies in its prediction from the others: the share up to each place, less the share of uniform ones, with a 95 % band for the whole line. " + pitWords(points), () => ({
    x: { label: "place in the prediction →", tickFormat: tick, ticks: 5 }, y: { label: null, grid: true, tickFormat: tick, ticks: 5 },
    marks: [Plot.areaY(rows, { x: "x", y1: "low", y2: "high", fill: "var(--c1)", fillOpacity: 0.18 }), Plot.ruleY([0]),
      Plot.line(rows, { x: "x", y: "y", stroke: rows.some((r) => r.y < r.low - 1e-9 || r.y > r.high + 1e-9) ? "var(--mark)" : "var(--c1)", strokeWidth: 2 })],
  }));
}

// energyChart sets the energies of draws beside their changes from draw to draw.
function energyChart(e) {
  if (!e) return null;
  const share = (counts, kind) => { const n = d3.sum(counts), w = 2 * e.high / counts.length; return counts.map((c, i) => ({ x1: -e.high + i * w, x2: -e.high + (i + 1) * w, y: c / n, kind })); };
  const marginal = share(e.marginal, 0), change = share(e.transition, 1), least = d3.min(e.bfmi, (v) => v);
  const steps = (rows) => rows.flatMap((r) => [{ x: r.x1, y: r.y }, { x: r.x2, y: r.y }]);
  const node = figure("Energy", "Energies of draws around their mean, and changes from one draw to the next: where the changes are much narrower, the chain moves slowly among energies. E-BFMI is " + (least === undefined ? "not there" : number(least, 3) + " at least") + "; below 0.3 is too little.", () => ({
    x: { label: "energy →", tickFormat: tick, ticks: 5 }, y: { label: null, ticks: [], domain: [0, d3.max([...marginal, ...change], (r) => r.y) * 1.05] }, marginLeft: 16,
    marks: [Plot.ruleY([0]), Plot.areaY(steps(marginal), { x: "x", y: "y", fill: chainColour(0), fillOpacity: 0.3 }), Plot.line(steps(change), { x: "x", y: "y", stroke: chainColour(1), strokeWidth: 1.8 })],
  }));
  node.append(legend(["energies", "changes"]));
  return node;
}
