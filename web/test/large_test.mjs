// A hundred thousand spheres in a real browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as scenes from './scenes.mjs';
import { closeBrowser, drawn, look, makeReport, open, skipWithoutBrowser } from './support.mjs';

skipWithoutBrowser();
after(closeBrowser);

test('100,000 spheres and 50 frames open, are drawn and can be picked', async () => {
  const report = makeReport('hundred_thousand', scenes.hundredThousand, ['--max-size', '100']);
  assert.equal(report.frames, 50);
  const page = await open(report.page);
  assert.deepEqual(page.faults, []);
  const begin = Date.now();
  await page.evaluate(() => clack.player.seek(45));
  await drawn(page);
  console.log(`100,000 spheres, 50 frames: ${(report.bytes / 1e6).toFixed(2)} MB, ready after ${page.ready} ms, another frame after ${Date.now() - begin} ms`);
  const sand = await look(page, (r, g, b) => r > 40 && r - b > 0.3 * r);
  assert.ok(sand.n > 20000, `${sand.n} pixels`);
  await page.evaluate(() => clack.view.pickAt(0.5, 0.55));
  await page.waitForFunction(() => clack.view.bodies.picked > 0 && !document.getElementById('picked').hidden, null, { timeout: 20000 });
  assert.match(await page.textContent('#picked'), /sphere, radius/);
  assert.deepEqual(page.faults, []);
});
