// Effects of variables on the scale of the response: a curve with its band over a number, points with their intervals
// for levels and contrasts.

const effectWords = { prediction: "Posterior means of the response, and 95 % intervals.", difference: "Differences of the response's mean, and 95 % intervals; 0 is none.",
  ratio: "Ratios of the response's mean, and 95 % intervals; 1 is none.", odds_ratio: "Odds ratios, and 95 % intervals; 1 is none." };

function effectChart(title, rows) {
  const kind = rows[0].kind, lines = [...new Set(rows.map((r) => r.given))], colour = (r) => chainColour(lines.indexOf(r.given));
  const curve = rows.every((r) => r.x !== null) && new Set(rows.map((r) => r.x)).size > 2;
  const words = effectWords[kind];
  const node = figure(title, words, () => curve ? {
    x: { label: rows[0].variable + " →" }, y: { label: null, grid: true, tickFormat: tick },
    marks: [Plot.areaY(rows, { x: "x", y1: "q025", y2: "q975", z: "given", fill: colour, fillOpacity: 0.2 }),
      Plot.line(rows, { x: "x", y: "mean", z: "given", stroke: colour, strokeWidth: 2 })],
  } : {
    height: 60 + 22 * rows.length, marginLeft: 130, fy: { label: null, padding: 0.1, domain: [...new Set(rows.map((r) => r.level))] }, y: { label: null, axis: null, domain: lines }, x: { label: null, grid: true, tickFormat: tick },
    marks: [kind === "prediction" ? [] : Plot.ruleX([kind === "difference" ? 0 : 1], { strokeDasharray: "2,2" }),
      Plot.ruleY(rows, { fy: "level", y: "given", x1: "q025", x2: "q975", stroke: colour, strokeWidth: 3 }),
      Plot.dot(rows, { fy: "level", y: "given", x: "mean", fill: colour, r: 4 })],
  });
  if (lines.length > 1) node.append(legend(lines));
  return node;
}

function effectsOf(effects) {
  if (!effects) return [];
  const titles = [...new Set(effects.map((e) => e.effect))];
  return [el("h3", {}, "Effects"), el("p", { class: "quiet" }, "On the scale of the response, unless an effect says link."),
    el("div", { class: "charts" }, titles.map((t) => {
      const rows = effects.filter((e) => e.effect === t && e.mean !== null);
      return rows.length > 0 && effectChart(t, rows);
    }))];
}
