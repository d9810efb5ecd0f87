import { KEYS } from '../keys.ts';
import type { ExpectedDocument } from '../model/expected.ts';
import { callersIn } from '../model/texts.ts';
import { type Client, describeAnswer, documentPath } from './client.ts';
import type { Reply, Request } from './connection.ts';

/** Reads during the faults. Lists and searches may lag then, but never show documents of others. */

const LIMIT = 50;

/** A record is read from the log, so it is exact at any time. */
export async function readRecord(client: Client, document: ExpectedDocument): Promise<void> {
  const { connection, report } = client.tools;
  const { id, markers, possible } = document;
  const request = { method: 'GET', path: documentPath(id as string) };
  const reply = await connection.send(request);
  if (reply === null) return;
  report.count('reads of documents checked');
  const name = `${id} (${markers.at(-1)})`;
  if (reply.status === 404) {
    if (document.mustExist) report.violation(`lost: ${name} is answered with 404`);
  } else if (reply.status !== 200) {
    report.violation(describeAnswer(request, reply));
  } else if (document.mustBeAbsent) {
    report.violation(`resurrected: ${name} is deleted and can be read`);
  } else {
    const { content, containerTags } = reply.body;
    // The content of an upload is null until it is extracted.
    const isPossible = possible.some(
      (state) => state && (content === null || content === state.content) && sameTags(containerTags, state.tags),
    );
    if (isPossible) return;
    const is = JSON.stringify({ content: content?.slice(0, 200), containerTags });
    report.violation(`lost: ${name} is ${is}, acknowledged is ${JSON.stringify(possible).slice(0, 400)}`);
  }
}

export async function search(client: Client, document: ExpectedDocument): Promise<void> {
  const { random } = client.tools;
  const body = { q: document.markers.at(-1), limit: LIMIT, ...anyTag(client) };
  await readOwn(client, { method: 'POST', path: random.pick(['/v3/search', '/v4/search']), body });
}

export async function list(client: Client): Promise<void> {
  const body = { limit: LIMIT, includeContent: true, ...anyTag(client) };
  const reply = await readOwn(client, { method: 'POST', path: '/v3/documents/list', body });
  if (reply === null) return;
  const ids = (reply.body.memories as readonly { readonly id: string }[]).map(({ id }) => id);
  if (new Set(ids).size < ids.length) client.tools.report.violation(`doubled: a list has an id twice: ${ids}`);
}

/** The process that has answered a deletion does not show the document in a search any more. */
export async function searchDeleted(client: Client, document: ExpectedDocument, deletion: Reply): Promise<void> {
  const { report } = client.tools;
  const body = { q: document.markers.at(-1), limit: LIMIT };
  const reply = await readOwn(client, { method: 'POST', path: '/v3/search', body });
  if (reply === null || reply.api !== deletion.api || reply.life !== deletion.life) return;
  // After an attempt without an answer, another process may have deleted it.
  if (deletion.attempt > 1) return;
  report.count('searches after a deletion checked');
  const results = reply.body.results as readonly { readonly documentId: string }[];
  if (results.some(({ documentId }) => documentId === document.id)) {
    report.violation(`resurrected: a search shows ${document.id} after its deletion was answered`);
  }
}

/** A document that the key may not see is refused; one of another organization does not exist for the key. */
export async function requestForeign(client: Client): Promise<void> {
  const { expectations, connection, key, random, report } = client.tools;
  const foreign = expectations.documents.filter(({ id, caller }) => id !== null && !key.sees.includes(caller));
  if (foreign.length === 0) return;
  const { id, caller } = random.pick(foreign);
  const organizationOf = (name: string) => KEYS.find((one) => one.name === name)?.organization;
  const refusals = organizationOf(caller) === key.organization ? [403, 404] : [404];
  const path = documentPath(id as string);
  const request = random.pick<Request>([
    { method: 'GET', path },
    { method: 'GET', path: `${path}/events` },
    { method: 'GET', path: `${path}/chunks` },
    { method: 'PATCH', path, body: { metadata: { number: -1 } } },
    { method: 'DELETE', path },
  ]);
  const reply = await connection.send(request);
  if (reply === null) return;
  report.count('requests for documents of others checked');
  if (refusals.includes(reply.status)) return;
  report.violation(`leaked: a document of ${caller} to ${key.name}: ${describeAnswer(request, reply)}`);
}

/** Returns null if there is no answer with 200. */
async function readOwn(client: Client, request: Request): Promise<Reply | null> {
  const { connection, key, report } = client.tools;
  const reply = await connection.send(request);
  if (reply === null) return null;
  if (reply.status !== 200) {
    report.violation(describeAnswer(request, reply));
    return null;
  }
  report.count('lists and searches checked');
  for (const caller of callersIn(JSON.stringify(reply.body))) {
    if (key.sees.includes(caller)) continue;
    report.violation(`leaked: ${request.path} shows a text of ${caller} to ${key.name}`);
  }
  return reply;
}

const anyTag = ({ tools: { random, key } }: Client): object =>
  random.chance(0.5) ? { containerTags: [random.pick(key.tags)] } : {};

const sameTags = (found: readonly string[], wanted: readonly string[]): boolean =>
  JSON.stringify([...found].sort()) === JSON.stringify([...wanted].sort());
