import { body, type Profile, type Result, type Send, withText } from './plugin.ts';

/** What an assistant says, and what it does with its tools. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'assistant:tool' | 'assistant:tool_result';
  readonly text: string;
}

type Scope = 'personal' | 'team';

/** What the plugin for Claude Code sends in one session. The container is that of the folder in which it works. */
export class ClaudeCode {
  readonly customId: string;
  readonly #send: Send;
  readonly #containerTag: string;
  readonly #scope: Scope;

  constructor(send: Send, containerTag: string, session: string, scope: Scope = 'personal') {
    this.#send = send;
    this.#containerTag = containerTag;
    this.#scope = scope;
    this.customId = session;
  }

  /** Asks for the profiles that a session begins with. */
  start(): Promise<readonly Profile[]> {
    const asked = [{}, { q: 'preferences' }, { q: 'recent work' }];
    const tags = [this.#containerTag, `${this.#containerTag}_user`];
    return Promise.all(
      tags.flatMap((containerTag) =>
        asked.map(async (more) => body(await this.#send<Profile>('POST', '/v4/profile', { containerTag, ...more }))),
      ),
    );
  }

  /** Stores a new turn. Returns the text that was sent. */
  turn(time: string, ...messages: readonly Message[]): Promise<string> {
    const frames = messages.map(({ role, text }) => `<|start|>${role}<|message|>${text}<|end|>`);
    return this.#add([`<|turn_start|>${time}`, ...frames, '<|turn_end|>'].join('\n\n'));
  }

  save(name: string, date: string, note: string): Promise<string> {
    return this.#add(`[SAVE:${name}:${date}]\n${note}\n[/SAVE]`);
  }

  /** Searches in what was stored with the scope of the session. */
  async search(q: string): Promise<readonly string[]> {
    const filters = { AND: [{ key: 'sm_scope', value: this.#scope }] };
    const asked = { q, containerTag: this.#containerTag, searchMode: 'hybrid', limit: 10, filters };
    const { results } = body(await this.#send<{ results: readonly Result[] }>('POST', '/v4/search', asked));
    return withText(results.map(({ content, memory, context }) => content ?? memory ?? context));
  }

  async #add(content: string): Promise<string> {
    const metadata = { sm_source: 'claude-code', sm_scope: this.#scope };
    const sent = { content, customId: this.customId, containerTag: this.#containerTag, metadata };
    body(await this.#send('POST', '/v3/documents', sent));
    return content;
  }
}
