// The page of periodic orbits in a real browser: node orbits_test.mjs, as report_test.mjs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as scenes from './scenes.mjs';
import { closeBrowser, folder, open, program, skipWithoutBrowser } from './support.mjs';

skipWithoutBrowser();
after(closeBrowser);

function makePage(name, command, scene, options) {
  const file = join(folder, `${name}.yaml`), out = join(folder, name);
  writeFileSync(file, scene);
  execFileSync(program, [command, file, ...options, '-o', out], { encoding: 'utf8', stdio: 'pipe' });
  return join(out, 'report.html');
}
const forced = ['--period', '2*pi/W', '--settle', '60'];
const branch = makePage('branch', 'continue', scenes.stop, [...forced, '--over', 'parameters.W=2.5:2.8', '--double']);

async function expectQuiet(page) {
  assert.deepEqual(page.faults, []);
  assert.equal(page.fault, '');
  assert.deepEqual(page.asked, []);
}
const chosen = (page) => page.evaluate(() => clack.orbits.chosen);
const finite = (page) => page.evaluate(() => [...document.querySelectorAll('#plots path')].every((p) => !/NaN|Infinity/.test(p.getAttribute('d'))));

test('a branch opens with its curves, stable and unstable, and its special points named', async () => {
  const page = await open(branch);
  await expectQuiet(page);
  assert.ok(await finite(page));
  assert.ok((await page.locator('.branch .curve[data-stable="1"]').count()) > 0);
  assert.match(await page.locator('.branch .curve[data-stable="0"]').first().getAttribute('stroke-dasharray'), /\d/);
  const marks = await page.locator('.branch-box .mark').evaluateAll((list) => list.map((m) => m.dataset.kind));
  assert.ok(marks.includes('period-doubling') && marks.includes('end'), `${marks}`);
  assert.ok((await page.locator('.branch-box .name').allTextContents()).includes('period-doubling'));
  await page.context().close();
});

test('a click chooses the orbit there: its motion plays, with its own multipliers', async () => {
  const page = await open(branch);
  const words = () => page.locator('.circle').textContent();
  const before = await words(), box = await page.locator('.branch-box svg').boundingBox();
  assert.equal(await chosen(page), 0);
  const wanted = await page.evaluate(() => { const o = clack.orbits, k = o.list[Math.floor(o.list.length / 3)], c = clack.panels.chart;
    return { k, x: c.toX(o.points.x[k]), y: c.toY(c.ways[0].curves[1][k]) }; });
  await page.mouse.click(box.x + wanted.x, box.y + wanted.y);
  assert.equal(await chosen(page), wanted.k);
  assert.notEqual(await words(), before);
  const shown = await page.evaluate(() => ({ T: clack.player.times.at(-1), W: clack.orbits.points.parameter[clack.orbits.chosen], playing: clack.player.playing }));
  assert.ok(Math.abs(shown.T - 2 * Math.PI / shown.W) < 1e-9, 'one period is played');
  assert.ok(shown.playing);
  await page.waitForFunction(() => clack.player.index > 3);
  // Impacts multiply areas in phase space by e^2 = 0.64, damping by exp(-0.1 T).
  const [[a, b], [c, d]] = await page.evaluate(() => clack.orbits.multipliers(clack.orbits.chosen));
  const area = a * c - b * d;
  assert.ok(Math.abs(area - 0.64 * Math.exp(-0.1 * shown.T)) < 1e-7, `product of the multipliers ${area}`);
  assert.equal(await page.locator('.multiplier').count(), 2);
  await expectQuiet(page);
  await page.context().close();
});

test('arrows step along the branch, N goes to the next marked point', async () => {
  const page = await open(branch);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await chosen(page), 1);
  await page.keyboard.press('n');
  assert.match(await page.locator('.facts h3').textContent(), /period-doubling/);
  await page.click('button[title^="the next orbit"]');
  assert.match(await page.locator('.facts .state').textContent(), /unstable/);
  await page.click('#theme');
  await expectQuiet(page);
  await page.context().close();
});

test('a family shows modes only, over frequency, and the wall in the portrait', async () => {
  const page = await open(makePage('family', 'modes', scenes.masses, ['--impacts', '3.2:10.5:100']));
  await expectQuiet(page);
  assert.ok(await finite(page));
  assert.match(await page.textContent('#warnings'), /\d+ solutions that are not admissible/);
  const found = await page.evaluate(() => { const { t, q } = clack.panels.motion, { x, period } = clack.orbits.points; return { frequency: x[0] * period[0], rows: t.length, q: q.length, walls: clack.panels.motion.walls }; });
  assert.ok(Math.abs(found.frequency - 1) < 1e-12);
  assert.equal(found.q, 2);
  assert.deepEqual(found.walls, [[1, 1, -1, 'stop']]);
  // Above the wall of the second coordinate the portrait is shaded, below it is not.
  await page.selectOption('.phase-box >> xpath=.. >> select', '1');
  const shades = await page.evaluate(() => { const p = clack.panels.phase, c = p.canvas.getContext('2d'), r = devicePixelRatio;
    return [1, -1].map((side) => c.getImageData((p.toX(1) + 5 * side) * r, 11 * r, 1, 1).data[3]); });
  assert.ok(shades[0] > 50 && shades[1] < 50, `${shades}`);
  await page.context().close();
});

test('one orbit has a page without a branch; nothing is wider than a phone', async () => {
  const page = await open(makePage('orbit', 'orbit', scenes.stop, ['--period', '2*pi/1.6', '--settle', '60']), { viewport: { width: 360, height: 740 } });
  await expectQuiet(page);
  assert.equal(await page.locator('.branch').count(), 0);
  assert.match(await page.textContent('.facts'), /impact stop/);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  await page.context().close();
  const narrow = await open(branch, { viewport: { width: 360, height: 740 } });
  assert.ok((await narrow.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  await expectQuiet(narrow);
  await narrow.context().close();
});
