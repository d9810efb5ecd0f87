import { err, ok } from '#kernel';
import { added, addedEvent, appended, deleted, done, failed, given, recorded } from '../../../src/testing.ts';
import { compareTexts, decideAdd, decideAddAgain } from './decide.ts';

const again = { correlationId: 'request-2', metadata: null, tags: ['t'], change: { kind: 'none' } } as const;
const append = { kind: 'append', text: { inline: ' world' } } as const;

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
    expect(decideAddAgain(given(added(), ...done()), again)).toEqual(ok({ events: [], tags: ['t'] }));
  });

  test('given the same content of a failed document, then it is processed again', () => {
    expect(decideAddAgain(given(added(), failed()), again)).toMatchObject(
      ok({ events: [{ type: 'ProcessingRestarted', contentVersion: 1 }] }),
    );
  });

  test('given more content, then it makes a new version', () => {
    expect(decideAddAgain(given(added(), ...done()), { ...again, change: append })).toMatchObject(
      ok({ events: [{ type: 'ContentAppended', contentVersion: 2, payload: { text: append.text } }] }),
    );
  });

  test('given further tags and other metadata, then both change without a new version', () => {
    const state = given(added('hello', { metadata: { a: 1 } }));
    expect(decideAddAgain(state, { ...again, tags: ['t', 'u'], metadata: { b: 2 } })).toEqual(
      ok({ events: [{ type: 'DetailsChanged', payload: { metadata: { b: 2 } } }], tags: ['t', 'u'] }),
    );
  });

  test('given metadata that is stored already, then nothing is recorded', () => {
    const state = given(added('hello', { metadata: { a: 1 } }));
    expect(decideAddAgain(state, { ...again, metadata: { a: 1 } })).toMatchObject(ok({ events: [] }));
  });

  test('given a request that was carried out, then it is not carried out again', () => {
    const state = given(added(), appended(' world', 2, 'request-2'));
    expect(decideAddAgain(state, { ...again, change: append })).toMatchObject(ok({ events: [] }));
  });

  test('given a deleted document, then it is not found', () => {
    expect(decideAddAgain(given(added(), deleted()), again)).toEqual(err('not_found'));
  });
});

test.each([
  ['resent', 'a\nb', 'a\nb', 'same'],
  ['grown', 'a\nb', 'a\nb\nc', { append: '\nc' }],
  ['a delta', 'a', 'b', { append: '\nb' }],
  ['a delta after a line end', 'a\n', 'b', { append: 'b' }],
])('compareTexts() of a text that is %s', (_, stored, sent, expected) => {
  expect(compareTexts(stored, sent)).toEqual(expected);
});
