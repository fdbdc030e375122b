// Drawing: only the lanes and the times in sight; items less than a pixel wide are drawn as one.
const chart = $("chart"), overview = $("overview"), scroller = $("lanes");
const paint = chart.getContext("2d"), small = overview.getContext("2d");
const nameWidth = 190, barHeight = 20, levelHeight = 12, gap = 8, axis = 22;
const laneHeight = barHeight + (hasLevels ? levelHeight : 0) + gap;
let view = all.slice(), current = -1, chosen = -1, cursor = null, asked = false;

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const plotWidth = () => Math.max(1, scroller.clientWidth - nameWidth - 10);
const x = t => nameWidth + (t - view[0]) / (view[1] - view[0]) * plotWidth();
const time = px => view[0] + (px - nameWidth) / plotWidth() * (view[1] - view[0]);
const top_ = lane => axis + lane * laneHeight - scroller.scrollTop;
const text = (font, colour, words, px, py, most) => {
  paint.font = font + " system-ui, sans-serif"; paint.fillStyle = colour; paint.fillText(words, px, py, most); };
// Text that is cut off at the end of its box.
const within = (left, y, width, height, words, colour) => {
  paint.save(); paint.beginPath(); paint.rect(left, y, width, height); paint.clip();
  text("12px", colour, words, left + 4, y + 14); paint.restore(); };

// Red with white stripes: visible also without colours.
const hatched = (() => {
  const tile = document.createElement("canvas"); tile.width = tile.height = 8;
  const c = tile.getContext("2d"); c.fillStyle = style("--wrong"); c.fillRect(0, 0, 8, 8);
  c.strokeStyle = "#ffffffb0"; c.lineWidth = 1.5; c.beginPath();
  for (const d of [-8, 0, 8]) { c.moveTo(d, 8); c.lineTo(d + 8, 0); } c.stroke();
  return paint.createPattern(tile, "repeat");
})();

function drawAxis(height) {
  const wide = view[1] - view[0], rough = wide / Math.max(2, plotWidth() / 90);
  const power = 10 ** Math.floor(Math.log10(rough));
  const tick = power * [1, 2, 5, 10].find(k => power * k >= rough);
  paint.strokeStyle = style("--line"); paint.lineWidth = 1; paint.textAlign = "center";
  for (let t = Math.ceil(view[0] / tick) * tick; t <= view[1]; t += tick) {
    paint.beginPath(); paint.moveTo(x(t), axis - 4); paint.lineTo(x(t), height); paint.stroke();
    text("11px", style("--soft"), String(+t.toPrecision(6)), x(t), 12);
  }
  paint.textAlign = "left"; text("11px", style("--soft"), data.unit, 2, 12);
}

function drawLevel(lane) {
  const list = levels[lane], count = list.length / 2, y = top_(lane) + barHeight;
  const colours = ["--idle", "--busy", "--over"].map(style);
  let i = Math.max(0, search(count, k => list[2 * k] < view[0]) - 1), column = -1, worst = -1;
  for (; i < count && list[2 * i] <= view[1]; i++) {
    const n = list[2 * i + 1], end = i + 1 < count ? list[2 * i + 2] : last;
    const a = Math.max(nameWidth, x(list[2 * i])), b = Math.min(x(view[1]), x(end));
    // A column of pixels shows its highest number.
    if (b - a < 1) { const c = a | 0; if (c === column && n <= worst) continue; column = c; worst = n; }
    paint.fillStyle = colours[Math.min(n, 2)];
    if (n === 0) paint.fillRect(a, y - barHeight, Math.max(1, b - a), barHeight);
    const height = n === 0 ? levelHeight - 2 : Math.min(levelHeight - 2, 4 + 2 * n);
    paint.fillRect(a, y + levelHeight - height, Math.max(1, b - a), height);
    if (b - a > 14) text("9px", n > 1 ? "#fff" : style("--ink"), String(n), a + 3, y + levelHeight - 2);
  }
}

let drawn = 0, marked = 0;
function drawSpans(lane) {
  const list = spans[lane], y = top_(lane);
  let i = search(spanCount(lane), k => reach[lane][k] < view[0]), column = -1;
  for (; i < spanCount(lane) && list[i * spanSize] <= view[1]; i++) {
    const k = i * spanSize; if (list[k + 1] < view[0]) continue;
    const a = Math.max(nameWidth, x(list[k])), b = Math.min(x(view[1]), x(list[k + 1]));
    if (b - a < 1) { const c = a | 0; if (c === column) continue; column = c; }
    drawn++;
    paint.fillStyle = data.kinds[list[k + 2]][1];
    paint.fillRect(a, y, Math.max(1, b - a - 0.5), barHeight);
    if (b - a > 14) within(a, y, b - a - 2, barHeight, texts[list[k + 3]], "#fff");
  }
}

// Spans are at least two pixels wide, so that none is missed. Narrower spans are drawn once
// for two pixels, as high as their share of the time, or a third.
function drawFindings(lane) {
  const y = top_(lane), narrow = 2; let column = -1, sum = 0;
  const flush = () => { if (column < 0) return;
    const share = Math.min(1, sum / narrow), height = barHeight * Math.max(1 / 3, share);
    paint.fillStyle = style("--wrong"); paint.fillRect(column * narrow, y + barHeight - height, narrow, height);
    column = -1; sum = 0; };
  for (const f of findingsOf[lane]) {
    if (f.stop < view[0] || f.start > view[1]) continue;
    const a = Math.max(nameWidth, x(f.start)), long = Math.min(x(view[1]), x(f.stop)) - a, wide = Math.max(narrow, long);
    marked++;
    if (long < narrow && f.sort === 0 && f.index !== chosen) {
      const c = a / narrow | 0; if (c !== column) { flush(); column = c; }
      sum += long; continue; }
    if (f.sort === 0) {
      paint.fillStyle = hatched; paint.fillRect(a, y, wide, barHeight);
      if (wide > 40) { paint.font = "12px system-ui, sans-serif"; const room = Math.min(wide, paint.measureText(f.text).width + 10);
        paint.fillStyle = style("--wrong"); paint.fillRect(a, y + 2, room, barHeight - 4);
        within(a, y, room, barHeight, f.text, "#fff"); }
    } else {
      paint.strokeStyle = style("--ink"); paint.lineWidth = 2; paint.setLineDash([6, 3]);
      paint.strokeRect(a + 1, y - 2, wide - 2, laneHeight - gap + 3); paint.setLineDash([]);
    }
    if (f.index === chosen) { paint.strokeStyle = style("--ink"); paint.lineWidth = 3;
      paint.strokeRect(a - 2, y - 2, wide + 4, barHeight + 4); }
  }
  flush();
}

function drawOthers(height) {
  const seen = lane => top_(lane) > -laneHeight && top_(lane) < height;
  for (const [lane, t, kind] of data.marks) if (t >= view[0] && t <= view[1] && seen(lane)) {
    paint.fillStyle = data.kinds[kind][1];
    paint.beginPath(); const y = top_(lane);
    paint.moveTo(x(t), y - 1); paint.lineTo(x(t) - 4, y - 7); paint.lineTo(x(t) + 4, y - 7); paint.fill();
    drawn++;
  }
  paint.strokeStyle = paint.fillStyle = style("--ink"); paint.lineWidth = 1;
  for (const [from, t0, to, t1] of data.arrows) {
    if (Math.max(t0, t1) < view[0] || Math.min(t0, t1) > view[1] || !(seen(from) || seen(to))) continue;
    const down = to > from ? 1 : -1;
    const y0 = top_(from) + (down > 0 ? barHeight : 0), y1 = top_(to) + (down > 0 ? 0 : barHeight);
    paint.globalAlpha = 0.6; paint.beginPath(); paint.moveTo(x(t0), y0); paint.lineTo(x(t1), y1); paint.stroke();
    paint.beginPath(); paint.arc(x(t1), y1, 2.5, 0, 7); paint.fill(); paint.globalAlpha = 1; drawn++;
  }
}

// Below a lane's name: the lane's state under the cursor, or after the current step.
const below = lane => {
  if (data.steps.length) return stands(lane, cursor === null ? current : stepAt(cursor));
  if (cursor === null) return "";
  const i = spanAt(lane, cursor), level = levelAt(lane, cursor);
  const runs = i >= 0 ? span(lane, i).text : level && level.count === 0 ? "idle" : "";
  return runs + (level && level.count > 1 ? " of " + level.count : "");
};
function drawNames(lane) {
  text("12px", style("--ink"), names[lane], 2, top_(lane) + 14, nameWidth - 8);
  text("12px", style("--soft"), below(lane), 2, top_(lane) + 28, nameWidth - 8);
}

const line = (t, height, colour, dash) => {
  paint.strokeStyle = colour; paint.lineWidth = 1.5; paint.setLineDash(dash);
  paint.beginPath(); paint.moveTo(x(t), axis - 8); paint.lineTo(x(t), height); paint.stroke(); paint.setLineDash([]); };

function draw() {
  asked = false; drawn = marked = 0;
  const ratio = window.devicePixelRatio || 1, width = scroller.clientWidth, height = scroller.clientHeight;
  $("tall").style.height = axis + names.length * laneHeight + "px";
  chart.style.height = height + "px";
  chart.width = width * ratio; chart.height = height * ratio;
  paint.setTransform(ratio, 0, 0, ratio, 0, 0); paint.clearRect(0, 0, width, height);
  const from = Math.max(0, Math.floor((scroller.scrollTop - axis) / laneHeight));
  const to = Math.min(names.length - 1, Math.floor((scroller.scrollTop + height) / laneHeight));
  const each = f => { for (let lane = from; lane <= to; lane++) f(lane); };
  paint.save(); paint.beginPath(); paint.rect(nameWidth, axis - 10, width, height); paint.clip();
  each(lane => { if (hasLevels) drawLevel(lane); drawSpans(lane); drawFindings(lane); });
  drawOthers(height);
  if (current >= 0) line(data.steps[current][0], height, style("--ink"), []);
  if (cursor !== null) line(cursor, height, style("--soft"), [2, 3]);
  paint.restore();
  each(drawNames);
  paint.clearRect(0, 0, width, axis - 8); drawAxis(height);
  drawOverview(ratio);
  Object.assign(document.body.dataset, { drawn, marked, from: view[0], to: view[1], lanes: from + " " + to });
}

// The overview is drawn once for each width, and kept.
let whole = null;
const overviewHeight = 40;
const place = (t, width) => nameWidth + (t - all[0]) / (all[1] - all[0]) * (width - nameWidth - 10);
function drawWhole(width, ratio) {
  whole = document.createElement("canvas"); whole.width = width * ratio; whole.height = overviewHeight * ratio;
  const c = whole.getContext("2d"); c.setTransform(ratio, 0, 0, ratio, 0, 0);
  const row = overviewHeight / Math.max(1, names.length), columns = Math.ceil(width) + 1;
  // One rectangle for a pixel, for any number of lanes and spans.
  let taken;
  const put = (lane, start, stop, colour) => {
    const a = place(start, width), b = place(stop, width), key = (lane * row | 0) * columns + (a | 0);
    if (b - a < 1 && taken[key]) return;
    taken[key] = 1; c.fillStyle = colour;
    c.fillRect(a, lane * row, Math.max(1, b - a), Math.max(1, row - 0.5)); };
  taken = new Uint8Array(columns * overviewHeight);
  spans.forEach((list, lane) => { for (let k = 0; k < list.length; k += spanSize)
    put(lane, list[k], list[k + 1], data.kinds[list[k + 2]][1]); });
  taken.fill(0);
  const wrong = style("--wrong");
  for (const f of findings) if (f.sort === 0) put(f.lane, f.start, f.stop, wrong);
}
function drawOverview(ratio) {
  const width = overview.clientWidth, height = overviewHeight;
  if (!whole || whole.width !== Math.floor(width * ratio)) drawWhole(width, ratio);
  overview.width = width * ratio; overview.height = height * ratio;
  if (whole.width) small.drawImage(whole, 0, 0);
  small.setTransform(ratio, 0, 0, ratio, 0, 0);
  const a = place(view[0], width), b = place(view[1], width);
  small.fillStyle = style("--paper"); small.globalAlpha = 0.6;
  small.fillRect(nameWidth, 0, a - nameWidth, height);
  small.fillRect(b, 0, width - b, height); small.globalAlpha = 1;
  small.strokeStyle = style("--soft"); small.strokeRect(a, 0.5, b - a, height - 1);
}

const redraw = () => { if (!asked) { asked = true; requestAnimationFrame(draw); } };
function look(a, b) {
  const least = (all[1] - all[0]) * 1e-9, wide = Math.min(all[1] - all[0], Math.max(least, b - a));
  const from = Math.max(all[0], Math.min(a, all[1] - wide));
  view = [from, from + wide]; redraw();
}
const zoom = (factor, t) => look(t - (t - view[0]) * factor, t + (view[1] - t) * factor);
const reveal = lane => { scroller.scrollTop = axis + lane * laneHeight - scroller.clientHeight / 2; };
