import { readFile } from 'node:fs/promises';
import { findTestSpeech, spokenRecording } from '../libs/ports/speech/src/testing/test-speech.ts';
import { sheetRows, xlsxOf } from '../libs/processing/extraction/src/testing/office.ts';
import { pageOf } from '../libs/processing/extraction/src/testing/pictures.ts';
import { Cluster } from './support/cluster.ts';
import { eventually, type Mneme } from './support/mneme.ts';
import { article, openSite, page } from './support/site.ts';

/**
 * Kinds of content on distributed engines: an API process takes what a worker reads, in a folder of its own. What each kind
 * becomes is tested on embedded engines.
 */

const speech = await findTestSpeech();
/** A machine that does other work reads pictures and recordings slowly. */
const SLOW = 600_000;

let cluster: Cluster;
let api: Mneme;
let site: Awaited<ReturnType<typeof openSite>>;

beforeAll(async () => {
  site = await openSite({ '/crane': page(article('The crane at the Zollhaus dates from 1712.')) });
  const models = speech.missing === undefined && { MNEME_MODELS: speech.models, MNEME_FFMPEG: speech.ffmpeg };
  cluster = await Cluster.start({ env: { MNEME_FETCH_LOOPBACK: 'on', ...models } });
  [api] = await Promise.all([cluster.start('api'), cluster.start('worker')]);
}, SLOW);
afterAll(async () => {
  await cluster?.stop();
  site?.close();
});

interface Hit {
  readonly memory?: string;
  readonly location?: { readonly startSeconds?: number };
}

async function upload(name: string, content: Uint8Array<ArrayBuffer>, tag: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([content]), name);
  form.append('containerTags', tag);
  return (await api.request<{ id: string }>('POST', '/v3/documents/file', form)).body.id;
}

/** The best memory for a question. An engine that is busy asks to repeat it. */
const best = (q: string, containerTag: string): Promise<Hit> =>
  eventually(async () => {
    const { status, body } = await api.post<{ results: Hit[] }>('/v4/search', { q, containerTag });
    return status === 503 ? null : (body.results[0] ?? {});
  });

test(
  'a picture, a row of a sheet and a page of the web are found by their words',
  async () => {
    const format = { width: 800, height: 400, size: 34, left: 30, top: 80 };
    const sign = pageOf(['Notice', 'The goats ate the rope.'], format);
    const prices = [
      ['item', 'euro'],
      ['Rope', 12.5],
      ['Anchor chain', 480],
    ];
    const ids = await Promise.all([
      upload('sign.png', new Uint8Array(await sign.flatten().png().toBuffer()), 'picture'),
      upload('book.xlsx', new Uint8Array(xlsxOf({ Prices: sheetRows(prices) })), 'sheet'),
      api.add(site.url('/crane'), { containerTag: 'page' }),
    ]);
    const records = await Promise.all(ids.map((id) => api.settled(id, SLOW)));
    expect(records.map(({ status, type }) => [status, type])).toEqual([
      ['done', 'image'],
      ['done', 'text'],
      ['done', 'webpage'],
    ]);
    expect((await best('Who ate the rope?', 'picture')).memory).toContain('The goats ate the rope');
    expect(await best('What does the anchor chain cost?', 'sheet')).toMatchObject({
      ...{ memory: '- item: Anchor chain; euro: 480', location: { sheet: 'Prices', row: 3 } },
    });
    expect((await best('When was the crane at the Zollhaus built?', 'page')).memory).toContain('1712');
  },
  SLOW,
);

(speech.missing === undefined ? test : test.skip)(
  `a question finds the second of a recording${speech.missing === undefined ? '' : ` (SKIPPED: ${speech.missing})`}`,
  async () => {
    const id = await upload('valley.mp3', new Uint8Array(await readFile(spokenRecording)), 'recording');
    expect(await api.settled(id, SLOW)).toMatchObject({ status: 'done', type: 'audio', language: 'en' });
    const { memory, location } = await best('What will be repaired next spring?', 'recording');
    expect(memory).toContain('bridge');
    // It is said at 17.2 s. The passage begins with this sentence or the one before it.
    expect(location?.startSeconds).toBeGreaterThan(17.2 - 8);
    expect(location?.startSeconds).toBeLessThan(17.2 + 1.5);
  },
  SLOW,
);
