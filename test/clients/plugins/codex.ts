import { body, type Profile, type Send, type Turn, withText } from './plugin.ts';

/** What the plugin for Codex sends in one session and scope. */
export class Codex {
  readonly customId: string;
  readonly #send: Send;
  readonly #containerTag: string;
  readonly #session: string;

  constructor(send: Send, containerTag: string, session: string, scope = 'project') {
    this.#send = send;
    this.#containerTag = containerTag;
    this.#session = session;
    this.customId = `${session}_${scope}`;
  }

  /** Stores new turns, numbered from 1 each time. Returns the text that was sent. */
  async turns(...turns: readonly Turn[]): Promise<string> {
    const numbered = turns.map(({ role, text }, index) => `${index + 1}. [${role}] ${text}`);
    return this.#add([`[Session ID] ${this.#session}`, numbered.join('\n')].join('\n\n'));
  }

  async save(date: string, note: string): Promise<string> {
    return this.#add(`[SAVE:${date}]\n${note}\n[/SAVE]`);
  }

  async recall(q: string): Promise<readonly string[]> {
    const asked = { containerTag: this.#containerTag, q };
    const { searchResults } = body(await this.#send<Profile>('POST', '/v4/profile', asked));
    return withText((searchResults?.results ?? []).map(({ memory, content, context }) => memory ?? content ?? context));
  }

  forget(content: string) {
    return this.#send('DELETE', '/v4/memories', { containerTag: this.#containerTag, content });
  }

  async #add(content: string): Promise<string> {
    const { customId } = this;
    const metadata = { sm_source: 'codex' };
    body(await this.#send('POST', '/v3/documents', { content, customId, containerTag: this.#containerTag, metadata }));
    return content;
  }
}
