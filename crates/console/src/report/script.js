// Tables sort by a click on a head; values come from data-value, else from the text.
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent.trim();
  };
  const sort = (column) => {
    const head = heads[column];
    const numeric = head.classList.contains('number');
    // Numbers start with the greatest, names with the first.
    const was = head.getAttribute('aria-sort');
    const descending = was ? was === 'ascending' : numeric;
    heads.forEach((other) => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const [x, y] = [value(a, column), value(b, column)];
      const order = numeric ? Number(x) - Number(y) : x.localeCompare(y);
      return descending ? -order : order;
    });
    table.tBodies[0].append(...rows);
  };
  heads.forEach((head, column) => head.querySelector('button')?.addEventListener('click', () => sort(column)));
}
// One page open at a time is easier to follow; all of them for printing and searching.
for (const button of document.querySelectorAll('button.unfold')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const samples = [...document.querySelectorAll('details.sample')];
    const open = samples.some((sample) => !sample.open);
    samples.forEach((sample) => { sample.open = open; });
    button.textContent = open ? 'Fold all pages' : 'Unfold all pages';
  });
}
