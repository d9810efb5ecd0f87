import type { Client } from './client.ts';
import type { Model } from './contract/model.ts';
import { same } from './same.ts';

/** Compares the answers of former times with those that are given later as of these times. */

/** Answers that are remembered, and requested again at the end. */
const MOST_REMEMBERED = 4;

export interface FormerAnswer {
  /** ISO 8601. Everything in the answer was recorded before, and everything else after it. */
  readonly at: string;
  readonly documents: readonly ListedDocument[];
}

interface ListedDocument {
  readonly id: string;
}

/** To be called when everything is processed and shown. */
export async function remember(client: Client): Promise<void> {
  const documents = await list(client, {});
  const at = Date.now();
  while (Date.now() <= at) await new Promise((resolve) => setImmediate(resolve));
  client.former.push({ at: new Date(at).toISOString(), documents });
  if (client.former.length > MOST_REMEMBERED) client.former.shift();
}

/** What is deleted today is in no past. @throws Difference */
export async function comparePast(model: Model, client: Client): Promise<void> {
  const isThere = ({ id }: ListedDocument) => !model.deleted.has(id);
  for (const { at, documents } of client.former) {
    same(`the documents as of ${at}`, await list(client, { asOf: at }), documents.filter(isThere));
  }
}

async function list(client: Client, more: object): Promise<readonly ListedDocument[]> {
  const { body } = await client.post('/v3/documents/list', { limit: 1_000, includeContent: true, ...more });
  const documents = (body.memories as readonly Readonly<Record<string, unknown>>[]).map(
    ({ id, customId, status, containerTags, metadata, filepath, title, type, content, createdAt }) => ({
      ...{ id: id as string, customId, status, containerTags, metadata, filepath, title, type, content, createdAt },
    }),
  );
  return documents.sort((a, b) => (a.id < b.id ? -1 : 1));
}
