import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { engineSettings } from './combinations.ts';
import { filesWith } from './data-folder.ts';
import { payloadsOf } from './log.ts';
import { eventually, type Mneme } from './mneme.ts';

/**
 * Returns where a word is held, with the words: in a file of the data folder, in a payload that can be read from the log, in
 * a row of OpenSearch, or in a file of NATS. Segments that OpenSearch has not merged yet are not read.
 */
export async function wordsHeld(mneme: Mneme, words: readonly string[]): Promise<readonly string[]> {
  const settings = await engineSettings(mneme.folder);
  const prefix = settings.MNEME_PREFIX as string;
  const found = await filesWith(mneme.folder, words);
  if (settings.MNEME_EVENTSTORE_URL) found.push(...wordsIn('the log', await payloadsOf(mneme), words));
  if (settings.MNEME_OPENSEARCH_URL) {
    found.push(...wordsIn('OpenSearch', [await rowsOf(settings.MNEME_OPENSEARCH_URL, prefix)], words));
  }
  if (settings.MNEME_NATS_URL) {
    for (const folder of await streamFolders(prefix)) found.push(...(await filesWith(folder, words)));
  }
  return found;
}

/** Returns where bytes are held, with the bytes: in a file of the data folder or of NATS. */
export async function bytesHeld(mneme: Mneme, bytes: readonly Buffer[]): Promise<readonly string[]> {
  const settings = await engineSettings(mneme.folder);
  const found = await filesWith(mneme.folder, bytes);
  if (settings.MNEME_NATS_URL) {
    for (const folder of await streamFolders(settings.MNEME_PREFIX as string)) {
      found.push(...(await filesWith(folder, bytes)));
    }
  }
  return found;
}

/** Waits until `wordsHeld` finds none, at most a minute. */
export const untilErased = (mneme: Mneme, words: readonly string[]): Promise<void> =>
  untilNone(() => wordsHeld(mneme, words));

/** Waits until `bytesHeld` finds none, at most a minute. */
export const untilBytesErased = (mneme: Mneme, bytes: readonly Buffer[]): Promise<void> =>
  untilNone(() => bytesHeld(mneme, bytes));

async function untilNone(held: () => Promise<readonly string[]>): Promise<void> {
  let left: readonly string[] = [];
  const isGone = async () => {
    left = await held();
    return left.length === 0 ? true : null;
  };
  await eventually(isGone, 60_000).catch((error: Error) => {
    throw new Error(`${error.message}; still there: ${left.join(', ')}`);
  });
}

const wordsIn = (place: string, texts: readonly string[], words: readonly string[]): string[] =>
  words.filter((word) => texts.some((text) => text.includes(word))).map((word) => `${place}: ${word}`);

/** All rows of an installation as JSON. */
async function rowsOf(url: string, prefix: string): Promise<string> {
  await fetch(`${url}/${prefix}-*/_refresh`, { method: 'POST' });
  return (await fetch(`${url}/${prefix}-*/_search?size=10000`)).text();
}

/** The folders in which the NATS server keeps the streams of an installation; none if the server is not of this machine. */
async function streamFolders(prefix: string): Promise<readonly string[]> {
  const server = process.env.MNEME_TEST_NATS_FOLDER;
  if (!server) return [];
  const streams = join(server, 'data', 'jetstream', '$G', 'streams');
  const names = await readdir(streams);
  return names.filter((name) => name.toLowerCase().startsWith(prefix)).map((name) => join(streams, name));
}
