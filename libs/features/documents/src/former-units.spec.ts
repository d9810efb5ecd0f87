import { newId, type OrganizationId } from '#platform/kernel';
import type { RecordedEvent } from '#ports/event-store';
import type { DocumentEvent, MemoryRef } from './events.ts';
import { UnitHistory } from './former-units.ts';
import { MissingBlobError } from './missing-blob.ts';
import { recordEvents } from './recording.ts';
import { addedEvent } from './testing.ts';
import { DocumentTexts } from './texts.ts';

/** Which units have left a document, and for which time searches knew them. */

const ORGANIZATION = newId() as OrganizationId;
const CAUSE = { actor: 'key:k', correlationId: 'request', causationId: null };
const TEXTS = new DocumentTexts({} as never);

/** The stream of a document; each event is a minute after the one before. */
class Stream {
  readonly events: RecordedEvent[] = [];

  append(...events: readonly DocumentEvent[]): this {
    for (const event of events) {
      const now = this.events.length * 60_000;
      const [stored] = recordEvents([event], {
        organization: ORGANIZATION,
        cause: CAUSE,
        tags: ['t'],
        now,
        isMemory: false,
      });
      const revision = this.events.length;
      this.events.push({ ...stored, stream: 's', revision, position: `${revision}` } as RecordedEvent);
    }
    return this;
  }

  /** Forms a memory of each line. */
  form(version: number, text: string): this {
    const memories: MemoryRef[] = [];
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf('\n', from) < 0 ? text.length : text.indexOf('\n', from);
      memories.push([`id of ${text.slice(from, end)}`, from, end, null]);
      from = end + 1;
    }
    const of = { contentVersion: version };
    return this.append(
      { type: 'ContentExtracted', stage: 'extracting', ...of, payload: { text: null, title: null, type: 'text' } },
      { type: 'ContentChunked', stage: 'chunking', ...of, payload: { chunks: { inline: [] }, unitKey: 'key' } },
      { type: 'MemoriesFormed', stage: 'chunking', ...of, payload: { memories: { inline: memories } } },
    );
  }

  index(version: number): this {
    return this.append({ type: 'DocumentIndexed', stage: 'indexing', contentVersion: version, payload: null });
  }

  replace(version: number, text: string): this {
    const content = { text: { inline: text } };
    return this.append({ type: 'ContentReplaced', contentVersion: version, payload: { content } });
  }
}

const begun = (text: string) => new Stream().append(addedEvent(text)).form(1, text).index(1);
const edited = (stream: Stream, version: number, text: string) =>
  stream.replace(version, text).form(version, text).index(version);
/** The context of units is how many their document had. */
const history = (isLong = false, texts = TEXTS) =>
  new UnitHistory({ texts, isLong: () => isLong, contextOf: (_, all) => all.length });
type Departures = Awaited<ReturnType<ReturnType<typeof history>['follow']>>;
const shown = ({ former }: Departures) =>
  former.map(({ came, left, from, until, units }) => {
    return [`${came}-${left}`, units.map(({ text, ordinal }) => `${ordinal} ${text}`).join(', '), from, until];
  });
const minute = (number: number) => number * 60_000;

test('given a document that was indexed once, then nothing has left it', async () => {
  expect(await history().follow(begun('one\ntwo').events)).toEqual({ former: [], returned: [] });
});

test('given edits, then units have left for the time from their version to the one without them', async () => {
  const stream = edited(edited(begun('one\ntwo\nthree'), 2, 'one\nfour\nthree'), 3, 'three\none');
  expect(shown(await history().follow(stream.events))).toEqual([
    ['0-1', '1 two', 0, minute(9)],
    ['1-2', '1 four', minute(9), minute(14)],
  ]);
});

test('given a unit that returned and left again, then each stay counts by itself', async () => {
  const stream = edited(edited(edited(begun('one\ntwo'), 2, 'one'), 3, 'two\none'), 4, 'one');
  expect(shown(await history().follow(stream.events))).toEqual([
    ['0-1', '1 two', 0, minute(9)],
    ['2-3', '0 two', minute(14), minute(19)],
  ]);
});

test('followed event by event, the same has left in the end', async () => {
  const stream = edited(edited(begun('one\ntwo'), 2, 'one\nthree'), 3, 'four');
  const [whole, apart] = [history(), history()];
  const all = shown(await whole.follow(stream.events));
  const latest = new Map<unknown, unknown>();
  for (const event of stream.events) {
    for (const row of shown(await apart.follow([event]))) latest.set(row[0], row);
  }
  expect([...latest.values()]).toEqual(all);
  expect(apart.revision).toBe(stream.events.length - 1);
});

test('given vectors that were made after searches knew a version, then what has left it has them', async () => {
  const stream = begun('one\ntwo').append({
    ...{ type: 'UnitsEmbedded', stage: 'embedding', contentVersion: 1, payload: { space: 'a space' } },
  });
  const { former } = await history().follow(edited(stream, 2, 'one').events);
  expect(former).toMatchObject([{ came: 0, left: 1, document: { vectorSpace: 'a space', contentVersion: 1 } }]);
});

test('given a version that is formed and not indexed, then what it lacks has left for the time being', async () => {
  const own = history();
  const stream = begun('one\ntwo').replace(2, 'one').form(2, 'one');
  expect(shown(await own.follow(stream.events))).toEqual([['0-1', '1 two', 0, null]]);
  // Before it is indexed, another one takes its place, which has what had left.
  const from = stream.events.length;
  edited(stream, 3, 'two\nthree');
  expect(await own.follow(stream.events.slice(from))).toMatchObject({
    former: [{ came: 0, left: 1, until: minute(13), units: [{ text: 'one' }] }],
    returned: [],
  });
  const again = history();
  await again.follow(stream.events.slice(0, from));
  const back = stream.events.slice(0, from).length;
  const undone = begun('one\ntwo').replace(2, 'one').form(2, 'one').replace(3, 'one\ntwo').form(3, 'one\ntwo').index(3);
  expect(await again.follow(undone.events.slice(back))).toEqual({ former: [], returned: [{ came: 0, left: 1 }] });
});

test('given content that cannot be processed, then all that was indexed has left for the time being', async () => {
  const failed = { stage: 'extracting', code: 'unreadable', contentVersion: 2 } as const;
  const stream = begun('one\ntwo')
    .replace(2, 'x')
    .append({ type: 'ProcessingFailed', ...failed, payload: { message: 'no' } });
  expect(shown(await history().follow(stream.events))).toEqual([['0-1', '0 one, 1 two', 0, null]]);
});

test('given a document that was never indexed, then nothing has left it', async () => {
  const stream = edited(new Stream().append(addedEvent('one')).form(1, 'one'), 2, 'two');
  expect((await history().follow(stream.events)).former).toEqual([]);
});

test('of a long document, only what has left is read', async () => {
  const stream = edited(begun('one\ntwo'), 2, 'one');
  expect((await history().follow(stream.events)).former[0]?.context).toBe(2);
  expect(await history(true).follow(stream.events)).toMatchObject({
    former: [{ context: null, units: [{ text: 'two' }] }],
  });
});

test('what cannot be read of a version that was replaced is not found, and hinders nothing', async () => {
  const gone = { readList: async () => Promise.reject(new MissingBlobError('gone')) } as unknown as DocumentTexts;
  const stream = edited(begun('one\ntwo'), 2, 'one');
  const departures = await history(false, gone).follow(stream.events);
  expect(departures).toEqual({ former: [], returned: [] });
});
