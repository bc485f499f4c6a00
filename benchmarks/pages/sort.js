// A click on a heading sorts the rows of its table; a second click turns the order round.
// What is missing stays last.
for (const table of document.querySelectorAll("table.sortable")) {
  for (const heading of table.tHead.rows[0].cells) {
    heading.querySelector("button").addEventListener("click", () => sortBy(table, heading));
  }
}

function sortBy(table, heading) {
  const turn = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
  const key = (row) => row.cells[heading.cellIndex].dataset.sort;
  const rows = [...table.tBodies[0].rows];
  const numeric = !rows.some((row) => Number.isNaN(Number(key(row))));
  const compare = numeric ? (a, b) => a - b : (a, b) => a.localeCompare(b);
  rows.sort((a, b) => missingLast(key(a), key(b)) ?? turn * compare(key(a), key(b)));
  table.tBodies[0].append(...rows);
}

function missingLast(a, b) {
  return a === "" || b === "" ? (a === "") - (b === "") : null;
}
