import { randomUUID } from 'node:crypto';
import { applyText } from '../../model/contract/text-change.ts';
import type { Effect, ExpectedDocument } from '../model/expected.ts';
import { type Client, documentPath } from './client.ts';
import type { Reply } from './connection.ts';

const SHARE_OF_BULK_DELETIONS = 0.2;

/** A header that lets an add be carried out once, however often it is sent. */
export const onceHeader = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });
const isOk = ({ status }: Reply): boolean => status === 200;

/** Adds a text: a new document, or another text for a document with a customId. */
export async function add(client: Client, document: ExpectedDocument): Promise<void> {
  const { random, key } = client.tools;
  const { customId } = document;
  const content = client.textFor(document);
  // With other tags, the customId would name another document.
  const containerTags = document.possible[0]?.tags ?? [random.pick(key.tags)];
  const metadata = random.chance(0.5) ? { number: random.int(0, 9) } : null;
  const effect: Effect = (before) =>
    before === null
      ? { content, tags: containerTags, metadata: metadata ?? {} }
      : {
          content: applyText(before.content, content, false).stored,
          tags: before.tags,
          metadata: metadata ?? before.metadata,
        };
  const body = { content, containerTags, ...(metadata && { metadata }), ...(customId !== null && { customId }) };
  const request = { method: 'POST', path: '/v3/documents', body, headers: onceHeader() };
  const reply = await client.write(document, { name: 'adds', request, effect, isAcknowledged: isOk });
  if (reply !== null) client.identify(document, reply.body.id);
}

/** Adds a text file as a new document. */
export async function upload(client: Client, document: ExpectedDocument): Promise<void> {
  const { random, key } = client.tools;
  const content = client.textFor(document);
  const tag = random.pick(key.tags);
  const form = () => {
    const parts = new FormData();
    parts.append('file', new File([content], 'chaos.txt', { type: 'text/plain' }));
    parts.append('containerTags', JSON.stringify([tag]));
    return parts;
  };
  const request = { method: 'POST', path: '/v3/documents/file', body: form, headers: onceHeader() };
  const effect: Effect = () => ({ content, tags: [tag], metadata: {} });
  const reply = await client.write(document, { name: 'uploads', request, effect, isAcknowledged: isOk });
  if (reply !== null) client.identify(document, reply.body.id);
}

/** Replaces content, metadata or tags of a document. */
export async function update(client: Client, document: ExpectedDocument): Promise<void> {
  const { random, key } = client.tools;
  const content = random.chance(0.6) ? client.textFor(document) : null;
  const metadata = random.chance(0.4) ? { number: random.int(10, 99) } : null;
  const containerTags = content === null || random.chance(0.3) ? [random.pick(key.tags)] : null;
  const effect: Effect = (before) =>
    before && {
      content: content ?? before.content,
      tags: containerTags ?? before.tags,
      metadata: metadata ?? before.metadata,
    };
  const body = {
    ...(content !== null && { content }),
    ...(metadata !== null && { metadata }),
    ...(containerTags !== null && { containerTags }),
  };
  const request = { method: 'PATCH', path: documentPath(document.id as string), body };
  await client.write(document, { name: 'updates', request, effect, isAcknowledged: isOk });
}

/** Deletes a document. Returns the answer if it was acknowledged. */
export function deleteDocument(client: Client, document: ExpectedDocument): Promise<Reply | null> {
  const id = document.id as string;
  const effect: Effect = () => null;
  if (!client.tools.random.chance(SHARE_OF_BULK_DELETIONS)) {
    const request = { method: 'DELETE', path: documentPath(id) };
    return client.write(document, { name: 'deletions', request, effect, isAcknowledged: isDeleted });
  }
  const request = { method: 'DELETE', path: '/v3/documents/bulk', body: { ids: [id] } };
  const isDone = ({ status, body, attempt }: Reply) => status === 200 && (body.success === true || attempt > 1);
  return client.write(document, { name: 'bulk deletions', request, effect, isAcknowledged: isDone });
}

/** An earlier attempt may have deleted the document. */
export const isDeleted = ({ status, attempt }: Reply): boolean => status === 204 || (status === 404 && attempt > 1);
