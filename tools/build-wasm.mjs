/**
 * Compiles the WebAssembly kernels and writes each beside its source. Run after every change of a source:
 * node tools/build-wasm.mjs
 * Specs check that the committed modules equal the compiled sources.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import initWabt from 'wabt';

const KERNELS = ['../libs/features/search/src/kernel/scan', '../libs/ports/rerank/src/kernel/max-sim'];

const wabt = await initWabt();
for (const path of KERNELS) {
  const source = readFileSync(new URL(`${path}.wat`, import.meta.url), 'utf8');
  const module = wabt.parseWat(`${basename(path)}.wat`, source, { simd: true });
  module.validate();
  writeFileSync(new URL(`${path}.wasm`, import.meta.url), module.toBinary({}).buffer);
}
