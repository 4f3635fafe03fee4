// The report in a real browser: node report_test.mjs, with CLACK_PROGRAM and NODE_PATH set.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { get } from 'node:http';
import { after, test } from 'node:test';
import * as scenes from './scenes.mjs';
import { closeBrowser, drawn, look, makeReport, makeRun, open, skipWithoutBrowser, startProgram } from './support.mjs';

skipWithoutBrowser();
after(closeBrowser);

const fall = makeReport('fall', scenes.fall);
// Moreau's scheme moves by the velocity of the end of the step: z_k = z_0 - g h^2 k (k + 1)/2.
const ballAt = (k, h = 0.01) => [-0.4 + scenes.SPEED * h * k, 0, scenes.HEIGHT - scenes.GRAVITY * h * h * k * (k + 1) / 2];
const isSand = (r, g, b) => r > 40 && r - b > 0.3 * r && g > b; // the first material, in light and in shade
const seek = async (page, k) => { await page.evaluate((j) => clack.player.seek(j), k); await drawn(page); };

async function expectQuiet(page) {
  assert.deepEqual(page.faults, []);
  assert.equal(page.fault, '');
}

test('a page of bodies loads from disk without a fault and without the network', async () => {
  const page = await open(fall.page);
  await expectQuiet(page);
  assert.deepEqual(page.asked, []);
  assert.match(await page.textContent('#title'), /Falling <ball> & "floor" <\/script>/);
  assert.equal(await page.textContent('#badge'), 'converged');
  assert.equal(fall.bytes, statSync(fall.page).size);
  assert.ok((await page.textContent('#summary')).includes('MB of at most 15'));
  await page.context().close();
});

test('the ball is drawn where it is, at two times', async () => {
  const page = await open(fall.page);
  await page.evaluate(() => { clack.view.bodies.picked = -1; clack.tools.look(1); });
  for (const k of [5, 40]) {
    await seek(page, k);
    const [x, y] = await page.evaluate((p) => clack.view.project(...p), ballAt(k));
    const [, top] = await page.evaluate(() => clack.view.project(0.8, 0, 0.5)); // of the stone: it has the same colour
    const found = await look(page, isSand, top);
    assert.ok(found.n > 100, `frame ${k}: ${found.n} pixels of the ball`);
    assert.ok(Math.hypot(found.x - x, found.y - y) < 4, `frame ${k}: seen at ${found.x}, ${found.y}, expected at ${x}, ${y}`);
  }
  await page.context().close();
});

test('keys play, pause, step, jump and show help', async () => {
  const page = await open(fall.page);
  const index = () => page.evaluate(() => clack.player.index);
  await page.keyboard.press('ArrowRight');
  assert.equal(await index(), 1);
  await page.keyboard.press('Shift+ArrowRight');
  assert.equal(await index(), 11);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await index(), 10);
  await page.keyboard.press('End');
  assert.equal(await index(), 150);
  await page.keyboard.press('Home');
  assert.equal(await index(), 0);
  await page.keyboard.press(' ');
  await page.waitForFunction(() => clack.player.index > 5);
  await page.keyboard.press(' ');
  const stopped = await index();
  await page.waitForTimeout(150);
  assert.equal(await index(), stopped);
  await page.keyboard.press('?');
  assert.ok(await page.isVisible('#help'));
  await page.keyboard.press('Escape');
  assert.ok(!(await page.isVisible('#help')));
  const speed = await page.evaluate(() => clack.player.speed);
  await page.keyboard.press('-');
  assert.ok((await page.evaluate(() => clack.player.speed)) < speed);
  await expectQuiet(page);
  await page.context().close();
});

test('scrubbing moves bodies, plots and clock together; a click in a plot sets the time', async () => {
  const page = await open(fall.page);
  const left = () => page.evaluate(() => new DOMMatrix(getComputedStyle(document.querySelector('.cursor')).transform).m41);
  const before = await left();
  await page.fill('#scrub', '75');
  await drawn(page);
  assert.equal(await page.textContent('#now'), '0.75 s');
  assert.ok((await left()) > before + 50);
  const box = await page.locator('#plots .u-over').first().boundingBox();
  await page.mouse.click(box.x + box.width / 3, box.y + box.height / 2);
  const t = await page.evaluate(() => clack.player.time);
  assert.ok(Math.abs(t - 0.5) < 0.06, `the click went to ${t} s`);
  await page.context().close();
});

test('a click on the ball picks it and says name, shape, position, velocity and contacts', async () => {
  const page = await open(fall.page);
  await seek(page, 20);
  const [x, y] = await page.evaluate((p) => clack.view.project(...p), ballAt(20));
  const box = await page.locator('#view').boundingBox();
  await page.mouse.click(box.x + x, box.y + y);
  await page.waitForFunction(() => clack.view.bodies.picked >= 0 && !document.getElementById('picked').hidden);
  const words = await page.textContent('#picked');
  assert.match(words, /^×ball/);
  assert.match(words, /sphere, radius 0.2 m/);
  assert.match(words, /free, stone/);
  assert.match(words, /no contacts/);
  const shown = await page.evaluate(() => { const f = clack.view.frame, i = clack.view.bodies.picked;
    return { z: f.position[2 * f.n + i] * f.step, vz: f.velocity[2 * f.n + i] * f.velocityStep, step: f.step, vstep: f.velocityStep }; });
  assert.ok(Math.abs(shown.z - ballAt(20)[2]) <= shown.step / 2 * 1.001);
  assert.ok(Math.abs(shown.vz + scenes.GRAVITY * 0.2) <= shown.vstep / 2 * 1.001);
  assert.equal(await page.locator('#plots h3').first().textContent(), 'ball: position');
  await page.keyboard.press('End');
  await page.waitForFunction(() => /floor: sticking/.test(document.getElementById('picked').textContent));
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.getElementById('picked').hidden);
  await expectQuiet(page);
  await page.context().close();
});

test('forces are drawn in the colour of their status when asked for, and only then', async () => {
  const page = await open(fall.page);
  await page.keyboard.press('End');
  const blue = (r, g, b) => b > 140 && r < 60 && g < 140; // sticking
  assert.equal((await look(page, blue)).n, 0);
  for (const mode of ['chains', 'arrows']) {
    await page.keyboard.press('f');
    await page.waitForFunction((m) => clack.view.contacts.mode === m && clack.view.shownContacts, mode);
    assert.ok((await look(page, blue)).n > 20, mode);
    assert.match(await page.textContent('#legend'), /sticking.*sliding/);
  }
  await page.context().close();
});

test('light and dark follow the system and the button', async () => {
  const brightness = async (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0));
  for (const [scheme, dark] of [['dark', true], ['light', false]]) {
    const page = await open(fall.page, { colorScheme: scheme });
    assert.equal((await brightness(page)) < 200, dark);
    assert.equal((await look(page, (r, g, b) => r + g + b < 300)).share > 0.5, dark);
    await page.click('#theme');
    assert.equal((await brightness(page)) < 200, !dark);
    await expectQuiet(page);
    await page.context().close();
  }
});

test('on a phone nothing is wider than the screen and the stage has room', async () => {
  const page = await open(fall.page, { viewport: { width: 360, height: 740 }, hasTouch: true });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  const stage = await page.locator('#stage').boundingBox(), play = await page.locator('#play').boundingBox();
  assert.ok(stage.height > 300 && stage.width === 360);
  assert.ok(play.y + play.height <= 740, 'the player is on the first screen');
  await expectQuiet(page);
  await page.context().close();
});

test('in print there are picture, plots and summary, in light colours, without controls', async () => {
  const page = await open(fall.page, { colorScheme: 'dark' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  for (const gone of ['#player', '#tools', '#theme']) assert.ok(!(await page.isVisible(gone)), gone);
  for (const there of ['#stage', '#plots', '#summary']) assert.ok(await page.isVisible(there), there);
  const cards = await page.evaluate(() => [...document.querySelectorAll('.card')].every((card) => [...card.querySelectorAll('canvas')].every((c) => c.getBoundingClientRect().width <= card.clientWidth)));
  assert.ok(cards, 'plots are not wider than their cards');
  const paper = await page.evaluate(() => Array.from(document.getElementById('paper').getContext('2d').getImageData(2, 2, 1, 1).data));
  assert.ok(paper[0] > 200 && paper[3] === 255, `the picture is light: ${paper}`);
  assert.ok(await page.isVisible('#summary pre'), 'the scene is printed');
  const pdf = await page.pdf({ format: 'A4' });
  assert.ok(pdf.length > 20000);
  await page.context().close();
});

for (const name of ['shapes', 'plane']) {
  test(`all shapes of ${name === 'plane' ? 'the plane' : 'space'} are drawn, those that come and go in their time`, async () => {
    const report = makeReport(name, scenes[name]);
    const page = await open(report.page);
    await expectQuiet(page);
    const surfaces = await page.evaluate(() => clack.view.bodies.geometries.every((g) => g.radius > 0 && (g.solid || g.lines)));
    assert.ok(surfaces);
    for (const mode of ['chains', 'arrows']) { await page.evaluate((m) => clack.tools.setForces(m), mode); await seek(page, 3); await seek(page, 19); }
    if (name === 'shapes') {
      const width = (k) => page.evaluate(async (j) => { clack.player.seek(j); await clack.view.show();
        const slot = clack.view.bodies.round.bodies.indexOf(clack.run.bodies.names.indexOf('late'));
        return clack.view.bodies.round.instanceMatrix.array.slice(16 * slot, 16 * slot + 3).reduce((s, v) => s + Math.abs(v), 0); }, k);
      assert.equal(await width(0), 0); // t = 0
      assert.ok((await width(8)) > 0); // t = 0.2
      assert.equal(await width(16), 0); // t = 0.4
      const x = await page.evaluate(async () => { clack.player.seek(20); await clack.view.show();
        return clack.view.place(clack.view.frame, clack.run.bodies.names.indexOf('sphere'), new clack.view.camera.position.constructor()).x; });
      assert.ok(Math.abs(x - (7.5 - 6)) < 1e-3, `7.5 m are 1.5 m in the periodic cell, not ${x}`);
    } else {
      assert.ok(await page.evaluate(() => clack.view.camera.isOrthographicCamera));
    }
    await page.keyboard.press('n');
    await page.waitForFunction(() => !document.getElementById('picked').hidden);
    await expectQuiet(page);
    await page.context().close();
  });
}

const isMetal = (r, g, b) => Math.abs(r - 0x39) < 6 && Math.abs(g - 0x42) < 6 && Math.abs(b - 0x4f) < 6; // --joint in light
const isReaction = (r, g, b) => r < 80 && g > 140 && b > 90 && b < 160;

test('a joint is drawn at its place as it moves with its body, and only while it is wanted', async () => {
  const page = await open(makeReport('hanging', scenes.hanging('cart, weight')).page);
  await expectQuiet(page);
  for (const k of [0, 80]) {
    await seek(page, k);
    const [x, y] = await page.evaluate((p) => clack.view.project(...p), [0.3 + 0.005 * k, 0, 0]);
    const found = await look(page, isMetal);
    assert.ok(found.n > 60, `frame ${k}: ${found.n} pixels of the pin`);
    assert.ok(Math.hypot(found.x - x, found.y - y) < 1.5, `frame ${k}: seen at ${found.x}, ${found.y}, expected at ${x}, ${y}`);
  }
  await page.keyboard.press('j');
  await page.waitForFunction(() => !clack.view.joints.group.visible);
  assert.equal((await look(page, isMetal)).n, 0);
  await page.click('text=joints');
  await page.waitForFunction(() => clack.view.joints.group.visible);
  assert.ok((await look(page, isMetal)).n > 60);
  await expectQuiet(page);
  await page.context().close();
});

for (const [bodies, sign] of [['cart, weight', 1], ['weight, cart', -1]]) {
  test(`the reaction on the second of ${bodies} points ${sign > 0 ? 'up' : 'down'}`, async () => {
    const page = await open(makeReport(`hanging${sign}`, scenes.hanging(bodies)).page);
    await seek(page, 50);
    assert.equal((await look(page, isReaction)).n, 0, 'not before it is asked for');
    await page.keyboard.press('e');
    await page.waitForFunction(() => clack.view.joints.forces.visible);
    await page.evaluate(() => { clack.view.camera.zoom = 0.5; clack.view.camera.updateProjectionMatrix(); clack.view.draw(); }); // the whole arrow
    const [[x, from], [, to]] = await page.evaluate((s) => [clack.view.project(0.55, 0, 0), clack.view.project(0.55, s * clack.view.joints.length, 0)], sign);
    const found = await look(page, isReaction);
    assert.ok(found.n > 30, `${found.n} pixels of the arrow`);
    assert.ok(Math.abs(found.x - x) < 1.5, `over the pin: ${found.x}, ${x}`);
    assert.ok((found.y - from) / (to - from) > 0.4 && (found.y - from) / (to - from) < 0.8, `${found.y} between ${from} and ${to}`);
    const force = await page.evaluate(() => clack.run.curve('reaction_force', 'pin').at(-1));
    assert.ok(Math.abs(force - 2 * scenes.GRAVITY) < 1e-5 * scenes.GRAVITY, `${force} N`);
    await page.context().close();
  });
}

test('all kinds of joints are drawn and plotted, a unit an axis', async () => {
  const page = await open(makeReport('joints', scenes.allJoints).page);
  await expectQuiet(page);
  assert.equal(await page.evaluate(() => clack.view.joints.list.length), scenes.jointCount);
  await page.click('text=reactions');
  await seek(page, 40);
  const finite = await page.evaluate(() => ['boxes', 'rods', 'balls'].map((name) => clack.view.joints[name].solid)
    .map((mesh) => mesh.count > 0 && mesh.instanceMatrix.array.slice(0, 16 * mesh.count).every(Number.isFinite)));
  assert.deepEqual(finite, [true, true, true]);
  // All but `orientation`, which has no place: at least a shape each near its point.
  const bare = await page.evaluate(() => clack.view.joints.list.filter((joint) => {
    const near = (mesh) => { for (let i = 0; i < mesh.count; ++i) { const a = mesh.instanceMatrix.array.subarray(16 * i + 12, 16 * i + 15);
      if (Math.hypot(a[0] - joint.y.x, a[1] - joint.y.y, a[2] - joint.y.z) < 0.3) return true; } return false; };
    return !['boxes', 'rods', 'balls'].some((name) => near(clack.view.joints[name].solid));
  }).map((joint) => joint.name));
  assert.deepEqual(bare, ['orientation joint']);
  const cards = await page.locator('#plots h3').allTextContents();
  for (const title of ['Joints: angles', 'Joints: displacements', 'Joints: rates of angles', 'Joints: forces of reaction'])
    assert.ok(cards.includes(title), `${title} in ${cards}`);
  const angle = await page.evaluate(() => clack.run.columns.find((c) => c.group === 'joint' && c.name === 'cylindrical joint.angle').unit);
  assert.equal(angle, 'rad');
  await page.click('#theme'); // the same in the dark
  await expectQuiet(page);
  await page.context().close();
});

test('events are marked and listed though hardly any row is kept', async () => {
  const report = makeReport('few_rows', `${scenes.system}output: {every: 150}\n`);
  const page = await open(report.page);
  await expectQuiet(page);
  const { events, summary, rows } = await page.evaluate(() => clack.run.head);
  assert.equal(rows, 3);
  assert.equal(events.list.length, events.total);
  assert.equal(events.counts.impact + (events.counts.close ?? 0), summary.impacts['table, left']);
  assert.ok(events.counts.impact >= 3);
  assert.equal(await page.locator('.event-list tbody tr').count(), events.total);
  // A click on the first event goes to the row before it, from the last row.
  await page.evaluate(() => clack.player.seek(clack.player.last));
  await page.locator('.event-list tbody tr').first().click();
  assert.equal(await page.evaluate(() => clack.player.index), await page.evaluate((t) => clack.player.indexAt(t), events.list[0][0]));
  assert.notEqual(await page.evaluate(() => clack.player.index), rows - 1);
  assert.match(await page.textContent('#summary'), /events[a-z\d ,]*\d+ impact/);
  await page.context().close();
});

test('a system with coordinates has plots, no stage, and the state at the cursor', async () => {
  const page = await open(makeReport('system', scenes.system).page);
  await expectQuiet(page);
  assert.ok(!(await page.isVisible('#stage')));
  const titles = await page.locator('#plots h3').allTextContents();
  for (const wanted of ['Coordinates', 'Velocities', 'Phase portrait', 'Energy', 'Contacts', 'Normal impulse of a step', 'Measure ‘highest’'])
    assert.ok(titles.includes(wanted), `${wanted} in ${titles}`);
  await page.evaluate(() => clack.player.seek(30));
  const y = 1 - 9.81 * 0.01 * 0.01 * 30 * 30 / 2; // of the midpoint rule
  const shown = Number((await page.locator('.plot-legend').first().locator('b').nth(1).textContent()).replace('−', '-'));
  assert.ok(Math.abs(shown - y) < 1e-3, `${shown} and ${y}`);
  assert.match(await page.textContent('#summary'), /smallest gap/);
  // The ledger closes: the upper edge of the areas is the dashed line.
  const gap = await page.evaluate(() => { const p = clack.panels.plots.find((q) => q.title?.textContent === 'Energy');
    const sum = p.series.filter((s) => !s.line).reduce((a, s) => a + s.values.at(-1), 0); return Math.abs(sum - p.series.at(-1).values.at(-1)); });
  assert.ok(gap < 1e-12, `the balance misses by ${gap}`);
  await page.context().close();
});

test('what a size limit leaves out is said', async () => {
  const small = makeReport('limited', scenes.fall.replace('step: 0.01', 'step: 0.0005'), ['--max-size', '0.86']);
  assert.ok(small.within_limit && small.bytes <= 860000 && small.frame_stride > 1, JSON.stringify(small));
  const page = await open(small.page);
  assert.match(await page.textContent('#warnings'), new RegExp(`every ${small.frame_stride}(th|nd|rd) of 3,001 rows`));
  assert.ok(Math.abs((await page.evaluate(() => clack.player.times.at(-1))) - 1.5) < 1e-9, 'the last row is there');
  await expectQuiet(page);
  await page.context().close();
});

test('clack view follows a run that is going on, on this machine only', async () => {
  const out = makeRun('live', scenes.fall.replace('end: 1.5', 'end: 0.2'));
  const server = startProgram(['view', out, '--port', '0']);
  try {
    const url = await new Promise((found, lost) => {
      server.stdout.on('data', (text) => { const m = /http:\/\/127\.0\.0\.1:\d+\//.exec(text); if (m) found(m[0]); });
      server.on('exit', () => lost(new Error('clack view ended')));
    });
    const page = await open(url);
    await expectQuiet(page);
    assert.ok(page.asked.every((asked) => asked.startsWith(url)), `${page.asked}`);
    assert.equal(await page.evaluate(() => clack.player.index), 20, 'starts at the newest row');
    makeRun('live', scenes.fall.replace('end: 1.5', 'end: 0.5')); // as a longer run that goes on
    await page.waitForFunction(() => clack.player.times.length === 51, null, { timeout: 15000 });
    await page.waitForFunction(() => clack.view.drawn === 50);
    await expectQuiet(page);
    const status = (host) => new Promise((done) => { get(url, { headers: { Host: host } }, (answer) => { answer.resume(); done(answer.statusCode); }); });
    assert.equal(await status('elsewhere.example'), 403, 'a name of another site that leads here is refused');
    assert.equal(await status('localhost'), 200);
    await page.context().close();
  } finally { server.kill(); }
});

test('a thousand spheres and 500 frames are within 15 MB and ready in 2 s', async () => {
  const big = makeReport('thousand', scenes.thousand);
  assert.equal(big.frames, 501);
  assert.equal(big.contact_frames, 501);
  assert.ok(big.bytes < 15e6, `${big.bytes} bytes`);
  let best = Infinity;
  for (let i = 0; i < 3 && best > 2000; ++i) {
    const page = await open(big.page);
    await expectQuiet(page);
    best = Math.min(best, page.ready);
    await page.context().close();
  }
  console.log(`1000 spheres, 501 frames: ${(big.bytes / 1e6).toFixed(2)} MB, ready after ${best} ms`);
  assert.ok(best < 2000, `ready after ${best} ms`);
});
