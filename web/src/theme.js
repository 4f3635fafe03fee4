// Light or dark: as the system says, until the button says otherwise.
const listeners = [];
let forced = null; // while printing

function system() { return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'; }
function stored() { try { return localStorage.getItem('clack-theme'); } catch { return null; } }
export function theme() { return forced ?? document.documentElement.dataset.chosen ?? system(); }

function apply() {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener(theme());
}

export function toggleTheme() {
  document.documentElement.dataset.chosen = theme() === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('clack-theme', theme()); } catch { /* a page from disk may have no storage */ }
  apply();
}
export function forceTheme(name) { forced = name; apply(); }
export function onTheme(listener) { listeners.push(listener); }

export function startTheme() {
  const chosen = stored();
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.chosen = chosen;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
  apply();
}
