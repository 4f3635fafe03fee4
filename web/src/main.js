// Puts the page together.
import { connectPlayer, connectPrinting } from './controls.js';
import { Run, pageHead } from './data.js';
import { fillHelp, listenToKeys } from './keys.js';
import { showOrbits } from './orbits.js';
import { Panels } from './panels.js';
import { Player } from './player.js';
import { outcomeOf, summary, warnings } from './summary.js';
import { onTheme, startTheme, toggleTheme } from './theme.js';
import { Tools } from './tools.js';
import { View } from './view.js';

const FOLLOW_EVERY = 1000; // ms
const FEW_BODIES = 200, LOOKS = 24; // frames at which these are looked at for the picture
const at = (id) => document.getElementById(id);

function fault(text) {
  at('fault').hidden = false;
  at('fault').textContent = text;
}

function showHead(run) {
  const { head } = run;
  document.title = head.title ? `${head.title} – Clack` : 'Clack report';
  at('title').textContent = head.title || head.folder || 'Clack report';
  const state = outcomeOf(head);
  at('badge').textContent = state.replaceAll('_', ' ');
  at('badge').className = state === 'converged' ? 'good' : state === 'going on' ? 'warn' : 'bad';
  warnings(run, at('warnings'));
  summary(run, at('summary'));
}

function connectKeys(player, tools, view) {
  const help = at('help');
  const openHelp = () => (help.open ? help.close() : help.showModal());
  at('help-button').onclick = openHelp;
  const move = (by) => (event) => { player.following = false; player.pause(); player.seek(player.index + by * (event.shiftKey ? 10 : 1)); };
  const actions = { ' ': () => at('play').click(), arrowleft: move(-1), arrowright: move(1), home: () => at('start').click(), end: () => at('end').click(),
    '+': () => player.changeSpeed(1), '=': () => player.changeSpeed(1), '-': () => player.changeSpeed(-1), '?': openHelp, d: toggleTheme,
    l: () => { if (!at('follow').hidden) at('follow').click(); } };
  if (tools) Object.assign(actions, { f: () => tools.cycle('forces'), c: () => tools.cycle('colour'), t: () => tools.cycle('trails'),
    x: () => tools.toggle('through'), j: () => tools.toggle('joints'), e: () => tools.toggle('reactions'), r: () => view.resetCamera(), 1: () => tools.look(0), 2: () => tools.look(1), 3: () => tools.look(2),
    n: () => tools.pickNext(1), p: () => tools.pickNext(-1), escape: () => (help.open ? help.close() : view.pick(-1)) });
  listenToKeys(actions);
}

function followRun(run, player, panels, view) {
  at('follow').hidden = false;
  player.following = true;
  player.seek(player.last);
  const ask = async () => {
    try {
      at('fault').hidden = true;
      const more = await run.follow();
      showHead(run);
      if (more) {
        player.extend(run.frameTimes);
        panels.refresh();
        if (view && view.bodies.picked >= 0) view.updateTrails();
      }
      setTimeout(ask, run.head.summary ? 5 * FOLLOW_EVERY : FOLLOW_EVERY);
    } catch (error) {
      fault(`The server does not answer: ${error.message}. Is "clack view" still running?`);
      setTimeout(ask, 5 * FOLLOW_EVERY);
    }
  };
  setTimeout(ask, FOLLOW_EVERY);
}

// A picture needs WebGL; the plots do not.
async function makeView(run, player) {
  const first = await run.frame(0);
  at('stage').hidden = false;
  document.body.classList.add('world');
  try {
    return new View(run, player, at('view'), first);
  } catch (error) {
    at('stage').hidden = true;
    document.body.classList.remove('world');
    fault(`The bodies cannot be drawn here: ${error.message}`);
    return null;
  }
}

async function start() {
  startTheme();
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser cannot unpack the data (DecompressionStream); a newer one can');
  if (pageHead().kind === 'orbits') return showOrbits();
  fillHelp(at('help'));
  const run = Run.fromPage();
  await run.loadStart();
  const player = new Player(run.frameTimes);
  showHead(run);
  connectPlayer(player);
  const view = run.isWorld ? await makeView(run, player) : null;
  if (view) await view.show();
  const panels = new Panels(run, player, at('plots'));
  const tools = view && new Tools(run, view, player);
  player.onChange((what) => { if (what === 'time' || what === 'length') { view?.show(); panels.moveCursor(); } });
  let pickedBefore = -1;
  view?.onPick((what) => {
    if (what !== 'pick' || view.bodies.picked === pickedBefore) return;
    pickedBefore = view.bodies.picked;
    panels.showBody(pickedBefore, pickedBefore < 0 ? '' : run.bodies.names[pickedBefore]);
  });
  connectKeys(player, tools, view);
  at('theme').onclick = toggleTheme;
  onTheme(() => { view?.changeTheme(); panels.rebuild(); });
  connectPrinting(view);
  if (run.live) followRun(run, player, panels, view);
  window.clack = { run, player, panels, view, tools };
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  if (view && !run.live) await lookAhead(run, player, view);
  document.documentElement.dataset.settled = '1';
}

// What is far from the start comes when the page can be used already.
async function lookAhead(run, player, view) {
  const frame = await run.frame(player.last), frames = [frame];
  if (frame.held) fault(`${frame.held} numbers of the bodies are not finite or too far away; they are drawn where they were last.`);
  // What hangs on joints swings out of the picture and comes back.
  const looks = run.head.joints && run.head.bodies <= FEW_BODIES ? LOOKS : 1;
  for (let i = 1; i < looks; ++i) frames.push(await run.frame(Math.round(i * player.last / looks)));
  view.widenBox(frames);
}

start().catch((error) => { fault(`This report cannot be shown: ${error.message}`); console.error(error); });
