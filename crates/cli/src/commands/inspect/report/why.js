// Why a kernel is as it is, in sentences: what it fuses, what bounds it, what its schedule's words mean.

// First word of a schedule, and what it is.
const SCHEDULES = {
  loop: "Element by element: every thread computes its outputs alone",
  tile: "A tile of outputs for each group of threads, kept in registers",
  wgmma: "GEMM on warpgroup tensor cores, fed by tensor copies",
  mma: "GEMM on matrix instructions, its operands staged in shared memory",
  gemv: "GEMV or skinny GEMM: one pass over the large operand, which bounds it",
  row: "A group of threads for each row: what belongs to a row stays on the chip",
  attention: "Attention in one kernel: scores are never written to memory",
  panel: "GEMM for a processor: a block of outputs in vector registers",
  sort: "Sorts blocks in shared memory",
  scan: "Prefix sums within a group of threads",
  fused_loop: "A loop in one kernel: its rounds are separated by barriers, not by launches",
  sized: "For sizes of run time: every thread takes as many outputs as there are",
  radix: "Radix sort, a digit a pass",
  segment: "Sums sorted updates segment by segment, without atomics",
  window: "Neighbouring outputs in a thread: they share what their windows read",
  transpose: "Transposes tiles through shared memory, so that loads and stores are both whole vectors",
};

// Words that stand before a number in a schedule, or alone.
const SCHEDULE_WORDS = {
  vector: "elements of a load", threads: "threads", items: "outputs of a thread", stages: "stages of the pipeline", warps: "warps down × across",
  chunks: "vectors of a thread in a row", rows: "rows of a workgroup", split: "parts of the sum (split-K)", group: "tiles that share operands in the cache",
  cluster: "workgroups of a cluster", lanes: "lanes", tiles: "tiles", depth: "steps in flight", consumers: "consumer warpgroups",
};

function scheduleText(note) {
  // What stands behind a semicolon is a reason already.
  const [schedule, ...said] = note.split("; ").filter((part) => part);
  const words = (schedule || "").split(" ");
  const what = SCHEDULES[words[0]];
  if (!what) return null;
  const parts = [];
  for (let n = 1; n < words.length; n += 1) {
    const word = words[n], next = words[n + 1];
    if (SCHEDULE_WORDS[word] && next !== undefined && /^\d+(x\d+)*$/.test(next)) {
      parts.push(SCHEDULE_WORDS[word] + ": " + next.replaceAll("x", " × "));
      n += 1;
    } else if (word === "held") parts.push("the row is read once and held in registers");
    else if (/^\d+(x\d+)+$/.test(word)) parts.push("tile: " + word.replaceAll("x", " × "));
  }
  const because = said.map((text) => " " + text[0].toUpperCase() + text.slice(1) + ".").join("");
  return what + "." + (parts.length > 0 ? " (" + parts.join("; ") + ")" : "") + because;
}

function boundText(row, device) {
  if (!device || !device.bandwidth || row.intensity === null) return null;
  const peak = device.peaks[row.kernel.arithmetic];
  if (!peak) return null;
  const ridge = (peak * 1e3) / device.bandwidth;
  const [mine, its] = [row.intensity, ridge].map((x) => x.toFixed(x < 10 ? 1 : 0));
  return mine === its || row.intensity < ridge
    ? "Bound by memory on " + device.name + ": " + mine + " FLOP a byte, where " + its + " would keep its arithmetic busy."
    : "Bound by arithmetic on " + device.name + ": " + mine + " FLOP a byte, and " + its + " are enough.";
}

// Sentences about one kernel.
function reasons(row, device) {
  const kernel = row.kernel, list = [];
  const ops = kernel.summary.split(" ").filter((word) => word);
  if (ops.length > 1) list.push("Fused, because what flows between these ops then needs no memory: " + ops.slice(0, 12).join(", ") + (ops.length > 12 ? " …" : "") + ".");
  const bound = boundText(row, device);
  if (bound) list.push(bound);
  const schedule = scheduleText(kernel.note);
  if (schedule) list.push(schedule);
  if (kernel.spill_bytes > 0) list.push("It spills " + bytesText(kernel.spill_bytes) + " of registers to memory.");
  list.push(...kernel.apart, ...kernel.tried);
  return list;
}
