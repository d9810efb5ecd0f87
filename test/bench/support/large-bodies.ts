import { sentence } from './texts.ts';

/** A request with a large body. */
export interface LargeBody {
  readonly what: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** @param bytes length of the body */
  readonly make: (bytes: number) => Buffer;
}

/** Repeats a piece between a beginning and an end, up to the length. */
function filled(begin: string, piece: string, end: string): (bytes: number) => Buffer {
  return (bytes) => {
    const before = Buffer.from(begin);
    const after = Buffer.from(end);
    const unit = Buffer.from(piece);
    const count = Math.floor((bytes - before.length - after.length) / unit.length);
    return Buffer.concat([before, Buffer.alloc(count * unit.length, unit), after]);
  };
}

const nested = (open: string, close: string) => (bytes: number) => {
  const depth = Math.floor((bytes - 40) / (open.length + close.length));
  return Buffer.from(`{"content":"x","ignored":${open.repeat(depth)}1${close.repeat(depth)}}`);
};

/** Sentences, a paragraph of five each. */
function sentences(bytes: number, first: number): string {
  const parts: string[] = [];
  for (let i = 0, size = 0; size < bytes; i += 1) {
    const part = sentence(first + i) + (i % 5 === 4 ? '\n\n' : ' ');
    parts.push(part);
    size += part.length;
  }
  return parts.join('').slice(0, bytes);
}

const text = (fields: object, bytes: number, first: number, end = ''): Buffer =>
  Buffer.from(JSON.stringify({ ...fields, content: sentences(bytes * 0.98 - 200, first) + end }));

/** Messages of a conversation, of which the first ones are the same for every count. */
function conversation(conversationId: string, count: number, characters: number): Buffer {
  const messages = Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: sentences(characters, 6e6 + i * 10),
  }));
  return Buffer.from(JSON.stringify({ conversationId, messages }));
}

/** A batch of the largest number of documents. */
function batch(characters: number, first: number): Buffer {
  const documents = Array.from({ length: 600 }, (_, i) => ({ content: sentences(characters, first + i * 2_000) }));
  return Buffer.from(JSON.stringify({ documents }));
}

const ADD = '/v3/documents';
const BATCH = '/v3/documents/batch';
const CONVERSATION = '/v4/conversations';
const SEARCH = '/v4/search';

/** Bodies of every kind, in the order of sending. */
export const LARGE_BODIES: readonly LargeBody[] = [
  { what: 'nested arrays', path: ADD, status: 413, make: nested('[', ']') },
  { what: 'nested objects', path: ADD, status: 413, make: nested('{"a":', '}') },
  { what: 'empty objects', path: ADD, status: 413, make: filled('{"content":"x","ignored":[{}', ',{}', ']}') },
  { what: 'numbers', path: ADD, status: 413, make: filled('{"content":"x","ignored":[1', ',1', ']}') },
  { what: 'keys', path: ADD, status: 413, make: filled('{"content":"x","ignored":{"a":1', ',"b":2', '}}') },
  { what: 'invalid JSON', path: ADD, status: 400, make: filled('{"content":"', 'abcdefgh', '"') },
  {
    what: 'bytes that are no UTF-8',
    path: ADD,
    status: 400,
    make: (bytes) => Buffer.concat([filled('{"content":"', 'abcdefgh', '')(bytes), Buffer.from([0xff])]),
  },
  {
    what: 'plain text as text/plain',
    path: ADD,
    status: 400,
    headers: { 'content-type': 'text/plain' },
    make: (bytes) => Buffer.from(sentences(bytes, 0)),
  },
  { what: 'white space', path: ADD, status: 400, make: filled('{"content":"', ' ', '"}') },
  { what: 'metadata', path: ADD, status: 400, make: filled('{"content":"x","metadata":{"a":"', 'abcdefgh', '"}}') },
  { what: 'a filter as text', path: SEARCH, status: 400, make: filled('{"q":"x","filters":"', '[[[[[[[[', '"}') },
  { what: 'a query', path: SEARCH, status: 200, make: filled('{"q":"', 'abcdefgh', '"}') },
  {
    what: 'a text under an ignored key',
    path: ADD,
    status: 200,
    make: filled('{"content":"x","ignored":"', 'abcdefgh', '"}'),
  },
  { what: 'escapes', path: ADD, status: 200, make: filled('{"content":"', 'abc\\ndef\\u00e9 ', '"}') },
  { what: 'plain text', path: ADD, status: 200, make: (bytes) => text({}, bytes, 0) },
  {
    what: 'plain text with a word beyond Latin-1',
    path: ADD,
    status: 200,
    make: (bytes) => text({}, bytes, 1e6, ' 東京'),
  },
  { what: 'plain text with a customId', path: ADD, status: 200, make: (bytes) => text({ customId: 'c' }, bytes, 2e6) },
  {
    what: 'plain text with an Idempotency-Key',
    path: ADD,
    status: 200,
    headers: { 'idempotency-key': 'k' },
    make: (bytes) => text({}, bytes, 3e6),
  },
  {
    what: 'a change of the text with the customId',
    path: ADD,
    status: 200,
    make: (bytes) => text({ customId: 'c' }, bytes, 2e6, ' The end.'),
  },
  {
    what: 'a batch of 600',
    path: BATCH,
    status: 200,
    make: (bytes) => batch((bytes / 600 - 200) * 0.98, 4e6),
  },
  { what: 'a batch of 600 with 5 MB in all', path: BATCH, status: 200, make: () => batch(8_000, 8e6) },
  {
    what: 'the same batch as a retry',
    path: BATCH,
    status: 200,
    headers: { 'x-stainless-retry-count': '1' },
    make: () => batch(8_000, 8e6),
  },
  {
    what: 'a batch of 600 with an Idempotency-Key',
    path: BATCH,
    status: 200,
    headers: { 'idempotency-key': 'batch' },
    make: () => batch(8_000, 10e6),
  },
  {
    what: 'a conversation of 60,000 messages',
    path: CONVERSATION,
    status: 200,
    make: (bytes) => conversation('long', 60_000, (bytes / 60_000 - 40) * 0.98),
  },
  {
    what: 'a conversation of 60,000 short messages',
    path: CONVERSATION,
    status: 200,
    make: () => conversation('short', 60_000, 30),
  },
  {
    what: 'the same conversation and one message more',
    path: CONVERSATION,
    status: 200,
    make: () => conversation('short', 60_001, 30),
  },
];
