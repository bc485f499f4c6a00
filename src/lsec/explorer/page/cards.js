// A card for every cluster of the layer: size, confidence, profile, typical and least certain rows.

const FEATURES_ON_CARD = 6, ROWS_ON_CARD = 3;
const MOST_CARDS = 100;
const WIDEST = 2; // standard deviations of a bar

/** Show the cards of the layer, the largest clusters first. */
function showCards() {
  const { clusters, colors } = state.layer;
  const order = clusters.filter((cluster) => cluster.rows).sort((a, b) => b.rows - a.rows);
  const cards = order.slice(0, MOST_CARDS).map((cluster) => cardOf(cluster, colors[cluster.number]));
  if (order.length > MOST_CARDS) {
    cards.push(element("p", `The ${order.length - MOST_CARDS} smallest clusters have no card.`));
  }
  get("cards").replaceChildren(...cards);
  markCards();
}

function cardOf(cluster, color) {
  const card = element("article", undefined, { className: "card" });
  card.dataset.cluster = cluster.number;
  const head = element("button", undefined, { className: "head", title: "Show only this cluster" });
  const swatch = element("span", "", { className: "swatch" });
  swatch.style.background = color;
  head.append(swatch, element("strong", `Cluster ${cluster.number}`));
  head.append(element("span", `${number.format(cluster.rows)} rows, ${percent(cluster.rows / facts.nRows)}`));
  head.addEventListener("click", () => highlight(cluster.number));
  const sure = element("p", undefined, { className: "sure" });
  sure.append(element("span", "confidence"), meter(cluster.confidence, color));
  sure.append(element("span", cluster.confidence.toFixed(2)));
  card.append(head, sure, profileOf(cluster.profile));
  card.append(rowsOf("Typical", facts.typical, cluster.number));
  card.append(rowsOf("Least certain", facts.unsure, cluster.number));
  return card;
}

function percent(share) {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function meter(share, color) {
  const frame = element("span", undefined, { className: "meter" });
  const fill = element("span");
  fill.style.cssText = `width: ${100 * share}%; background: ${color}`;
  frame.append(fill);
  return frame;
}

/** The features in which a cluster differs most from all rows, in standard deviations. */
function profileOf(profile) {
  const list = element("ul", undefined, { className: "profile" });
  const order = profile.map((_, i) => i).sort((a, b) => Math.abs(profile[b]) - Math.abs(profile[a]));
  for (const i of order.slice(0, FEATURES_ON_CARD)) {
    const value = profile[i], width = Math.min(Math.abs(value) / WIDEST, 1) * 50;
    const bar = element("span", undefined, { className: "deviation" });
    const fill = element("span", undefined, { className: value < 0 ? "below" : "above" });
    fill.style.width = `${width}%`;
    bar.append(fill);
    const line = element("li", undefined, {
      title: `The mean is ${Math.abs(value).toFixed(2)} standard deviations ${value < 0 ? "below" : "above"} that of all rows`,
    });
    const signed = `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
    line.append(element("span", facts.features[i].name, { className: "name" }), bar, element("span", signed));
    list.append(line);
  }
  return list;
}

/** Links to the first of some drawn rows that lie in a cluster. */
function rowsOf(title, places, cluster) {
  const line = element("p", `${title}: `, { className: "rows" });
  const found = [];
  for (const place of places) {
    if (state.layer.ofGroup[state.groups[place]] !== cluster || state.groups[place] === nGroups) continue;
    found.push(place);
    if (found.length === ROWS_ON_CARD) break;
  }
  found.forEach((place) => {
    const link = element("button", rowName(place), { className: "row", title: "Show this row" });
    link.addEventListener("click", () => showRow(place));
    line.append(link, " ");
  });
  return line;
}

function rowName(place) {
  return facts.cardNames?.[place] ?? `row ${number.format(state.positions[place])}`;
}

/** Show one cluster only, or all if it is shown already. */
function highlight(cluster) {
  state.highlighted = state.highlighted === cluster ? null : cluster;
  markCards();
  choose(state.highlighted === null ? null
    : (place) => state.groups[place] < nGroups && state.layer.ofGroup[state.groups[place]] === cluster);
}

function markCards() {
  for (const card of document.querySelectorAll(".card")) {
    const shown = Number(card.dataset.cluster) === state.highlighted;
    card.querySelector(".head").setAttribute("aria-pressed", String(shown));
  }
}

/** Move to a row and describe it. */
function showRow(place) {
  map.lookAt(place);
  describeRow(place);
}
