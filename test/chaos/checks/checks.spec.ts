import type { Connection, Request } from '../clients/connection.ts';
import type { FeedEvent, FeedReader } from '../feed-reader.ts';
import { KEYS, type OpenKey } from '../keys.ts';
import { Expectations, type ExpectedDocument, type State } from '../model/expected.ts';
import { compareDocuments } from './documents.ts';
import { compareFeed } from './feeds.ts';
import { compareList } from './lists.ts';
import { type Listed, Listing, type Reading } from './reading.ts';

/** The checker notices each kind of violation. */

const key = { ...KEYS.find(({ isLimited }) => isLimited), secret: 'sm_of_a_limited_key_' } as OpenKey;
const MARKER = 'zqbbbbb7';
const STATE: State = { content: `${MARKER} kettle.`, tags: ['garden'], metadata: {} };
const RECORD: Listed = { id: 'one', status: 'done', content: STATE.content, containerTags: ['garden'], metadata: null };
/** As it is shown alone. */
const SHOWN = { ...RECORD, processingError: null };

let expectations: Expectations;
let document: ExpectedDocument;
beforeEach(() => {
  expectations = new Expectations();
  document = expectations.create(key.name, null);
  document.markers.push(MARKER);
});

function acknowledge(): void {
  expectations.identify(document, RECORD.id);
  document.acknowledged(() => STATE);
}

/** Answers each request with the body that the function returns, and 200; 404 without a body. */
function readingOf(bodyOf: (path: string) => object | null): Reading {
  const send = async ({ path }: Request) => {
    const body = bodyOf(path);
    return { status: body === null ? 404 : 200, body, attempt: 1 };
  };
  return { key, expectations, connection: { send } as unknown as Connection };
}

async function differencesOfList(...memories: readonly Listed[]): Promise<readonly string[]> {
  const reading = readingOf(() => ({ memories }));
  return compareList(reading, await Listing.read(reading));
}

describe('a list', () => {
  test('with each acknowledged document once is right', async () => {
    acknowledge();
    expect(await differencesOfList(RECORD)).toEqual([]);
  });

  test.each<[string, string, readonly Listed[]]>([
    ['without an acknowledged document', 'lost', []],
    ['with an earlier state of a document', 'lost', [{ ...RECORD, content: 'zqbbbbc7' }]],
    ['with other tags of a document', 'lost', [{ ...RECORD, containerTags: ['cellar'] }]],
    ['with a document twice', 'doubled', [RECORD, { ...RECORD, id: 'two' }]],
    ['with a document of another key', 'leaked', [RECORD, { ...RECORD, id: 'two', content: 'zqabbbb7' }]],
    ['with a document that is not done', 'status', [{ ...RECORD, status: 'queued' }]],
  ])('%s is wrong', async (_, word, memories) => {
    acknowledge();
    expect(await differencesOfList(...memories)).toEqual([expect.stringContaining(word)]);
  });

  test('with a deleted document is wrong', async () => {
    acknowledge();
    document.acknowledged(() => null);
    expect(await differencesOfList(RECORD)).toEqual([expect.stringContaining('resurrected')]);
    expect(await differencesOfList()).toEqual([]);
  });

  test('may have a document whose add is unknown, once', async () => {
    document.unknown(() => STATE);
    expect(await differencesOfList()).toEqual([]);
    expect(await differencesOfList(RECORD)).toEqual([]);
    expect(await differencesOfList(RECORD, { ...RECORD, id: 'two' })).toEqual([expect.stringContaining('doubled')]);
  });

  test('may have a document whose deletion is unknown', async () => {
    acknowledge();
    document.unknown(() => null);
    expect(await differencesOfList()).toEqual([]);
    expect(await differencesOfList(RECORD)).toEqual([]);
  });
});

describe('reads of documents', () => {
  const FOUND = { documentId: RECORD.id, chunks: [{ explain: { coverage: 1 } }] };

  async function differencesOfReads(listed: readonly Listed[], record: object | null, results: readonly object[]) {
    const bodies: Record<string, object | null> = {
      '/v3/documents/list': { memories: listed },
      '/v3/search': { results },
    };
    const reading = readingOf((path) => (path in bodies ? (bodies[path] as object) : record));
    return compareDocuments(reading, await Listing.read(reading));
  }

  test('that show and find what is listed are right', async () => {
    acknowledge();
    expect(await differencesOfReads([RECORD], SHOWN, [FOUND])).toEqual([]);
  });

  test('that do not find a document by its marker are wrong', async () => {
    acknowledge();
    expect(await differencesOfReads([RECORD], SHOWN, [])).toEqual([expect.stringContaining('should find [one]')]);
  });

  test('that answer a listed document with 404 are wrong', async () => {
    acknowledge();
    expect(await differencesOfReads([RECORD], null, [FOUND])).toEqual([expect.stringContaining('404')]);
  });

  test('that find a deleted document are wrong', async () => {
    acknowledge();
    document.acknowledged(() => null);
    expect(await differencesOfReads([], null, [])).toEqual([]);
    expect(await differencesOfReads([], null, [FOUND])).toEqual([expect.stringContaining('resurrected')]);
  });
});

describe('a feed', () => {
  const EVENTS: readonly FeedEvent[] = ['DocumentAdded', 'ContentChunked', 'DocumentIndexed'].map((type, revision) => {
    return { id: `event ${revision}`, type, revision, documentId: RECORD.id, tags: ['garden'] };
  });

  async function differencesOfFeed(read: readonly FeedEvent[]): Promise<readonly string[]> {
    acknowledge();
    const reader = { key, events: new Map([[RECORD.id, [...read]]]) } as unknown as FeedReader;
    return compareFeed(
      readingOf(() => ({ events: EVENTS })),
      reader,
    );
  }

  test('with every event in order is right', async () => {
    expect(await differencesOfFeed(EVENTS)).toEqual([]);
  });

  test.each<[string, readonly number[]]>([
    ['without an event', [0, 2]],
    ['with an event twice', [0, 1, 1, 2]],
    ['in another order', [1, 0, 2]],
  ])('%s is wrong', async (_, order) => {
    const read = order.map((n) => EVENTS[n] as FeedEvent);
    expect(await differencesOfFeed(read)).toEqual([expect.stringContaining('the feed has shown')]);
  });
});
