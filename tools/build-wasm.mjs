/**
 * Compiles the WebAssembly kernels and writes each as a TypeScript module beside its source. Run after every change of a
 * source: node tools/build-wasm.mjs
 * Specs check that the committed modules equal the compiled sources.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import initWabt from 'wabt';

const KERNELS = [
  { path: '../libs/features/search/src/kernel/scan', constant: 'SCAN_WASM_BASE64' },
  { path: '../libs/ports/rerank/src/kernel/max-sim', constant: 'MAX_SIM_WASM_BASE64' },
];

const wabt = await initWabt();
for (const { path, constant } of KERNELS) {
  const source = `${basename(path)}.wat`;
  const module = wabt.parseWat(source, readFileSync(new URL(`${path}.wat`, import.meta.url), 'utf8'), { simd: true });
  module.validate();
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64');
  const lines = base64.match(/.{1,110}/g).map((line) => `  '${line}'`);
  writeFileSync(
    new URL(`${path}.wasm.ts`, import.meta.url),
    `/** ${source}, compiled by tools/build-wasm.mjs. Base64 in TypeScript, because the build copies no other files. */\nexport const ${constant} = [\n${lines.join(',\n')},\n].join('');\n`,
  );
}
