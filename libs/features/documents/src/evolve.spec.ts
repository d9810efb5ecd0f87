import { evolve } from './evolve.ts';
import {
  AT,
  added,
  appended,
  chunked,
  deleted,
  delta,
  done,
  embedded,
  erased,
  extracted,
  extractedFrom,
  FILE,
  failed,
  formed,
  given,
  indexed,
  received,
  recorded,
  replaced,
  restarted,
  started,
  uploaded,
} from './testing.ts';

describe('a new document', () => {
  test('waits to be extracted, with what the caller sent', () => {
    expect(given(added('hello', { metadata: { n: 5 }, customId: 'mine' }))).toMatchObject({
      status: 'live',
      stage: 'queued',
      customId: 'mine',
      tags: ['t'],
      metadata: { n: 5 },
      contentVersion: 1,
      content: { parts: [{ inline: 'hello' }] },
      createdAt: Date.parse(AT),
    });
  });

  test('takes metadata from several events', () => {
    const state = given(
      added('hello', { metadata: { a: 1 } }),
      recorded({ type: 'DetailsChanged', payload: { metadataAdded: { b: 2 } } }),
    );
    expect(state).toMatchObject({ metadata: { a: 1, b: 2 } });
  });
});

describe('processing', () => {
  test.each([
    ['added', given(added()), 'queued', []],
    ['extraction started', given(added(), started('extracting', 1)), 'extracting', []],
    ['extracted', given(added(), extracted()), 'chunking', ['extracting']],
    ['formed', given(added(), extracted(), chunked(), formed()), 'embedding', ['extracting', 'chunking']],
    [
      'embedded',
      given(added(), extracted(), chunked(), formed(), embedded()),
      'indexing',
      ['extracting', 'chunking', 'embedding'],
    ],
    ['indexed', given(added(), ...done()), 'done', ['extracting', 'chunking', 'indexing']],
    ['failed', given(added(), extracted(), failed()), 'failed', ['extracting']],
  ])('%s: stage and recorded results', (_, state, stage, results) => {
    expect(state).toMatchObject({ stage, recorded: results });
  });

  test('vectors that come later do not change the status', () => {
    const state = given(added(), ...done(), embedded());
    expect(state).toMatchObject({ stage: 'done', vectorSpace: 'space-1' });
  });

  test('a failure says why', () => {
    expect(given(added(), failed())).toMatchObject({
      stage: 'failed',
      error: { stage: 'extracting', code: 'extraction_failed', message: 'no' },
    });
  });

  test('a restart begins at the first stage and keeps the version', () => {
    expect(given(added(), failed(), restarted())).toMatchObject({ stage: 'queued', error: null, contentVersion: 1 });
  });

  test('a result of an old version does not touch the new one', () => {
    const state = given(added(), appended(' world', 2), indexed(1), extracted(1));
    expect(state).toMatchObject({ stage: 'queued', contentVersion: 2, extracted: null });
  });

  test('appended content makes a new version that is processed again', () => {
    expect(given(added(), ...done(), appended(' world', 2))).toMatchObject({
      stage: 'queued',
      contentVersion: 2,
      content: { parts: [{ inline: 'hello' }, { inline: ' world' }] },
      memories: null,
      recorded: [],
    });
  });

  test('the first key of the units is kept over changes of the content', () => {
    expect(given(added(), extracted(), chunked(1, 'key-1'), formed(), appended(' world', 2))).toMatchObject({
      unitKey: 'key-1',
    });
    const again = given(added(), extracted(), chunked(1, 'key-1'), restarted(), extracted(), chunked(1, 'key-2'));
    expect(again).toMatchObject({ unitKey: 'key-1' });
  });

  test('new tags and metadata replace the former ones', () => {
    const state = given(
      added('hello', { metadata: { a: 1 } }),
      recorded({ type: 'DetailsChanged', payload: { metadata: { b: 2 } } }, ['t', 'u']),
    );
    expect(state).toMatchObject({ tags: ['t', 'u'], metadata: { b: 2 } });
  });
});

describe('former tags', () => {
  const changedAt = (at: string, tags: readonly string[]) => ({
    ...recorded({ type: 'DetailsChanged', payload: {} }, tags),
    at,
  });
  const [FIRST, SECOND] = ['2027-01-01T00:00:00.000Z', '2027-01-02T00:00:00.000Z'] as const;

  test('are those before each change of the tags', () => {
    const state = given(
      added(),
      changedAt(FIRST, ['u', 'v']),
      changedAt(FIRST, ['v', 'u']),
      ...done(),
      changedAt(SECOND, ['t']),
    );
    expect(state).toMatchObject({
      tags: ['t'],
      formerTags: [
        { tags: ['t'], until: Date.parse(FIRST) },
        { tags: ['v', 'u'], until: Date.parse(SECOND) },
      ],
    });
  });

  test('are those of the last hundred changes', () => {
    const changes = Array.from({ length: 120 }, (_, i) => changedAt(FIRST, [`tag ${i}`]));
    const state = given(added(), ...changes);
    expect(state).toMatchObject({ tags: ['tag 119'] });
    expect(state.status === 'live' && state.formerTags).toHaveLength(100);
    expect(state.status === 'live' && state.formerTags.at(-1)?.tags).toEqual(['tag 118']);
  });

  test('of an imported document have the times of the first installation', () => {
    const formerTags = [{ tags: ['t'], until: 5_000 }];
    const payload = { createdAt: FIRST, updatedAt: FIRST, times: { inline: [] }, formerTags };
    const imported = recorded({ type: 'DocumentImported', payload }, ['u']);
    expect(given(added(), changedAt(SECOND, ['u']), imported)).toMatchObject({ tags: ['u'], formerTags });
  });
});

test('an event that only a later version knows changes nothing of a document', () => {
  const state = given(added(), ...done());
  const later = recorded({ type: 'WordsCounted', contentVersion: 1, stage: 'counting', payload: {} } as never);
  expect(evolve(state, later)).toBe(state);
});

describe('import', () => {
  const times = { inline: [[0, '2020-01-01T00:00:00.000Z']] } as const;
  const imported = recorded({
    type: 'DocumentImported',
    payload: { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2021-01-01T00:00:00.000Z', times },
  });
  const past = { createdAt: Date.UTC(2020, 0, 1), updatedAt: Date.UTC(2021, 0, 1) };

  test('keeps the times of the first installation, also while the document is processed', () => {
    expect(given(added(), imported, ...done())).toMatchObject({ stage: 'done', ...past });
  });

  test('ends with the next change by a caller', () => {
    const state = given(added(), imported, ...done(), appended(' more', 2), extracted(2));
    expect(state).toMatchObject({ createdAt: past.createdAt, updatedAt: Date.parse(AT) });
  });
});

describe('deletion', () => {
  test('is final: nothing brings the document back', () => {
    expect(given(added(), deleted(), extracted(), indexed(), added())).toEqual({ status: 'deleted', tags: ['t'] });
  });

  test.each([
    ['its first event', [erased()]],
    ['a later event', [added(), erased()]],
  ])('an erased payload reads as deleted: %s', (_, events) => {
    expect(given(...events)).toEqual({ status: 'deleted', tags: ['t'] });
  });
});

describe('the deltas by which a retry is recognised', () => {
  const details = (correlationId: string, request?: string) =>
    recorded({ type: 'DetailsChanged', payload: { ...(request !== undefined && { request }) } }, ['t'], correlationId);
  const ofBatch = [delta('b', 2, 'item-1', 'batch'), details('item-2', 'batch'), delta('c', 3, 'item-2', 'batch')];

  test.each([
    ['one delta', [delta('b', 2, 'r')], { request: 'r', hashes: ['b'] }],
    ['deltas of two requests', [delta('b', 2, 'r'), delta('c', 3, 's')], { request: 's', hashes: ['c'] }],
    ['all deltas of one request', ofBatch, { request: 'batch', hashes: ['b', 'c'] }],
    ['the results of stages', [delta('b', 2, 'r'), ...done(2)], { request: 'r', hashes: ['b'] }],
    ['details of the same request', [delta('b', 2, 'r'), details('s', 'r')], { request: 'r', hashes: ['b'] }],
    ['details of another request', [delta('b', 2, 'r'), details('s')], null],
    ['a text sent whole', [delta('b', 2, 'r'), appended('c', 3, 's')], null],
    ['no delta', [], null],
  ])('after %s', (_, events, deltas) => {
    expect(given(added(), ...events)).toMatchObject({ deltas });
  });
});

describe('changed details', () => {
  const details = { customId: 'c', filepath: '/x', taskType: 'superrag', documentDate: '2026-01-02' } as const;
  const changed = recorded({ type: 'DetailsChanged', payload: details });

  test('leave processing and content as they are', () => {
    expect(given(added(), ...done(), changed)).toMatchObject({ ...details, stage: 'done', contentVersion: 1 });
  });

  test('units keep the date that they were formed with', () => {
    expect(given(added(), ...done(), changed)).toMatchObject({ unitsDate: null });
    expect(given(added(), changed, ...done())).toMatchObject({ unitsDate: '2026-01-02' });
    const replaced = recorded({
      type: 'ContentReplaced',
      contentVersion: 2,
      payload: { content: { text: { inline: 'x' } } },
    });
    expect(given(added(), ...done(), changed, replaced, ...done(2))).toMatchObject({ unitsDate: '2026-01-02' });
  });
});

describe('an uploaded document', () => {
  const inline = (text: string) => ({ inline: text });

  test('given a delta, then it follows what was read from the file, which stays', () => {
    const state = given(uploaded(), extractedFrom('read'), delta('more', 2));
    const content = { file: FILE, parts: [inline('read'), inline('\nmore')], isRead: true };
    expect(state).toMatchObject({ content, stage: 'queued', title: FILE.name });
    expect(given(uploaded(), extractedFrom('read'), delta('more', 2), delta('x', 3))).toMatchObject({
      content: { ...content, parts: [...content.parts, inline('\nx')] },
    });
  });

  describe('given what the content says about itself', () => {
    const declared = { language: 'en', author: 'Ann', canonicalUrl: 'https://example.org/a', date: '2024-05-01' };
    const ofFile = { encoding: 'koi8-r', frontMatter: { tags: ['weir'] } };
    const { date: contentDate, ...fields } = declared;
    const sections = { inline: [[0, { page: 1 }]] } as const;
    const read = () => {
      const event = extractedFrom('read');
      return { ...event, payload: { ...event.payload, ...declared, ...ofFile, sections } };
    };

    test('then the document has it, and the date counts where a caller has sent none', () => {
      expect(given(uploaded(), read())).toMatchObject({
        ...{ ...fields, ...ofFile, contentDate, sections, documentDate: null },
      });
      expect(given(uploaded(), read(), chunked(), formed())).toMatchObject({ unitsDate: contentDate });
      const dated = recorded({ type: 'DetailsChanged', payload: { documentDate: '2020-01-01' } });
      expect(given(uploaded(), dated, read(), chunked(), formed())).toMatchObject({ unitsDate: '2020-01-01' });
    });

    test('then its sections, its encoding and its front matter stay when a text is added, and go when the text is replaced', () => {
      expect(given(uploaded(), read(), delta('more', 2))).toMatchObject({ ...fields, ...ofFile, sections });
      const without = { ...fields, encoding: null, frontMatter: null, sections: null };
      expect(given(uploaded(), read(), replaced('edited', 2, true))).toMatchObject(without);
      const unknown = {
        language: null,
        author: null,
        canonicalUrl: null,
        encoding: null,
        frontMatter: null,
        contentDate: null,
        sections: null,
      };
      expect(given(uploaded(), read(), replaced('other', 2))).toMatchObject(unknown);
      expect(given(uploaded(), extractedFrom('read'))).toMatchObject(unknown);
    });
  });

  test('given a text in place of what was read, then the file stays', () => {
    const state = given(uploaded(), extractedFrom('read'), replaced('edited', 2, true));
    expect(state).toMatchObject({ content: { file: FILE, parts: [inline('edited')], isRead: false } });
  });

  test('given new content, then neither the file nor a waiting text stays', () => {
    const state = given(uploaded(), received('later'), replaced('other', 2));
    expect(state).toMatchObject({ content: { parts: [inline('other')] }, waiting: [] });
    expect(state).not.toHaveProperty('content.file');
  });

  test('given texts before it is read, then they wait, and a retry recognises the last of them', () => {
    const state = given(uploaded(), started('extracting', 1), received('one', 'r'), received('two', 's'));
    expect(state).toMatchObject({
      ...{ stage: 'extracting', contentVersion: 1, content: { file: FILE }, deltas: { request: 's', hashes: ['two'] } },
      waiting: [
        { text: inline('one'), sent: 'one', request: 'r', overwrites: false },
        { text: inline('two'), sent: 'two', request: 's', overwrites: false },
      ],
    });
    expect(given(uploaded(), received('one', 'r'), extractedFrom('read'))).toMatchObject({ waiting: [] });
  });

  test('given that it cannot be read, then a waiting text takes its place and the others wait on', () => {
    const state = given(uploaded(), received('one'), received('two'), failed(), replaced('one', 2, true));
    expect(state).toMatchObject({ stage: 'queued', content: { file: FILE, parts: [inline('one')] } });
    expect(state).toMatchObject({ waiting: [{ sent: 'two' }] });
  });
});

test('where deltas begin in the content stays known while it grows, and not when it is replaced', () => {
  const appended = (text: string, contentVersion: number, borders?: readonly number[]) =>
    recorded({
      type: 'ContentAppended',
      contentVersion,
      payload: { text: { inline: text }, ...(borders && { borders }) },
    });
  const state = given(
    added('hello'),
    appended('\nworld', 2, [1]),
    appended(' grows', 3),
    appended('\na\nb', 4, [1, 3]),
  );
  expect(state).toMatchObject({ borders: [6, 18, 20] });
  expect(evolve(state, replaced('hello', 5))).toMatchObject({ borders: [] });
});
