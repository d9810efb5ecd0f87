import { body, type Profile, type Send, type Turn, withText } from './plugin.ts';

/** What the plugin for Hermes sends. */
export class Hermes {
  readonly #send: Send;
  readonly #containerTag: string;

  constructor(send: Send, containerTag: string) {
    this.#send = send;
    this.#containerTag = containerTag;
  }

  /** Stores the whole session at its end, or its newest turns alone after a switch of sessions. */
  async session(conversationId: string, ...turns: readonly Turn[]): Promise<string> {
    const messages = turns.map(({ role, text }) => ({ role, content: text }));
    const sent = { conversationId, messages, containerTags: [this.#containerTag], metadata: { source: 'hermes' } };
    return body(await this.#send<{ id: string }>('POST', '/v4/conversations', sent)).id;
  }

  /** @param metadata as the model gave it */
  note(content: string, metadata?: unknown) {
    return this.#send<{ id: string }>('POST', '/v3/documents', { content, containerTag: this.#containerTag, metadata });
  }

  async profile(q: string) {
    const asked = { containerTag: this.#containerTag, q };
    const { profile, searchResults } = body(await this.#send<Profile>('POST', '/v4/profile', asked));
    const results = searchResults?.results ?? [];
    return { ...profile, results, memories: withText(results.map(({ memory }) => memory)) };
  }

  forget(id: string | undefined) {
    return this.#send('DELETE', '/v4/memories', { containerTag: this.#containerTag, id });
  }
}
