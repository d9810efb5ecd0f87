import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transcriber } from '#speech';
import { findFfmpeg, makeWithFfmpeg, spokenRecording } from '../../../speech/src/testing/test-speech.ts';
import { NO_CONTEXT } from '../resources.ts';
import { LONGEST, readRecording } from './read-recording.ts';

const ffmpeg = (() => {
  try {
    return findFfmpeg();
  } catch {
    console.warn('Tests of recordings are SKIPPED: ffmpeg is not installed');
    return null;
  }
})();

/** Hears one passage, and how long the recording is. */
class StandIn implements Transcriber {
  samples = 0;
  said = ['The goat ate the rope.'];
  language: string | null = 'en';

  async transcribe(samples: AsyncIterable<Float32Array>) {
    for await (const { length } of samples) this.samples += length;
    const segments = this.said.map((text, i) => ({ startSeconds: i * 3 + 0.5, endSeconds: i * 3 + 3, text }));
    return { segments, language: this.language };
  }
  async close() {}
}

(ffmpeg === null ? describe.skip : describe)('readRecording', () => {
  let folder: string;
  let standIn: StandIn;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-recording-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  beforeEach(() => {
    standIn = new StandIn();
  });

  async function read(
    path: string,
    longest = LONGEST,
    speech = { model: folder, ffmpeg } as { model: string | null; ffmpeg: string | null },
  ) {
    const context = { ...NO_CONTEXT, path, resources: { ...NO_CONTEXT.resources, speech } };
    return readRecording(await readFile(path), context, { openTranscriber: async () => standIn, longest });
  }
  const make = (name: string, ...args: readonly string[]): string => {
    makeWithFfmpeg(...args, join(folder, name));
    return join(folder, name);
  };

  it('reads what is said, with places, language, and what the file says about itself', async () => {
    standIn.said = ['The goat ate the rope.', 'The rain came.'];
    expect(await read(spokenRecording)).toEqual({
      text: 'The goat ate the rope. The rain came.',
      sections: [
        [0, { startSeconds: 0.5 }],
        [23, { startSeconds: 3.5 }],
      ],
      ...{ title: 'News from the valley', author: 'Valley Radio', language: 'en', date: '2024-05-06' },
    });
  });

  it.each([
    ['a.mp4', ['-c:a', 'aac']],
    ['a.webm', ['-c:a', 'libopus']],
    ['a.m4a', ['-c:a', 'aac']],
    ['a.wav', []],
    ['a.ogg', ['-c:a', 'libvorbis']],
    ['a.opus', ['-c:a', 'libopus']],
    ['a.flac', []],
  ])('hears all of %s', async (name, codec) => {
    const file = make(name, '-i', spokenRecording, ...codec);
    expect((await read(file)).text).toBe('The goat ate the rope.');
    expect(Math.round(standIn.samples / 16_000)).toBe(35);
  });

  it('ends with a reason where nothing is said, and where there is no sound', async () => {
    standIn.said = [];
    await expect(read(spokenRecording)).rejects.toMatchObject({
      code: 'extraction_failed',
      message: expect.stringMatching(/^Nothing is said in the recording/),
    });
    const mute = make('mute.mp4', '-f', 'lavfi', '-i', 'color=c=red:s=32x32:r=5:d=1', '-c:v', 'mpeg4');
    await expect(read(mute)).rejects.toMatchObject({
      code: 'extraction_failed',
      message: expect.stringMatching(/^The file has no sound/),
    });
  });

  it('ends with a reason for a damaged file', async () => {
    const cut = join(folder, 'cut.mp4');
    await writeFile(cut, (await readFile(make('whole.mp4', '-i', spokenRecording, '-c:a', 'aac'))).subarray(0, 20_000));
    await expect(read(cut)).rejects.toMatchObject({
      code: 'extraction_failed',
      message: expect.stringContaining('MP4'),
    });
  });

  it('refuses a recording that is longer than the limit, however small its file', async () => {
    const path = make('long.flac', '-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '60');
    await expect(read(path, 36)).rejects.toMatchObject({
      code: 'extraction_too_large',
      message: expect.stringContaining('longer than 0.01 hours'),
    });
  });

  /** Overwrites the 32 bits that stand so far behind a mark. */
  const patched = (bytes: Buffer, mark: string, offset: number, value: number, isBig = true): Buffer => {
    const at = bytes.indexOf(mark, 0, 'latin1') + offset;
    if (isBig) bytes.writeUInt32BE(value, at);
    else bytes.writeUInt32LE(value, at);
    return bytes;
  };
  /** Boxes of MP4 inside each other. */
  const nested = (depth: number): Buffer => {
    const boxes = Buffer.alloc(depth * 8);
    for (let i = 0; i < depth; i++) {
      boxes.writeUInt32BE((depth - i) * 8, i * 8);
      boxes.write('moov', i * 8 + 4, 'latin1');
    }
    return Buffer.concat([Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'), boxes]);
  };
  const second = ['-t', '1', '-i', spokenRecording];
  const READ = 'read';
  const DAMAGED = 'extraction_failed';

  it.each<readonly [what: string, name: string, made: () => Promise<Buffer>, expected: string]>([
    [
      'a WAV that says to hold 4 GiB',
      'huge.wav',
      async () => patched(await readFile(make('1.wav', ...second)), 'data', 4, 0xffff_ffff, false),
      READ,
    ],
    [
      'an MP4 that says to last for years',
      'years.mp4',
      async () => {
        const bytes = await readFile(make('1.mp4', ...second, '-c:a', 'aac'));
        return patched(patched(bytes, 'mvhd', 20, 0x7fff_ffff), 'mdhd', 20, 0x7fff_ffff);
      },
      READ,
    ],
    [
      'an MP4 whose sound is in another file',
      'elsewhere.mp4',
      async () => patched(await readFile(make('2.mp4', ...second, '-c:a', 'aac')), 'url ', 4, 0),
      READ,
    ],
    [
      '500 sound tracks',
      'tracks.mkv',
      async () => {
        const tracks = Array.from({ length: 500 }, () => ['-map', '0:a']).flat();
        return readFile(make('500.mkv', ...second, ...tracks, '-c:a', 'pcm_s16le', '-ar', '8000'));
      },
      READ,
    ],
    ['boxes 100,000 deep', 'deep.mp4', async () => nested(100_000), DAMAGED],
    [
      'tags that say to take 256 MiB',
      'tags.mp3',
      async () => Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'),
      DAMAGED,
    ],
    [
      'a WebM of nothing',
      'nothing.webm',
      async () => Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(100_000)]),
      DAMAGED,
    ],
    ['an OGG of nothing', 'nothing.ogg', async () => Buffer.from('OggS'.repeat(10_000)), DAMAGED],
    [
      'a WAV without a sample',
      'empty.wav',
      async () => (await readFile(make('3.wav', ...second))).subarray(0, 44),
      DAMAGED,
    ],
  ])('is not harmed by %s', async (_, name, made, expected) => {
    const path = join(folder, name);
    await writeFile(path, await made());
    const outcome = await read(path).then(
      () => READ,
      (error: { code?: string }) => error.code,
    );
    expect(outcome).toBe(expected);
    expect(standIn.samples).toBeLessThan(40_000);
  });

  it('names what is missing', async () => {
    const missing = read(spokenRecording, LONGEST, { model: folder, ffmpeg: null });
    await expect(missing).rejects.toMatchObject({
      code: 'ffmpeg_missing',
      message: expect.stringContaining('apt-get install ffmpeg'),
    });
    await expect(read(spokenRecording, LONGEST, { model: null, ffmpeg })).rejects.toMatchObject({
      code: 'model_missing',
      resource: 'whisper-base',
    });
  });
});
