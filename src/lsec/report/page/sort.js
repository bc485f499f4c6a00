// A click on a heading sorts the rows of its table; a second click turns the order round.
// Entries without a number stay last.
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
  rows.sort((a, b) => compare(key(a), key(b), turn));
  table.tBodies[0].append(...rows);
}

function compare(a, b, turn) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const difference = Number(a) - Number(b);
  return turn * (Number.isNaN(difference) ? a.localeCompare(b) : difference);
}
