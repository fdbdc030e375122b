// The lists beside the lanes: findings and steps, and moves from item to item.
const make = (tag, words) => { const e = document.createElement(tag); e.textContent = words; return e; };
const item = (label, words, act) => { const row = document.createElement("li");
  row.append(make("span", label), make("b", words)); row.onclick = act; return row; };

// Findings: the page of the list with the chosen finding.
const pageSize = 500;
let page = -1, rows = new Map();
const describe = f => names[f.lane] + ": " + f.text + (f.sort === 0 && !data.steps.length ?
  ", " + say(f.start) + " to " + say(f.stop) + " (" + say(f.stop - f.start) + ")" : "");
function showPage(n) {
  const list = $("findings"), from = n * pageSize, to = Math.min(findings.length, from + pageSize);
  if (n === page) return;
  page = n; rows = new Map(); list.textContent = "";
  if (from > 0) list.append(item("..", "earlier", () => showPage(n - 1)));
  for (let i = from; i < to; i++) {
    const row = item(String(i + 1), describe(findings[i]), () => goFinding(i));
    row.className = findings[i].sort === 0 ? "wrong" : "cause"; rows.set(i, row); list.append(row); }
  if (to < findings.length) list.append(item("..", "and " + (findings.length - to) + " more", () => showPage(n + 1)));
  mark();
}
function mark() {
  for (const [i, row] of rows) if (i === chosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  if (rows.has(chosen)) rows.get(chosen).scrollIntoView({ block: "nearest" });
}
// Shows the finding in the middle; if it was narrow or wider than half, as a fifth of the picture.
function goFinding(i) {
  if (!findings.length) return;
  chosen = (i + findings.length) % findings.length;
  const f = findings[chosen], length = f.stop - f.start, wide = view[1] - view[0];
  const shown = length / wide;
  const width = length > 0 && (shown < 0.05 || shown > 0.5) ? length * 5 : wide;
  const middle = (f.start + f.stop) / 2;
  cursor = middle; look(middle - width / 2, middle + width / 2); reveal(f.lane);
  showPage(Math.floor(chosen / pageSize)); mark();
  $("held").textContent = describe(f); $("held").hidden = false;
  document.body.dataset.finding = chosen; document.body.dataset.described = describe(f);
}
// If no finding was chosen, next goes to the first, and previous to the last.
const next = () => goFinding(chosen < 0 ? 0 : chosen + 1);
const previous = () => goFinding(chosen < 0 ? findings.length - 1 : chosen - 1);

// Steps
const list = $("steps"); let stepRows = [], pointed = -1;
function fill(word) {
  list.textContent = ""; stepRows = [];
  let shown = 0;
  data.steps.forEach((s, i) => {
    if (word && !s[2].toLowerCase().includes(word)) return;
    if (++shown > 5000) return;
    stepRows[i] = item(String(i), s[2], () => go(i)); list.append(stepRows[i]);
  });
  if (shown > 5000) list.append(make("li", "and " + (shown - 5000) + " more: search"));
}
function go(i) {
  if (!data.steps.length) return;
  if (stepRows[current]) stepRows[current].removeAttribute("aria-current");
  current = Math.max(0, Math.min(data.steps.length - 1, i));
  const row = stepRows[current];
  if (row) { row.setAttribute("aria-current", "step"); row.scrollIntoView({ block: "nearest" }); }
  const t = data.steps[current][0], half = (view[1] - view[0]) / 2;
  cursor = null;
  if (t < view[0] || t > view[1]) look(t - half, t + half); else redraw();
  document.body.dataset.step = current;
}
// The last step before the cursor.
function point(step) {
  if (stepRows[pointed]) stepRows[pointed].classList.remove("under");
  pointed = step;
  if (stepRows[pointed]) { stepRows[pointed].classList.add("under"); stepRows[pointed].scrollIntoView({ block: "nearest" }); }
}
