/**
 * Compiles scan.wat and writes scan.wasm.ts. Run after every change of the source: node libs/search/src/kernel/build.mjs
 * A spec proves that what is committed is what the source compiles to.
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
  `/** scan.wat, compiled by build.mjs. Text, because the server's build copies nothing but TypeScript. */\nexport const SCAN_WASM_BASE64 = [\n${lines.join(',\n')},\n].join('');\n`,
);
