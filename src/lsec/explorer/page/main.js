// What the reader sees and changes: colors, layer, view.

const get = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en-US");
const SEQUENTIAL = [ // cividis, which looks the same with any kind of color vision
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [166, 157, 117], [196, 181, 109], [228, 207, 91], [254, 232, 56],
];
const state = {
  color: "cluster", // or "confidence", or the number of a feature
  layer: null, // see layerOf
  groups: null, // of the drawn rows
  positions: null, // of the drawn rows among all rows
  highlighted: null, // the cluster that is shown alone
  marks: null, // 1 for every chosen row, 0 for the others
};

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  Object.assign(made, attributes);
  return made;
}

function rgb(color) {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
}

function opacity() {
  return facts.nDrawn > 100_000 ? 170 : 225;
}

/** Color between the two that are nearest to a share of a scale. */
function onScale(share) {
  const place = share * (SEQUENTIAL.length - 1), i = Math.min(Math.floor(place), SEQUENTIAL.length - 2);
  return SEQUENTIAL[i].map((c, j) => Math.round(c + (place - i) * (SEQUENTIAL[i + 1][j] - c)));
}

/** A number with as many digits as a range of 255 steps tells apart. */
function shortly(value, width) {
  if (!width) return String(value);
  const digits = Math.max(0, Math.ceil(2 - Math.log10(Math.abs(width))));
  return digits > 12 || Math.abs(value) >= 1e15 ? value.toExponential(3) : String(+value.toFixed(digits));
}

function clusterPalette() {
  const colors = state.layer.colors.map((color) => [...rgb(color), opacity()]);
  const groups = Array.from(state.layer.ofGroup, (cluster) => colors[cluster]);
  return [...groups, [...rgb(facts.noiseColor), opacity()]]; // noise comes last
}

function scalePalette() {
  return Array.from({ length: 256 }, (_, i) => [...onScale(i / 255), opacity()]);
}

/** The range of the values that colors stand for, or null for clusters. */
function colorRange() {
  if (state.color === "cluster") return null;
  if (state.color === "confidence") return { low: 0, high: 1, open: false };
  return { ...facts.features[state.color], open: true };
}

async function recolor() {
  const wanted = state.color;
  const values = await (wanted === "cluster" ? column("groups", Uint16Array)
    : column(wanted === "confidence" ? wanted : `feature-${wanted}`, Uint8Array));
  if (wanted !== state.color) return; // changed again meanwhile
  map.setValues(values);
  map.setPalette(wanted === "cluster" ? clusterPalette() : scalePalette());
  get("points").setAttribute("aria-label", `Rows in two dimensions, colored by ${get("color").selectedOptions[0].text}`);
  showLegend();
}

function showLegend() {
  const legend = get("legend"), range = colorRange();
  legend.replaceChildren();
  if (!range) return;
  const stops = SEQUENTIAL.map((color) => `rgb(${color})`).join(",");
  const bar = element("div", "", { className: "bar" });
  bar.style.background = `linear-gradient(to right, ${stops})`;
  const ends = element("div", undefined, { className: "ends" });
  const width = range.high - range.low;
  ends.append(
    element("span", (range.open ? "≤ " : "") + shortly(range.low, width)),
    element("span", (range.open ? "≥ " : "") + shortly(range.high, width)),
  );
  legend.append(bar, ends);
}

function setLayer(k) {
  state.layer = layerOf(k);
  const fitted = k === facts.nClusters ? " (as fitted)" : "";
  get("number").textContent = number.format(k) + fitted;
  if (state.color === "cluster") map.setPalette(clusterPalette());
  if (state.highlighted !== null) highlight(state.highlighted); // it is another cluster now
  else showChosen();
  showCards();
}

/** Fill the menu of colors and the slider. */
function setUpControls() {
  const menu = get("color");
  menu.append(element("option", "cluster", { value: "cluster" }));
  menu.append(element("option", "confidence", { value: "confidence" }));
  const features = element("optgroup", undefined, { label: facts.nFeatures > facts.features.length
    ? `the ${facts.features.length} of ${facts.nFeatures} features that tell clusters apart`
    : "features" });
  facts.features.forEach((feature, i) => {
    if (feature.drawn) features.append(element("option", feature.name, { value: String(i) }));
  });
  if (features.children.length) menu.append(features);
  menu.addEventListener("change", () => {
    state.color = ["cluster", "confidence"].includes(menu.value) ? menu.value : Number(menu.value);
    recolor();
  });
  const slider = get("layer");
  slider.max = Math.min(nGroups, Math.max(60, 4 * facts.nClusters));
  slider.value = facts.nClusters;
  slider.addEventListener("input", () => setLayer(Number(slider.value)));
}

function setUpView() {
  get("points").addEventListener("wheel", (event) => {
    event.preventDefault();
    map.zoomBy(Math.exp(-event.deltaY / (event.deltaMode ? 10 : 300)), event.offsetX, event.offsetY);
  }, { passive: false });
  get("points").addEventListener("moved", () => describeRow(-1));
  get("closer").addEventListener("click", () => map.zoomBy(1.5));
  get("farther").addEventListener("click", () => map.zoomBy(1 / 1.5));
  get("whole").addEventListener("click", () => map.showAll());
  get("lasso").addEventListener("click", () => setLasso(get("lasso").ariaPressed !== "true"));
  get("clear").addEventListener("click", () => {
    state.highlighted = null;
    markCards();
    choose(null);
  });
  get("save").addEventListener("click", saveChosen);
  setUpPointer();
}

function setLasso(on) {
  get("lasso").ariaPressed = String(on);
  get("map").classList.toggle("choosing", on);
}

/** Dragging moves the map, or draws a line around rows; resting on a point describes it. */
function setUpPointer() {
  const canvas = get("points");
  let last = null, line = null, resting;
  canvas.addEventListener("pointerdown", (event) => {
    last = [event.offsetX, event.offsetY];
    line = event.shiftKey || get("lasso").ariaPressed === "true" ? [last] : null;
    canvas.setPointerCapture(event.pointerId);
    describeRow(-1);
  });
  canvas.addEventListener("pointermove", (event) => {
    const here = [event.offsetX, event.offsetY];
    if (line) {
      line.push(here);
      showLine(line);
    } else if (last) {
      map.moveBy(here[0] - last[0], here[1] - last[1]);
      last = here;
    } else {
      clearTimeout(resting);
      resting = setTimeout(() => describeRow(map.nearest(...here)), 60);
    }
  });
  canvas.addEventListener("pointerleave", () => clearTimeout(resting));
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, () => {
      if (line?.length > 2) {
        chooseInside(line);
        setLasso(false);
      }
      last = line = null;
      showLine([]);
    });
  }
}

/** Mark and describe a drawn row; -1 hides the description. */
async function describeRow(place) {
  const tip = get("tip"), mark = get("mark");
  tip.hidden = place < 0;
  mark.setAttribute("visibility", place < 0 ? "hidden" : "visible");
  if (place < 0) return;
  const [px, py] = map.pixelsAt(place);
  mark.setAttribute("cx", px);
  mark.setAttribute("cy", py);
  const wanted = state.color;
  const [confidence, names, values] = await Promise.all([
    column("confidence", Uint8Array), rowNames(),
    typeof wanted === "number" ? column(`feature-${wanted}`, Uint8Array) : null,
  ]);
  const cluster = clusterOf(place);
  const lines = [
    `row ${number.format(state.positions[place])}${names ? `: ${names[place]}` : ""}`,
    `${cluster < 0 ? "noise" : `cluster ${cluster}`}, confidence ${(confidence[place] / 255).toFixed(2)}`,
  ];
  if (values) {
    const { name, low, high } = facts.features[wanted];
    lines.push(`${name} ≈ ${shortly(low + (values[place] / 255) * (high - low), high - low)}`);
  }
  tip.textContent = lines.join("\n");
  const toLeft = px > map.canvas.clientWidth * 0.6;
  tip.style.left = toLeft ? "" : `${px + 12}px`;
  tip.style.right = toLeft ? `${map.canvas.clientWidth - px + 12}px` : "";
  tip.style.top = `${Math.max(0, Math.min(py + 12, map.canvas.clientHeight - 80))}px`;
}

function showAbout() {
  const drawn = facts.nDrawn < facts.nRows
    ? `${number.format(facts.nDrawn)} of ${number.format(facts.nRows)} rows are drawn, chosen at random; sizes and profiles count all rows.`
    : `${number.format(facts.nRows)} rows.`;
  const nNoise = facts.nRows - facts.counts.reduce((a, b) => a + b, 0);
  const noise = nNoise ? ` ${number.format(nNoise)} of them are noise.` : "";
  get("about").textContent = `${drawn}${noise} Across: ${facts.axes[0]}. Up: ${facts.axes[1]}.`;
}

let map;
async function start() {
  showAbout();
  contextOf(get("points")); // takes its time beside that of the columns
  const [x, y, groups, positions] = await Promise.all([
    column("x", Uint16Array), column("y", Uint16Array), column("groups", Uint16Array), rowPositions(),
  ]);
  Object.assign(state, { groups, positions });
  map = new PointMap(get("points"), x, y);
  setUpControls();
  setUpView();
  setLayer(facts.nClusters);
  get("points").addEventListener("drawn", () => performance.mark("first picture"), { once: true });
  await recolor();
}
const started = start().catch((error) => {
  get("map").append(element("p", error.message, { className: "problem" }));
  throw error;
});
