import { body, type Result, type Send, type Turn } from './plugin.ts';

/** What the plugin for OpenClaw sends. Stores and captures of six hours have one customId, in all containers and on all hosts. */
export class OpenClaw {
  readonly #send: Send;
  readonly #containerTag: string;
  readonly #date: string;

  constructor(send: Send, containerTag: string, date = '2026-11-27') {
    this.#send = send;
    this.#containerTag = containerTag;
    this.#date = date;
  }

  customId(hour: number): string {
    return `session_${this.#date}_b${Math.floor(hour / 6)}`;
  }

  /** Stores a text that the model chose. Returns the text that was sent. */
  store(hour: number, text: string): Promise<string> {
    return this.#add(hour, text, 'store');
  }

  /** Stores the last turns of a conversation. Returns the text that was sent. */
  capture(hour: number, ...turns: readonly Turn[]): Promise<string> {
    const blocks = turns.map(({ role, text }) => `[role: ${role}]\n${text}\n[${role}:end]`);
    return this.#add(hour, blocks.join('\n\n'), 'capture');
  }

  /** @param limit as the model gave it */
  search(q: string, limit?: unknown) {
    const asked = { q, containerTag: this.#containerTag, threshold: 0, searchMode: 'hybrid', limit };
    return this.#send<{ results: readonly Result[] }>('POST', '/v4/search', asked);
  }

  /** Forgets the first result of a search. */
  async forget(q: string) {
    const [first] = body(await this.search(q, 5)).results;
    return this.#send('DELETE', '/v4/memories', { containerTag: this.#containerTag, id: first?.id });
  }

  /** Deletes all documents of the container. Returns how many. */
  async empty(): Promise<number> {
    const asked = { containerTags: [this.#containerTag], limit: 100 };
    let count = 0;
    for (;;) {
      const listed = await this.#send<{ memories: readonly { id: string }[] }>('POST', '/v3/documents/list', asked);
      const ids = body(listed).memories.map(({ id }) => id);
      if (ids.length === 0) return count;
      const deleted = await this.#send<{ deletedCount: number }>('DELETE', '/v3/documents/bulk', { ids });
      if (body(deleted).deletedCount === 0) throw new Error(`None of ${ids} was deleted`);
      count += body(deleted).deletedCount;
    }
  }

  async #add(hour: number, content: string, type: string): Promise<string> {
    const metadata = { source: 'openclaw', type, timestamp: `${this.#date}T00:00:00.000Z` };
    const sent = { content, customId: this.customId(hour), containerTag: this.#containerTag, metadata };
    body(await this.#send('POST', '/v3/documents', sent));
    return content;
  }
}
