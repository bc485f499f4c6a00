// Chosen rows: those inside a line drawn around them, or those of a cluster; as a CSV file.

/** Choose the drawn rows for which a test holds; null chooses none and shows all. */
function choose(test) {
  if (!test) {
    state.marks = null;
  } else {
    state.marks = new Uint8Array(facts.nDrawn);
    for (let place = 0; place < facts.nDrawn; place++) state.marks[place] = test(place) ? 1 : 0;
  }
  map.choose(state.marks);
  showChosen();
}

/** Choose the rows inside a line around places on the canvas. */
function chooseInside(line) {
  const ring = line.map(([px, py]) => map.unitsAt(px, py).map((u) => u * 65535));
  const ends = [0, 1].map((i) => [Math.min(...ring.map((p) => p[i])), Math.max(...ring.map((p) => p[i]))]);
  state.highlighted = null;
  markCards();
  choose((place) => {
    const x = map.x[place], y = map.y[place];
    return x >= ends[0][0] && x <= ends[0][1] && y >= ends[1][0] && y <= ends[1][1] && isInside(ring, x, y);
  });
}

/** Whether a point lies inside a ring of points: a ray from it crosses the ring an odd number of times. */
function isInside(ring, x, y) {
  let inside = false;
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [ax, ay] = ring[i], [bx, by] = ring[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** Cluster of a drawn row in the layer; -1 for noise. */
function clusterOf(place) {
  const group = state.groups[place];
  return group === nGroups ? -1 : state.layer.ofGroup[group];
}

/** Number of chosen rows, in all and by cluster. */
function showChosen() {
  const panel = get("chosen");
  panel.hidden = state.marks === null;
  if (panel.hidden) return;
  const counts = new Map();
  let total = 0;
  state.marks.forEach((mark, place) => {
    if (!mark) return;
    total++;
    counts.set(clusterOf(place), (counts.get(clusterOf(place)) ?? 0) + 1);
  });
  const largest = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const named = largest.map(([cluster, n]) => (
    `${cluster < 0 ? "noise" : `cluster ${cluster}`}: ${number.format(n)}`
  ));
  const drawn = facts.nDrawn < facts.nRows ? "drawn rows" : "rows";
  get("count").textContent = `${number.format(total)} ${drawn} chosen`;
  get("parts").textContent = named.join(", ") + (counts.size > 5 ? ", ..." : "");
  get("save").disabled = total === 0;
}

/** A field of a CSV file, in quotes if it needs them. */
function field(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The chosen rows as CSV: position in the data, cluster of the layer, confidence, name. */
async function chosenAsCsv() {
  const [confidence, names] = await Promise.all([column("confidence", Uint8Array), rowNames()]);
  const lines = [`row,cluster,confidence${names ? ",name" : ""}\n`];
  state.marks.forEach((mark, place) => {
    if (!mark) return;
    const sure = (confidence[place] / 255).toFixed(3);
    const name = names ? `,${field(names[place])}` : "";
    lines.push(`${state.positions[place]},${clusterOf(place)},${sure}${name}\n`);
  });
  return new Blob(lines, { type: "text/csv" });
}

async function saveChosen() {
  const link = element("a", undefined, { href: URL.createObjectURL(await chosenAsCsv()) });
  link.download = `rows of ${state.layer.k} clusters.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Draw the line around rows while the pointer moves. */
function showLine(line) {
  get("line").setAttribute("points", line.map((place) => place.join(",")).join(" "));
}
