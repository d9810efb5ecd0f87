import { body, type Result, type Send } from './plugin.ts';

export interface Listed {
  readonly id: string;
  readonly customId: string | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly content: string;
}

/** What the plugin for OpenCode 2.0.10 sends. */
export class OpenCode {
  readonly #send: Send;
  readonly #containerTag: string;

  constructor(send: Send, containerTag: string) {
    this.#send = send;
    this.#containerTag = containerTag;
  }

  /** Sends its settings. The plugin does not wait for the answer. */
  start() {
    return this.#send('PATCH', '/v3/settings', {
      ...{ shouldLLMFilter: true, filterPrompt: 'Remember what the user of a code editor decides.' },
    });
  }

  save(text: string, customId?: string): Promise<string> {
    return this.#add(text, 'project-config', customId);
  }

  summary(text: string, customId?: string): Promise<string> {
    return this.#add(`[Session Summary]\n${text}`, 'conversation', customId);
  }

  async list(): Promise<readonly Listed[]> {
    const asked = { containerTags: [this.#containerTag], includeContent: true, limit: 100, order: 'desc' };
    return body(await this.#send<{ memories: readonly Listed[] }>('POST', '/v3/documents/list', asked)).memories;
  }

  async search(q: string): Promise<readonly Result[]> {
    const asked = { q, containerTag: this.#containerTag, threshold: 0, searchMode: 'hybrid', limit: 5 };
    return body(await this.#send<{ results: readonly Result[] }>('POST', '/v4/search', asked)).results;
  }

  /** @param id that a search showed */
  forget(id: string) {
    return this.#send('DELETE', `/v3/documents/${id}`);
  }

  async #add(content: string, type: string, customId?: string): Promise<string> {
    const metadata = { sm_source: 'opencode', sm_type: type, sm_captured: true };
    const sent = { content, containerTag: this.#containerTag, metadata, ...(customId !== undefined && { customId }) };
    body(await this.#send('POST', '/v3/documents', sent));
    return content;
  }
}
