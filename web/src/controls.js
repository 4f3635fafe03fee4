// What all pages have: the buttons of the player, and how they are printed.
import { number } from './text.js';
import { forceTheme } from './theme.js';

const at = (id) => document.getElementById(id);

export function connectPlayer(player) {
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

// Paper is white, shows what is folded, and cannot show what the graphics card holds: the picture is
// copied.
export function connectPrinting(view) {
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
