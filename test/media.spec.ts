import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTestSpeech, makeWithFfmpeg, spokenRecording } from '../libs/ports/speech/src/testing/test-speech.ts';
import { eventually, Mneme } from './support/mneme.ts';
import { page } from './support/site.ts';
import { openStandIns } from './support/stand-ins.ts';

/** Recordings over HTTP: from the upload to the second of a passage, with ffmpeg and the real weights. */

const found = await findTestSpeech();
const suffix = 'missing' in found ? ` (SKIPPED: ${found.missing})` : '';
/** A machine that does other work transcribes slowly. */
const SLOW = 600_000;

/** Whether a passage that holds what is said at `said` begins there, or at most eight seconds earlier. */
const near = (startSeconds: number | undefined, said: number): boolean =>
  startSeconds !== undefined && startSeconds > said - 8 && startSeconds < said + 1.5;

interface Hit {
  readonly memory?: string;
  readonly location?: { readonly startSeconds?: number };
}

(found.missing === undefined ? describe : describe.skip)(`recordings${suffix}`, () => {
  let folder: string;
  let ffmpeg: string;
  let mneme: Mneme;
  let web: Awaited<ReturnType<typeof openStandIns>>;
  beforeAll(async () => {
    web = await openStandIns(['www.youtube.com', 'r1.googlevideo.com']);
    folder = await mkdtemp(join(tmpdir(), 'mneme-recordings-'));
    ffmpeg = join(folder, 'ffmpeg');
    mneme = await Mneme.start({ env: { ...web.settings, MNEME_MODELS: found.models, MNEME_FFMPEG: ffmpeg } });
  });
  afterAll(async () => {
    await mneme?.stop();
    await web.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** @param args of ffmpeg, before the name of the file. Default: the spoken recording as it is */
  async function upload(name: string, tag: string, ...args: readonly string[]): Promise<string> {
    const path = join(folder, name);
    if (args.length > 0) makeWithFfmpeg(...args, path);
    return send(name, await readFile(args.length > 0 ? path : spokenRecording), tag);
  }

  async function send(name: string, content: Uint8Array<ArrayBuffer>, tag: string): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([content]), name);
    form.append('containerTags', tag);
    return (await mneme.request<{ id: string }>('POST', '/v3/documents/file', form)).body.id;
  }

  const settled = (id: string) =>
    eventually(async () => {
      const { body } = await mneme.get(`/v3/documents/${id}`);
      return body.status === 'done' || body.status === 'failed' ? body : null;
    }, SLOW);

  async function best(q: string, containerTag: string): Promise<Hit> {
    const { results } = (await mneme.post<{ results: Hit[] }>('/v4/search', { q, containerTag })).body;
    return results[0] ?? {};
  }

  test(
    'MP3: without ffmpeg it fails and says what to install; with it a question finds the second',
    async () => {
      const failed = await settled(await upload('valley.mp3', 'before'));
      expect(failed).toMatchObject({ status: 'failed', type: 'audio' });
      expect(failed.processingError).toMatchObject({
        code: 'ffmpeg_missing',
        message: expect.stringContaining('apt-get install ffmpeg'),
      });
      await symlink(found.ffmpeg ?? '', ffmpeg);
      const id = await upload('valley.mp3', 'mp3');
      expect(await settled(id)).toMatchObject({
        ...{ status: 'done', type: 'audio', language: 'en', author: 'Valley Radio', metadata: null },
        content: expect.stringContaining('the old wooden bridge'),
      });
      const { memory, location } = await best('What will be repaired next spring?', 'mp3');
      expect(memory).toContain('bridge');
      // The passage begins with this sentence or the one before it.
      expect(near(location?.startSeconds, 17.2)).toBe(true);
      const { chunks } = (await mneme.get<{ chunks: Hit[] }>(`/v3/documents/${id}/chunks`)).body;
      expect(chunks[0]?.location).toEqual({ startSeconds: expect.any(Number) });
    },
    SLOW,
  );

  test(
    'MP4 and WAV: a question finds the passage with its second, also under a wrong name',
    async () => {
      const later = ['-ss', '22.8', '-i', spokenRecording];
      const picture = ['-f', 'lavfi', '-i', 'color=c=blue:s=64x64:r=5', ...later, '-shortest'];
      const video = await upload('talk.mp4', 'mp4', ...picture, '-c:v', 'mpeg4', '-c:a', 'aac', '-b:a', '48k');
      const wav = join(folder, 'talk.wav');
      makeWithFfmpeg(...later, wav);
      const sound = await send('minutes.docx', await readFile(wav), 'wav');
      expect(await settled(video)).toMatchObject({ status: 'done', type: 'video', title: 'talk.mp4' });
      expect(await settled(sound)).toMatchObject({ status: 'done', type: 'audio' });
      for (const tag of ['mp4', 'wav']) {
        const library = await best('When is the library closed?', tag);
        expect(near(library.location?.startSeconds, 5)).toBe(true);
      }
    },
    SLOW,
  );

  test(
    'a video of YouTube without captions is read by its sound, and a question finds the second',
    async () => {
      const sound = join(folder, 'sound.m4a');
      makeWithFfmpeg('-ss', '22.8', '-i', spokenRecording, '-c:a', 'aac', sound);
      const bytes = await readFile(sound);
      const url = 'https://r1.googlevideo.com/videoplayback?id=1';
      const player = {
        playabilityStatus: { status: 'OK' },
        videoDetails: { videoId: 'nocaptions2', title: 'News of the valley', author: 'Valley Radio' },
        streamingData: { adaptiveFormats: [{ url, contentLength: `${bytes.length}`, mimeType: 'audio/mp4' }] },
      };
      web.answers['www.youtube.com/watch?v=nocaptions2'] = page(
        `<html><script>var ytInitialPlayerResponse = ${JSON.stringify(player)};</script></html>`,
      );
      web.answers['r1.googlevideo.com/videoplayback?id=1'] = page(bytes, { 'Content-Type': 'audio/mp4' });
      const id = await mneme.add('https://www.youtube.com/watch?v=nocaptions2', { containerTag: 'youtube' });
      expect(await settled(id)).toMatchObject({
        ...{ status: 'done', type: 'video', title: 'News of the valley', author: 'Valley Radio', language: 'en' },
      });
      const library = await best('When is the library closed?', 'youtube');
      expect(near(library.location?.startSeconds, 5)).toBe(true);
    },
    SLOW,
  );

  test(
    'what cannot be heard fails with its reason, and a list of files is a text',
    async () => {
      const mute = await upload('mute.mp4', 'no', '-f', 'lavfi', '-i', 'color=c=red:s=32x32:r=5:d=1', '-c:v', 'mpeg4');
      const silent = await upload('silent.wav', 'no', '-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '5');
      const secret = join(folder, 'secret.txt');
      await writeFile(secret, 'The password is swordfish.');
      const list = await send('list.mp4', new TextEncoder().encode(`ffconcat version 1.0\nfile '${secret}'\n`), 'list');
      const reasons = await Promise.all([mute, silent].map(async (id) => (await settled(id)).processingError));
      expect(reasons).toEqual([
        expect.objectContaining({
          code: 'extraction_failed',
          message: expect.stringMatching(/^The file has no sound/),
        }),
        expect.objectContaining({ code: 'extraction_failed', message: expect.stringMatching(/^Nothing is said/) }),
      ]);
      const listed = await settled(list);
      expect(listed).toMatchObject({ status: 'done', type: 'text' });
      expect(listed.content).not.toContain('swordfish');
    },
    SLOW,
  );
});
