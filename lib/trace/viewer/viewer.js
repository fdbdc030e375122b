// Draws the data of the page on a canvas, so that a million spans stay quick: only
// what is in sight is looked at, and spans of less than a pixel are drawn once.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = id => document.getElementById(id);
  const chart = $("chart"), overview = $("overview"), tip = $("tip");
  const paint = chart.getContext("2d"), small = overview.getContext("2d");
  const nameWidth = 150, barHeight = 20, levelHeight = 12, gap = 8, axis = 22;
  const hasLevels = data.levels.length > 0;
  const laneHeight = barHeight + (hasLevels ? levelHeight : 0) + gap;

  // Spans by lane, in order; none in a lane overlaps unless it is nested.
  const spans = data.lanes.map(() => []);
  for (const s of data.spans) spans[s[0]].push(s);
  const reach = spans.map(list => { let far = -Infinity; return list.map(s => far = Math.max(far, s[2])); });
  const levels = data.lanes.map(() => []);
  for (const [lane, points] of data.levels) levels[lane].push(...points);

  let first = Infinity, last = -Infinity;
  const seen = (a, b) => { if (a < first) first = a; if (b > last) last = b; };
  for (const s of data.spans) seen(s[1], s[2]);
  for (const m of data.marks) seen(m[1], m[1]);
  for (const a of data.arrows) seen(Math.min(a[1], a[3]), Math.max(a[1], a[3]));
  for (const s of data.steps) seen(s[0], s[0]);
  for (const list of levels) if (list.length) seen(list[0][0], list[list.length - 1][0]);
  if (!(first < last)) { first = Number.isFinite(first) ? first : 0; last = first + 1; }
  const margin = (last - first) * 0.01;
  const all = [first - margin, last + margin];
  let view = all.slice(), current = -1, asked = false, under = null;

  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const plotWidth = () => chart.clientWidth - nameWidth - 10;
  const x = t => nameWidth + (t - view[0]) / (view[1] - view[0]) * plotWidth();
  const time = px => view[0] + (px - nameWidth) / plotWidth() * (view[1] - view[0]);
  const top = lane => axis + lane * laneHeight;
  const say = t => String(+t.toPrecision(6)) + " " + data.unit;

  // The index of the first item that is not before t; before(item, t) is monotonic.
  const search = (count, isBefore) => {
    let low = 0, high = count;
    while (low < high) { const mid = (low + high) >> 1; if (isBefore(mid)) low = mid + 1; else high = mid; }
    return low;
  };

  function drawAxis() {
    const wide = view[1] - view[0], rough = wide / Math.max(2, plotWidth() / 90);
    const power = 10 ** Math.floor(Math.log10(rough));
    const tick = power * [1, 2, 5, 10].find(k => power * k >= rough);
    paint.fillStyle = style("--soft"); paint.strokeStyle = style("--line");
    paint.font = "11px system-ui, sans-serif"; paint.textAlign = "center";
    for (let t = Math.ceil(view[0] / tick) * tick; t <= view[1]; t += tick) {
      paint.beginPath(); paint.moveTo(x(t), axis - 4); paint.lineTo(x(t), chart.clientHeight); paint.stroke();
      paint.fillText(String(+t.toPrecision(6)), x(t), 12);
    }
    paint.textAlign = "left"; paint.fillText(data.unit, 2, 12);
  }

  function drawLevel(lane) {
    const points = levels[lane]; if (!points.length) return;
    const y = top(lane) + barHeight;
    let i = Math.max(0, search(points.length, k => points[k][0] < view[0]) - 1), column = -1, worst = -1;
    for (; i < points.length && points[i][0] <= view[1]; i++) {
      const [t, n] = points[i], end = i + 1 < points.length ? points[i + 1][0] : last;
      const a = Math.max(nameWidth, x(t)), b = Math.min(x(view[1]), x(end));
      // In one column of pixels the highest number shows.
      if (b - a < 1) { const c = a | 0; if (c === column && n <= worst) continue; column = c; worst = n; }
      paint.fillStyle = style(n === 0 ? "--idle" : n === 1 ? "--busy" : "--over");
      const height = n === 0 ? levelHeight - 2 : Math.min(levelHeight - 2, 4 + 2 * n);
      paint.fillRect(a, y + levelHeight - height, Math.max(1, b - a), height);
      if (b - a > 14) { paint.fillStyle = n > 1 ? "#fff" : style("--ink"); paint.font = "9px system-ui, sans-serif";
        paint.fillText(String(n), a + 3, y + levelHeight - 2); }
    }
  }

  let drawn = 0;
  function drawSpans(lane) {
    const list = spans[lane], y = top(lane);
    let i = search(list.length, k => reach[lane][k] < view[0]), column = -1, kind = -1;
    for (; i < list.length && list[i][1] <= view[1]; i++) {
      const s = list[i]; if (s[2] < view[0]) continue;
      const a = Math.max(nameWidth, x(s[1])), b = Math.min(x(view[1]), x(s[2]));
      if (b - a < 1) { const c = a | 0; if (c === column && s[3] === kind) continue; column = c; kind = s[3]; }
      drawn++;
      paint.fillStyle = data.kinds[s[3]][1];
      paint.fillRect(a, y, Math.max(1, b - a - 0.5), barHeight);
      if (b - a > 24) { paint.fillStyle = "#fff"; paint.font = "12px system-ui, sans-serif";
        paint.save(); paint.beginPath(); paint.rect(a, y, b - a - 4, barHeight); paint.clip();
        paint.fillText(s[4], a + 4, y + 14); paint.restore(); }
    }
  }

  function drawOthers() {
    for (const [lane, t, kind] of data.marks) if (t >= view[0] && t <= view[1]) {
      paint.fillStyle = data.kinds[kind][1];
      paint.beginPath(); const y = top(lane);
      paint.moveTo(x(t), y - 1); paint.lineTo(x(t) - 4, y - 7); paint.lineTo(x(t) + 4, y - 7); paint.fill();
      drawn++;
    }
    paint.strokeStyle = paint.fillStyle = style("--ink"); paint.lineWidth = 1;
    for (const [from, t0, to, t1] of data.arrows) {
      if (Math.max(t0, t1) < view[0] || Math.min(t0, t1) > view[1]) continue;
      const down = to > from ? 1 : -1;
      const y0 = top(from) + (down > 0 ? barHeight : 0), y1 = top(to) + (down > 0 ? 0 : barHeight);
      paint.globalAlpha = 0.6; paint.beginPath(); paint.moveTo(x(t0), y0); paint.lineTo(x(t1), y1); paint.stroke();
      paint.beginPath(); paint.arc(x(t1), y1, 2.5, 0, 7); paint.fill(); paint.globalAlpha = 1; drawn++;
    }
  }

  // How lanes stand after the current step: each was last named in some step.
  const named = data.lanes.map(() => []);
  data.steps.forEach((s, i) => { for (const [lane, text] of s[3]) named[lane].push([i, text]); });
  const stands = lane => {
    const list = named[lane], k = search(list.length, k => list[k][0] <= current) - 1;
    return k >= 0 ? list[k][1] : "";
  };

  function draw() {
    asked = false; drawn = 0;
    const ratio = window.devicePixelRatio || 1, width = $("lanes").clientWidth;
    const height = axis + data.lanes.length * laneHeight;
    chart.style.height = height + "px";
    chart.width = width * ratio; chart.height = height * ratio;
    paint.setTransform(ratio, 0, 0, ratio, 0, 0); paint.clearRect(0, 0, width, height);
    drawAxis();
    paint.save(); paint.beginPath(); paint.rect(nameWidth, 0, width, height); paint.clip();
    data.lanes.forEach((_, lane) => { if (hasLevels) drawLevel(lane); drawSpans(lane); });
    drawOthers();
    if (current >= 0) { const t = data.steps[current][0];
      paint.strokeStyle = style("--over"); paint.lineWidth = 1.5;
      paint.beginPath(); paint.moveTo(x(t), axis - 8); paint.lineTo(x(t), height); paint.stroke(); }
    paint.restore();
    paint.font = "12px system-ui, sans-serif"; paint.textAlign = "left";
    data.lanes.forEach((name, lane) => {
      paint.fillStyle = style("--ink"); paint.fillText(name, 2, top(lane) + 14, nameWidth - 8);
      paint.fillStyle = style("--soft"); paint.fillText(stands(lane), 2, top(lane) + 28, nameWidth - 8);
    });
    drawOverview(ratio);
    document.body.dataset.drawn = drawn;
  }

  function drawOverview(ratio) {
    const width = overview.clientWidth, height = 40, wide = all[1] - all[0];
    overview.width = width * ratio; overview.height = height * ratio;
    small.setTransform(ratio, 0, 0, ratio, 0, 0);
    const rows = Math.max(1, data.lanes.length), row = height / rows;
    const at = t => nameWidth + (t - all[0]) / wide * (width - nameWidth - 10);
    spans.forEach((list, lane) => { let column = -1;
      for (const s of list) { const a = at(s[1]), b = at(s[2]), c = a | 0;
        if (b - a < 1 && c === column) continue; column = c;
        small.fillStyle = data.kinds[s[3]][1];
        small.fillRect(a, lane * row, Math.max(1, b - a), Math.max(1, row - 0.5)); } });
    small.fillStyle = style("--paper"); small.globalAlpha = 0.6;
    small.fillRect(nameWidth, 0, at(view[0]) - nameWidth, height);
    small.fillRect(at(view[1]), 0, width - at(view[1]), height); small.globalAlpha = 1;
    small.strokeStyle = style("--soft"); small.strokeRect(at(view[0]), 0.5, at(view[1]) - at(view[0]), height - 1);
  }

  const redraw = () => { if (!asked) { asked = true; requestAnimationFrame(draw); } };
  function look(a, b) {
    const least = (all[1] - all[0]) * 1e-9, wide = Math.min(all[1] - all[0], Math.max(least, b - a));
    const from = Math.max(all[0], Math.min(a, all[1] - wide));
    view = [from, from + wide]; redraw();
  }
  const zoom = (factor, t) => look(t - (t - view[0]) * factor, t + (view[1] - t) * factor);

  // Steps
  const list = $("steps"); let rows = [];
  function fill(word) {
    list.textContent = ""; rows = [];
    let shown = 0;
    data.steps.forEach((s, i) => {
      if (word && !s[2].toLowerCase().includes(word)) return;
      if (++shown > 5000) return;
      const row = document.createElement("li"), n = document.createElement("span");
      n.textContent = i + 1; row.append(n, s[2]); row.onclick = () => go(i);
      rows[i] = row; list.append(row);
    });
    if (shown > 5000) { const more = document.createElement("li");
      more.textContent = "and " + (shown - 5000) + " more: search"; list.append(more); }
  }
  function go(i) {
    if (!data.steps.length) return;
    if (rows[current]) rows[current].removeAttribute("aria-current");
    current = Math.max(0, Math.min(data.steps.length - 1, i));
    if (rows[current]) { rows[current].setAttribute("aria-current", "step"); rows[current].scrollIntoView({ block: "nearest" }); }
    const t = data.steps[current][0], half = (view[1] - view[0]) / 2;
    if (t < view[0] || t > view[1]) look(t - half, t + half); else redraw();
    document.body.dataset.step = current;
  }

  // Pointing
  function at(px, py) {
    const t = time(px), lane = Math.floor((py - axis) / laneHeight);
    if (lane < 0 || lane >= data.lanes.length || px < nameWidth) return null;
    const near = (view[1] - view[0]) / plotWidth() * 3;
    for (const a of data.arrows) {
      const y0 = top(a[0]), y1 = top(a[2]), f = (py - y0) / ((y1 - y0) || 1);
      if (f >= 0 && f <= 1 && Math.abs(a[1] + (a[3] - a[1]) * f - t) < near)
        return a[4] + "\n" + data.lanes[a[0]] + " to " + data.lanes[a[2]] + ", " + say(a[1]); }
    for (const m of data.marks)
      if (m[0] === lane && Math.abs(m[1] - t) < near * 2 && py - top(lane) < 4) return m[3] + "\n" + say(m[1]);
    const points = levels[lane];
    if (hasLevels && py > top(lane) + barHeight && points.length) {
      const i = search(points.length, k => points[k][0] <= t) - 1;
      return i >= 0 ? data.lanes[lane] + ": " + points[i][1] + " threads from " + say(points[i][0]) : null; }
    const own = spans[lane]; let best = null;
    for (let i = search(own.length, k => reach[lane][k] < t - near); i < own.length && own[i][1] <= t + near; i++)
      if (own[i][2] >= t - near && (!best || own[i][2] - own[i][1] <= best[2] - best[1])) best = own[i];
    if (!best) return null;
    return best[4] + "\n" + data.kinds[best[3]][0] + ", " + data.lanes[lane] + "\n" + say(best[1]) + " to " +
      say(best[2]) + " (" + say(best[2] - best[1]) + ")" + best[5].map(([k, v]) => "\n" + k + ": " + v).join("");
  }

  let drag = null, moved = false;
  chart.onpointerdown = e => { drag = [e.offsetX, view[0], view[1]]; moved = false; chart.setPointerCapture(e.pointerId); };
  chart.onpointerup = e => { if (!moved && under) { $("held").textContent = under; $("held").hidden = false; } drag = null; };
  chart.onpointermove = e => {
    if (drag) { const by = (drag[0] - e.offsetX) / plotWidth() * (drag[2] - drag[1]);
      if (Math.abs(drag[0] - e.offsetX) > 3) moved = true;
      look(drag[1] + by, drag[2] + by); return; }
    under = at(e.offsetX, e.offsetY); tip.hidden = !under;
    if (under) { tip.textContent = under;
      tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
      tip.style.top = Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 8) + "px"; }
  };
  chart.onpointerleave = () => { tip.hidden = true; };
  chart.onwheel = e => { if (e.shiftKey) return; e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8, time(e.offsetX)); };
  overview.onpointerdown = overview.onpointermove = e => { if (!e.buttons) return;
    const t = all[0] + (e.offsetX - nameWidth) / (overview.clientWidth - nameWidth - 10) * (all[1] - all[0]);
    const half = (view[1] - view[0]) / 2; look(t - half, t + half); };
  document.onkeydown = e => {
    if (e.target === $("search")) return;
    const middle = (view[0] + view[1]) / 2;
    const act = { ArrowRight: () => go(current + 1), ArrowLeft: () => go(current - 1), Home: () => go(0),
      End: () => go(data.steps.length - 1), "+": () => zoom(0.7, middle), "=": () => zoom(0.7, middle),
      "-": () => zoom(1.4, middle), "0": () => look(...all) }[e.key];
    if (act) { act(); e.preventDefault(); }
  };
  $("search").oninput = e => fill(e.target.value.trim().toLowerCase());

  // The words around it
  $("title").textContent = data.title;
  for (const [k, v] of data.facts) { const row = document.createElement("div");
    const dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = k; dd.textContent = v; row.append(dt, dd); $("facts").append(row); }
  for (const [name, colour, means] of data.kinds) { const row = document.createElement("li");
    const dot = document.createElement("i"); dot.style.background = colour; row.append(dot, name);
    row.title = means; $("legend").append(row); }
  if (hasLevels) { const row = document.createElement("li");
    row.append("below a lane: its threads (none, one, too many)"); $("legend").append(row); }
  if (data.steps.length) { $("side").hidden = false; fill(""); }
  addEventListener("resize", redraw);
  // #step=3 in the address goes to the fourth step.
  const wanted = /step=(\d+)/.exec(location.hash); draw(); if (wanted) go(+wanted[1]);
})();
