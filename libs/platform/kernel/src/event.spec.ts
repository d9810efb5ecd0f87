import { type EventCatalogue, type EventOf, foldWith, readEvent, type StoredEvent } from './event.ts';

type Named = EventOf<'Named', { readonly name: string }>;
type Closed = EventOf<'Closed', null>;

const CATALOGUE: EventCatalogue<Named | Closed> = {
  Named: { version: 1, payload: true },
  Closed: { version: 1, payload: false },
};

const CONTEXT = { at: '2026-01-02T03:04:05.678Z', organization: 'org', tags: ['t'], correlationId: 'request-1' };

const stored = (type: string, payload: StoredEvent['payload'], facts: object = {}): StoredEvent => ({
  envelope: { ...CONTEXT, ...facts, type },
  payload,
});

/** An event whose payload is sealed with a key that is lost. */
const sealed = (type: string): StoredEvent => ({
  envelope: { ...CONTEXT, type },
  get payload(): never {
    throw new Error('the key is lost');
  },
});

describe('readEvent()', () => {
  test('returns type, facts, context and payload', () => {
    const facts = { contentVersion: 2, stage: 'chunking', attempt: 1, code: 'x' };
    expect(readEvent(CATALOGUE, stored('Named', { name: 'a' }, facts))).toEqual({
      ...CONTEXT,
      ...facts,
      type: 'Named',
      payload: { name: 'a' },
    });
  });

  test.each(['Unknown', 'constructor', '__proto__'])('returns null for the type %s, which is not listed', (type) => {
    expect(readEvent(CATALOGUE, stored(type, { name: 'a' }))).toBeNull();
  });

  test('returns an erased event if the payload of a type that has one is null', () => {
    expect(readEvent(CATALOGUE, stored('Named', null))).toEqual({ ...CONTEXT, type: 'erased' });
  });

  test('does not read the payload of a type that has none', () => {
    expect(readEvent(CATALOGUE, sealed('Closed'))).toMatchObject({ type: 'Closed', payload: null });
    expect(readEvent(CATALOGUE, sealed('Unknown'))).toBeNull();
  });

  test('throws if the payload of a type that has one cannot be read', () => {
    expect(() => readEvent(CATALOGUE, sealed('Named'))).toThrow('the key is lost');
  });
});

test('foldWith() skips unknown types and passes erased events on', () => {
  const fold = foldWith(CATALOGUE, (types: readonly string[], event) => [...types, event.type]);
  const events = [stored('Named', { name: 'a' }), stored('Unknown', {}), stored('Named', null), stored('Closed', null)];
  expect(events.reduce(fold, [])).toEqual(['Named', 'erased', 'Closed']);
});
