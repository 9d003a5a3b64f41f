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

  /** What is drawn over the colour of a bar: nothing over what is good, and over a column whose colour says nothing. */
  const PATTERNS = {
    good: null,
    bad(context) {
      // Stripes. The corners continue those of the next tile.
      [[0, 8, 8, 0], [-1, 1, 1, -1], [7, 9, 9, 7]].forEach(([x, y, endX, endY]) => {
        context.moveTo(x, y);
        context.lineTo(endX, endY);
      });
      context.stroke();
    },
    wait(context) {
      context.arc(4, 4, 1.75, 0, 2 * Math.PI);
      context.fill();
    },
    plain(context) {
      context.moveTo(0, 4);
      context.lineTo(8, 4);
      context.stroke();
    },
  };

  /** Leaves so many days out that their names fit, and never the last one, which mostly is today. */
  function thinOut(scale) {
    const most = Math.max(2, Math.floor(scale.chart.width / 88));
    const { ticks } = scale;
    const step = Math.ceil(ticks.length / most);
    scale.ticks = ticks.filter((_, index) => (ticks.length - 1 - index) % step === 0);
  }

  function seriesOf(table) {
    const heads = [...table.tHead.rows[0].cells].slice(1);
    const rows = [...table.tBodies[0].rows];
    const series = heads.map((head, index) => ({
      name: head.textContent,
      tone: head.dataset.walletTone,
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
    // A variable is text, such as light-dark(...); the canvas needs the colour that it comes to.
    const probe = document.createElement("span");
    figure.append(probe);
    const read = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const found = {
      series: [1, 2, 3, 4, 5].map((number) => read(`--wallet-series-${number}`)),
      tones: Object.fromEntries(Object.keys(PATTERNS).map((tone) => [tone, read(`--wallet-tone-${tone}`)])),
      text: read("--wallet-chart-text"),
      grid: read("--wallet-grid"),
      ground: read("--wallet-chart-ground"),
    };
    probe.remove();
    return found;
  }

  /** Fills a bar with its colour, and with the pattern of what it says: nobody must know the colours. */
  function fillOf(tone, colour, ground) {
    const drawPattern = PATTERNS[tone];
    if (!drawPattern) {
      return colour;
    }
    const tile = document.createElement("canvas");
    tile.width = 8;
    tile.height = 8;
    const context = tile.getContext("2d");
    context.fillStyle = colour;
    context.fillRect(0, 0, 8, 8);
    context.fillStyle = ground;
    context.strokeStyle = ground;
    context.lineWidth = 1.5;
    context.beginPath();
    drawPattern(context);
    return context.createPattern(tile, "repeat");
  }

  function datasetOf(part, kind, paint) {
    const { index } = part;
    const isBar = kind.bars ? kind.bars.includes(index) : kind.type === "bar";
    const colour = paint.tones[part.tone] || paint.series[index];
    return {
      type: isBar ? "bar" : "line",
      label: part.name,
      data: part.values,
      texts: part.texts,
      backgroundColor: isBar ? fillOf(part.tone, colour, paint.ground) : colour,
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
        afterBuildTicks: thinOut,
        ticks: { color: paint.text, maxRotation: 0, autoSkip: false },
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
        // From right to left the last day is at the left edge, where Chart.js keeps no room for half of its name.
        layout: { padding: { left: isRtl ? 32 : 0 } },
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

  let drawn = [];

  function redraw() {
    drawn.forEach((chart) => chart.destroy());
    drawn = [...document.querySelectorAll("[data-wallet-chart]")].map(draw);
  }

  redraw();
  // The figures come after the page, see figures_later.js.
  document.addEventListener("wallet:figures", redraw);

  // The admin's switch sets an attribute, each admin its own; without it the system decides.
  const themes = ["class", "data-theme", "data-bs-theme"];
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: themes });
  ["(prefers-color-scheme: dark)", "(forced-colors: active)"].forEach((query) => {
    matchMedia(query).addEventListener("change", redraw);
  });
})();
