// The graph: kernels as boxes in layers, buffers as lines between them. Layers are longest paths; order within a layer follows the
// neighbours' places; a line over several layers passes between the boxes.

const BOX = { width: 184, height: 48, gap: 22, layer: 64, lane: 14 };
// Lines over many layers get places of their own only up to so many.
const LANES_MAX = 6000;

let graph = null;

function graphNodes(shown) {
  const nodes = [], byKey = new Map();
  const key = (node) => Object.entries(node)[0].join(" ");
  const add = (id, node) => { node.id = nodes.length; nodes.push(node); byKey.set(id, node); };
  const used = new Set(shown.fn.walk.edges.flatMap((edge) => [key(edge.from), key(edge.to)]));
  shown.fn.inputs.forEach((text, n) => {
    if (used.has("input " + n)) add("input " + n, { port: true, title: "input " + n, sub: text, kernel: null });
  });
  for (const one of shown.steps) {
    const kernel = one.kernel;
    const times = one.step.times > 1 ? "×" + one.step.times + "  " : one.step.conditional ? "×?  " : "";
    const title = kernel ? kernel.summary || kernel.name : one.step.label;
    const time = kernel && shown.rows.find((row) => row.id === one.step.kernel);
    const amount = one.idle ? "not for these sizes" : time && time.us !== null ? timeText(time.us) : bytesText(one.bytes);
    add("step " + one.index, {
      port: false, title, sub: times + (kernel ? kernel.hero + " · " + amount : one.step.kind), kernel: kernel ? one.step.kernel : null,
      share: one.share || 0, step: one, color: kernel ? family(kernel.hero) : null,
    });
  }
  shown.fn.outputs.forEach((text, n) => {
    if (used.has("output " + n)) add("output " + n, { port: true, title: "output " + n, sub: text, kernel: null });
  });
  const links = new Map();
  for (const edge of shown.fn.walk.edges) {
    const from = byKey.get(key(edge.from)), to = byKey.get(key(edge.to));
    if (!from || !to || from.id >= to.id) continue;
    const id = from.id + " " + to.id;
    const value = shown.fn.walk.values[edge.value];
    const isInput = edge.from.input !== undefined;
    const bytes = isInput ? null : shown.value(value.length);
    if (!links.has(id)) links.set(id, { from, to, bytes: null, formulas: [] });
    const link = links.get(id);
    if (bytes !== null) link.bytes = (link.bytes || 0) + bytes;
    const formula = isInput ? null : shown.formula(value.length);
    if (formula) link.formulas.push(formula);
  }
  return { nodes, links: [...links.values()] };
}

function layout({ nodes, links }) {
  nodes.forEach((node) => Object.assign(node, { layer: 0, outs: [], ins: [] }));
  links.forEach((link) => { link.from.outs.push(link); link.to.ins.push(link); });
  // Nodes come in an order in which everything stands behind what it reads.
  for (const node of nodes) for (const link of node.ins) node.layer = Math.max(node.layer, link.from.layer + 1);
  // An input stands just above its first reader.
  for (const node of nodes) if (node.port && node.ins.length === 0 && node.outs.length > 0) node.layer = Math.max(0, Math.min(...node.outs.map((link) => link.to.layer)) - 1);
  const layers = [];
  const put = (item) => { (layers[item.layer] = layers[item.layer] || []).push(item); };
  nodes.forEach((node) => put(Object.assign(node, { width: BOX.width, up: [], down: [] })));
  let lanes = 0;
  for (const link of links) {
    link.path = [link.from];
    const span = link.to.layer - link.from.layer;
    if (span > 1 && lanes + span < LANES_MAX) {
      lanes += span;
      for (let layer = link.from.layer + 1; layer < link.to.layer; layer += 1) {
        const lane = { lane: true, layer, width: BOX.lane, up: [], down: [] };
        put(lane);
        link.path.push(lane);
      }
    }
    link.path.push(link.to);
    for (let n = 1; n < link.path.length; n += 1) {
      link.path[n - 1].down.push(link.path[n]);
      link.path[n].up.push(link.path[n - 1]);
    }
  }
  for (let n = 0; n < layers.length; n += 1) layers[n] = layers[n] || [];
  layers.forEach((layer) => layer.forEach((item, index) => { item.order = index; }));
  const mean = (list) => list.reduce((sum, item) => sum + item.order, 0) / list.length;
  for (let round = 0; round < 10; round += 1) {
    const downwards = round % 2 === 0;
    const list = downwards ? layers : [...layers].reverse();
    for (const layer of list) {
      layer.forEach((item) => {
        const near = downwards ? item.up : item.down;
        item.want = near.length > 0 ? mean(near) : item.order;
      });
      layer.sort((a, b) => a.want - b.want || a.order - b.order);
      layer.forEach((item, index) => { item.order = index; });
    }
  }
  place(layers);
  return layers;
}

// Gives every item its x: near the middle of its neighbours, in the layer's order, without overlap.
function place(layers) {
  const gap = (a, b) => (a.width + b.width) / 2 + (a.lane && b.lane ? 4 : BOX.gap);
  layers.forEach((layer, row) => {
    let x = 0;
    layer.forEach((item, index) => {
      x += index > 0 ? gap(layer[index - 1], item) : 0;
      item.x = x;
      item.y = row * (BOX.height + BOX.layer);
    });
    layer.forEach((item) => { item.x -= x / 2; });
  });
  const settle = (layer, weightOf) => {
    // Blocks of items that touch move together: each block lies where its items want to be on average.
    const blocks = [];
    for (const item of layer) {
      blocks.push({ items: [item], sum: item.want * weightOf(item), weight: weightOf(item), width: 0 });
      for (;;) {
        const last = blocks[blocks.length - 1], before = blocks[blocks.length - 2];
        if (!before) break;
        const step = gap(before.items[before.items.length - 1], last.items[0]);
        const shift = before.width + step;
        if (before.sum / before.weight + shift <= last.sum / last.weight) break;
        before.sum += last.sum - shift * last.weight;
        before.weight += last.weight;
        before.items.push(...last.items);
        before.width = shift + last.width;
        blocks.pop();
      }
    }
    for (const block of blocks) {
      let x = block.sum / block.weight;
      block.items.forEach((item, index) => {
        if (index > 0) x += gap(block.items[index - 1], item);
        item.x = x;
      });
    }
  };
  for (let round = 0; round < 12; round += 1) {
    const downwards = round % 2 === 0;
    for (const layer of downwards ? layers : [...layers].reverse()) {
      layer.forEach((item) => {
        const near = downwards ? item.up : item.down;
        const all = near.length > 0 ? near : downwards ? item.down : item.up;
        item.want = all.length > 0 ? all.reduce((sum, other) => sum + other.x, 0) / all.length : item.x;
      });
      settle(layer, (item) => (item.lane ? 2 : 1));
    }
  }
}

function route(link) {
  const half = BOX.height / 2;
  const points = link.path.map((item) => [item.x, item.y]);
  let text = "M" + points[0][0].toFixed(1) + " " + (points[0][1] + half).toFixed(1);
  for (let n = 1; n < points.length; n += 1) {
    const last = n === points.length - 1;
    const [x0, y0] = [points[n - 1][0], points[n - 1][1] + half];
    const [x1, y1] = [points[n][0], points[n][1] - half];
    const bend = (y1 - y0) / 2;
    text += " C" + [x0, y0 + bend, x1, y1 - bend, x1, y1].map((v) => v.toFixed(1)).join(" ");
    if (!last) text += " L" + x1.toFixed(1) + " " + (points[n][1] + half).toFixed(1);
  }
  return text;
}

// The longest beginning of a text that is so many pixels wide in a font of the page.
const pen = document.createElement("canvas").getContext("2d");
function short(text, width, size) {
  pen.font = size + "px " + getComputedStyle(document.body).fontFamily;
  if (pen.measureText(text).width <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low) + "…";
}

function drawGraph(shown) {
  const canvas = at("graph-canvas");
  canvas.replaceChildren();
  at("overview").replaceChildren();
  const parts = graphNodes(shown);
  const omitted = shown.fn.walk.omitted > 0 ? " " + countText(shown.fn.walk.omitted) + " later commands are left out." : "";
  at("graph-note").textContent = "Each box is a launch, each line a buffer." + omitted;
  if (parts.nodes.length === 0) {
    canvas.append(el("p", { class: "empty" }, "This function runs nothing."));
    graph = null;
    at("graph-buttons").replaceChildren();
    at("graph-legend").replaceChildren();
    return;
  }
  layout(parts);
  const world = svg("g");
  const most = Math.max(...parts.nodes.map((node) => node.share || 0), 1e-12);
  for (const link of parts.links) {
    const width = link.bytes ? Math.max(1, Math.min(5, Math.log10(link.bytes + 1) - 2)) : 1;
    link.line = svg("path", { class: "link", d: route(link), "stroke-width": width.toFixed(1) });
    const formula = link.formulas.length > 0 ? " (" + [...new Set(link.formulas)].join(", ") + " bytes)" : "";
    tip(link.line, link.from.title + " → " + link.to.title + (link.bytes === null ? "" : "\n" + bytesText(link.bytes) + formula));
    world.append(link.line);
  }
  for (const node of parts.nodes) {
    const group = svg("g", { class: "node" + (node.port ? " port" : "") + (node.step && node.step.idle ? " idle" : ""), transform: "translate(" + node.x.toFixed(1) + " " + node.y.toFixed(1) + ")", tabindex: node.kernel === null ? null : 0 });
    const [w, h] = [BOX.width, BOX.height];
    group.append(svg("rect", { class: "box", x: -w / 2, y: -h / 2, width: w, height: h, rx: node.port ? h / 2 : 8 }));
    if (node.color) group.append(svg("rect", { x: -w / 2, y: -h / 2 + 8, width: 4, height: h - 16, rx: 2, fill: node.color }));
    if (node.share > 0) {
      const part = Math.max(1.5, (w - 20) * (node.share / most));
      group.append(svg("rect", { class: "heat", x: -w / 2 + 10, y: h / 2 - 6, width: part.toFixed(1), height: 2.6, rx: 1.3, opacity: 0.85 }));
    }
    const left = node.port ? 0 : -w / 2 + 11;
    const anchor = node.port ? "middle" : "start";
    group.append(svg("text", { x: left, y: -4, "text-anchor": anchor }, short(node.title, w - 22, 12)));
    group.append(svg("text", { class: "sub", x: left, y: 11, "text-anchor": anchor }, short(node.sub, w - 22, 10.5)));
    const more = node.step && node.step.weights > 0 ? "\nweights: " + bytesText(node.step.weights) : "";
    const why = node.step && node.step.kernel && node.step.kernel.note ? "\n" + node.step.kernel.note : "";
    const name = node.step && node.step.kernel ? "\n" + node.step.kernel.name : "";
    tip(group, node.title + name + "\n" + node.sub + more + why);
    if (node.kernel !== null) {
      const pick = () => { if (!graph.moved) choose(node.kernel, "graph"); };
      group.addEventListener("click", pick);
      group.addEventListener("keydown", (event) => { if (event.key === "Enter") pick(); });
    }
    node.group = group;
    world.append(group);
  }
  const xs = parts.nodes.map((node) => node.x), ys = parts.nodes.map((node) => node.y);
  const bounds = { x: Math.min(...xs) - BOX.width * 0.6, y: Math.min(...ys) - BOX.height, w: 0, h: 0 };
  bounds.w = Math.max(...xs) + BOX.width * 0.6 - bounds.x;
  bounds.h = Math.max(...ys) + BOX.height - bounds.y;
  const picture = svg("svg", { role: "img", "aria-label": "Graph of " + parts.nodes.length + " nodes" }, world);
  canvas.append(picture);
  graph = { ...parts, canvas, world, bounds, scale: 1, x: 0, y: 0, moved: false };
  // A small graph takes no more height than it needs.
  canvas.style.setProperty("--whole", Math.ceil(bounds.h * 1.25) + "px");
  moving(picture);
  const zoom = (factor) => () => zoomAt(canvas.clientWidth / 2, canvas.clientHeight / 2, factor);
  at("graph-buttons").replaceChildren(
    el("button", { type: "button", onclick: zoom(1.35), "aria-label": "Zoom in" }, "+"),
    el("button", { type: "button", onclick: zoom(1 / 1.35), "aria-label": "Zoom out" }, "−"),
    el("button", { type: "button", onclick: () => fit(0) }, "Fit"),
  );
  const heroes = [...new Set(shown.rows.map((row) => row.kernel.hero))];
  at("graph-legend").replaceChildren(...heroes.map((hero) => legendItem(family(hero), hero)));
  // Large graphs open at a size that can be read, at their top.
  fit(0.85);
  overview();
  moved();
  markGraph(false);
}

function legendItem(color, text) {
  const mark = el("i");
  mark.style.background = color;
  return el("span", {}, mark, text);
}

function fit(least) {
  const { canvas, bounds } = graph;
  const whole = Math.min(canvas.clientWidth / bounds.w, canvas.clientHeight / bounds.h, 1.25);
  graph.scale = Math.max(whole, least);
  const middle = graph.nodes.reduce((sum, node) => sum + node.x, 0) / graph.nodes.length;
  const narrow = bounds.w * graph.scale <= canvas.clientWidth;
  const centre = canvas.clientWidth / 2 - (narrow ? bounds.x + bounds.w / 2 : middle) * graph.scale;
  // Nothing but the graph is shown where there is more of the graph.
  const least_x = canvas.clientWidth - (bounds.x + bounds.w) * graph.scale;
  graph.x = narrow ? centre : Math.min(Math.max(centre, least_x), -bounds.x * graph.scale);
  graph.y = bounds.h * graph.scale <= canvas.clientHeight ? canvas.clientHeight / 2 - (bounds.y + bounds.h / 2) * graph.scale : -bounds.y * graph.scale;
  moved();
}

function moved() {
  const { world, scale, x, y, frame, canvas } = graph;
  world.setAttribute("transform", "translate(" + x.toFixed(2) + " " + y.toFixed(2) + ") scale(" + scale.toFixed(4) + ")");
  if (frame) {
    frame.setAttribute("x", -x / scale);
    frame.setAttribute("y", -y / scale);
    frame.setAttribute("width", canvas.clientWidth / scale);
    frame.setAttribute("height", canvas.clientHeight / scale);
  }
}

function zoomAt(px, py, factor) {
  const scale = Math.min(4, Math.max(0.03, graph.scale * factor));
  const real = scale / graph.scale;
  graph.x = px - (px - graph.x) * real;
  graph.y = py - (py - graph.y) * real;
  graph.scale = scale;
  moved();
}

// A small picture of the whole, with a frame around what is seen.
function overview() {
  const { bounds, canvas } = graph;
  const seen = bounds.w * graph.scale <= canvas.clientWidth && bounds.h * graph.scale <= canvas.clientHeight;
  if (seen) return;
  const small = svg("svg", { class: "overview", viewBox: [bounds.x, bounds.y, bounds.w, bounds.h].join(" "), preserveAspectRatio: "xMidYMid meet", "aria-hidden": "true" });
  for (const node of graph.nodes) small.append(svg("rect", { x: node.x - BOX.width / 2, y: node.y - BOX.height / 2, width: BOX.width, height: BOX.height, fill: node.color || "var(--line)" }));
  graph.frame = svg("rect", { fill: "var(--accent)", "fill-opacity": 0.14, stroke: "var(--accent)", "stroke-width": Math.max(bounds.w, bounds.h) / 90 });
  small.append(graph.frame);
  const go = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(small.getScreenCTM().inverse());
    graph.x = graph.canvas.clientWidth / 2 - point.x * graph.scale;
    graph.y = graph.canvas.clientHeight / 2 - point.y * graph.scale;
    moved();
  };
  small.addEventListener("pointerdown", (event) => { event.stopPropagation(); small.setPointerCapture(event.pointerId); go(event); });
  small.addEventListener("pointermove", (event) => { if (event.buttons) go(event); });
  at("overview").replaceChildren(small);
}

function moving(picture) {
  const canvas = graph.canvas;
  let start = null;
  picture.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoomAt(event.clientX - box.left, event.clientY - box.top, Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016)));
  }, { passive: false });
  picture.addEventListener("pointerdown", (event) => {
    start = { px: event.clientX, py: event.clientY, x: graph.x, y: graph.y };
    graph.moved = false;
  });
  picture.addEventListener("pointermove", (event) => {
    if (!start || !event.buttons) return;
    const [dx, dy] = [event.clientX - start.px, event.clientY - start.py];
    if (!graph.moved && Math.hypot(dx, dy) < 4) return;
    if (!graph.moved) picture.setPointerCapture(event.pointerId);
    graph.moved = true;
    canvas.classList.add("dragging");
    graph.x = start.x + dx;
    graph.y = start.y + dy;
    moved();
  });
  const end = () => { start = null; canvas.classList.remove("dragging"); };
  picture.addEventListener("pointerup", end);
  picture.addEventListener("pointercancel", end);
}

// Marks the chosen kernel and its lines; moves it into view if asked to.
function markGraph(show) {
  if (!graph) return;
  const mine = graph.nodes.filter((node) => node.kernel !== null && node.kernel === state.chosen);
  const near = new Set();
  for (const link of graph.links) {
    const touches = mine.includes(link.from) || mine.includes(link.to);
    link.line.classList.toggle("near", touches);
    link.line.classList.toggle("far", mine.length > 0 && !touches);
    if (touches) { near.add(link.from); near.add(link.to); }
  }
  for (const node of graph.nodes) {
    node.group.classList.toggle("chosen", mine.includes(node));
    node.group.classList.toggle("edge-of", near.has(node) && !mine.includes(node));
  }
  const first = mine[0];
  const seen = first && Math.abs(first.x * graph.scale + graph.x - graph.canvas.clientWidth / 2) < graph.canvas.clientWidth / 2 - BOX.width / 2
    && Math.abs(first.y * graph.scale + graph.y - graph.canvas.clientHeight / 2) < graph.canvas.clientHeight / 2 - BOX.height / 2;
  if (show && first && !seen) {
    graph.scale = Math.max(graph.scale, 0.7);
    graph.x = graph.canvas.clientWidth / 2 - first.x * graph.scale;
    graph.y = graph.canvas.clientHeight / 2 - first.y * graph.scale;
    moved();
  }
}
