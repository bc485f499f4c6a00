"use strict";

// The data of the page: facts as JSON, and compressed columns with one value per drawn row.

const facts = JSON.parse(document.getElementById("facts").textContent);
const columns = {};
const whole = document.readyState === "complete" ? Promise.resolve()
  : new Promise((done) => document.addEventListener("DOMContentLoaded", done));

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
  if (!document.getElementById(`column-${name}`)) await whole; // it has not been read yet
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
  const steps = await column("positions", Uint32Array), positions = new Float64Array(steps.length);
  for (let i = 0, sum = 0; i < steps.length; i++) positions[i] = sum += steps[i];
  return positions;
}
