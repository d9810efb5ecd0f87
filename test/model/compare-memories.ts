import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';
import { TAGS } from './commands/values.ts';
import { areEqual, isActive, latestOf, type Memories, type ModelMemory } from './contract/memories.ts';
import { WORDS } from './contract/words.ts';
import { Difference, same } from './same.ts';

/** Compares memories that were recorded directly with the model. */

/** A cosine above this is evidence that the vectors have a word in common. */
export const SIMILAR = 0.01;
const PAUSE_MS = 20;

/** Tells memories that were recorded directly from those of documents. */
export const SAID = { AND: [{ key: 'said', value: true }] };

/** @throws Difference */
export async function compareMemories(memories: Memories, client: Client): Promise<void> {
  await Promise.all([
    ...[true, false].flatMap((withInactive) => [
      compareList(memories, client, withInactive),
      compareSearch(memories, client, withInactive),
    ]),
    ...TAGS.map((tag) => compareProfile(memories, client, tag)),
    ...memories.erased.map((id) => compareErased(client, id)),
  ]);
}

/** Checks at once that a search finds by their words what is active in a tag. */
export function expectFound(client: Client, tag: string, memories: Memories): Promise<void> {
  return atOnce(client, async () => {
    const results = await search(client, { containerTag: tag });
    const wanted = memories.active.filter((memory) => memory.tag === tag);
    same(`memories found in ${tag}`, distinct(results.filter(byWords)), textsOf(wanted));
  });
}

/** Checks at once that nothing but other memories with their texts is found of what was forgotten, or has expired. */
export function expectHidden(client: Client, hidden: readonly ModelMemory[], memories: Memories): Promise<void> {
  return atOnce(client, async () => {
    const [results, { body }] = await Promise.all([
      search(client, {}),
      client.post('/v4/memories/list', { containerTags: TAGS, filters: SAID, limit: 1_000 }),
    ]);
    const left = textsOf(memories.active);
    for (const text of textsOf(hidden).filter((one) => !left.includes(one))) {
      same(`forgotten, in a search: ${text}`, distinct(results).includes(text), false);
      same(`forgotten, in the list: ${text}`, distinct(body.memoryEntries).includes(text), false);
    }
  });
}

/**
 * Unless a process has ended: an answer does not wait for long until the process that shows what is written runs again. Then
 * the comparison after the command waits for it.
 */
export async function atOnce(client: Client, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    const { target, comparedLives } = client;
    for (const end = Date.now() + target.patienceMs; target.lives === comparedLives; await pause(PAUSE_MS)) {
      if (Date.now() > end) throw error;
    }
  }
}

async function compareList({ all, active }: Memories, client: Client, includeForgotten: boolean): Promise<void> {
  const asked = { containerTags: TAGS, filters: SAID, includeForgotten, limit: 1_000 };
  const { body } = await client.post('/v4/memories/list', asked);
  const entries = (body.memoryEntries as readonly ListedMemory[]).map((one) => ({
    ...{ id: one.id, memory: one.memory, version: one.version, isStatic: one.isStatic, isForgotten: one.isForgotten },
    ...{ metadata: one.metadata, forgetAfter: one.forgetAfter, forgetReason: one.forgetReason, tag: one.containerTag },
    ...{ parent: one.parentMemoryId, root: one.rootMemoryId },
    history: one.history.map(({ id, memory, version }) => ({ id, memory, version })),
  }));
  const wanted = (includeForgotten ? all : active).filter(isFirst).map((memory) => {
    const { id, text, isStatic, metadata, forgetAfter, forgetReason } = latestOf(memory);
    const former = memory.versions.slice(0, -1).map((one, i) => ({ id: one.id, memory: one.text, version: i + 1 }));
    return {
      ...{ id, memory: text, version: memory.versions.length, isStatic, isForgotten: !isActive(memory) },
      ...{ metadata, forgetAfter, forgetReason: memory.forgotten?.reason ?? forgetReason, tag: memory.tag },
      ...{ parent: former.at(-1)?.id ?? null, root: memory.versions[0]?.id, history: former.reverse() },
    };
  });
  const sorted = <T extends { readonly id: string }>(some: readonly T[]) =>
    some.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  same(`list of memories${includeForgotten ? ' with inactive ones' : ''}`, sorted(entries), sorted(wanted));
  same('total of the list of memories', body.pagination.totalItems, wanted.length);
}

/** Active memories of a tag that say the same are listed as one, by that whose latest version is the oldest. */
function isFirst(memory: ModelMemory, _: number, all: readonly ModelMemory[]): boolean {
  const equal = isActive(memory) ? all.filter((one) => isActive(one) && areEqual(one, memory)) : [memory];
  return equal.toSorted((a, b) => latestOf(a).at - latestOf(b).at)[0] === memory;
}

/** By words and by vectors. Of memories with the same text, one is found. */
async function compareSearch(memories: Memories, client: Client, forgottenMemories: boolean): Promise<void> {
  const { all, active } = memories;
  if (all.length === 0) return;
  const results = await search(client, { include: { forgottenMemories } });
  const wanted = textsOf(forgottenMemories ? all : active);
  same('memories found by words', distinct(results.filter(byWords)), wanted);
  const byVectors = results.filter(({ explain }) => (explain.cosine ?? 0) > SIMILAR);
  same('memories found by vectors', distinct(byVectors), wanted);
  for (const { id, memory, isForgotten = false } of results) {
    const found = all.find((one) => latestOf(one).id === id);
    same(`the memory that was found with the id ${id}`, found && latestOf(found).text, memory);
    if (found !== undefined) same(`whether ${memory} is marked`, isForgotten, !isActive(found));
  }
}

async function compareProfile({ all, active }: Memories, client: Client, containerTag: string): Promise<void> {
  const own = active.filter(({ tag }) => tag === containerTag);
  const inactive = all.filter(({ tag }) => tag === containerTag).length - own.length;
  if (own.length + inactive === 0) return;
  const { body } = await client.post('/v4/profile', { containerTag });
  const isStatic = (memory: ModelMemory) => latestOf(memory).isStatic;
  same(`lasting facts of ${containerTag}`, body.profile.static.toSorted(), textsOf(own.filter(isStatic)));
  const hidden = textsOf(all.filter((memory) => !isActive(memory))).filter((text) => !textsOf(own).includes(text));
  const shown = (body.profile.dynamic as readonly string[]).filter((text) => hidden.includes(text));
  same(`forgotten, in the profile of ${containerTag}`, shown, []);
}

async function compareErased(client: Client, id: string): Promise<void> {
  const { body } = await client.get(`/v4/memories/${id}/events`);
  const types = (body.events as readonly { readonly type: string }[] | undefined)?.map(({ type }) => type);
  same(`last event of the erased memory ${id}`, types?.at(-1), 'DocumentDeleted');
  same(`the erased memory ${id} had a summary`, types?.includes('SummaryFormed'), false);
}

interface ListedMemory {
  readonly id: string;
  readonly memory: string;
  readonly version: number;
  readonly isStatic: boolean;
  readonly isForgotten: boolean;
  readonly metadata: object;
  readonly forgetAfter: string | null;
  readonly forgetReason: string | null;
  readonly containerTag: string;
  readonly parentMemoryId: string | null;
  readonly rootMemoryId: string;
  readonly history: readonly { readonly id: string; readonly memory: string; readonly version: number }[];
}

interface FoundMemory {
  readonly id: string;
  readonly memory: string;
  readonly isForgotten?: boolean;
  readonly explain: { readonly cosine: number | null; readonly coverage: number };
}

/** Asks for all words of the vocabulary at once, of memories that were recorded directly. */
async function search(client: Client, more: object): Promise<readonly FoundMemory[]> {
  const question = { q: WORDS.join(' '), threshold: 0, limit: 100, explain: true, filters: SAID, ...more };
  return (await client.post('/v4/search', question)).body.results;
}

const byWords = ({ explain }: FoundMemory): boolean => explain.coverage > 0;
const textsOf = (memories: readonly ModelMemory[]): readonly string[] =>
  distinct(memories.map((memory) => ({ memory: latestOf(memory).text })));
const distinct = (found: readonly { readonly memory: string }[]): readonly string[] =>
  [...new Set(found.map(({ memory }) => memory))].sort();
