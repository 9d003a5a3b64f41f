"""How well text stands out: its colour against everything that may lie below it, as WCAG computes it."""

from __future__ import annotations

from typing import Final

RATIOS: Final = """
((element) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const GRADIENT = /rgba?\\([^)]*\\)/g;
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const luminance = (c) => {
    const [r, g, b] = c.map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = (element) => {
    if (!element) return [[255, 255, 255, 1]];
    const style = getComputedStyle(element);
    const below = grounds(element.parentElement);
    const colour = rgba(style.backgroundColor);
    const plain = colour[3] ? below.map((ground) => over(colour, ground)) : below;
    const stops = style.backgroundImage.match(GRADIENT) || [];
    return stops.length ? stops.flatMap((s) => plain.map((ground) => over(rgba(s), ground))) : plain;
  };
  return grounds(element).map((ground) => {
    const pair = [luminance(over(rgba(getComputedStyle(element).color), ground)), luminance(ground)];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
})
"""
"""A script's function: the ratios of an element's text to each ground below it, gradients by their stops."""
