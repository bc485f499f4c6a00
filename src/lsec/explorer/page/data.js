"use strict";

// The data of the page: facts as JSON, and compressed columns with one value per drawn row.

const facts = JSON.parse(document.getElementById("facts").textContent);
const columns = {};

/** A column of numbers, inflated when it is first asked for. */
function column(name, Type) {
  columns[name] ??= inflate(name).then((buffer) => new Type(buffer));
  return columns[name];
}

/** Names of the drawn rows, or null if the page has none. */
function rowNames() {
  if (!facts.hasNames) return Promise.resolve(null);
  columns.names ??= inflate("names").then((buffer) => JSON.parse(new TextDecoder().decode(buffer)));
  return columns.names;
}

async function inflate(name) {
  const element = document.getElementById(`column-${name}`);
  const text = atob(element.textContent);
  element.remove(); // frees the text
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Positions of the drawn rows among all rows, from their differences. */
async function rowPositions() {
  const steps = await column("positions", Uint32Array);
  columns.sums ??= Promise.resolve(Float64Array.from(steps, ((sum) => (step) => (sum += step))(0)));
  return columns.sums;
}
