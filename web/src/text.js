// Numbers in words.
export function number(x, digits = 4) {
  if (x === null || x === undefined) return '–';
  if (!Number.isFinite(x)) return Number.isNaN(x) ? '–' : x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, 'e') : String(Number(x.toPrecision(digits)));
  return text.replaceAll('-', '−').replace('e+', 'e');
}

export function megabytes(bytes) { return `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)} MB`; }

export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'class') node.className = value;
    else if (key === 'style') node.style.cssText = value;
    else if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}
export const swatch = (colour) => element('span', { class: 'swatch', style: `background:${colour}` });

// 1, 2 or 5 times a power of ten, at least `least`.
export function niceStep(least) {
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least * (1 - 1e-9)) ?? 10 * power;
}
// Multiples of a step between two numbers; few, whatever the numbers are.
export function ticks(low, high, step) {
  const first = Math.ceil(low / step - 1e-9), count = Math.min(50, Math.floor(high / step + 1e-9) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
