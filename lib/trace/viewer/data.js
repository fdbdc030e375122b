// The data of the page, read once into arrays of numbers: a million spans of 32 bytes.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
document.getElementById("data").remove();
const $ = id => document.getElementById(id);
const names = data.lanes, texts = data.texts;

// Spans by lane, in order of start: start, stop, kind, text.
const spanSize = 4;
const spans = data.spans.map(list => Float64Array.from(list));
data.spans = null;
const spanCount = lane => spans[lane].length / spanSize;
const span = (lane, i) => { const s = spans[lane], k = i * spanSize;
  return { start: s[k], stop: s[k + 1], kind: s[k + 2], text: texts[s[k + 3]] }; };
// The latest stop of a span and all before it: nested spans may stop later than the next.
const reach = spans.map(list => { let far = -Infinity;
  return Float64Array.from({ length: list.length / spanSize }, (_, i) => far = Math.max(far, list[i * spanSize + 1])); });
const notes = new Map(data.notes.map(([lane, i, pairs]) => [lane + " " + i, pairs]));
// The number of threads, by lane: a time, the number from then on.
const levels = data.levels.map(list => Float64Array.from(list));
data.levels = null;
const hasLevels = levels.some(list => list.length > 0);
const findings = data.findings.map(([lane, start, stop, sort, text]) =>
  ({ lane, start, stop, sort, text: texts[text] }));
const findingsOf = names.map(() => []);
findings.forEach((f, i) => { f.index = i; findingsOf[f.lane].push(f); });

// The first of [count] items for which isBefore, which is monotonic, does not hold.
const search = (count, isBefore) => {
  let low = 0, high = count;
  while (low < high) { const mid = (low + high) >> 1; if (isBefore(mid)) low = mid + 1; else high = mid; }
  return low;
};

let first = Infinity, last = -Infinity;
const reaches = (a, b) => { if (a < first) first = a; if (b > last) last = b; };
for (const list of spans) for (let i = 0; i < list.length; i += spanSize) reaches(list[i], list[i + 1]);
for (const m of data.marks) reaches(m[1], m[1]);
for (const a of data.arrows) reaches(Math.min(a[1], a[3]), Math.max(a[1], a[3]));
for (const s of data.steps) reaches(s[0], s[0]);
for (const f of findings) reaches(f.start, f.stop);
for (const list of levels) if (list.length) reaches(list[0], list[list.length - 2]);
if (!(first < last)) { first = Number.isFinite(first) ? first : 0; last = first + 1; }
const margin = (last - first) * 0.01, all = [first - margin, last + margin];

// The state of a lane at a time: the innermost span, the number of threads, the last step.
const spanAt = (lane, t) => {
  let best = -1, length = Infinity;
  const list = spans[lane];
  for (let i = search(spanCount(lane), k => reach[lane][k] < t); i < spanCount(lane) && list[i * spanSize] <= t; i++) {
    const from = list[i * spanSize], to = list[i * spanSize + 1];
    if (to >= t && to - from <= length) { best = i; length = to - from; }
  }
  return best;
};
const levelAt = (lane, t) => {
  const list = levels[lane], i = search(list.length / 2, k => list[2 * k] <= t) - 1;
  return i < 0 ? null : { since: list[2 * i], count: list[2 * i + 1] };
};
const stepAt = t => search(data.steps.length, k => data.steps[k][0] <= t) - 1;

// The states of lanes after a step: each lane's state is in the last step that names the lane.
const named = names.map(() => []);
data.steps.forEach((s, i) => { for (const [lane, text] of s[3]) named[lane].push([i, text]); });
const stands = (lane, step) => {
  const list = named[lane], k = search(list.length, k => list[k][0] <= step) - 1;
  return k >= 0 ? list[k][1] : "";
};
const say = t => String(+t.toPrecision(6)) + " " + data.unit;
