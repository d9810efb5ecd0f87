import { siteNamed, sitePageOf } from './registry.ts';
import type { FetchedPart } from './site.ts';

const CONSENT = 'https://consent.youtube.com/m';
const WATCH = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ';
const SHEET = 'https://docs.google.com/spreadsheets/d/1AbC-d_E';

test.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s', WATCH],
  ['https://youtube.com/watch?list=x&v=dQw4w9WgXcQ', WATCH],
  ['http://m.youtube.com/watch?v=dQw4w9WgXcQ', WATCH],
  ['https://music.youtube.com/watch?v=dQw4w9WgXcQ', WATCH],
  ['https://youtu.be/dQw4w9WgXcQ?si=abc', WATCH],
  ['https://www.youtube.com/shorts/dQw4w9WgXcQ', WATCH],
  ['https://www.youtube.com/live/dQw4w9WgXcQ?feature=share', WATCH],
  ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ', WATCH],
  ['https://www.youtube.com/v/dQw4w9WgXcQ', WATCH],
  ['https://www.youtube.com/watch?v=short', null],
  ['https://www.youtube.com/@channel', null],
  ['https://www.youtube.com/playlist?list=PLx', null],
  ['https://youtube.com.evil.test/watch?v=dQw4w9WgXcQ', null],
  ['https://evilyoutube.com/watch?v=dQw4w9WgXcQ', null],
  [`${SHEET}/edit#gid=7`, `${SHEET}/export?format=csv&gid=7`],
  [`${SHEET}/edit?gid=8#gid=7`, `${SHEET}/export?format=csv&gid=7`],
  [`${SHEET}/edit?usp=sharing`, `${SHEET}/export?format=csv`],
  [`${SHEET}/edit?gid=7&range=A1`, `${SHEET}/export?format=csv&gid=7`],
  [`${SHEET}`, `${SHEET}/export?format=csv`],
  ['https://docs.google.com/spreadsheets/u/1/d/1AbC-d_E/view', `${SHEET}/export?format=csv`],
  ['https://docs.google.com/a/site.test/spreadsheets/d/1AbC-d_E/edit', `${SHEET}/export?format=csv`],
  [`${SHEET}/export?format=csv&gid=3`, `${SHEET}/export?format=csv&gid=3`],
  [`${SHEET}/export?format=xlsx`, null],
  [`${SHEET}/edit#gid=1%26format%3Dpdf`, `${SHEET}/export?format=csv`],
  [
    'https://docs.google.com/spreadsheets/d/e/2PACX-1x/pubhtml?gid=5',
    'https://docs.google.com/spreadsheets/d/e/2PACX-1x/pub?output=csv&gid=5&single=true',
  ],
  [
    'https://docs.google.com/spreadsheets/d/e/2PACX-1x/pub',
    'https://docs.google.com/spreadsheets/d/e/2PACX-1x/pub?output=csv',
  ],
  ['https://docs.google.com/document/d/1AbC-d_E/edit', null],
  ['https://docs.google.com.evil.test/spreadsheets/d/1AbC-d_E/edit', null],
  ['https://site.test/', null],
])('for %s, %s is fetched', (url, expected) => {
  expect(sitePageOf(url)?.address ?? null).toBe(expected);
});

const part = (body: string | Buffer, more: Partial<FetchedPart> = {}): FetchedPart => ({
  ...{ bytes: Buffer.from(body), contentType: 'text/html; charset=utf-8', fileName: null, url: WATCH, before: null },
  ...more,
});

describe('a sheet', () => {
  const { read } = siteNamed('google-sheets');
  const csv = { contentType: 'text/csv', url: 'https://doc-1.googleusercontent.com/export/x' };

  test('is a table with rows, and is named after its file', async () => {
    const file = part('Boat,Berth\nHeron,7\nCurlew,12\n', { ...csv, fileName: 'Harbour - Berths.csv' });
    expect(await read(file)).toEqual({
      readable: {
        text: '- Boat: Heron; Berth: 7\n\n- Boat: Curlew; Berth: 12',
        sections: [[0, { row: 2 }]],
        encoding: 'utf-8',
        title: 'Harbour - Berths',
      },
    });
  });

  test('that is not shared is answered with a page to sign in', async () => {
    const page = part('<!doctype html><title>Sign in</title>', { url: 'https://accounts.google.com/ServiceLogin' });
    expect(await read(page)).toEqual({ unavailable: expect.stringMatching(/not shared.*anyone who has the link/) });
  });

  test('that is empty holds no text', async () => {
    await expect(async () => read(part('\n', csv))).rejects.toMatchObject({ code: 'extraction_failed' });
  });
});

const track = (languageCode: string, more: object = {}) => ({
  baseUrl: `https://www.youtube.com/api/timedtext?v=x&lang=${languageCode}`,
  languageCode,
  ...more,
});
const page = (player: object, lang = 'en') =>
  `<!doctype html><html lang="${lang}"><script>if(window.ytInitialPlayerResponse=== null){}</script><script>var ytInitialPlayerResponse = ${JSON.stringify(
    {
      playabilityStatus: { status: 'OK' },
      videoDetails: { videoId: 'dQw4w9WgXcQ', title: 'The "crane" {1712}; \\', author: 'Harbour TV' },
      microformat: { playerMicroformatRenderer: { publishDate: '2024-05-06T07:08:09-07:00' } },
      ...player,
    },
  )};var meta = document;</script></html>`;
const captionsOf = (captionTracks: readonly object[], more: object = {}) => ({
  captions: { playerCaptionsTracklistRenderer: { captionTracks, ...more } },
});

describe('the page of a video', () => {
  const { read } = siteNamed('youtube');
  const DETAILS = {
    title: 'The "crane" {1712}; \\',
    author: 'Harbour TV',
    date: '2024-05-06T07:08:09-07:00',
    canonicalUrl: WATCH,
  };
  const ASR = track('de', { kind: 'asr' });

  test.each([
    ['those that people wrote before those of a program', [ASR, track('fr')], 'en', {}, 'fr'],
    ['those in the spoken language', [track('en'), track('de-AT'), ASR], 'en', {}, 'de-AT'],
    [
      'those that the player shows first',
      [track('en'), track('fr')],
      'en',
      { audioTracks: [{ defaultCaptionTrackIndex: 1 }] },
      'fr',
    ],
    ['those in the language of the page', [track('en'), track('fr')], 'fr-FR', {}, 'fr'],
    ['the first ones', [track('es'), track('fr')], 'en', {}, 'es'],
    ['those of a program, if there are no others', [ASR], 'en', {}, 'de'],
  ] as const)('leads to %s', async (_, tracks, lang, more, language) => {
    const found = await read(part(page(captionsOf(tracks, more), lang)));
    expect(found).toEqual({
      next: `https://www.youtube.com/api/timedtext?v=x&lang=${language}&fmt=json3`,
      before: {
        part: 'captions',
        video: {
          details: { ...DETAILS, language },
          captions: expect.any(String),
          ...{ isAutomatic: language === 'de', sound: null, refusal: null },
        },
      },
    });
  });

  test('never leads to captions on another site', async () => {
    const elsewhere = [
      'http://169.254.169.254/',
      'https://evil.test/timedtext',
      'http://www.youtube.com/api/timedtext',
    ];
    for (const baseUrl of elsewhere) {
      expect(await read(part(page(captionsOf([track('en', { baseUrl })]))))).toHaveProperty('unavailable');
    }
  });

  test('without captions leads to the smallest sound that is given openly', async () => {
    const sound = (url: string, contentLength: string, mimeType = 'audio/mp4; codecs="mp4a"') => ({
      url,
      contentLength,
      mimeType,
    });
    const adaptiveFormats = [
      sound('https://r1.googlevideo.com/large', '9000000'),
      sound('https://r1.googlevideo.com/small', '400000'),
      sound('https://r1.googlevideo.com/pictures', '1000', 'video/mp4'),
      sound('https://evil.test/tiny', '10'),
      { mimeType: 'audio/webm', contentLength: '10', signatureCipher: 's=x' },
    ];
    const found = await read(part(page({ streamingData: { adaptiveFormats } })));
    expect(found).toMatchObject({
      next: 'https://r1.googlevideo.com/small',
      before: { part: 'sound', details: DETAILS },
    });
    const huge = [sound('https://r1.googlevideo.com/huge', '90000000')];
    expect(await read(part(page({ streamingData: { adaptiveFormats: huge } })))).toEqual({
      unavailable: expect.stringContaining('no captions'),
    });
  });

  test.each([
    ['no player', '<html><p>Before you continue</p></html>', WATCH, /robot/],
    ['consent', '<html></html>', CONSENT, /consent/],
    ['a page of another site', '<html></html>', 'https://www.google.com/sorry/index', /consent/],
    ['a sign-in', page({ playabilityStatus: { status: 'LOGIN_REQUIRED' } }), WATCH, /signed in/],
    ['a video that is gone', page({ playabilityStatus: { status: 'ERROR' } }), WATCH, /does not exist/],
    ['a live video', page({ playabilityStatus: { status: 'LIVE_STREAM_OFFLINE' } }), WATCH, /live/],
    ['a broken player', '<script>var ytInitialPlayerResponse = {"a": "{;</script>', WATCH, /robot/],
    [
      'a player of another form',
      '<script>var ytInitialPlayerResponse = {"captions": [1], "videoDetails": 7};</script>',
      WATCH,
      /no captions/,
    ],
  ])('with %s ends with what to do', async (_, html, url, reason) => {
    expect(await read(part(html, { url }))).toEqual({ unavailable: expect.stringMatching(reason) });
    expect(await read(part(html, { url }))).toEqual({ unavailable: expect.stringMatching(/Upload the video/) });
  });
});

describe('captions', () => {
  const { read } = siteNamed('youtube');
  const details = { title: 'T', author: 'A', date: null, language: 'en', canonicalUrl: WATCH };
  const read3 = (body: string, isAutomatic = false, sound: string | null = null) => {
    const video = { details, captions: 'x', isAutomatic, sound, refusal: null };
    return read(part(body, { contentType: 'application/json', before: { part: 'captions', video } }));
  };
  const json = (...events: readonly object[]) => JSON.stringify({ wireMagic: 'pb3', events });

  test('are paragraphs with the second at which each of them begins', async () => {
    const body = json(
      { tStartMs: 0, dDurationMs: 1000, id: 1 },
      { tStartMs: 1240, dDurationMs: 2000, segs: [{ utf8: 'The crane ' }, { utf8: 'dates', tOffsetMs: 300 }] },
      { tStartMs: 2000, aAppend: 1, segs: [{ utf8: '\n' }] },
      { tStartMs: 3300, dDurationMs: 1000, segs: [{ utf8: 'from\n1712.' }] },
      { tStartMs: 9000, dDurationMs: 1000, segs: [{ utf8: 'It lifts barrels.' }] },
    );
    expect(await read3(body)).toEqual({
      readable: {
        ...details,
        text: 'The crane dates from 1712.\n\nIt lifts barrels.',
        sections: [
          [0, { startSeconds: 1.24 }],
          [16, { startSeconds: 3.3 }],
          [28, { startSeconds: 9 }],
        ],
      },
    });
  });

  test.each([
    [
      '<?xml version="1.0"?><transcript><text start="1.5" dur="2">It&amp;#39;s &lt;b&gt;old&lt;/b&gt;</text><text start="4">now</text></transcript>',
    ],
    [
      '<timedtext format="3"><body><p t="1500" d="2000"><s>It&#39;s</s><s t="9"> old</s></p><p t="4000">now</p></body></timedtext>',
    ],
  ])('are read from %s', async (body) => {
    expect(await read3(body)).toMatchObject({
      readable: {
        text: "It's old now",
        sections: [
          [0, { startSeconds: 1.5 }],
          [9, { startSeconds: 4 }],
        ],
      },
    });
  });

  test('of a program lose what it heard beside words', async () => {
    const body = json({ tStartMs: 0, segs: [{ utf8: '[Music]' }] }, { tStartMs: 5000, segs: [{ utf8: 'hello' }] });
    expect(await read3(body, true)).toMatchObject({
      readable: { text: 'hello', sections: [[0, { startSeconds: 5 }]] },
    });
    expect(await read3(body)).toMatchObject({ readable: { text: '[Music]\n\nhello' } });
  });

  test('without an end of a sentence are paragraphs, too', async () => {
    const events = Array.from({ length: 400 }, (_, i) => ({
      tStartMs: i * 2000,
      dDurationMs: 4000,
      segs: [{ utf8: 'one two three' }],
    }));
    const found = await read3(json(...events), true);
    const { text } = (found as { readonly readable: { readonly text: string } }).readable;
    expect(Math.max(...text.split('\n\n').map(({ length }) => length))).toBeLessThan(1_100);
  });

  test.each(['', '{', '[]', '{"events": [null, {"segs": [null, 7]}]}', '<html>', 'WEBVTT'])(
    'that are %j lead to the sound, or end with a reason',
    async (body) => {
      expect(await read3(body, false, 'https://r1.googlevideo.com/a')).toMatchObject({
        next: 'https://r1.googlevideo.com/a',
      });
      expect(await read3(body)).toEqual({ unavailable: expect.stringContaining('no captions') });
    },
  );
});
