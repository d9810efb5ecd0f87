import { type Answer, eventually, type Mneme } from '../../support/mneme.ts';
import { drawnGraph } from './memory-graph.ts';
import type { Listed } from './open-code.ts';
import { body, type Profile, type Result, type Send } from './plugin.ts';

export interface Shown {
  readonly documents: readonly Listed[];
  readonly memories: readonly Result[];
  readonly passages: readonly Result[];
  /** All that is not the stored content itself: titles, summaries, results, profile, graph. */
  readonly texts: readonly string[];
}

/** A result of `/v3/search`. */
interface Hit {
  readonly title: string | null;
  readonly summary: string | null;
  readonly chunks: readonly { readonly content: string }[];
}

interface Add {
  readonly containerTag?: string;
  readonly containerTags?: readonly string[];
}

/** Sends requests to a server, and reads what its containers show. */
export class Containers {
  readonly #mneme: () => Mneme;
  /** Ids of the documents that were added to each container. */
  readonly #added = new Map<string, Set<string>>();

  constructor(mneme: () => Mneme) {
    this.#mneme = mneme;
  }

  /** @throws Error if the answer is a fault of the server or a redirect */
  readonly send: Send = async <T>(method: string, path: string, sent?: unknown): Promise<Answer<T>> => {
    const answer = await this.#mneme().request<T>(method, path, sent);
    const { status } = answer;
    const isAllowed = (status >= 200 && status <= 299) || (status >= 400 && status <= 499);
    if (!isAllowed) throw new Error(`${method} ${path} returned ${status}: ${JSON.stringify(answer.body)}`);
    if (status === 200 && ['POST /v3/documents', 'POST /v4/conversations'].includes(`${method} ${path}`)) {
      const { containerTag, containerTags = [containerTag ?? ''] } = sent as Add;
      for (const tag of containerTags) this.#idsOf(tag).add((answer.body as { id: string }).id);
    }
    return answer;
  };

  /** Waits until what was added to a container, and not deleted since, is processed. */
  async processed(containerTag: string): Promise<void> {
    for (const id of this.#idsOf(containerTag)) {
      await eventually(async () => {
        const { status, body: record } = await this.send('GET', `/v3/documents/${id}`);
        if (record.status === 'failed') throw new Error(`${id} failed: ${JSON.stringify(record.processingError)}`);
        return status === 404 || record.status === 'done' ? true : null;
      });
    }
  }

  /** Reads all that a container shows after its documents are processed. */
  async shownIn(containerTag: string, q = '*'): Promise<Shown> {
    const { send } = this;
    await this.processed(containerTag);
    const found = async (searchMode: string) => {
      const asked = { q, containerTag, searchMode, threshold: 0, limit: 100 };
      return body(await send<{ results: readonly Result[] }>('POST', '/v4/search', asked)).results;
    };
    const [memories, passages, both] = await Promise.all(['memories', 'documents', 'hybrid'].map(found));
    const asked = { containerTags: [containerTag], limit: 100 };
    const { memories: documents } = body(
      await send<{ memories: Listed[] }>('POST', '/v3/documents/list', { ...asked, includeContent: true }),
    );
    const inDocuments = { ...asked, q, includeSummary: true, onlyMatchingChunks: false };
    const { results: hits } = body(await send<{ results: readonly Hit[] }>('POST', '/v3/search', inDocuments));
    const { profile, searchResults } = body(await send<Profile>('POST', '/v4/profile', { containerTag, q }));
    const { memoryEntries } = body(
      await send<{ memoryEntries: { memory: string }[] }>('POST', '/v4/memories/list', asked),
    );
    const graph = await drawnGraph(send, containerTag);
    const results = [memories, passages, both, searchResults?.results].flatMap((some) => some ?? []);
    const texts = [
      ...documents.flatMap(({ title, summary }) => [title, summary]),
      ...hits.flatMap(({ title, summary, chunks }) => [title, summary, ...chunks.map(({ content }) => content)]),
      ...graph.flatMap(({ title, summary, memories: drawn }) => [title, summary, ...drawn.map(({ memory }) => memory)]),
      ...results.flatMap(({ memory, chunk, content }) => [memory, chunk, content]),
      ...[...profile.static, ...profile.dynamic],
      ...memoryEntries.map(({ memory }) => memory),
    ].filter((text) => typeof text === 'string');
    return { documents, memories: memories ?? [], passages: passages ?? [], texts };
  }

  #idsOf(containerTag: string): Set<string> {
    const ids = this.#added.get(containerTag) ?? new Set();
    this.#added.set(containerTag, ids);
    return ids;
  }
}
