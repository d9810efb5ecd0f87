/**
 * Compiles scan.wat and writes scan.wasm.ts. Run after every change of the source: node libs/search/src/kernel/build.mjs
 * A spec checks that the committed module equals the compiled source.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import initWabt from 'wabt';

const source = new URL('./scan.wat', import.meta.url);
const target = new URL('./scan.wasm.ts', import.meta.url);

const wabt = await initWabt();
const module = wabt.parseWat('scan.wat', readFileSync(source, 'utf8'), { simd: true });
module.validate();
const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64');
const lines = base64.match(/.{1,110}/g).map((line) => `  '${line}'`);
writeFileSync(
  target,
  `/** scan.wat, compiled by build.mjs. Base64 in TypeScript, because the build copies no other files. */\nexport const SCAN_WASM_BASE64 = [\n${lines.join(',\n')},\n].join('');\n`,
);
