// Bundles the page: node build.mjs OUT.html. One file, script and style inside, a mark for the data.
import { createRequire } from 'node:module';
import { readFile, writeFile } from 'node:fs/promises';

const { build } = createRequire(import.meta.url)('esbuild'); // found by NODE_PATH
const here = new URL('.', import.meta.url);
const out = process.argv[2];

async function bundle(entry) {
  const result = await build({
    entryPoints: [new URL(entry, here).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome103', 'firefox113', 'safari16.4'], // DecompressionStream('deflate')
    legalComments: 'none',
    nodePaths: (process.env.NODE_PATH ?? '').split(':').filter(Boolean),
  });
  return result.outputFiles[0].text;
}

const page = await readFile(new URL('index.html', here), 'utf8');
const script = (await bundle('src/main.js')).replaceAll('</script', '<\\/script');
const style = await bundle('src/style.css');
await writeFile(out, page
  .replace('/* STYLE */', () => style)
  .replace('/* SCRIPT */', () => script));
