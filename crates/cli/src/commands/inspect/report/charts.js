// Roofline and memory over time.

function ticks(low, high) {
  const list = [];
  for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += 1) list.push(power);
  return list;
}
function powerText(power) {
  if (power >= -2 && power <= 3) return String(Number((10 ** power).toPrecision(3)));
  const raised = String(power).replace(/./g, (c) => ({ "-": "⁻" }[c] || "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]));
  return "10" + raised;
}

// Arithmetic intensity against speed, both logarithmic. Measured kernels stand where they are, others on their roof.
function drawRoofline(shown) {
  const box = at("roofline");
  box.replaceChildren();
  at("roof-legend").replaceChildren();
  const bandwidth = shown.measured && shown.measured.copy_tb_s > 0 ? shown.measured.copy_tb_s : shown.device && shown.device.bandwidth ? shown.device.bandwidth / 1e3 : null;
  const peaks = shown.device ? Object.entries(shown.device.peaks).filter(([name]) => shown.rows.some((row) => row.kernel.arithmetic === name)) : [];
  const rows = shown.rows.filter((row) => row.launches > 0 && row.intensity !== null && (row.us !== null || bandwidth !== null));
  const spots = rows.map((row) => {
    const peak = shown.device ? shown.device.peaks[row.kernel.arithmetic] : null;
    const roof = bandwidth === null ? null : Math.min(row.intensity * bandwidth, peak || Infinity);
    const us = row.measured !== null ? row.measured : null;
    return { row, x: Math.log10(row.intensity), y: Math.log10(us !== null ? row.kernel.flops / us / 1e6 : roof), measured: us !== null };
  }).filter((spot) => Number.isFinite(spot.x) && Number.isFinite(spot.y));
  if (spots.length === 0) {
    at("roof-note").textContent = "";
    const counted = shown.rows.some((row) => row.kernel.flops > 0);
    const why = counted ? "The rates of this target are not known (--measure finds them)" : "The operations of these kernels are not counted";
    drawBars(shown, box, at("roof-note"), why);
    return;
  }
  const isMeasured = spots.some((spot) => spot.measured);
  at("roof-note").textContent = isMeasured ? "Kernels as measured; the slope is a copy on the same device." : "Where each kernel's roof is: none were measured.";
  const [W, H, left, right, top, bottom] = [640, 380, 52, 16, 14, 40];
  const roofY = peaks.map(([, rate]) => Math.log10(rate));
  let x0 = Math.min(...spots.map((s) => s.x)) - 0.4, x1 = Math.max(...spots.map((s) => s.x)) + 0.4;
  if (bandwidth !== null) for (const y of roofY) x1 = Math.max(x1, y - Math.log10(bandwidth) + 0.5);
  if (x1 - x0 < 2) { x0 -= 1; x1 += 1; }
  const slope = (x) => x + Math.log10(bandwidth);
  let y0 = Math.min(...spots.map((s) => s.y)), y1 = Math.max(...spots.map((s) => s.y), ...roofY);
  if (bandwidth !== null && roofY.length === 0) y1 = Math.max(y1, slope(x1));
  y0 -= 0.4; y1 += 0.35;
  const X = (x) => left + ((x - x0) / (x1 - x0)) * (W - left - right);
  const Y = (y) => H - bottom - ((y - y0) / (y1 - y0)) * (H - top - bottom);
  const chart = svg("svg", { class: "chart", viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": "Roofline" });
  for (const power of ticks(x0, x1)) {
    chart.append(svg("line", { class: "grid", x1: X(power), x2: X(power), y1: top, y2: H - bottom }));
    chart.append(svg("text", { x: X(power), y: H - bottom + 16, "text-anchor": "middle" }, powerText(power)));
  }
  for (const power of ticks(y0, y1)) {
    chart.append(svg("line", { class: "grid", x1: left, x2: W - right, y1: Y(power), y2: Y(power) }));
    chart.append(svg("text", { x: left - 7, y: Y(power) + 4, "text-anchor": "end" }, powerText(power)));
  }
  chart.append(svg("text", { x: (left + W - right) / 2, y: H - 6, "text-anchor": "middle" }, "FLOP a byte"));
  chart.append(svg("text", { x: 13, y: (top + H - bottom) / 2, "text-anchor": "middle", transform: "rotate(-90 13 " + (top + H - bottom) / 2 + ")" }, "TFLOP/s"));
  const highest = roofY.length > 0 ? Math.max(...roofY) : y1;
  if (bandwidth !== null) {
    const from = Math.max(x0, y0 - Math.log10(bandwidth)), to = Math.min(x1, highest - Math.log10(bandwidth));
    if (to > from) chart.append(svg("line", { class: "roof", x1: X(from), y1: Y(slope(from)), x2: X(to), y2: Y(slope(to)) }));
    const label = (isMeasured && shown.measured ? "copy " : "") + scaled(bandwidth * 1e12, 1000, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]);
    const middle = (from + to) / 2;
    const angle = (-Math.atan2(Y(slope(from)) - Y(slope(to)), X(to) - X(from)) * 180) / Math.PI;
    if (to > from) chart.append(svg("text", { class: "rooftext", x: X(middle), y: Y(slope(middle)) - 15, "text-anchor": "middle", transform: "rotate(" + angle.toFixed(1) + " " + X(middle) + " " + (Y(slope(middle)) - 15) + ")" }, label));
  }
  // Peaks of one height share a line and a label.
  const heights = new Map();
  for (const [name, rate] of peaks) heights.set(rate, [...(heights.get(rate) || []), name]);
  let above = Infinity;
  for (const [rate, names] of [...heights].sort((a, b) => a[0] - b[0])) {
    const y = Math.log10(rate), from = bandwidth === null ? x0 : Math.max(x0, y - Math.log10(bandwidth));
    if (from < x1) chart.append(svg("line", { class: "roof", x1: X(from), x2: X(x1), y1: Y(y), y2: Y(y) }));
    // Lines near each other have their labels next to each other.
    const beside = above - Y(y) < 13;
    above = Y(y);
    chart.append(svg("text", { class: "rooftext", x: W - right - (beside ? 150 : 3), y: Y(y) - 5, "text-anchor": "end" }, names.join(", ") + " " + rateText(rate)));
  }
  const most = Math.max(...spots.map((spot) => spot.row.share), 1e-12);
  for (const spot of [...spots].sort((a, b) => b.row.share - a.row.share)) {
    const radius = 3.5 + 7 * Math.sqrt(spot.row.share / most);
    const dot = svg("circle", { class: "dot" + (state.chosen === spot.row.id ? " chosen" : ""), cx: X(spot.x), cy: Y(spot.y), r: radius.toFixed(1), fill: family(spot.row.kernel.hero), "fill-opacity": 0.85, "data-of": spot.row.id });
    dot.addEventListener("click", () => choose(spot.row.id, "chart"));
    const speed = scaled(10 ** spot.y * 1e12, 1000, ["FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"]);
    tip(dot, spot.row.kernel.name + "\n" + spot.row.kernel.summary + "\n" + spot.row.intensity.toFixed(2) + " FLOP/byte, " + (spot.measured ? "" : "at most ") + speed + ", " + percent(spot.row.share) + (shown.total > 0 ? " of the time" : " of the bytes"));
    chart.append(dot);
  }
  box.append(chart);
  const heroes = [...new Set(spots.map((spot) => spot.row.kernel.hero))];
  at("roof-legend").replaceChildren(...heroes.map((hero) => legendItem(family(hero), hero)));
  const left_out = shown.rows.length - spots.length;
  if (left_out > 0) at("roof-legend").append(el("span", {}, left_out + (left_out === 1 ? " kernel" : " kernels") + " without known operations not shown"));
}

// Where there is no roofline: the bytes of a launch, and its time where it is known, for the kernels that take most.
const BARS_MAX = 12;
function drawBars(shown, box, note, why) {
  const rows = shown.rows.filter((row) => row.launches > 0).sort((a, b) => b.share - a.share || b.bytes - a.bytes).slice(0, BARS_MAX);
  if (rows.length === 0) {
    note.textContent = "";
    box.append(el("p", { class: "empty" }, "This function launches no kernel."));
    return;
  }
  note.textContent = why + ": bytes that a launch moves instead" + (rows.length === BARS_MAX ? ", of the " + rows.length + " largest kernels." : ".");
  const [W, left, right, height] = [640, 190, 130, 28];
  const H = rows.length * height + 8;
  const most = Math.max(...rows.map((row) => row.bytes), 1);
  const chart = svg("svg", { class: "chart", viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": "Bytes of each kernel" });
  rows.forEach((row, index) => {
    const y = 4 + index * height;
    const width = Math.max(1.5, (row.bytes / most) * (W - left - right));
    const time = row.measured !== null ? timeText(row.measured) : row.least !== null ? "≥ " + timeText(row.least) : null;
    chart.append(svg("text", { x: left - 8, y: y + 17, "text-anchor": "end" }, short(row.kernel.summary || row.kernel.name, left - 12, 11)));
    const bar = svg("rect", { class: "dot" + (state.chosen === row.id ? " chosen" : ""), x: left, y: y + 4, width: width.toFixed(1), height: height - 9, rx: 3, fill: family(row.kernel.hero), "fill-opacity": 0.85, "data-of": row.id });
    bar.addEventListener("click", () => choose(row.id, "chart"));
    tip(bar, row.kernel.name + "\n" + bytesText(row.bytes) + (time ? ", " + time : ""));
    chart.append(bar, svg("text", { x: left + width + 6, y: y + 17 }, bytesText(row.bytes) + (time ? ", " + time : "")));
  });
  box.append(chart);
  const heroes = [...new Set(rows.map((row) => row.kernel.hero))];
  at("roof-legend").replaceChildren(...heroes.map((hero) => legendItem(family(hero), hero)));
}

// The arena: each buffer a rectangle, from the step that writes it to the last that reads it, at its offset.
function drawMemory(shown) {
  const box = at("memory");
  box.replaceChildren();
  const arena = shown.value(shown.fn.arena.expr);
  const buffers = shown.fn.walk.values.filter((value) => value.arena).map((value) => ({
    value, offset: shown.value(value.offset), bytes: shown.value(value.length),
  })).filter((buffer) => buffer.offset !== null && buffer.bytes > 0 && !shown.steps[buffer.value.first]?.idle);
  const formula = shown.formula(shown.fn.arena.expr);
  if (buffers.length === 0 || !(arena > 0)) {
    at("memory-note").textContent = "";
    box.append(el("p", { class: "empty" }, "No intermediate lies in memory: the function needs no arena."));
    return;
  }
  const steps = shown.steps.length;
  const change = new Array(steps + 1).fill(0);
  for (const buffer of buffers) { change[buffer.value.first] += buffer.bytes; change[Math.min(buffer.value.last + 1, steps)] -= buffer.bytes; }
  let live = 0, peak = 0, peakAt = 0;
  change.slice(0, steps).forEach((delta, index) => { live += delta; if (live > peak) { peak = live; peakAt = index; } });
  at("memory-note").textContent = "Arena " + bytesText(arena) + (formula ? " (" + shown.fn.arena.text + " bytes)" : "") + ", " + buffers.length + (buffers.length === 1 ? " buffer" : " buffers") + "; most live at once: " + bytesText(peak) + " at step " + peakAt + ".";
  const [W, H, left, right, top, bottom] = [640, 380, 66, 12, 12, 40];
  const X = (step) => left + (step / Math.max(1, steps)) * (W - left - right);
  const Y = (byte) => H - bottom - (byte / arena) * (H - top - bottom);
  const chart = svg("svg", { class: "chart", viewBox: "0 0 " + W + " " + H, role: "img", "aria-label": "Memory over time" });
  for (let n = 0; n <= 4; n += 1) {
    const byte = (arena * n) / 4;
    chart.append(svg("line", { class: "grid", x1: left, x2: W - right, y1: Y(byte), y2: Y(byte) }));
    chart.append(svg("text", { x: left - 7, y: Y(byte) + 4, "text-anchor": "end" }, bytesText(byte)));
  }
  const every = Math.max(1, Math.ceil(steps / 10));
  for (let step = 0; step < steps; step += every) chart.append(svg("text", { x: X(step + 0.5), y: H - bottom + 16, "text-anchor": "middle" }, String(step)));
  chart.append(svg("text", { x: (left + W - right) / 2, y: H - 6, "text-anchor": "middle" }, "step"));
  for (const { value, offset, bytes } of buffers) {
    const maker = shown.steps[value.first];
    const id = maker && maker.step.kernel !== undefined ? maker.step.kernel : null;
    const color = maker && maker.kernel ? family(maker.kernel.hero) : "var(--edge)";
    const width = Math.max(1.2, X(value.last + 1) - X(value.first)), height = Math.max(1, Y(offset) - Y(offset + bytes));
    const rect = svg("rect", { class: "buffer" + (id !== null && id === state.chosen ? " chosen" : ""), x: X(value.first).toFixed(2), y: Y(offset + bytes).toFixed(2), width: width.toFixed(2), height: height.toFixed(2), fill: color, "fill-opacity": 0.8, "data-of": id });
    const name = maker ? (maker.kernel ? maker.kernel.name : maker.step.label) : "?";
    const text = shown.formula(value.length);
    const place = shown.formula(value.offset);
    tip(rect, bytesText(bytes) + (text ? " (" + text + ")" : "") + " at " + countText(offset) + (place ? " (" + place + ")" : "") + "\nwritten by step " + value.first + ", " + name + "\nneeded until step " + value.last);
    if (id !== null) rect.addEventListener("click", () => choose(id, "chart"));
    chart.append(rect);
  }
  chart.append(svg("line", { class: "peak", x1: X(peakAt + 0.5), x2: X(peakAt + 0.5), y1: top, y2: H - bottom }));
  box.append(chart);
}
