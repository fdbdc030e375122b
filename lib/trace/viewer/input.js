// The pointer, the keys, and the text around the drawing.
const tip = $("tip"); let under = null;
function arrowAt(lane, t, py, near) {
  for (const a of data.arrows) {
    const y0 = top_(a[0]), y1 = top_(a[2]), f = (py - y0) / ((y1 - y0) || 1);
    if (f >= 0 && f <= 1 && Math.abs(a[1] + (a[3] - a[1]) * f - t) < near)
      return texts[a[4]] + "\n" + names[a[0]] + " to " + names[a[2]] + ", " + say(a[1]); }
  for (const m of data.marks)
    if (m[0] === lane && Math.abs(m[1] - t) < near * 2 && py - top_(lane) < 4) return texts[m[3]] + "\n" + say(m[1]);
  return null;
}
const spanWords = (lane, i) => { const s = span(lane, i), said = notes.get(lane + " " + i) || [];
  return s.text + "\n" + data.kinds[s.kind][0] + ", " + names[lane] + "\n" + say(s.start) + " to " + say(s.stop) +
    " (" + say(s.stop - s.start) + ")" + said.map(([k, v]) => "\n" + k + ": " + v).join(""); };
function at(px, py) {
  const t = time(px), lane = Math.floor((py - axis + scroller.scrollTop) / laneHeight);
  if (lane < 0 || lane >= names.length || px < nameWidth) return null;
  const near = (view[1] - view[0]) / plotWidth() * 3, parts = [];
  const arrow = arrowAt(lane, t, py, near), level = levelAt(lane, t);
  const found = findingsOf[lane].find(f => f.start - near <= t && f.stop + near >= t);
  if (arrow) parts.push(arrow);
  else if (hasLevels && py > top_(lane) + barHeight && level)
    parts.push(names[lane] + ": " + level.count + " threads from " + say(level.since));
  else { let i = -1; for (const d of [0, -near, near]) if (i < 0) i = spanAt(lane, t + d);
    if (i >= 0) parts.push(spanWords(lane, i)); }
  if (found) parts.push(describe(found));
  const step = stepAt(t);
  if (step >= 0) parts.push((step > 0 ? "step " + step + ": " : "") + data.steps[step][2] +
    "\n" + names[lane] + ": " + stands(lane, step));
  return parts.length ? parts.join("\n\n") : null;
}

let drag = null, moved = false;
chart.onpointerdown = e => { drag = [e.offsetX, view[0], view[1]]; moved = false; chart.setPointerCapture(e.pointerId); };
chart.onpointerup = e => { if (!moved && under) { $("held").textContent = under; $("held").hidden = false; } drag = null; };
chart.onpointermove = e => {
  if (drag) { const by = (drag[0] - e.offsetX) / plotWidth() * (drag[2] - drag[1]);
    if (Math.abs(drag[0] - e.offsetX) > 3) moved = true;
    look(drag[1] + by, drag[2] + by); return; }
  cursor = e.offsetX >= nameWidth ? time(e.offsetX) : null; redraw();
  if (cursor !== null) point(stepAt(cursor));
  under = at(e.offsetX, e.offsetY); tip.hidden = !under;
  document.body.dataset.under = under || "";
  if (under) { tip.textContent = under;
    tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px"; }
};
chart.onpointerleave = () => { tip.hidden = true; };
chart.onwheel = e => { if (e.shiftKey) return; e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8, time(e.offsetX)); };
overview.onpointerdown = overview.onpointermove = e => { if (!e.buttons) return;
  const t = all[0] + (e.offsetX - nameWidth) / (overview.clientWidth - nameWidth - 10) * (all[1] - all[0]);
  const half = (view[1] - view[0]) / 2; look(t - half, t + half); };
scroller.onscroll = redraw;
document.onkeydown = e => {
  if (e.target === $("search") || e.ctrlKey || e.metaKey || e.altKey) return;
  const middle = (view[0] + view[1]) / 2;
  const act = { ArrowRight: () => go(current + 1), ArrowLeft: () => go(current - 1), Home: () => go(0),
    End: () => go(data.steps.length - 1), "+": () => zoom(0.7, middle), "=": () => zoom(0.7, middle),
    "-": () => zoom(1.4, middle), "0": () => look(...all), n: next, N: previous }[e.key];
  if (act) { act(); e.preventDefault(); }
};
$("search").oninput = e => fill(e.target.value.trim().toLowerCase());
$("next").onclick = next; $("previous").onclick = previous;

$("title").textContent = data.title;
const meanings = new Map(data.meanings);
for (const [k, v] of data.facts) { const row = document.createElement("div");
  if (meanings.has(k)) { row.title = meanings.get(k); row.className = "defined"; }
  row.append(make("dt", k), make("dd", v)); $("facts").append(row); }
const legend = (swatch, name, means) => { const row = document.createElement("li"), dot = document.createElement("i");
  swatch(dot); row.append(dot, name); row.title = means || name; $("legend").append(row); };
data.kinds.forEach(([name, colour, means], i) => { if (data.kinds.findIndex(k => k[0] === name) === i)
  legend(dot => { dot.style.background = colour; }, name, means); });
if (findings.some(f => f.sort === 0)) legend(dot => { dot.className = "wrong"; }, data.findingsTitle);
if (findings.some(f => f.sort === 1)) legend(dot => { dot.className = "cause"; }, "the cause");
if (hasLevels) { legend(dot => { dot.className = "idle"; }, "idle, as it may be");
  $("legend").append(make("li", "below a lane: its threads (none, one, too many)")); }
if (data.steps.length) { $("search").hidden = list.hidden = false; fill(""); }
if (data.findingsTitle) { $("found").hidden = false;
  $("count").textContent = findings.length + ": " + data.findingsTitle; showPage(0); }
$("side").hidden = !data.steps.length && !data.findingsTitle;
document.body.dataset.findings = findings.length;
addEventListener("resize", redraw);
const wanted = name => { const m = new RegExp(name + "=(\\d+)").exec(location.hash); return m && +m[1]; };
if (wanted("step") !== null) go(wanted("step"));
if (wanted("finding") !== null) goFinding(wanted("finding"));
draw();
