// What changes while one looks. Without scripts, a page shows what was so when it was opened.
//
// An element with data-job shows how that job stands: inside of it, each with data-live shows a number, and one with
// data-sum goes on from what it showed when the page was opened: a crawl counts what it did itself, the page what the job
// has. Whole sections come anew from time to time, and are put in the place of the old ones.
const live = document.getElementById('live');
if (live) {
  const events = new EventSource(live.dataset.events);
  const shown = (value) => (value === null ? '–' : Number(value).toLocaleString('en', { maximumFractionDigits: 1 }));
  const first = new Map();
  const places = new Map([...document.querySelectorAll('[data-job]')].map((place) => [place.dataset.job, place]));
  const isTyping = () => [...document.querySelectorAll('input:not([type=hidden])')].some((field) => field.value !== field.defaultValue);

  // A job has begun or ended: everything else on the page has changed, too. What somebody types is not taken away.
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
  // Closed for good means that enough others watch; what is shown is as it was.
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
  events.addEventListener('sections', (event) => {
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const old = document.getElementById(id);
      const fresh = new DOMParser().parseFromString(html, 'text/html').getElementById(id);
      if (old && fresh && !old.contains(document.activeElement)) old.replaceWith(fresh);
    }
  });
}
