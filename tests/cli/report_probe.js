// Put into a copy of a report by tests/cli/report_browser.rs: looks at what was drawn, and leaves what it found as JSON.
"use strict";
addEventListener("load", () => {
  const box = (node) => { const r = node.getBoundingClientRect(); return { x: r.x, y: r.y, w: r.width, h: r.height }; };
  const all = (query, from) => [...(from || document).querySelectorAll(query)];
  // Pixels by which two boxes may touch before they count as one over the other.
  const SLACK = 1;
  const meets = (a, b) => a.x + SLACK < b.x + b.w && b.x + SLACK < a.x + a.w && a.y + SLACK < b.y + b.h && b.y + SLACK < a.y + a.h;
  const inside = (a, b) => a.x >= b.x - SLACK && a.x + a.w <= b.x + b.w + SLACK && a.y >= b.y - SLACK && a.y + a.h <= b.y + b.h + SLACK;
  const overlaps = (nodes, name) => {
    const list = nodes.map((node) => ({ name: name(node), box: box(node) })), found = [];
    list.forEach((a, n) => list.slice(n + 1).forEach((b) => { if (meets(a.box, b.box)) found.push(a.name + " / " + b.name); }));
    return found;
  };
  const text = (node) => node.textContent;
  const found = {
    wide: document.documentElement.scrollWidth - innerWidth,
    panels: all("section.panel").map((panel) => ({ name: panel.querySelector("h2").textContent, ...box(panel) })),
    drawn: ["graph-canvas", "kernels", "roofline", "memory", "facts", "cards"].map((id) => ({ name: id, ...box(document.getElementById(id)) })),
    nodes: all(".node").length,
    links: all("path.link").length,
    rows: all("#kernels tbody tr").length,
    marks: { roofline: all("#roofline .dot").length, memory: all("#memory .buffer").length },
    overlaps: [
      ...overlaps(all(".node rect.box"), (node) => text(node.parentNode)),
      ...all("svg.chart").flatMap((chart) => overlaps(all("text", chart), text)),
      ...overlaps(all("section, header"), (node) => node.id || node.className).filter((pair) => !pair.includes("two")),
    ],
    outside: [
      ...all(".node").flatMap((node) => all("text", node).filter((one) => !inside(box(one), box(node.querySelector("rect.box")))).map(text)),
      ...all("svg.chart").flatMap((chart) => all("text", chart).filter((one) => !inside(box(one), box(chart))).map(text)),
    ],
  };
  // A click on a kernel tells about it, on every panel.
  document.querySelector("#kernels tbody tr").click();
  found.detail = document.getElementById("detail").textContent;
  found.why = text(document.querySelector("#detail .why"));
  found.chosen = all(".chosen").length;
  const note = document.createElement("script");
  note.type = "application/json";
  note.id = "probe";
  note.textContent = JSON.stringify(found).replaceAll("<", "\\u003c");
  document.body.append(note);
});
