// "/" moves to the search field, the focus survives a change, and the page of the status draws its chart. All else works
// without scripts.
'use strict';

document.addEventListener('keydown', (event) => {
  const field = document.getElementById('q');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || !field) return;
  if (event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  field.focus();
});

// A change may remove the button that had the focus.
document.addEventListener('htmx:after:settle', () => {
  if (document.activeElement !== document.body) return;
  (document.querySelector('#toast button') ?? document.getElementById('main')).focus();
});

function drawGrowth(element) {
  if (!window.uPlot) return;
  const points = JSON.parse(element.dataset.points);
  const accent = getComputedStyle(element).color;
  const dim = getComputedStyle(document.querySelector('summary')).color;
  const grid = { stroke: dim, width: 0.2 };
  const axis = { stroke: dim, grid, ticks: grid };
  const years = points[0].at(-1) - points[0][0] > 400 * 86400;
  const date = new Intl.DateTimeFormat(undefined, years ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' });
  const dates = { ...axis, space: 80, values: (u, times) => times.map((t) => date.format(t * 1000)) };
  const chart = new uPlot({
    width: element.clientWidth,
    height: 260,
    legend: { live: false },
    cursor: { drag: { x: false, y: false } },
    scales: { recorded: { range: (u, low, high) => [0, Math.max(high, 1) * 1.1] }, all: { range: (u, low, high) => [0, Math.max(high, 1) * 1.1] } },
    series: [
      {},
      { label: 'Recorded by ' + element.dataset.unit, scale: 'recorded', fill: accent, stroke: accent, width: 0, paths: uPlot.paths.bars({ size: [0.7] }), points: { show: false } },
      { label: 'In all', scale: 'all', stroke: dim, width: 2, points: { show: false } },
    ],
    axes: [dates, { ...axis, scale: 'recorded' }, { ...axis, scale: 'all', side: 1, grid: { show: false } }],
  }, points, element);
  new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 260 })).observe(element);
}

document.querySelectorAll('.growth').forEach(drawGrowth);
