import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TranscribeOptions, Transcriber } from '#ports/speech';
import { findFfmpeg, makeWithFfmpeg, spokenRecording } from '../../../../ports/speech/src/testing/test-speech.ts';
import { NO_CONTEXT, type SpokenPart } from '../resources.ts';
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

  async transcribe(samples: AsyncIterable<Float32Array>, { before = [], heard }: TranscribeOptions = {}) {
    for await (const { length } of samples) this.samples += length;
    const earlier = before.flatMap((part) => part.segments);
    const segments = this.said.map((text, i) => ({ startSeconds: i * 3 + 0.5, endSeconds: i * 3 + 3, text }));
    heard?.({ segments, next: this.samples, language: this.language }, this.samples / 16_000);
    return { segments: [...earlier, ...segments], language: this.language };
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

  it('keeps what was written down, with the length of the recording, and goes on behind it', async () => {
    const kept: SpokenPart[] = [];
    const speech = { before: kept, keep: (part: SpokenPart) => void kept.push(part) };
    const context = {
      ...NO_CONTEXT,
      path: spokenRecording,
      resources: { ...NO_CONTEXT.resources, speech: { model: folder, ffmpeg } },
      speech,
    };
    const bytes = await readFile(spokenRecording);
    const options = { openTranscriber: async () => standIn };
    await readRecording(bytes, context, options);
    expect(kept).toEqual([
      {
        ...{ segments: [expect.objectContaining({ startSeconds: 0.5 })], next: standIn.samples, language: 'en' },
        ...{ heardSeconds: standIn.samples / 16_000, totalSeconds: 35.5 },
      },
    ]);
    standIn.said = ['The rain came.'];
    expect((await readRecording(bytes, context, options)).text).toBe('The goat ate the rope. The rain came.');
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
  /** An MP4 that says that its sound is at an address. Its tables stand behind the sound. */
  const linked = (bytes: Buffer, address: string): Buffer => {
    const at = bytes.lastIndexOf('url ', undefined, 'latin1') - 4;
    const box = Buffer.concat([Buffer.alloc(12), Buffer.from(`${address}\0`)]);
    box.writeUInt32BE(box.length, 0);
    box.write('url ', 4, 'latin1');
    for (const parent of ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']) {
      const size = bytes.lastIndexOf(parent, at, 'latin1') - 4;
      bytes.writeUInt32BE(bytes.readUInt32BE(size) + box.length - 12, size);
    }
    return Buffer.concat([bytes.subarray(0, at), box, bytes.subarray(at + 12)]);
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
  /** The tables come before the sound. */
  const FAST = ['-c:a', 'aac', '-movflags', '+faststart'];
  const cut = async (path: string, share: number): Promise<Buffer> => {
    const bytes = await readFile(path);
    return bytes.subarray(0, Math.ceil(bytes.length * share));
  };
  const headOf = async (path: string): Promise<Buffer> => {
    const bytes = await readFile(path);
    return bytes.subarray(0, bytes.indexOf('mdat', 0, 'latin1') + 4);
  };
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
    ['a WAV cut off', 'cut.wav', async () => cut(make('4.wav', ...second), 0.5), READ],
    ['an MP3 cut off', 'cut.mp3', async () => cut(make('4.mp3', ...second), 0.5), READ],
    ['a WebM cut off', 'cut.webm', async () => cut(make('4.webm', ...second, '-c:a', 'libopus'), 0.5), READ],
    ['an M4A cut off', 'cut.m4a', async () => cut(make('4.m4a', ...second, '-c:a', 'aac'), 0.5), DAMAGED],
    ['an M4A without its sound', 'head.m4a', async () => headOf(make('5.m4a', ...second, ...FAST)), DAMAGED],
    ['a WebM cut off in its header', 'head.webm', async () => cut(make('6.webm', ...second), 0.01), DAMAGED],
    ['tags, and no sound behind them', 'tags-only.mp3', async () => Buffer.from('ID3\x04\0\0\0\0\0\x0a'), DAMAGED],
    ['the beginning of a FLAC', 'empty.flac', async () => cut(make('1.flac', ...second), 0.004), DAMAGED],
    [
      'an MP4 whose sound says to be 4 GiB long',
      'mdat.mp4',
      async () => patched(await readFile(make('7.mp4', ...second, ...FAST)), 'mdat', -4, 0xffff_fff0),
      READ,
    ],
    [
      'a table of two billion samples',
      'samples.mp4',
      async () => patched(await readFile(make('8.mp4', ...second, ...FAST)), 'stsz', 12, 0x7fff_ffff),
      DAMAGED,
    ],
    [
      'a WAV of 65,535 channels',
      'channels.wav',
      async () => {
        const bytes = await readFile(make('9.wav', ...second));
        bytes.writeUInt16LE(0xffff, bytes.indexOf('fmt ') + 10);
        return bytes;
      },
      DAMAGED,
    ],
    [
      'a WAV with no samples a second',
      'rate.wav',
      async () => patched(await readFile(make('10.wav', ...second)), 'fmt ', 12, 0, false),
      DAMAGED,
    ],
    [
      'a frame of FLAC that says to hold 16 MiB of pictures',
      'picture.flac',
      async () => Buffer.concat([Buffer.from('fLaC\x86\xff\xff\xff', 'latin1'), Buffer.alloc(1_000)]),
      DAMAGED,
    ],
    [
      'a video of 60,000 by 60,000 pixels',
      'wide.mkv',
      async () => {
        const picture = ['-f', 'lavfi', '-i', 'color=c=red:s=600x600:r=5:d=1'];
        const bytes = await readFile(make('wide-made.mkv', ...picture, ...second, '-c:v', 'ffv1', '-c:a', 'pcm_s16le'));
        // Width and height, each in two bytes.
        const at = bytes.indexOf(Buffer.from('b0820258ba820258', 'hex'));
        expect(at).toBeGreaterThan(0);
        Buffer.from('b082ea60ba82ea60', 'hex').copy(bytes, at);
        return bytes;
      },
      READ,
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

  it('refuses a small file that lasts for days', async () => {
    const bytes = patched(await readFile(make('days-made.wav', ...second)), 'fmt ', 12, 1, false);
    const path = join(folder, 'days.wav');
    await writeFile(path, patched(bytes, 'fmt ', 16, 2, false));
    await expect(read(path, 36)).rejects.toMatchObject({ code: 'extraction_too_large' });
  });

  it('connects to nothing that a recording names', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.wav`;
      const path = join(folder, 'linked.mp4');
      await writeFile(path, linked(await readFile(make('linked-made.mp4', ...second, '-c:a', 'aac')), address));
      expect((await read(path)).text).toBe('The goat ate the rope.');
      expect(standIn.samples).toBeGreaterThan(10_000);
      expect(connections).toBe(0);
    } finally {
      server.close();
    }
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
