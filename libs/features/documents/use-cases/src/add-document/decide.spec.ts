import { err, ok } from '#platform/kernel';
import {
  added,
  addedEvent,
  deleted,
  delta,
  done,
  extractedFrom,
  FILE,
  failed,
  given,
  recorded,
  uploaded,
} from '../../../src/testing.ts';
import { decideAdd, decideAddAgain } from './decide.ts';

const again = {
  metadata: null,
  change: { kind: 'none', isRepeated: false },
} as const;
const append = { kind: 'append', text: { inline: ' world' }, sent: null, borders: [] } as const;

describe('a first add', () => {
  test('given metadata too long for one event, then several events hold it', () => {
    const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, 'x'.repeat(2_000)]));
    const events = decideAdd({ ...addedEvent().payload, metadata, sizes: {} });
    for (const { payload } of events) expect(JSON.stringify(payload).length).toBeLessThan(32_000);
    expect(given(...events.map((event) => recorded(event)))).toMatchObject({ metadata });
  });

  test('given metadata keys that have a meaning in JavaScript, then they are kept', () => {
    const metadata = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const [event] = decideAdd({ ...addedEvent().payload, metadata, sizes: {} });
    expect(JSON.stringify(event?.payload)).toContain(`"metadata":${JSON.stringify(metadata)}`);
  });
});

describe('the same customId again', () => {
  test('given the same content, then nothing is recorded', () => {
    expect(decideAddAgain(given(added(), ...done()), again)).toEqual(ok([]));
  });

  test('given the same content of a failed document, then it is processed again', () => {
    expect(decideAddAgain(given(added(), failed()), again)).toMatchObject(
      ok([{ type: 'ProcessingRestarted', contentVersion: 1 }]),
    );
  });

  test('given more content, then it makes a new version', () => {
    expect(decideAddAgain(given(added(), ...done()), { ...again, change: append })).toMatchObject(
      ok([{ type: 'ContentAppended', contentVersion: 2, payload: { text: append.text } }]),
    );
  });

  test('given other metadata, then it changes without a new version', () => {
    const state = given(added('hello', { metadata: { a: 1 } }));
    expect(decideAddAgain(state, { ...again, metadata: { b: 2 } })).toEqual(
      ok([{ type: 'DetailsChanged', payload: { metadata: { b: 2 } } }]),
    );
  });

  test('given metadata that is stored already, then nothing is recorded', () => {
    const state = given(added('hello', { metadata: { a: 1 } }));
    expect(decideAddAgain(state, { ...again, metadata: { a: 1 } })).toMatchObject(ok([]));
  });

  test('given a delta, then its hash is recorded, for retries, and where it begins', () => {
    const change = { ...append, sent: 'hash', borders: [1] };
    expect(decideAddAgain(given(added()), { ...again, change })).toMatchObject(
      ok([{ type: 'ContentAppended', payload: { sent: 'hash', borders: [1] } }]),
    );
  });

  test('given an edited version, then it replaces the text and makes a new version', () => {
    const change = { kind: 'replace', content: { text: { inline: 'x' } }, keepsFile: true } as const;
    expect(decideAddAgain(given(added(), ...done()), { ...again, change })).toMatchObject(
      ok([{ type: 'ContentReplaced', contentVersion: 2, payload: { content: change.content } }]),
    );
  });

  test('given another content than its file, then the file is removed; a text in place of what was read keeps it', () => {
    const replace = { kind: 'replace', content: { text: { inline: 'x' } } } as const;
    const state = given(uploaded(), extractedFrom('read'));
    expect(decideAddAgain(state, { ...again, change: { ...replace, keepsFile: false } })).toMatchObject(
      ok([{ type: 'ContentReplaced' }, { type: 'FileRemoved', payload: { blob: FILE.blob } }]),
    );
    const kept = decideAddAgain(state, { ...again, change: { ...replace, keepsFile: true } });
    expect(kept).toMatchObject(ok([{ type: 'ContentReplaced', payload: { keepsFile: true } }]));
    expect(kept.ok && kept.value).toHaveLength(1);
  });

  test('given a text while the file is read, then it waits, in the same version', () => {
    const change = { kind: 'wait', text: { inline: 'x' }, sent: 'hash', overwrites: false } as const;
    expect(decideAddAgain(given(uploaded()), { ...again, change })).toEqual(
      ok([{ type: 'TextReceived', contentVersion: 1, payload: { text: { inline: 'x' }, sent: 'hash' } }]),
    );
  });

  test('given a repeated delta with other metadata, then these change as part of the first attempt', () => {
    const state = given(added(), delta('b', 2, 'request-1'));
    const repeated = { ...again, metadata: { b: 2 }, change: { kind: 'none', isRepeated: true } } as const;
    expect(decideAddAgain(state, repeated)).toEqual(
      ok([{ type: 'DetailsChanged', payload: { request: 'request-1', metadata: { b: 2 } } }]),
    );
  });

  test('given a deleted document, then it is not found', () => {
    expect(decideAddAgain(given(added(), deleted()), again)).toEqual(err('not_found'));
  });
});
