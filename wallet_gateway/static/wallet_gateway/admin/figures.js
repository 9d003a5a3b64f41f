// Draws each figure of the dashboard from its own table, so that chart and table cannot differ. Without this script
// the tables are there all the same. Colours are the page's, and follow it from light to dark.

"use strict";

(() => {
  /** What each kind of chart is made of: the type of its series, whether they are stacked, which have an axis of their own. */
  const KINDS = {
    bar: { type: "bar" },
    line: { type: "line" },
    stacked: { type: "bar", stacked: true },
    mixed: { type: "line", bars: [2, 3, 4] },
  };

  function seriesOf(table) {
    const names = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
    const rows = [...table.tBodies[0].rows];
    const series = names.map((name, index) => ({
      name,
      index,
      // Numbers for pixels alone: what a person reads is the text of the table.
      values: rows.map((row) => {
        const { value } = row.cells[index + 1].dataset;
        return value ? Number(value) : null;
      }),
      texts: rows.map((row) => row.cells[index + 1].textContent),
    }));
    // What never was takes no room beside what was.
    const seen = series.filter((part) => part.values.some(Boolean));
    return { labels: rows.map((row) => row.cells[0].textContent), series: seen.length ? seen : series };
  }

  function colours(figure) {
    const style = getComputedStyle(figure);
    const read = (name) => style.getPropertyValue(name).trim();
    return {
      series: [1, 2, 3, 4, 5].map((number) => read(`--wallet-series-${number}`)),
      text: read("--body-quiet-color"),
      grid: read("--wallet-grid"),
      ground: read("--body-bg"),
    };
  }

  function datasetOf(part, kind, paint) {
    const { index } = part;
    const isBar = kind.bars ? kind.bars.includes(index) : kind.type === "bar";
    const colour = paint.series[index];
    return {
      type: isBar ? "bar" : "line",
      label: part.name,
      data: part.values,
      texts: part.texts,
      backgroundColor: colour,
      borderColor: colour,
      borderWidth: isBar ? 0 : 2,
      borderRadius: isBar ? 3 : 0,
      borderDash: isBar || index === 0 ? [] : [6, 3],
      pointRadius: 2,
      pointHoverRadius: 5,
      spanGaps: true,
      yAxisID: kind.bars && isBar ? "count" : "y",
      order: isBar ? 2 : 1,
    };
  }

  function axes(figure, kind, paint, isRtl) {
    const numbers = new Intl.NumberFormat(document.documentElement.lang || undefined, { notation: "compact" });
    const ticks = { color: paint.text, callback: (value) => numbers.format(value), maxTicksLimit: 6 };
    const upright = (position, grid) => ({
      beginAtZero: true,
      stacked: Boolean(kind.stacked),
      position,
      grid: { color: paint.grid, drawOnChartArea: grid },
      border: { display: false },
      ticks,
      suggestedMax: figure.dataset.walletUnit === "%" ? 100 : undefined,
    });
    const [near, far] = isRtl ? ["right", "left"] : ["left", "right"];
    const found = {
      x: {
        reverse: isRtl,
        stacked: Boolean(kind.stacked),
        grid: { display: false },
        border: { color: paint.grid },
        ticks: { color: paint.text, maxRotation: 0, autoSkip: true, autoSkipPadding: 16 },
      },
      y: upright(near, true),
    };
    return kind.bars ? { ...found, count: upright(far, false) } : found;
  }

  function draw(figure) {
    const kind = KINDS[figure.dataset.walletChart];
    const paint = colours(figure);
    const isRtl = document.documentElement.dir === "rtl";
    const { labels, series } = seriesOf(figure.querySelector("table"));
    const canvas = figure.querySelector("canvas");
    const mustStandStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    return new window.Chart(canvas, {
      type: kind.type,
      data: { labels, datasets: series.map((part) => datasetOf(part, kind, paint)) },
      options: {
        maintainAspectRatio: false,
        animation: mustStandStill ? false : { duration: 250 },
        interaction: { mode: "index", intersect: false },
        font: { family: getComputedStyle(document.body).fontFamily },
        plugins: {
          legend: {
            rtl: isRtl,
            position: "bottom",
            labels: { color: paint.text, usePointStyle: true, boxWidth: 8, boxHeight: 8 },
          },
          tooltip: {
            rtl: isRtl,
            callbacks: { label: (item) => `${item.dataset.label}: ${item.dataset.texts[item.dataIndex]}` },
          },
        },
        scales: axes(figure, kind, paint, isRtl),
      },
    });
  }

  const figures = [...document.querySelectorAll("[data-wallet-chart]")];
  let drawn = figures.map(draw);

  function redraw() {
    drawn.forEach((chart) => chart.destroy());
    drawn = figures.map(draw);
  }

  // The admin's switch sets the attribute; without it the system decides.
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
