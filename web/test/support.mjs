// Makes runs and reports with the real program, opens them in the real browser.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const program = process.env.CLACK_PROGRAM;
const browserPath = process.env.CLACK_BROWSER || '/usr/bin/chromium';
const SKIP = 77; // as ctest is told

export function skipWithoutBrowser() {
  if (existsSync(browserPath)) return;
  console.log(`skipped: there is no browser ${browserPath} (Debian: chromium; CLACK_BROWSER names another)`);
  process.exit(SKIP);
}

export const folder = mkdtempSync(join(tmpdir(), 'clack_web_'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// Runs a scene and makes its report; the paths of the folder and of the page.
export function makeReport(name, scene, options = []) {
  const out = makeRun(name, scene);
  const text = execFileSync(program, ['report', out, '--json', ...options], { encoding: 'utf8' });
  return { out, page: join(out, 'report.html'), ...JSON.parse(text) };
}
export function makeRun(name, scene) {
  const file = join(folder, `${name}.yaml`), out = join(folder, name);
  writeFileSync(file, scene);
  try {
    execFileSync(program, ['run', file, '-o', out], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) { if (error.status !== 1) throw new Error(error.stderr || error.message); } // 1: kept
  return out;
}
export function startProgram(words) { return spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] }); }

let browser;
export async function openBrowser() {
  const { chromium } = createRequire(import.meta.url)('playwright-core'); // found by NODE_PATH
  browser ??= await chromium.launch({ executablePath: browserPath,
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'] });
  return browser;
}
export async function closeBrowser() { await browser?.close(); }

// A page that is ready, with `faults`: everything it complained of. The network is cut off.
export async function open(place, options = {}) {
  const context = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 720 }, colorScheme: 'light', ...options });
  const page = await context.newPage();
  page.faults = [];
  page.asked = [];
  page.on('console', (m) => { if (m.type() === 'error') page.faults.push(m.text()); });
  page.on('pageerror', (e) => page.faults.push(e.stack));
  page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) page.asked.push(r.url()); });
  await page.goto(place.startsWith('http') ? place : `file://${place}`);
  await page.waitForFunction(() => document.documentElement.dataset.ready || !document.getElementById('fault').hidden, null, { timeout: 30000 });
  page.fault = await page.evaluate(() => (document.getElementById('fault').hidden ? '' : document.getElementById('fault').textContent));
  await page.waitForFunction(() => document.documentElement.dataset.settled || !document.getElementById('fault').hidden);
  page.ready = Number(await page.evaluate(() => document.documentElement.dataset.ready));
  return page;
}

// What the stage shows, without what lies on it: the middle of all pixels that `test` takes (a
// function of r, g, b, run in the page), above the line `bottom`, and their number.
export async function look(page, test, bottom = Infinity) {
  await drawn(page);
  return page.evaluate(([text, last]) => {
    const { renderer, canvas } = clack.view, copy = document.createElement('canvas');
    clack.view.render();
    copy.width = canvas.clientWidth; copy.height = canvas.clientHeight;
    const c = copy.getContext('2d'), take = eval(text);
    c.drawImage(renderer.domElement, 0, 0, copy.width, copy.height);
    const { data } = c.getImageData(0, 0, copy.width, copy.height);
    let x = 0, y = 0, n = 0;
    for (let j = 0; j < Math.min(copy.height, last); ++j) for (let i = 0; i < copy.width; ++i) {
      const at = 4 * (j * copy.width + i);
      if (take(data[at], data[at + 1], data[at + 2])) { x += i + 0.5; y += j + 0.5; ++n; }
    }
    return { x: x / n, y: y / n, n, share: n / (copy.width * copy.height) };
  }, [String(test), Math.min(1e6, bottom)]);
}
// Until what the cursor says is what is seen.
export async function drawn(page) { await page.waitForFunction(() => clack.view.drawn === clack.player.index && !clack.view.waiting); }
