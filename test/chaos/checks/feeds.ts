import { inParallel } from '../../support/load.ts';
import { documentPath } from '../clients/client.ts';
import type { FeedEvent, FeedReader } from '../feed-reader.ts';
import type { ExpectedDocument } from '../model/expected.ts';
import type { Reading } from './reading.ts';

const WIDTH = 4;

/** The feed has shown every event of every document of the key, once and in order. */
export async function compareFeed(reading: Reading, reader: FeedReader): Promise<readonly string[]> {
  const wrong: string[] = [];
  const documents = reading.expectations.of(reading.key.sees).filter(({ id }) => id !== null);
  await inParallel(documents, WIDTH, async (document) => {
    const id = document.id as string;
    const reply = await reading.connection.send({ method: 'GET', path: `${documentPath(id)}/events` });
    if (reply?.status !== 200) wrong.push(`the events of ${id} are answered with ${reply?.status}`);
    else wrong.push(...compareEvents(reader, document, reply.body.events as readonly FeedEvent[]));
  });
  return wrong;
}

function compareEvents(reader: FeedReader, document: ExpectedDocument, logged: readonly FeedEvent[]): string[] {
  const wrong: string[] = [];
  const id = document.id as string;
  const read = reader.events.get(id) ?? [];
  if (sequenceOf(read) !== sequenceOf(logged)) {
    wrong.push(`feed of ${reader.key.name}: ${id} has [${typesOf(logged)}], the feed has shown [${typesOf(read)}]`);
  }
  const isDeleted = logged.at(-1)?.type === 'DocumentDeleted';
  if (document.mustBeAbsent && !isDeleted) wrong.push(`resurrected: the last event of ${id} is ${logged.at(-1)?.type}`);
  if (document.mustExist && isDeleted) wrong.push(`lost: the last event of ${id} is its deletion`);
  return wrong;
}

const sequenceOf = (events: readonly FeedEvent[]): string => events.map(({ id }) => id).join();
const typesOf = (events: readonly FeedEvent[]): string =>
  events.map(({ type, revision }) => `${revision} ${type}`).join(', ');
