// Live numbers: each element with data-live shows a number of the job that data-job names. One with data-sum goes on from
// what it showed when the page was opened: a crawl counts what it did itself, the page what the job has. Without scripts,
// the page shows what was so when it was opened.
const source = document.querySelector('[data-job]');
if (source) {
  const events = new EventSource(source.dataset.job);
  const wasRunning = source.dataset.running === 'true';
  const shown = (value) => (value === null ? '–' : Number(value).toLocaleString('en', { maximumFractionDigits: 1 }));
  let first;
  events.onmessage = (event) => {
    const numbers = JSON.parse(event.data);
    // It has begun or ended: everything else on the page has changed, too.
    if (numbers.running !== wasRunning) {
      events.close();
      location.reload();
      return;
    }
    if (!numbers.running) return;
    first ??= numbers;
    for (const element of document.querySelectorAll('[data-live]')) {
      const { live, sum } = element.dataset;
      element.textContent = shown(sum === undefined ? numbers[live] : Number(sum) + numbers[live] - first[live]);
    }
  };
}
