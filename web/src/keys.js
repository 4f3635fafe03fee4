// The keyboard, and the page that lists it.
import { element } from './text.js';

const KEYS = [
  ['Space', 'play, pause'], ['← →', 'a frame back, on; with Shift ten'], ['Home, End', 'to the start, to the end'],
  ['+ −', 'faster, slower'], ['F', 'forces: off, chains, arrows'], ['C', 'colour: material, speed'],
  ['T', 'trails: picked body, all, off'], ['J E', 'joints; their reactions'], ['X', 'see through fixed and driven bodies'], ['R', 'camera back to where it was'],
  ['1 2 3', 'look along x, y, z'], ['N P', 'pick the next, the previous body'], ['Esc', 'pick nothing; close this'],
  ['D', 'dark or light'], ['L', 'follow a run that is going on'], ['?', 'these keys'],
];

const MOUSE = 'Mouse: drag turns, right drag or two fingers move, the wheel zooms, a click picks a body. In a plot a click sets the time, a drag zooms, a double click shows all.';

export function fillHelp(dialog, keys = KEYS, mouse = MOUSE) {
  const rows = keys.map(([key, what]) => element('tr', {}, element('th', {}, ...key.split(' ').flatMap((k) => [element('kbd', {}, k), ' '])), element('td', {}, what)));
  const close = element('button', { type: 'button' }, 'Close');
  close.onclick = () => dialog.close();
  dialog.replaceChildren(element('h2', {}, 'Keys'), element('table', {}, element('tbody', {}, ...rows)),
    element('p', {}, mouse), close);
}

// actions: by name of the key as the browser gives it, in lower case.
export function listenToKeys(actions) {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tagName, type } = event.target;
    if (tagName === 'SELECT' || tagName === 'TEXTAREA' || (tagName === 'INPUT' && type !== 'range' && type !== 'checkbox')) return;
    if ((event.key === ' ' || event.key === 'Enter') && (tagName === 'BUTTON' || tagName === 'SUMMARY' || type === 'checkbox')) return;
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
