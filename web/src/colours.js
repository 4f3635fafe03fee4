// Colours that colour-blind people can tell apart: Okabe and Ito (2008), and after cividis, without
// its darkest part, for numbers.

export const okabeIto = {
  black: '#000000', orange: '#E69F00', sky: '#56B4E9', green: '#009E73', yellow: '#F0E442',
  blue: '#0072B2', vermillion: '#D55E00', purple: '#CC79A7', grey: '#8a8f98',
};

// Lines: dark enough for white paper, light enough for a dark screen.
const lineNames = ['blue', 'vermillion', 'green', 'purple', 'orange', 'sky', 'grey'];
export function lineColour(i) { return okabeIto[lineNames[i % lineNames.length]]; }
export function lineDash(i) { return [[], [6, 3], [2, 3]][Math.floor(i / lineNames.length) % 3]; }

export const statusNames = ['open', 'separating', 'sticking', 'sliding', 'bilateral'];
export const statusColours = [okabeIto.grey, okabeIto.sky, okabeIto.blue, okabeIto.vermillion, okabeIto.purple];

export const reactionColour = okabeIto.green; // none of those of contacts

export const materialColours = ['#d9b26f', '#7fb3d5', '#6dbf9e', '#d89ab8', '#e3c04f', '#c9825b', '#9aa4b2'];

const cividis = ['#2c4f8f', '#3b496c', '#575d6d', '#707173', '#8a8678', '#a59c74', '#c3b369', '#e1cc55', '#fee838'];
function parse(hex) { return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255); }
const stops = cividis.map(parse);
export function scaleColour(x, out) {
  const at = Math.max(0, Math.min(1, x)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(at)), f = at - i;
  for (let k = 0; k < 3; ++k) out[k] = stops[i][k] * (1 - f) + stops[i + 1][k] * f;
  return out;
}
export const scaleCss = `linear-gradient(to right, ${cividis.join(', ')})`;

export function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
