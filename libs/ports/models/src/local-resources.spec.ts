import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import { eventually } from '../../../platform/kernel/src/testing/eventually.ts';
import { LocalResources, type LocalResourcesOptions } from './local-resources.ts';
import { whisperBase } from './model-files.ts';
import type { ModelSource } from './source.ts';

const WHISPER_FILES = whisperBase.files.map(({ name }) => name);
const NONE = { modelsFolder: null, ocrLanguages: ['eng'], ffmpeg: null, downloads: 'off' } as const;

describe('LocalResources', () => {
  let folder: string;
  let modelsFolder: string;
  let dataFolder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-resources-'));
    modelsFolder = join(folder, 'given');
    dataFolder = join(folder, 'data');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const find = (more: Partial<LocalResourcesOptions> = {}) =>
    new LocalResources({ ...NONE, dataFolder, modelsFolder, ...more }).find();

  const fill = async (path: string, content = 'x') => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  };

  it('finds the weights of the default language in a package of the project', async () => {
    const { languages, folders } = (await find()).ocr;
    expect(languages).toEqual(['eng']);
    expect(folders.filter((one) => existsSync(join(one, 'eng.traineddata.gz')))).not.toEqual([]);
  });

  it('looks for languages in MNEME_MODELS first, then in the data folder', async () => {
    const { folders } = (await find({ ocrLanguages: ['deu'] })).ocr;
    const expected = [
      ...[join(modelsFolder, 'ocr-deu'), modelsFolder],
      ...[join(dataFolder, 'models', 'ocr-deu'), join(dataFolder, 'models')],
    ];
    expect(folders.slice(0, 4)).toEqual(expected);
  });

  it('takes a Whisper model only when each of its files is there', async () => {
    const installed = join(dataFolder, 'models', 'whisper-base');
    for (const name of WHISPER_FILES) {
      expect((await find()).speech.model).toBeNull();
      await fill(join(installed, name));
    }
    expect((await find()).speech.model).toBe(installed);
    for (const name of WHISPER_FILES) await fill(join(modelsFolder, 'whisper-base', name));
    expect((await find()).speech.model).toBe(join(modelsFolder, 'whisper-base'));
    await fill(join(modelsFolder, 'whisper-base', 'config.json'), '');
    expect((await find()).speech.model).toBe(installed);
  });

  it('takes ffmpeg from its setting only if it can be run', async () => {
    const ffmpeg = join(folder, 'bin', 'ffmpeg');
    expect((await find({ ffmpeg })).speech.ffmpeg).toBeNull();
    await fill(ffmpeg);
    await chmod(ffmpeg, 0o600);
    expect((await find({ ffmpeg })).speech.ffmpeg).toBeNull();
    await chmod(ffmpeg, 0o755);
    expect((await find({ ffmpeg })).speech.ffmpeg).toBe(ffmpeg);
  });

  it('has the weights of a language in a folder or a package, and what the settings do not name', async () => {
    const has = (name: string, ocrLanguages = ['eng', 'deu']) =>
      new LocalResources({ ...NONE, dataFolder, modelsFolder, ocrLanguages }).has(name);
    expect(await Promise.all([has('ocr-eng'), has('ocr-deu'), has('ocr-deu', ['eng'])])).toEqual([true, false, true]);
    await fill(join(modelsFolder, 'deu.traineddata'), '');
    expect(await has('ocr-deu')).toBe(false);
    await fill(join(dataFolder, 'models', 'ocr-deu', 'deu.traineddata.gz'));
    expect(await has('ocr-deu')).toBe(true);
    expect(await has('whisper-huge')).toBe(false);
  });

  describe('obtain', () => {
    const source = (fetch: ModelSource['fetch']): ModelSource => ({ name: 'hub', fetch });
    const fault = async () => {
      throw new Error('unreachable');
    };

    it('sees at once what was put into a folder', async () => {
      const resources = new LocalResources({ ...NONE, dataFolder, modelsFolder, ocrLanguages: ['deu'] });
      expect(await resources.obtain('ocr-deu')).toBe(false);
      await fill(join(modelsFolder, 'ocr-deu', 'deu.traineddata'));
      expect(await resources.obtain('ocr-deu')).toBe(true);
    });

    it('downloads the Whisper model once for all who ask, and waits before it tries again', async () => {
      const fetch = jest.fn(fault);
      const warn = jest.fn();
      const logger = { info: () => undefined, warn };
      const options = { ...NONE, dataFolder, downloads: 'on', sources: [source(fetch)], logger } as const;
      const resources = new LocalResources(options);
      expect(await Promise.all([1, 2].map(() => resources.obtain('whisper-base')))).toEqual([false, false]);
      expect(await resources.obtain('whisper-base')).toBe(false);
      expect(fetch).toHaveBeenCalledTimes(1);
      expect(warn).toHaveBeenCalledTimes(1);
    });

    it('downloads nothing if the settings say so', async () => {
      const fetch = jest.fn(fault);
      const resources = new LocalResources({ ...NONE, dataFolder, sources: [source(fetch)] });
      expect(await resources.obtain('whisper-base')).toBe(false);
      expect(fetch).not.toHaveBeenCalled();
    });

    it('ends a download when it is closed', async () => {
      let isAsked = () => {};
      const asked = new Promise<void>((resolve) => {
        isAsked = resolve;
      });
      const silent = source((_model, _folder, { signal }) => {
        isAsked();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      });
      const resources = new LocalResources({ ...NONE, dataFolder, downloads: 'on', sources: [silent] });
      const obtained = resources.obtain('whisper-base');
      await asked;
      await resources.close();
      expect(await obtained).toBe(false);
    });
  });

  it('sees within seconds what appears while it is used', async () => {
    const ffmpeg = join(folder, 'ffmpeg');
    const resources = new LocalResources({ ...NONE, dataFolder, ffmpeg });
    expect((await resources.find()).speech.ffmpeg).toBeNull();
    await fill(ffmpeg);
    await chmod(ffmpeg, 0o755);
    expect(await eventually(async () => (await resources.find()).speech.ffmpeg)).toBe(ffmpeg);
  });
});
