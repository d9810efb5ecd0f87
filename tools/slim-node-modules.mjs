// Removes unused files from node_modules: the model runtime's libraries for other platforms, the headers of Node, the parts of
// the PDF parser, of the reader of workbooks and of the recognizer of text that are for browsers or not used, and source maps.
// npm runs it after every install. It supports old versions of Node and partial installations.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');
// Set by `npm install --os … --cpu …`.
const platform = process.env.npm_config_os || process.platform;
const architecture = process.env.npm_config_cpu || process.arch;

/** Deletes every entry of the folder except one. */
function keepOnly(folder, name) {
  for (const entry of list(folder)) {
    if (entry.name !== name) rmSync(join(folder, entry.name), { recursive: true, force: true });
  }
}

function removeSourceMaps(folder) {
  for (const entry of list(folder)) {
    const path = join(folder, entry.name);
    // Skips links, which point to packages of other folders.
    if (entry.isDirectory()) removeSourceMaps(path);
    else if (entry.isFile() && entry.name.endsWith('.map')) rmSync(path, { force: true });
  }
}

function list(folder) {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

const runtimes = join(root, 'onnxruntime-node', 'bin');
for (const { name } of list(runtimes)) {
  keepOnly(join(runtimes, name), platform);
  keepOnly(join(runtimes, name, platform), architecture);
}
for (const { name } of list(root)) {
  if (!/^node-(bin-)?(darwin|linux|win)-/.test(name)) continue;
  rmSync(join(root, name, 'include'), { recursive: true, force: true });
}
// Pages are read and drawn with the build for Node alone.
const pdf = join(root, 'pdfjs-dist');
for (const name of ['build', 'image_decoders', 'web', 'iccs']) {
  rmSync(join(pdf, name), { recursive: true, force: true });
}
rmSync(join(pdf, 'legacy', 'image_decoders'), { recursive: true, force: true });
rmSync(join(pdf, 'legacy', 'web'), { recursive: true, force: true });
for (const { name } of list(join(pdf, 'legacy', 'build'))) {
  if (/sandbox|\.min\./.test(name)) rmSync(join(pdf, 'legacy', 'build', name), { force: true });
}
// The recognizer takes its code from these files.
const recognizer = join(root, 'tesseract.js-core');
for (const { name } of list(recognizer)) {
  const isUsed = /^tesseract-core(-simd|-relaxedsimd)?\.(js|wasm)$/.test(name);
  if (/^tesseract-core/.test(name) && !isUsed) rmSync(join(recognizer, name), { force: true });
}
rmSync(join(root, 'tesseract.js', 'dist'), { recursive: true, force: true });
rmSync(join(root, '@tesseract.js-data', 'eng', '4.0.0'), { recursive: true, force: true });
// Bundles for browsers, which repeat the reader of workbooks.
for (const name of ['dist', 'bin']) rmSync(join(root, '@e965', 'xlsx', name), { recursive: true, force: true });
// Those of the detector of encodings.
rmSync(join(root, 'jschardet', 'dist'), { recursive: true, force: true });
// Of the voice detector, one of its builds.
const voices = join(root, '@jjhbw', 'silero-vad', 'weights');
for (const { name } of list(voices)) if (name !== 'silero_vad_16k_op15.onnx') rmSync(join(voices, name));
// Of the detector of languages, the build that is loaded.
keepOnly(join(root, 'tinyld', 'dist'), 'tinyld.normal.node.js');
for (const name of ['playground', 'tests-integration', 'bin', 'banner.png', 'logo.png', 'index.html']) {
  rmSync(join(root, 'tinyld', name), { recursive: true, force: true });
}
// Of the tokenizer, the one encoding that is counted by, without its second build and its sources.
const tokenizer = join(root, 'gpt-tokenizer');
for (const name of ['cjs', 'data', 'src']) rmSync(join(tokenizer, name), { recursive: true, force: true });
keepOnly(join(tokenizer, 'esm', 'bpeRanks'), 'o200k_base.js');
removeSourceMaps(root);
