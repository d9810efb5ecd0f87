import type { Answer, Mneme } from './mneme.ts';

/** Returns a generator of reproducible pseudo-random numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Processes the items with limited concurrency. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as T;
      next += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** The state of a document in the client. */
export interface SentDocument {
  readonly content: string;
  readonly customId: string | null;
  /** Set when the add is acknowledged. */
  id: string | null;
  /** `sent`: the result is unknown. */
  deletion: 'none' | 'sent' | 'acknowledged';
}

/**
 * A client that adds and deletes continuously until the server is gone and records the responses. It repeats
 * unacknowledged adds with a customId when the server is back.
 */
export class Load {
  readonly sent: SentDocument[] = [];
  /** Unexpected responses. */
  readonly unexpected: Answer[] = [];
  readonly tag: string;
  readonly #random: () => number;
  #acknowledged = 0;

  constructor(tag: string, random: () => number) {
    this.tag = tag;
    this.#random = random;
  }

  /** @param after called once, after a number of acknowledged requests; the load continues until the server is gone */
  async run(
    mneme: Mneme,
    width: number,
    after: { readonly acknowledged: number; readonly call: () => void },
  ): Promise<void> {
    const until = this.#acknowledged + after.acknowledged;
    const again = this.sent.filter(({ id, customId }) => id === null && customId !== null);
    let gone = false;
    let called = false;
    const worker = async (): Promise<void> => {
      while (!gone) {
        try {
          await this.#step(mneme, again.pop());
        } catch {
          gone = true;
        }
        if (this.#acknowledged >= until && !called) {
          called = true;
          after.call();
        }
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
  }

  async #step(mneme: Mneme, again: SentDocument | undefined): Promise<void> {
    const victim = again === undefined && this.#random() < 0.15 ? this.#anyLive() : undefined;
    if (victim === undefined) await this.#add(mneme, again ?? this.#invent());
    else await this.#delete(mneme, victim);
  }

  async #add(mneme: Mneme, document: SentDocument): Promise<void> {
    const { content, customId } = document;
    const answer = await mneme.post('/v3/documents', {
      content,
      containerTag: this.tag,
      ...(customId !== null && { customId }),
    });
    if (answer.status === 200) {
      document.id = answer.body.id as string;
      this.#acknowledged += 1;
    } else this.unexpected.push(answer);
  }

  async #delete(mneme: Mneme, document: SentDocument): Promise<void> {
    document.deletion = 'sent';
    const answer = await mneme.request('DELETE', `/v3/documents/${document.id}`);
    if (answer.status === 204) {
      document.deletion = 'acknowledged';
      this.#acknowledged += 1;
    } else this.unexpected.push(answer);
  }

  #invent(): SentDocument {
    const word = `wombat${this.sent.length}x`;
    const length = this.#random() < 0.1 ? 400 : 3;
    const document: SentDocument = {
      content: `${word} lives here. ${'A plain sentence about nothing. '.repeat(Math.ceil(this.#random() * length))}`,
      customId: this.#random() < 0.5 ? `custom ${word}` : null,
      id: null,
      deletion: 'none',
    };
    this.sent.push(document);
    return document;
  }

  #anyLive(): SentDocument | undefined {
    const live = this.sent.filter(({ id, deletion }) => id !== null && deletion === 'none');
    return live[Math.floor(this.#random() * live.length)];
  }
}

export const wordOf = ({ content }: SentDocument): string => content.split(' ')[0] as string;
