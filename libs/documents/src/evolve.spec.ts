import {
  AT,
  added,
  appended,
  chunked,
  deleted,
  done,
  embedded,
  erased,
  extracted,
  failed,
  formed,
  given,
  indexed,
  recorded,
  restarted,
  started,
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
      hasUnkeyedUnits: false,
    });
    const again = given(added(), extracted(), chunked(1, 'key-1'), restarted(), extracted(), chunked(1, 'key-2'));
    expect(again).toMatchObject({ unitKey: 'key-1' });
  });

  test('units without a key are remembered over changes of the content', () => {
    const events = [added(), extracted(), chunked(), formed(), appended(' world', 2)];
    expect(given(...events)).toMatchObject({ unitKey: null, hasUnkeyedUnits: true });
    expect(given(...events, extracted(2), chunked(2, 'key-1'))).toMatchObject({
      unitKey: 'key-1',
      hasUnkeyedUnits: true,
    });
  });

  test('new tags and metadata replace the former ones', () => {
    const state = given(
      added('hello', { metadata: { a: 1 } }),
      recorded({ type: 'DetailsChanged', payload: { metadata: { b: 2 } } }, ['t', 'u']),
    );
    expect(state).toMatchObject({ tags: ['t', 'u'], metadata: { b: 2 } });
  });
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
