// A click on a header sorts its table. The value of a cell is its data-value, or else its text.
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value ?? cell.textContent.trim();
  };
  const sort = (column) => {
    const head = heads[column];
    const numeric = head.classList.contains('number');
    // Numbers are sorted in descending order first, texts in ascending order.
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
// This button unfolds all sample pages, for printing and searching.
for (const button of document.querySelectorAll('button.unfold')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const samples = [...document.querySelectorAll('details.sample')];
    const open = samples.some((sample) => !sample.open);
    samples.forEach((sample) => { sample.open = open; });
    button.textContent = open ? 'Fold all pages' : 'Unfold all pages';
  });
}

// Live updates. Without scripts, a page shows the state when it was opened.
//
// An element with data-job shows the state of that job. Inside it, an element with data-live shows a number of the
// running process; with data-sum, the number of the whole job when the page was opened, it shows that plus what the
// process has counted since. Elements with data-renewed are replaced from time to time by those of the page loaded
// again.
const live = document.getElementById('live');
if (live?.dataset.events) {
  const events = new EventSource(live.dataset.events);
  const shown = (value) => (value === null ? '–' : Number(value).toLocaleString('en', { maximumFractionDigits: 1 }));
  const first = new Map();
  const places = new Map([...document.querySelectorAll('[data-job]')].map((place) => [place.dataset.job, place]));
  const isTyping = () => [...document.querySelectorAll('input:not([type=hidden])')].some((field) => field.value !== field.defaultValue);

  // A job has started or ended, so the whole page is loaded again, unless the user is typing.
  const changed = () => {
    events.close();
    if (isTyping()) document.getElementById('changed').hidden = false;
    else location.reload();
  };
  const show = (place, numbers) => {
    if (!first.has(numbers.job)) first.set(numbers.job, numbers);
    const began = first.get(numbers.job);
    for (const element of place.querySelectorAll('[data-live]')) {
      const { live, sum } = element.dataset;
      element.textContent = shown(sum === undefined ? numbers[live] : Number(sum) + numbers[live] - began[live]);
    }
  };
  events.onopen = () => { document.getElementById('away').hidden = true; };
  // The server closes the stream for good (204) if too many pages have live numbers; this one keeps its numbers.
  events.onerror = () => { document.getElementById('away').hidden = events.readyState === EventSource.CLOSED; };
  events.onmessage = (event) => {
    const jobs = JSON.parse(event.data);
    if (live.dataset.all !== undefined && jobs.some(({ job }) => !places.has(job))) return changed();
    for (const numbers of jobs) {
      const place = places.get(numbers.job);
      if (place && numbers.running !== (place.dataset.running === 'true')) return changed();
      if (place && numbers.running) show(place, numbers);
    }
  };
}
if (live?.dataset.renew) {
  const renew = async () => {
    try {
      const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html');
      for (const old of document.querySelectorAll('[data-renewed]')) {
        const fresh = page.getElementById(old.id);
        if (fresh && !old.contains(document.activeElement)) old.replaceWith(fresh);
      }
      document.getElementById('away').hidden = true;
    } catch {
      document.getElementById('away').hidden = false;
    }
    setTimeout(renew, 1000 * live.dataset.renew);
  };
  setTimeout(renew, 1000 * live.dataset.renew);
}
