import { err, ok } from '#platform/kernel';
import {
  abandoned,
  added,
  appended,
  chunked,
  deleted,
  done,
  embedded,
  extracted,
  extractedFrom,
  FILE,
  failed,
  formed,
  given,
  received,
  recorded,
  restarted,
  started,
  uploaded,
} from '../testing.ts';
import {
  decideAbandoned,
  decideChunked,
  decideDeferred,
  decideEmbedded,
  decideExtracted,
  decideFailure,
  decideIndexed,
  decideLoss,
  decideRestart,
  decideResupplied,
  decideStart,
  type WaitingChanges,
} from './decide.ts';

const OUTDATED = err('outdated');
const EXTRACTED = { text: null, title: null, type: 'text' };
const PIECES = { chunks: { inline: [] }, memories: { inline: [] }, unitKey: 'key-1', sizes: {} };
const EMBEDDED = { renewed: false, sizes: {} };
const LOSS = { code: 'content_missing', message: 'gone' };

describe('results of work', () => {
  test.each([
    ['the content has changed', given(added(), appended(' world', 2))],
    ['the document is deleted', given(added(), deleted())],
  ])('given %s, then they are dropped', (_, state) => {
    expect(decideExtracted(state, 1, EXTRACTED, {})).toEqual(OUTDATED);
    expect(decideChunked(state, 1, PIECES)).toEqual(OUTDATED);
    expect(decideEmbedded(state, 1, 'space-1', EMBEDDED)).toEqual(OUTDATED);
    expect(decideIndexed(state, 1)).toEqual(OUTDATED);
    expect(decideFailure(state, 1, 'embedding', { code: 'x', message: 'y' })).toEqual(OUTDATED);
  });

  test('given a result that is recorded, when its message comes again, then it is dropped', () => {
    expect(decideExtracted(given(added(), extracted()), 1, EXTRACTED, {})).toEqual(OUTDATED);
    expect(decideChunked(given(added(), extracted(), chunked(), formed()), 1, PIECES)).toEqual(OUTDATED);
    expect(decideIndexed(given(added(), ...done()), 1)).toEqual(OUTDATED);
    const state = given(added(), extracted(), chunked(), formed(), embedded());
    expect(decideEmbedded(state, 1, 'space-1', EMBEDDED)).toEqual(OUTDATED);
  });

  test('given vectors that the cache has lost, when they are made again, then that is recorded once more', () => {
    const decided = decideEmbedded(given(added(), ...done(), embedded()), 1, 'space-1', { renewed: true, sizes: {} });
    expect(decided).toMatchObject(ok([{ type: 'UnitsEmbedded', payload: { space: 'space-1' } }]));
  });
});

describe('chunks and memories', () => {
  test('given their key, then it is recorded with the chunks', () => {
    const events = [
      { type: 'ContentChunked', contentVersion: 1, payload: { chunks: PIECES.chunks, unitKey: 'key-1' } },
      { type: 'MemoriesFormed', contentVersion: 1, payload: { memories: PIECES.memories } },
    ];
    expect(decideChunked(given(added(), extracted()), 1, PIECES)).toMatchObject(ok(events));
    expect(decideExtracted(given(added()), 1, EXTRACTED, {}, PIECES)).toMatchObject(
      ok([{ type: 'ContentExtracted', payload: EXTRACTED }, ...events]),
    );
  });

  test('given that another process has recorded another key since, then they are dropped', () => {
    const state = given(added(), extracted(), chunked(1, 'key-2'), formed(), restarted());
    expect(decideExtracted(state, 1, EXTRACTED, {}, PIECES)).toEqual(OUTDATED);
    const read = given(added(), extracted(), chunked(1, 'key-2'), formed(), restarted(), extracted());
    expect(decideChunked(read, 1, PIECES)).toEqual(OUTDATED);
    expect(decideChunked(read, 1, { ...PIECES, unitKey: 'key-2' })).toMatchObject({ ok: true });
  });
});

describe('lost content', () => {
  test('given a document that is done, then it fails', () => {
    const decided = decideLoss(given(added(), ...done()), 1, LOSS);
    expect(decided).toMatchObject(ok([{ type: 'ProcessingFailed', code: 'content_missing', stage: 'indexing' }]));
  });

  test.each([
    ['of another version', given(added(), appended(' world', 2))],
    ['of a deleted document', given(added(), deleted())],
    ['that is recorded', given(added(), failed())],
  ])('given a loss %s, then nothing is recorded', (_, state) => {
    expect(decideLoss(state, 1, LOSS)).toEqual(OUTDATED);
  });
});

describe('a start', () => {
  test.each([
    ['its result is recorded', given(added(), extracted(), chunked(), formed()), 'chunking'],
    ['the document has failed', given(added(), failed()), 'extracting'],
  ])('given that %s, then it is outdated', (_, state, stage) => {
    expect(decideStart(state, 1, stage)).toEqual(OUTDATED);
  });

  test('given an earlier start without an outcome, then it counts as the second', () => {
    const decided = decideStart(given(added(), started('extracting', 1)), 1, 'extracting');
    expect(decided).toMatchObject(ok([{ type: 'StageStarted', stage: 'extracting', attempt: 2 }]));
  });

  test('given three starts without an outcome, then the document fails', () => {
    const state = given(added(), started('extracting', 1), started('extracting', 2), started('extracting', 3));
    expect(decideStart(state, 1, 'extracting')).toMatchObject(
      ok([{ type: 'ProcessingFailed', stage: 'extracting', code: 'stage_crashed' }]),
    );
  });

  test('given three starts, then the repeat after a transient error starts without an event', () => {
    const state = given(added(), started('extracting', 1), started('extracting', 2), started('extracting', 3));
    expect(decideStart(state, 1, 'extracting', { isRepeat: true })).toEqual(ok([]));
  });

  test('given three starts, and a part of the result that was kept since, then it counts as the first', () => {
    const starts = [1, 2, 3].map((attempt) => started('extracting', attempt));
    const decided = decideStart(given(added(), ...starts), 1, 'extracting', { hasProgressed: true });
    expect(decided).toMatchObject(ok([{ type: 'StageStarted', attempt: 1 }]));
  });

  test('given no start, then a repeat is recorded as the first', () => {
    const decided = decideStart(given(added()), 1, 'extracting', { isRepeat: true });
    expect(decided).toMatchObject(ok([{ type: 'StageStarted', attempt: 1 }]));
  });

  test('given starts that were abandoned, then they do not count', () => {
    const again = [started('extracting', 1), abandoned('extracting', 1)];
    const state = given(added(), ...again, ...again, ...again);
    expect(decideStart(state, 1, 'extracting')).toMatchObject(ok([{ type: 'StageStarted', attempt: 1 }]));
  });

  test('given starts that were not abandoned before, then these still count', () => {
    const state = given(added(), started('extracting', 1), started('extracting', 2), abandoned('extracting', 2));
    expect(decideStart(state, 1, 'extracting')).toMatchObject(ok([{ type: 'StageStarted', attempt: 2 }]));
  });

  test('given a start without an outcome, when it is abandoned, then this is recorded with its number', () => {
    const decided = decideAbandoned(given(added(), started('extracting', 1)), 1, 'extracting');
    expect(decided).toMatchObject(ok([{ type: 'StageAbandoned', stage: 'extracting', attempt: 1 }]));
  });

  test.each([
    ['the stage has ended', given(added(), started('extracting', 1), extracted())],
    ['the document is done', given(added(), ...done())],
  ])('given that %s, when a start is abandoned, then nothing is recorded', (_, state) => {
    expect(decideAbandoned(state, 1, 'extracting')).toEqual(ok([]));
  });

  test('given work that takes long, when it is deferred, then the start that found it does not count', () => {
    const deferred = { type: 'ExtractionDeferred', contentVersion: 1, code: 'recognize', payload: null };
    const state = given(added(), started('extracting', 1), started('extracting', 2));
    expect(decideDeferred(state, 1, 'recognize', false)).toEqual(ok([deferred]));
    expect(decideDeferred(state, 1, 'recognize', true)).toMatchObject(
      ok([{ type: 'StageAbandoned', stage: 'extracting', attempt: 2 }, deferred]),
    );
  });

  test.each([
    ['the text is recorded', given(added(), extracted())],
    ['the document has failed', given(added(), failed())],
  ])('given that %s, when work is deferred, then it is outdated', (_, state) => {
    expect(decideDeferred(state, 1, 'transcribe', true)).toEqual(OUTDATED);
  });

  test('given starts of one stage, then they do not count for the next', () => {
    const state = given(added(), started('extracting', 1), started('extracting', 2), extracted());
    expect(decideStart(state, 1, 'chunking')).toMatchObject(ok([{ stage: 'chunking', attempt: 1 }]));
  });

  test('given a document that is done, then a backfill starts without an event', () => {
    expect(decideStart(given(added(), ...done()), 1, 'embedding')).toEqual(ok([]));
  });
});

describe('a restart', () => {
  test('given a failed document, then it is processed from its first stage', () => {
    expect(decideRestart(given(added(), failed()))).toEqual(
      ok([{ type: 'ProcessingRestarted', contentVersion: 1, payload: null }]),
    );
  });

  test.each([
    ['done', given(added(), ...done()), 'not_failed'],
    ['waiting', given(added()), 'not_failed'],
    ['deleted', given(added(), deleted()), 'not_found'],
    ['absent', given(), 'not_found'],
  ] as const)('given a document that is %s, then it is refused', (_, state, refusal) => {
    expect(decideRestart(state)).toEqual(err(refusal));
  });
});

describe('texts that wait until a file is read', () => {
  const waited = (...events: WaitingChanges['events']): WaitingChanges => ({ compared: 1, events });
  const appending = { type: 'ContentAppended', contentVersion: 2, payload: { text: { inline: '\none' } } } as const;

  test('given what they change, then it is recorded with the text', () => {
    const state = given(uploaded(), received('one'));
    expect(decideExtracted(state, 1, EXTRACTED, {}, undefined, waited(appending))).toMatchObject(
      ok([{ type: 'ContentExtracted' }, appending]),
    );
    expect(decideExtracted(state, 1, EXTRACTED, {}, PIECES, waited(appending))).toMatchObject(
      ok([{ type: 'ContentExtracted' }, { type: 'ContentChunked' }, { type: 'MemoriesFormed' }, appending]),
    );
  });

  test('given another one since, then the result is outdated', () => {
    const state = given(uploaded(), received('one'), received('two'));
    expect(decideExtracted(state, 1, EXTRACTED, {}, undefined, waited(appending))).toEqual(OUTDATED);
    expect(decideExtracted(state, 1, EXTRACTED, {})).toEqual(OUTDATED);
  });

  test.each([
    ['the file is unreadable', (state: ReturnType<typeof given>) => decideFailure(state, 1, 'extracting', LOSS)],
    ['the file is lost', (state: ReturnType<typeof given>) => decideLoss(state, 1, LOSS)],
  ])('given that %s, then the first becomes the content', (_, decide) => {
    const payload = { content: { text: { inline: 'one' } }, keepsFile: true };
    expect(decide(given(uploaded(), received('one'), received('two')))).toMatchObject(
      ok([{ type: 'ProcessingFailed' }, { type: 'ContentReplaced', contentVersion: 2, payload }]),
    );
    expect(decide(given(uploaded()))).toMatchObject(ok([{ type: 'ProcessingFailed' }]));
  });

  test('given that reading the file ended the process three times, then the first becomes the content', () => {
    const starts = [started('extracting', 1), started('extracting', 2), started('extracting', 3)];
    expect(decideStart(given(uploaded(), received('one'), ...starts), 1, 'extracting')).toMatchObject(
      ok([{ type: 'ProcessingFailed', code: 'stage_crashed' }, { type: 'ContentReplaced' }]),
    );
  });

  test('given that a later stage fails, then the document fails', () => {
    const state = given(uploaded(), extractedFrom('read'));
    expect(decideFailure(state, 1, 'chunking', LOSS)).toMatchObject(ok([{ type: 'ProcessingFailed' }]));
  });
});

describe('the title of a document that fails before it is read', () => {
  test.each([
    ['the name of its file', given(uploaded()), FILE.name],
    ['the first line of its text', given(added('  https://example.com/a\n')), 'https://example.com/a'],
    ['at most 100 characters of it', given(added('🦭'.repeat(150))), '🦭'.repeat(100)],
    ['what it was before', given(added(), ...done(), appended(' world', 2)), undefined],
  ])('is %s', (_, state, title) => {
    const version = state.status === 'live' ? state.contentVersion : 0;
    const payload = { message: LOSS.message, ...(title !== undefined && { title }) };
    const decided = decideFailure(state, version, 'extracting', LOSS);
    expect(decided).toEqual(ok([expect.objectContaining({ payload })]));
  });
});

describe('a document that failed because the machine lacked a resource', () => {
  const eventsOf = (decided: ReturnType<typeof decideFailure>) =>
    decided.ok ? decided.value.map((event) => recorded(event)) : [];
  const reason = { code: 'model_missing', message: 'install it', resource: 'ocr-deu' };
  const failure = decideFailure(given(uploaded()), 1, 'extracting', reason);
  const lacking = given(uploaded(), ...eventsOf(failure));

  test('names the resource in its failure', () => {
    expect(failure).toMatchObject(
      ok([{ type: 'ProcessingFailed', code: 'model_missing', payload: { resource: 'ocr-deu' } }]),
    );
    expect(lacking).toMatchObject({ stage: 'failed', error: reason });
  });

  test('is restarted when the resource that it lacked is there, and not for another resource', () => {
    expect(decideResupplied(lacking, 'ocr-deu')).toMatchObject(
      ok([{ type: 'ProcessingRestarted', contentVersion: 1 }]),
    );
    expect(decideResupplied(lacking, 'ffmpeg')).toEqual(err('not_failed'));
  });

  test('is left alone when it failed for another reason, was restarted, or is gone', () => {
    expect(decideResupplied(given(uploaded()), 'ocr-deu')).toEqual(err('not_failed'));
    const other = decideFailure(given(uploaded()), 1, 'extracting', LOSS);
    expect(decideResupplied(given(uploaded(), ...eventsOf(other)), 'ocr-deu')).toEqual(err('not_failed'));
    expect(decideResupplied({ status: 'absent' }, 'ocr-deu')).toEqual(err('not_found'));
  });
});
