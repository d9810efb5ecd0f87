import type { Agent } from 'node:http';
import type { Mneme } from '../../support/mneme.ts';
import { expectStatus } from './bench.ts';
import { postOn } from './post.ts';
import { sentence } from './texts.ts';

/** Requests about memories that callers record directly. */

const textOf = (number: number): string => `${sentence(number)} Nobody else knew it.`;

/** Texts of 20 words. */
export const textsFrom = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => textOf(from + i));

/** Returns how long it took. Milliseconds. */
export async function recordMemories(
  mneme: Mneme,
  containerTag: string,
  texts: readonly string[],
  forgetAfter: string | null = null,
): Promise<number> {
  const memories = texts.map((content) => ({ content, forgetAfter }));
  const begun = performance.now();
  const { status, body } = await mneme.post<{ memories: readonly unknown[] }>('/v4/memories', {
    containerTag,
    memories,
  });
  const took = performance.now() - begun;
  expectStatus(status, 201, 'POST /v4/memories');
  if (body.memories.length !== texts.length) throw new Error(`${body.memories.length} memories were recorded`);
  return took;
}

/**
 * Returns how long it took. Milliseconds.
 * @param kind questions of different kinds differ, so that none is embedded already. Default: the tag
 */
export async function searchMemories(
  mneme: Mneme,
  connection: Agent,
  containerTag: string,
  number: number,
  { kind = containerTag, ...more }: { readonly kind?: string; readonly asOf?: string } = {},
): Promise<number> {
  const q = `${sentence(number).slice(0, -1)}, as the ${kind} say?`;
  const begun = performance.now();
  const { results } = await postOn<{ results: readonly unknown[] }>(mneme, connection, '/v4/search', {
    ...{ q, containerTag, limit: 10, threshold: 0, ...more },
  });
  const took = performance.now() - begun;
  if (results.length < 10) throw new Error(`${results.length} memories were found`);
  return took;
}
