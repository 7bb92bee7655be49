// The page: choice of target and function, cards, table, details. Graph and charts are in graph.js and charts.js.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);

// ---- small things ----

function make(space, tag, attributes, children) {
  const node = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  // Strings become text nodes: no name of a module is ever markup.
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const el = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => make("http://www.w3.org/2000/svg", tag, attributes, children);
const at = (id) => document.getElementById(id);

function scaled(value, base, units) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  let power = 0;
  while (Math.abs(value) >= base && power < units.length - 1) { value /= base; power += 1; }
  const digits = power === 0 && Number.isInteger(value) ? 0 : Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits) + " " + units[power];
}
const bytesText = (n) => scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
const flopsText = (n) => (n > 0 ? scaled(n, 1000, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"]) : "–");
const timeText = (us) => (us >= 0 && us < 1 && us > 0 ? String(Number((us * 1000).toPrecision(us < 0.1 ? 2 : 3))) + " ns" : scaled(us, 1000, ["µs", "ms", "s"]));
const countText = (n) => (n === null || n === undefined ? "–" : Number(n).toLocaleString("en-US"));
const rateText = (tflops) => Number(tflops.toPrecision(4)) + " TFLOP/s";
const percent = (x) => (x * 100).toFixed(x < 0.0995 ? 1 : 0) + "%";

const FAMILIES = ["#4c78a8", "#e08a2e", "#4f9d69", "#c65b7c", "#8a6fc2", "#3f9ba6", "#b58a3a", "#7f8794", "#a3566b", "#5f7f35"];
const familyColors = new Map();
function family(name) {
  if (!familyColors.has(name)) familyColors.set(name, FAMILIES[familyColors.size % FAMILIES.length]);
  return familyColors.get(name);
}

function tip(node, text) {
  const box = at("tip");
  node.addEventListener("pointermove", (event) => {
    box.textContent = typeof text === "function" ? text() : text;
    box.hidden = false;
    const left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8);
    const top = event.clientY + 18 + box.offsetHeight > innerHeight ? event.clientY - box.offsetHeight - 10 : event.clientY + 18;
    box.style.left = Math.max(4, left) + "px";
    box.style.top = Math.max(4, top) + "px";
  });
  node.addEventListener("pointerleave", () => { box.hidden = true; });
  return node;
}

// ---- what is shown ----

// A measured program is what the user wants to see first.
const first = Math.max(0, DATA.programs.findIndex((program) => program.measured));
const firstFn = DATA.programs[first].measured ? DATA.programs[first].functions.findIndex((fn) => fn.name === DATA.programs[first].measured.function) : 0;
const state = { program: first, fn: Math.max(0, firstFn), device: 0, chosen: null, sort: null, filter: "" };

// Values of a program's expressions for the sizes of a function; null where one is not known.
function evaluate(exprs, sizes) {
  const values = [];
  for (const [tag, a, b] of exprs) {
    const x = values[a], y = values[b];
    const known = x !== null && y !== null && x !== undefined && y !== undefined;
    let value = null;
    if (tag === 0) value = a;
    else if (tag === 1) value = a < sizes.length ? sizes[a] : null;
    else if (known) {
      if (tag === 2) value = x + y;
      else if (tag === 3) value = x - y;
      else if (tag === 4) value = x * y;
      else if (tag === 8) value = Math.min(x, y);
      else if (tag === 9) value = Math.max(x, y);
      else if (y !== 0) value = tag === 5 ? Math.floor(x / y) : tag === 6 ? Math.ceil(x / y) : x - y * Math.floor(x / y);
    }
    values.push(value);
  }
  return values;
}

// Everything that one choice of target, function, sizes and device shows.
function view() {
  const program = DATA.programs[state.program];
  const fn = program.functions[state.fn];
  const device = program.devices[state.device] || null;
  const values = evaluate(program.exprs, fn.sizes.map((size) => size[1]));
  const value = (expr) => (values[expr] === undefined ? null : values[expr]);
  const formula = (expr) => fn.formulas[expr] || null;
  const measured = program.measured && program.measured.function === fn.name ? program.measured : null;
  const rows = new Map();
  const steps = fn.walk.steps.map((step, index) => {
    const sum = (list) => (list || []).reduce((total, expr) => total + Math.max(0, value(expr) || 0), 0);
    const bound = sum(step.bound), weights = sum(step.weights);
    const kernel = step.kernel === undefined ? null : program.kernels[step.kernel];
    const grid = step.grid ? step.grid.map(value) : null;
    const bytes = kernel && kernel.bytes > 0 ? kernel.bytes : bound;
    // An empty grid is not launched: of kernels for several ranges of sizes, one runs.
    const idle = grid !== null && grid.some((side) => side === 0);
    const shown = { index, step, kernel, grid, bytes, weights, idle, us: null };
    if (kernel) {
      if (!rows.has(step.kernel)) rows.set(step.kernel, { id: step.kernel, kernel, steps: [], launches: 0, bytes, exact: true });
      const row = rows.get(step.kernel);
      row.steps.push(index);
      row.launches += idle ? 0 : step.times;
      row.exact = row.exact && !step.conditional;
      row.bytes = Math.max(row.bytes, bytes);
    }
    return shown;
  });
  let total = 0, least = 0, moved = 0, flops = 0, hasLeast = device !== null && rows.size > 0;
  for (const row of rows.values()) {
    const time = measured ? measured.kernels[row.kernel.name] : null;
    if (time) { row.launches = time.launches; row.bytes = time.bytes; row.exact = true; }
    row.measured = time ? time.us : null;
    row.possible = time ? time.possible_us : null;
    row.least = leastTime(device, row);
    row.us = time ? time.us : measured ? null : row.least;
    row.total = row.us === null ? null : row.us * row.launches;
    row.intensity = row.kernel.flops > 0 && row.bytes > 0 ? row.kernel.flops / row.bytes : null;
    moved += row.bytes * row.launches;
    flops += row.kernel.flops * row.launches;
    total += row.total || 0;
    least += (row.least || 0) * row.launches;
    hasLeast = hasLeast && row.least !== null;
  }
  for (const row of rows.values()) {
    row.share = total > 0 ? (row.total || 0) / total : moved > 0 ? (row.bytes * row.launches) / moved : 0;
    for (const index of row.steps) steps[index].share = row.share * (steps[index].idle ? 0 : steps[index].step.times / Math.max(1, row.launches));
  }
  return { program, fn, device, value, formula, measured, rows: [...rows.values()], steps, total, least: hasLeast ? least : null, moved, flops };
}

// Time of a launch that the product's bandwidth and peak allow, microseconds; null where neither is known.
function leastTime(device, row) {
  if (!device) return null;
  const memory = device.bandwidth ? row.bytes / device.bandwidth / 1e3 : null;
  const peak = device.peaks[row.kernel.arithmetic];
  const operations = peak && row.kernel.flops > 0 ? row.kernel.flops / peak / 1e6 : null;
  if (memory === null) return operations;
  return operations === null ? memory : Math.max(memory, operations);
}

// ---- controls ----

function choice(label, options, chosen, change) {
  const select = el("select", { onchange: (event) => change(Number(event.target.value)) });
  options.forEach((text, index) => select.append(el("option", { value: index, selected: index === chosen }, text)));
  return el("label", {}, label, select);
}

function controls(shown) {
  const box = at("controls");
  box.replaceChildren();
  const title = (program) => program.targets.map((target) => target.title).join(", ");
  if (DATA.programs.length > 1) {
    box.append(choice("Target", DATA.programs.map(title), state.program, (index) => {
      Object.assign(state, { program: index, fn: 0, device: 0, chosen: null });
      draw();
    }));
  }
  if (shown.program.functions.length > 1) {
    const names = shown.program.functions.map((fn) => (fn.name === "load" ? "load (packs weights once)" : "@" + fn.name));
    box.append(choice("Function", names, state.fn, (index) => { Object.assign(state, { fn: index, chosen: null }); draw(); }));
  }
  if (shown.program.devices.length > 0) {
    const names = shown.program.devices.map((device) => device.name);
    box.append(choice("Peaks of", names, state.device, (index) => { state.device = index; draw(); }));
  }
  shown.fn.sizes.forEach((size, index) => {
    const change = (event) => {
      const number = Math.max(0, Math.floor(Number(event.target.value) || 0));
      shown.fn.sizes[index][1] = number;
      draw();
    };
    const field = el("input", { type: "number", min: 0, value: size[1], onchange: change });
    box.append(el("label", {}, "Size " + size[0], field));
  });
}

function heading(shown) {
  const program = shown.program;
  at("name").textContent = DATA.file || DATA.module_name;
  at("made").textContent = program.targets.map((target) => target.title).join(", ") + " · module " + DATA.module_name + " · made by " + DATA.producer;
  const fn = shown.fn;
  const line = fn.name === "load" && fn.inputs.length === 0
    ? el("p", {}, el("b", {}, "load"), ": fills persistent buffers once, before the first call")
    : el("p", {}, el("b", {}, "@" + fn.name), "(" + fn.inputs.join(", ") + ") → (" + fn.outputs.join(", ") + ")");
  at("signature").replaceChildren(line);
}

function cards(shown) {
  const launches = shown.rows.reduce((sum, row) => sum + row.launches, 0);
  const arena = shown.value(shown.fn.arena.expr);
  const weights = DATA.constants_bytes + DATA.parameter_bytes + shown.program.persistent_bytes;
  const list = [
    [countText(shown.rows.filter((row) => row.launches > 0).length), "kernels"],
    [countText(launches) + (shown.rows.some((row) => !row.exact) ? "+" : ""), "launches in a call"],
    [bytesText(shown.moved), "moved by kernels"],
    [flopsText(shown.flops), "arithmetic"],
    [bytesText(arena), shown.formula(shown.fn.arena.expr) ? "arena for these sizes" : "arena"],
  ];
  if (!(shown.flops > 0)) list.splice(3, 1);
  if (weights > 0) list.push([bytesText(weights), "weights"]);
  if (shown.measured) list.unshift([timeText(shown.total), "in kernels, measured on " + shown.measured.device]);
  if (shown.least !== null) list.push([timeText(shown.least), "least possible on " + shown.device.name]);
  at("cards").replaceChildren(...list.map(([value, what]) => el("div", { class: "card" }, el("div", { class: "value" }, value), el("div", { class: "what" }, what))));
}

// ---- the table ----

function columns(shown) {
  const list = [
    { key: "order", name: "#", value: (row) => row.steps[0], text: (row) => String(row.steps[0]) },
    { key: "name", name: "Kernel", kind: "name text", value: (row) => row.kernel.name, text: (row) => row.kernel.name },
    { key: "hero", name: "Family", kind: "text", value: (row) => row.kernel.hero, text: (row) => row.kernel.hero },
    { key: "launches", name: "Launches", value: (row) => row.launches, text: (row) => (row.launches > 0 ? countText(row.launches) + (row.exact ? "" : "+") : "0") },
  ];
  if (shown.measured) list.push({ key: "us", name: "Time each", value: (row) => row.measured, text: (row) => (row.measured === null ? "–" : timeText(row.measured)) });
  if (shown.measured) list.push({ key: "possible", name: "Of possible", value: (row) => (row.possible === null ? null : row.possible / row.measured), text: (row) => (row.possible === null ? "–" : percent(row.possible / row.measured)) });
  if (shown.device) list.push({ key: "least", name: "Least time", value: (row) => row.least, text: (row) => (row.least === null ? "–" : timeText(row.least)) });
  const what = shown.measured ? "Share of time" : shown.total > 0 ? "Share" : "Share of bytes";
  list.push({ key: "share", name: what, kind: "share", value: (row) => row.share, text: (row) => percent(row.share) });
  list.push(
    { key: "bytes", name: "Bytes", value: (row) => row.bytes, text: (row) => bytesText(row.bytes) },
    { key: "flops", name: "Arithmetic", value: (row) => row.kernel.flops, text: (row) => flopsText(row.kernel.flops) },
    { key: "intensity", name: "FLOP/B", value: (row) => row.intensity, text: (row) => (row.intensity === null ? "–" : row.intensity.toFixed(row.intensity < 10 ? 2 : 0)) },
    { key: "threads", name: "Threads", value: (row) => threads(row.kernel), text: (row) => countText(threads(row.kernel)) },
    { key: "registers", name: "Regs", value: (row) => row.kernel.registers, text: (row) => (row.kernel.registers ? String(row.kernel.registers) : "–") },
    { key: "spill", name: "Spilled", value: (row) => row.kernel.spill_bytes, text: (row) => (row.kernel.registers ? bytesText(row.kernel.spill_bytes) : "–") },
    { key: "shared", name: "Shared", value: (row) => row.kernel.shared_bytes, text: (row) => (row.kernel.shared_bytes ? bytesText(row.kernel.shared_bytes) : "–") },
    { key: "why", name: "Schedule", kind: "wide text", value: (row) => row.kernel.note || row.kernel.summary, text: (row) => row.kernel.note || row.kernel.summary },
  );
  // A column that says nothing of any kernel is left out.
  return list.filter((column) => ["order", "share"].includes(column.key) || shown.rows.some((row) => !["–", "", "1", "0 B"].includes(column.text(row))));
}
const threads = (kernel) => kernel.block.reduce((a, b) => a * b, 1);

function table(shown) {
  const list = columns(shown);
  if (!state.sort || !list.some((column) => column.key === state.sort.key)) state.sort = { key: "share", down: true };
  const by = list.find((column) => column.key === state.sort.key);
  const word = state.filter.toLowerCase();
  const fits = (row) => !word || [row.kernel.name, row.kernel.hero, row.kernel.summary, row.kernel.note].some((text) => text.toLowerCase().includes(word));
  const rows = shown.rows.filter(fits).sort((a, b) => {
    const x = by.value(a), y = by.value(b);
    if (x === y || (x === null && y === null)) return a.steps[0] - b.steps[0];
    if (x === null || y === null) return x === null ? 1 : -1;
    const order = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return state.sort.down ? -order : order;
  });
  const head = el("tr");
  for (const column of list) {
    const sorted = column.key === state.sort.key ? (state.sort.down ? "descending" : "ascending") : "none";
    const click = () => {
      const text = (column.kind || "").includes("text") || column.key === "order";
      state.sort = column.key === state.sort.key ? { key: column.key, down: !state.sort.down } : { key: column.key, down: !text };
      table(view());
      at("kernels").querySelector('th[data-key="' + column.key + '"] button').focus();
    };
    head.append(el("th", { class: (column.kind || "").includes("text") ? "text" : "", "aria-sort": sorted, "data-key": column.key, scope: "col" }, el("button", { type: "button", onclick: click }, column.name)));
  }
  const most = Math.max(...shown.rows.map((row) => row.share), 1e-12);
  const body = rows.map((row) => {
    const line = el("tr", { "data-kernel": row.id, class: state.chosen === row.id ? "chosen" : null, onclick: () => choose(row.id, "table") });
    for (const column of list) {
      const cell = el("td", { class: column.kind || null });
      if (column.key === "share") {
        const bar = el("i");
        bar.style.width = "calc(" + (row.share / most) * 100 + "% - .6rem)";
        cell.append(bar, el("span", {}, column.text(row)));
      } else cell.append(column.text(row));
      if (column.kind === "name text") tip(cell, () => row.kernel.name + "\n" + row.kernel.summary);
      line.append(cell);
    }
    return line;
  });
  const parent = at("kernels");
  parent.tHead.replaceChildren(head);
  parent.tBodies[0].replaceChildren(...body);
  const few = rows.length === shown.rows.length ? "" : " (" + rows.length + " shown)";
  const times = shown.measured ? "Times are measured on " + shown.measured.device + ", with random inputs." : shown.device ? "Least time: bytes at the bandwidth, or operations at the peak, of " + shown.device.name + ". Not measured." : "No times: none measured, and the rates of this target are not known.";
  at("table-note").textContent = shown.rows.length + (shown.rows.length === 1 ? " kernel" : " kernels") + few + ". " + times;
}

// ---- details of one kernel ----

function detail(shown) {
  const box = at("detail");
  const row = shown.rows.find((candidate) => candidate.id === state.chosen);
  if (!row) {
    box.replaceChildren(el("p", { class: "quiet" }, "Choose a kernel in the graph, the table or a chart to see what it is and why it is so."), el("p", { class: "quiet" }, "Scroll to zoom, drag to move."));
    return;
  }
  const kernel = row.kernel;
  const list = el("dl");
  const add = (name, value) => { if (value) list.append(el("dt", {}, name), el("dd", {}, value)); };
  add("Family", kernel.hero);
  if (row.measured !== null) add("Time", timeText(row.measured) + " each, " + percent(row.share) + " of all");
  if (row.possible) add("Possible", timeText(row.possible) + " (" + percent(row.possible / row.measured) + " reached)");
  if (row.least !== null) add("Least time", timeText(row.least) + " on " + shown.device.name);
  add("Launches", row.launches > 0 ? countText(row.launches) + (row.exact ? "" : " or more") : "none: another kernel is for these sizes");
  const step = shown.steps[row.steps[0]];
  if (step.grid) {
    const formulas = step.step.grid.map((expr) => shown.formula(expr) || String(shown.value(expr)));
    const plain = step.grid.join(" × ");
    add("Grid", formulas.join(" × ") === plain ? plain : formulas.join(" × ") + " = " + plain);
  }
  if (threads(kernel) > 1) add("Threads", kernel.block.join(" × "));
  if (kernel.cluster.some((n) => n > 1)) add("Cluster", kernel.cluster.join(" × "));
  add("Bytes", bytesText(row.bytes) + (step.weights ? ", " + bytesText(step.weights) + " of them weights" : ""));
  if (kernel.bytes === 0) {
    const formulas = step.step.bound.map((expr) => shown.formula(expr)).filter((text) => text !== null);
    if (formulas.length > 0) add("Formula", "bindings of " + [...new Set(formulas)].join(", ") + " bytes");
  }
  if (kernel.flops > 0) add("Arithmetic", flopsText(kernel.flops) + (kernel.arithmetic ? " in " + kernel.arithmetic : ""));
  if (row.intensity !== null) add("Intensity", row.intensity.toFixed(2) + " FLOP/byte");
  if (kernel.registers) add("Registers", kernel.registers + (kernel.spill_bytes ? ", " + bytesText(kernel.spill_bytes) + " spilled" : ", none spilled"));
  if (kernel.shared_bytes) add("Shared", bytesText(kernel.shared_bytes));
  if (kernel.scratch_bytes) add("Scratch", bytesText(kernel.scratch_bytes));
  if (kernel.tensor_maps) add("Tensor maps", String(kernel.tensor_maps));
  const around = [...new Set(row.steps.flatMap((index) => shown.steps[index].step.within || []))];
  if (around.length > 0) add("Inside of", around.join(", "));
  const sentences = reasons(row, shown.device).map((text) => el("p", {}, text));
  const why = el("div", { class: "why" }, ...sentences, el("p", { class: "mono quiet" }, kernel.note || "The module records no schedule of it."));
  box.replaceChildren(el("h3", { class: "mono" }, kernel.name), why, list);
}

// Chooses a kernel everywhere; what was not clicked moves it into view.
function choose(id, origin) {
  state.chosen = state.chosen === id && origin !== "graph" ? null : id;
  const shown = view();
  for (const line of at("kernels").tBodies[0].rows) {
    const mine = Number(line.dataset.kernel) === state.chosen;
    line.classList.toggle("chosen", mine);
    if (mine && origin !== "table") {
      const box = line.closest(".scroll");
      box.scrollTop = line.offsetTop - box.clientHeight / 2;
    }
  }
  detail(shown);
  markGraph(origin !== "graph");
  document.querySelectorAll("[data-of]").forEach((node) => node.classList.toggle("chosen", Number(node.dataset.of) === state.chosen));
}

// ---- the module ----

function facts(shown) {
  const rows = [["File", bytesText(DATA.file_bytes)], ["Constants", bytesText(DATA.constants_bytes)]];
  if (DATA.parameters > 0) rows.push(["Named parameters", DATA.parameters + ", " + bytesText(DATA.parameter_bytes) + ", bound at load"]);
  if (shown.program.persistent_bytes > 0) rows.push(["Packed weights", bytesText(shown.program.persistent_bytes)]);
  for (const target of shown.program.targets) {
    for (const image of target.images) rows.push(["Image for " + target.title, image.title + ", " + bytesText(image.bytes)]);
    if (target.features.length > 0) rows.push(["Features of " + target.title, target.features.join(", ")]);
  }
  for (const device of shown.program.devices) {
    const peaks = Object.entries(device.peaks).map(([name, rate]) => name + " " + rateText(rate));
    rows.push(["Peaks of " + device.name, [device.bandwidth + " GB/s", ...peaks].join(", ")]);
  }
  rows.push(...Object.entries(DATA.provenance));
  at("facts").replaceChildren(...rows.map(([name, value]) => el("div", {}, el("span", {}, name), el("span", {}, value))));
}

function draw() {
  const shown = view();
  controls(shown);
  heading(shown);
  cards(shown);
  table(shown);
  drawGraph(shown);
  drawRoofline(shown);
  drawMemory(shown);
  detail(shown);
  facts(shown);
}

at("filter").addEventListener("input", (event) => { state.filter = event.target.value; table(view()); });
addEventListener("DOMContentLoaded", draw);
