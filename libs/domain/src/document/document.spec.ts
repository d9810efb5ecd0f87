import type { Decided } from '../happened.ts';
import {
  AT,
  added,
  chunked,
  deleted,
  done,
  embedded,
  extracted,
  failed,
  formed,
  given,
  happened,
  indexed,
  started,
} from '../testing.ts';
import { compareTexts, decideAdd, decideAddAgain, type NewDocumentInput } from './adding.ts';
import { decideDelete } from './deleting.ts';
import {
  decideChunked,
  decideEmbedded,
  decideExtracted,
  decideFailure,
  decideIndexed,
  decideLoss,
  decideStart,
  nextWork,
  type Work,
} from './processing.ts';
import { decideRetry } from './retrying.ts';

const types = (decided: readonly Decided[]) => decided.map(({ type }) => type);
const ready = { ready: true };
const none = { ready: false };
const EXTRACTED = { text: null, title: null, summary: null, type: 'text' };
const PIECES = { chunks: { inline: [] }, memories: { inline: [] }, sizes: {} };
const EMBEDDED = { renewed: false, sizes: {} };

describe('a new document', () => {
  test('waits to be extracted, with what the caller gave', () => {
    const state = given(added('hello', { metadata: { n: 5 }, customId: 'mine' }));
    expect(state).toMatchObject({
      status: 'live',
      stage: 'queued',
      customId: 'mine',
      tags: ['t'],
      metadata: { n: 5 },
      contentVersion: 1,
      content: { parts: [{ inline: 'hello' }] },
      createdAt: Date.parse(AT),
    });
    expect(nextWork(state, ready)).toBe('extract');
  });

  test('with metadata too long for one event is told in several', () => {
    const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, 'x'.repeat(2_000)]));
    const events = decideAdd({ ...(added().payload as unknown as NewDocumentInput), metadata, sizes: {} });
    for (const { payload } of events) expect(JSON.stringify(payload).length).toBeLessThan(32_000);
    expect(given(...events.map((event) => happened(event)))).toMatchObject({ metadata });
  });

  test('keeps a metadata key that has a meaning in JavaScript', () => {
    const metadata = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const [event] = decideAdd({ ...(added().payload as unknown as NewDocumentInput), metadata, sizes: {} });
    expect(JSON.stringify(event?.payload)).toContain(`"metadata":${JSON.stringify(metadata)}`);
  });
});

describe('the way through the stages', () => {
  const steps: [string, ReturnType<typeof given>, Work | null][] = [
    ['added', given(added()), 'extract'],
    ['extraction started', given(added(), started('extracting', 1)), 'extract'],
    ['extracted', given(added(), extracted()), 'chunk'],
    ['formed', given(added(), extracted(), chunked(), formed()), 'embed'],
    ['embedded', given(added(), extracted(), chunked(), formed(), embedded()), 'index'],
    ['indexed', given(added(), ...done()), null],
    ['failed', given(added(), failed()), null],
    ['deleted', given(added(), deleted()), null],
    ['never added', given(), null],
  ];
  test.each(steps)('%s: what comes next', (_, state, work) => {
    expect(nextWork(state, ready)).toBe(work);
  });

  test('without a model nothing is embedded', () => {
    expect(nextWork(given(added(), extracted(), chunked(), formed()), none)).toBe('index');
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
});

describe('results of work', () => {
  const outdated = { ok: false, error: 'outdated' };
  const grown = happened({ type: 'ContentAppended', contentVersion: 2, payload: { text: { inline: ' world' } } });

  test('are dropped when the content has changed', () => {
    const state = given(added(), grown);
    expect(decideExtracted(state, 1, EXTRACTED, {})).toEqual(outdated);
    expect(decideChunked(state, 1, PIECES)).toEqual(outdated);
    expect(decideEmbedded(state, 1, 'space-1', EMBEDDED)).toEqual(outdated);
    expect(decideIndexed(state, 1)).toEqual(outdated);
    expect(decideFailure(state, 1, 'embedding', { code: 'x', message: 'y' })).toEqual(outdated);
  });

  test('are dropped when the document is gone', () => {
    const state = given(added(), deleted());
    expect(decideExtracted(state, 1, EXTRACTED, {})).toEqual(outdated);
    expect(decideIndexed(state, 1)).toEqual(outdated);
  });

  test('count once when a message comes twice', () => {
    expect(decideExtracted(given(added(), extracted()), 1, EXTRACTED, {})).toEqual(outdated);
    expect(decideChunked(given(added(), extracted(), chunked(), formed()), 1, PIECES)).toEqual(outdated);
    expect(decideIndexed(given(added(), ...done()), 1)).toEqual(outdated);
    const state = given(added(), extracted(), chunked(), formed(), embedded());
    expect(decideEmbedded(state, 1, 'space-1', EMBEDDED)).toEqual(outdated);
  });

  test('of an old version that are in the log already do not touch the new one', () => {
    const state = given(added(), grown, indexed(1), extracted(1));
    expect(state).toMatchObject({ stage: 'queued', contentVersion: 2, extracted: null });
  });

  test('end as failed when what they were made of is lost, also after they were done, and once', () => {
    const loss = { code: 'content_missing', message: 'gone' };
    const decided = decideLoss(given(added(), ...done()), 1, loss);
    expect(decided).toMatchObject({ ok: true, value: [{ type: 'ProcessingFailed', code: 'content_missing' }] });
    expect(decideLoss(given(added(), grown), 1, loss)).toEqual(outdated);
    expect(decideLoss(given(added(), deleted()), 1, loss)).toEqual(outdated);
    const failed = happened({ type: 'ProcessingFailed', contentVersion: 1, payload: { message: 'gone' } });
    expect(decideLoss(given(added(), ...done(), failed), 1, loss)).toEqual(outdated);
  });

  test('vectors made again after the cache lost them are told once more', () => {
    const state = given(added(), ...done(), embedded());
    const decided = decideEmbedded(state, 1, 'space-1', { renewed: true, sizes: {} });
    expect(decided.ok && types(decided.value)).toEqual(['UnitsEmbedded']);
  });
});

describe('work that may crash the process', () => {
  test('is not begun again on a document that is past it, or has failed', () => {
    const formedState = given(added(), extracted(), chunked(), formed());
    expect(decideStart(formedState, 1, 'chunk')).toEqual({ ok: false, error: 'outdated' });
    expect(decideStart(formedState, 1, 'embed')).toMatchObject({ ok: true, value: [{ type: 'StageStarted' }] });
    const failed = given(
      added(),
      happened({
        type: 'ProcessingFailed',
        contentVersion: 1,
        stage: 'extracting',
        code: 'x',
        payload: { message: 'no' },
      }),
    );
    expect(failed).toMatchObject({ stage: 'failed' });
    expect(decideStart(failed, 1, 'extract')).toEqual({ ok: false, error: 'outdated' });
  });

  test('is recorded before it begins, and counted', () => {
    const decided = decideStart(given(added(), started('extracting', 1)), 1, 'extract');
    expect(decided.ok && decided.value).toMatchObject([{ type: 'StageStarted', stage: 'extracting', attempt: 2 }]);
  });

  test('is neither recorded nor counted again when it repeats a start after a transient error', () => {
    const state = given(added(), started('extracting', 1), started('extracting', 2), started('extracting', 3));
    expect(decideStart(state, 1, 'extract', true)).toEqual({ ok: true, value: [] });
    expect(decideStart(given(added()), 1, 'extract', true)).toMatchObject({
      ok: true,
      value: [{ type: 'StageStarted', attempt: 1 }],
    });
  });

  test('is given up after three starts without an outcome', () => {
    const state = given(added(), started('extracting', 1), started('extracting', 2), started('extracting', 3));
    const decided = decideStart(state, 1, 'extract');
    expect(decided.ok && decided.value).toMatchObject([{ type: 'ProcessingFailed', code: 'stage_crashed' }]);
  });

  test('the starts of one stage do not count against the next', () => {
    const state = given(added(), started('extracting', 1), started('extracting', 2), extracted());
    const decided = decideStart(state, 1, 'chunk');
    expect(decided.ok && decided.value).toMatchObject([{ stage: 'chunking', attempt: 1 }]);
  });

  test('vectors for a document that is done are no stage of it', () => {
    expect(decideStart(given(added(), ...done()), 1, 'embed')).toEqual({ ok: true, value: [] });
  });
});

describe('the same customId again', () => {
  const again = { correlationId: 'request-2', metadata: null, tags: ['t'], change: { kind: 'none' } } as const;
  const append = { kind: 'append', text: { inline: ' world' } } as const;

  test('with the same content changes nothing', () => {
    const decided = decideAddAgain(given(added(), ...done()), again);
    expect(decided.ok && decided.value.events).toEqual([]);
  });

  test('with the same content tries a failed document again', () => {
    const state = given(added(), failed());
    const decided = decideAddAgain(state, again);
    expect(decided.ok && types(decided.value.events)).toEqual(['ProcessingRestarted']);
    const after = given(added(), failed(), happened({ type: 'ProcessingRestarted', contentVersion: 1, payload: null }));
    expect(after).toMatchObject({ stage: 'queued', error: null, contentVersion: 1 });
  });

  test('with more content makes a new version that is processed again', () => {
    const decided = decideAddAgain(given(added(), ...done()), { ...again, change: append });
    expect(decided.ok && decided.value.events).toMatchObject([{ type: 'ContentAppended', contentVersion: 2 }]);
    const grown = happened({ type: 'ContentAppended', contentVersion: 2, payload: { text: append.text } });
    expect(given(added(), ...done(), grown)).toMatchObject({
      stage: 'queued',
      contentVersion: 2,
      content: { parts: [{ inline: 'hello' }, { inline: ' world' }] },
      memories: null,
    });
  });

  test('adds its tags and replaces the metadata in place', () => {
    const decided = decideAddAgain(given(added('hello', { metadata: { a: 1 } })), {
      ...again,
      tags: ['t', 'u'],
      metadata: { b: 2 },
    });
    expect(decided.ok && decided.value.tags).toEqual(['t', 'u']);
    expect(decided.ok && types(decided.value.events)).toEqual(['DetailsChanged']);
    const after = given(
      added('hello', { metadata: { a: 1 } }),
      happened({ type: 'DetailsChanged', payload: { metadata: { b: 2 } } }, ['t', 'u']),
    );
    expect(after).toMatchObject({ tags: ['t', 'u'], metadata: { b: 2 } });
  });

  test('metadata that is the same already is no change', () => {
    const decided = decideAddAgain(given(added('hello', { metadata: { a: 1 } })), { ...again, metadata: { a: 1 } });
    expect(decided.ok && decided.value.events).toEqual([]);
  });

  test('a repeated request is not carried out twice', () => {
    const grown = happened(
      { type: 'ContentAppended', contentVersion: 2, payload: { text: append.text } },
      ['t'],
      'request-2',
    );
    const decided = decideAddAgain(given(added(), grown), { ...again, change: append });
    expect(decided.ok && decided.value.events).toEqual([]);
  });

  test('of a deleted document is not found', () => {
    expect(decideAddAgain(given(added(), deleted()), again)).toEqual({ ok: false, error: 'not_found' });
  });
});

describe('deletion', () => {
  test.each([
    ['queued', given(added())],
    ['done', given(added(), ...done())],
    ['failed', given(added(), failed())],
  ])('is allowed when %s', (_, state) => {
    const decided = decideDelete(state);
    expect(decided.ok && types(decided.value)).toEqual(['DocumentDeleted']);
  });

  test('is final: nothing brings the document back', () => {
    const state = given(added(), deleted(), extracted(), indexed(), added());
    expect(state).toEqual({ status: 'deleted' });
    expect(decideDelete(state)).toEqual({ ok: false, error: 'not_found' });
  });

  test('an erased first event reads as deleted', () => {
    const event = added();
    expect(given({ ...event, payload: null })).toEqual({ status: 'deleted' });
  });

  test.each([
    ['extracted', extracted()],
    ['cut into memories', formed()],
    ['failed', failed()],
  ])('a stream that was erased while it was read reads as deleted: %s', (_, event) => {
    expect(given(added(), { ...event, payload: null })).toEqual({ status: 'deleted' });
  });
});

test.each([
  ['resent', 'a\nb', 'a\nb', 'same'],
  ['grown', 'a\nb', 'a\nb\nc', { append: '\nc' }],
  ['a delta', 'a', 'b', { append: '\nb' }],
  ['a delta behind a line end', 'a\n', 'b', { append: 'b' }],
])('a text that is %s', (_, stored, sent, expected) => {
  expect(compareTexts(stored, sent)).toEqual(expected);
});

describe('a retry', () => {
  test('begins a failed document again from its first stage', () => {
    const decided = decideRetry(given(added(), failed()));
    expect(decided).toEqual({
      ok: true,
      value: [{ type: 'ProcessingRestarted', contentVersion: 1, payload: null }],
    });
  });

  test.each([
    ['done', given(added(), ...done()), 'not_failed'],
    ['waiting', given(added()), 'not_failed'],
    ['deleted', given(added(), deleted()), 'not_found'],
    ['absent', given(), 'not_found'],
  ] as const)('is refused to one that is %s', (_, state, error) => {
    expect(decideRetry(state)).toEqual({ ok: false, error });
  });
});
