import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeSound, readDetails, SoundError, tagsIn } from './ffmpeg.ts';
import { SAMPLE_RATE } from './port.ts';
import { findFfmpeg, makeWithFfmpeg, spokenRecording } from './testing/test-speech.ts';

describe('tagsIn', () => {
  it('reads values with signs and line ends, and ends at the first section', () => {
    const text = ';FFMETADATA1\ntitle=One \\= two\\; three\\\nfour\nArtist=Ann\nempty=\n[CHAPTER]\ntitle=Not this\n';
    expect([...tagsIn(text)]).toEqual([
      ['title', 'One = two; three\nfour'],
      ['artist', 'Ann'],
      ['empty', ''],
    ]);
    expect(tagsIn('').size).toBe(0);
  });
});

const ffmpeg = (() => {
  try {
    return findFfmpeg();
  } catch {
    console.warn('Tests of ffmpeg are SKIPPED: it is not installed');
    return null;
  }
})();

(ffmpeg === null ? describe.skip : describe)('with ffmpeg', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-sound-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function decoded(path: string, format: string, seconds = 60): Promise<Float32Array[]> {
    return Array.fromAsync(decodeSound(ffmpeg!, { path, format }, seconds));
  }
  const lengthOf = (pieces: readonly Float32Array[]) =>
    pieces.reduce((sum, { length }) => sum + length, 0) / SAMPLE_RATE;
  const problemOf = (path: string, format: string) =>
    decoded(path, format).then(
      () => null,
      (error: SoundError) => error.problem,
    );
  /** @param args before the name of the file */
  const make = (name: string, ...args: readonly string[]): string => {
    makeWithFfmpeg(...args, join(folder, name));
    return join(folder, name);
  };

  it('decodes to mono at the rate of the transcriber, in small pieces', async () => {
    const path = make('a.wav', '-f', 'lavfi', '-i', 'sine=f=440:r=44100:d=3', '-ac', '2');
    const pieces = await decoded(path, 'wav');
    expect(lengthOf(pieces)).toBeCloseTo(3, 1);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
    const loudest = Math.max(...pieces.map((piece) => piece.reduce((most, one) => Math.max(most, Math.abs(one)), 0)));
    expect(loudest).toBeGreaterThan(0.05);
    expect(loudest).toBeLessThanOrEqual(1);
  });

  it('decodes no more than it is asked for', async () => {
    const path = make('long.flac', '-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '600');
    expect(lengthOf(await decoded(path, 'flac', 5))).toBeCloseTo(5, 1);
  });

  it('takes numbers that are none as silence, and limits what is too loud', async () => {
    const numbers = Float32Array.from(
      { length: 1_600 },
      (_, i) => [Number.NaN, Number.POSITIVE_INFINITY, 1e30, -9][i % 4]!,
    );
    await writeFile(join(folder, 'nan.raw'), new Uint8Array(numbers.buffer));
    const raw = ['-f', 'f32le', '-ar', String(SAMPLE_RATE), '-ac', '1', '-i', join(folder, 'nan.raw')];
    const path = make('nan.wav', ...raw, '-c:a', 'pcm_f32le');
    for (const piece of await decoded(path, 'wav')) {
      expect(piece.every((sample) => sample >= -1 && sample <= 1)).toBe(true);
    }
  });

  it('tells a file without sound from a damaged one', async () => {
    const mute = make('mute.mp4', '-f', 'lavfi', '-i', 'color=c=red:s=32x32:r=5:d=1', '-c:v', 'mpeg4');
    expect(await problemOf(mute, 'mov')).toBe('silent');
    const sound = await readFile(make('a.m4a', '-f', 'lavfi', '-i', 'sine=f=440:d=2', '-c:a', 'aac'));
    await writeFile(join(folder, 'cut.m4a'), sound.subarray(0, sound.length / 2));
    expect(await problemOf(join(folder, 'cut.m4a'), 'mov')).toBe('damaged');
    await writeFile(join(folder, 'noise.mp3'), Buffer.alloc(50_000, 'abc'));
    expect(await problemOf(join(folder, 'noise.mp3'), 'mp3')).toBe('damaged');
  });

  it('reads what there is of a recording that is cut off', async () => {
    const whole = await readFile(spokenRecording);
    await writeFile(join(folder, 'cut.mp3'), whole.subarray(0, whole.length / 2));
    const seconds = lengthOf(await decoded(join(folder, 'cut.mp3'), 'mp3'));
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThan(20);
  });

  it('never opens a file that a list names', async () => {
    const spoken = make('b.wav', '-i', spokenRecording);
    const lists = {
      concat: `ffconcat version 1.0\nfile '${spoken}'\n`,
      hls: `#EXTM3U\n#EXTINF:9,\nfile:${spoken}\n#EXT-X-ENDLIST\n`,
    };
    for (const [name, list] of Object.entries(lists)) {
      await writeFile(join(folder, name), list);
      for (const format of ['mov', 'matroska', 'mp3', 'wav', 'ogg', 'flac']) {
        expect(await problemOf(join(folder, name), format)).toBe('damaged');
      }
    }
  });

  it('ends ffmpeg when nobody reads on', async () => {
    const path = make('hours.flac', '-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '3600');
    for await (const piece of decodeSound(ffmpeg!, { path, format: 'flac' }, 3_600)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    // The file could not be removed on some systems, and the test would not end, while ffmpeg runs.
    await rm(path);
  });

  it('reads tags and length, and nothing of a file that says nothing', async () => {
    const { tags, seconds } = await readDetails(ffmpeg!, { path: spokenRecording, format: 'mp3' });
    expect(tags.get('title')).toBe('News from the valley');
    expect(tags.get('artist')).toBe('Valley Radio');
    expect(seconds).toBeCloseTo(35.5, 0);
    const nothing = { tags: new Map(), seconds: null };
    expect(await readDetails(ffmpeg!, { path: join(folder, 'noise.mp3'), format: 'mov' })).toEqual(nothing);
  });

  it('reports a program that cannot be started', async () => {
    const missing = { path: spokenRecording, format: 'mp3' };
    await expect(Array.fromAsync(decodeSound(join(folder, 'none'), missing, 9))).rejects.toThrow();
    await expect(readDetails(join(folder, 'none'), missing)).resolves.toEqual({ tags: new Map(), seconds: null });
  });
});
