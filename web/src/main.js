// Puts the page together.
import { Run } from './data.js';
import { fillHelp, listenToKeys } from './keys.js';
import { Panels } from './panels.js';
import { Player } from './player.js';
import { outcomeOf, summary, warnings } from './summary.js';
import { number } from './text.js';
import { forceTheme, onTheme, startTheme, toggleTheme } from './theme.js';
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

function connectPlayer(player) {
  const scrub = at('scrub'), speed = at('speed');
  speed.replaceChildren(...player.speeds.map((s) => new Option(`×${s >= 0.01 ? s : s.toExponential(0)}`, s)));
  const show = () => {
    scrub.max = player.last;
    scrub.value = player.index;
    scrub.setAttribute('aria-valuetext', `${number(player.time)} s`);
    at('now').textContent = `${number(player.time, 5)} s`;
    at('now').title = `frame ${player.index + 1} of ${player.last + 1}`;
    at('play-icon').setAttribute('d', player.playing ? 'M4 3h3v10H4zM9 3h3v10H9z' : 'M4 2.5v11L13 8z');
    at('play').setAttribute('aria-label', player.playing ? 'pause' : 'play');
    speed.value = player.speed;
    at('follow').setAttribute('aria-pressed', String(player.following));
  };
  player.onChange(show);
  const hold = (action) => () => { player.following = false; player.pause(); action(); show(); };
  scrub.oninput = () => { player.following = false; player.seek(Number(scrub.value)); };
  at('play').onclick = () => { player.following = false; player.toggle(); };
  at('start').onclick = hold(() => player.seek(0));
  at('end').onclick = hold(() => player.seek(player.last));
  at('back').onclick = hold(() => player.seek(player.index - 1));
  at('forth').onclick = hold(() => player.seek(player.index + 1));
  speed.onchange = () => { player.setSpeed(Number(speed.value)); speed.blur(); };
  at('loop').onchange = () => { player.looping = at('loop').checked; };
  at('follow').onclick = () => { player.following = !player.following; if (player.following) player.seek(player.last); show(); };
  show();
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

// Paper is white, shows what is folded, and cannot show what the graphics card holds: the picture is
// copied.
function connectPrinting(panels, view) {
  let folded = [];
  addEventListener('beforeprint', () => {
    forceTheme('light');
    folded = [...document.querySelectorAll('details:not([open])')];
    for (const details of folded) details.open = true;
    if (!view) return;
    view.render();
    const paper = at('paper'), drawing = view.renderer.domElement;
    Object.assign(paper, { width: drawing.width, height: drawing.height });
    paper.getContext('2d').drawImage(drawing, 0, 0);
  });
  addEventListener('afterprint', () => {
    forceTheme(null);
    for (const details of folded) details.open = false;
  });
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
  fillHelp(at('help'));
  const run = Run.fromPage();
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser cannot unpack the data (DecompressionStream); a newer one can');
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
  connectPrinting(panels, view);
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
