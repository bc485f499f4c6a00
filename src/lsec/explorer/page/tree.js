// The merge tree: clusters of groups of rows in every layer, with colors that stay.

const nGroups = facts.counts.length;
const mergers = facts.pairs.map(([low, high]) => ({ low, high }));

// The number of rows on both sides of every merger.
{
  const rows = [...facts.counts];
  for (const merger of mergers) {
    merger.lowRows = rows[merger.low];
    merger.highRows = rows[merger.high];
    rows[merger.low] += rows[merger.high];
  }
}

/**
 * The layer of k clusters: the cluster of every group, as `labels_at(k)` numbers them, and the
 * color of every cluster.
 *
 * The fitted layer has the colors in their order. The larger part of a cluster keeps its color,
 * the other one gets the next; clusters that merge get the color of the larger.
 */
function layerOf(k) {
  const root = Array.from({ length: nGroups }, (_, group) => group);
  for (const { low, high } of mergers.slice(0, nGroups - k)) root[high] = low;
  const number = new Map(); // of the cluster of a lowest group
  const ofGroup = new Uint16Array(nGroups);
  for (let group = 0; group < nGroups; group++) {
    root[group] = root[root[group]]; // a root is lower than its group, thus final
    if (root[group] === group) number.set(group, number.size);
    ofGroup[group] = number.get(root[group]);
  }
  const colorOf = rootColors(k);
  const colors = [...number.keys()].map((lowest) => facts.colors[colorOf[lowest] % facts.colors.length]);
  return { k, ofGroup, colors, clusters: describe(ofGroup, k) };
}

/** Number of the color of every lowest group of a cluster. */
function rootColors(k) {
  const fitted = nGroups - facts.nClusters; // mergers below the fitted layer
  const colors = [];
  const isRoot = new Uint8Array(nGroups).fill(1);
  for (const { high } of mergers.slice(0, fitted)) isRoot[high] = 0;
  let next = 0;
  for (let group = 0; group < nGroups; group++) if (isRoot[group]) colors[group] = next++;
  for (const { low, high, lowRows, highRows } of mergers.slice(fitted, nGroups - k)) {
    if (highRows > lowRows) colors[low] = colors[high];
  }
  for (let i = fitted - 1; i >= nGroups - k; i--) {
    const { low, high, lowRows, highRows } = mergers[i];
    colors[high] = highRows > lowRows ? colors[low] : next;
    if (highRows > lowRows) colors[low] = next;
    next++;
  }
  return colors;
}

/** Rows, mean confidence and profile of every cluster. */
function describe(ofGroup, k) {
  const found = Array.from({ length: k }, (_, number) => (
    { number, rows: 0, confidence: 0, profile: facts.features.map(() => 0) }
  ));
  ofGroup.forEach((cluster, group) => {
    const rows = facts.counts[group], sum = found[cluster];
    sum.rows += rows;
    sum.confidence += rows * facts.groupConfidence[group];
    facts.profile[group].forEach((value, j) => { sum.profile[j] += rows * value; });
  });
  for (const sum of found) {
    const rows = Math.max(sum.rows, 1);
    sum.confidence /= rows;
    sum.profile = sum.profile.map((value) => value / rows);
  }
  return found;
}
