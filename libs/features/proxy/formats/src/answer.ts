import type { Answer, Turn, Usage } from './format.ts';
import { turnOfText } from './message-text.ts';

/** Characters of an answer's text. Of a longer one no turn is made; no model says as much. */
export const MAX_TEXT = 1_000_000;
/** Messages of an answer. */
const MAX_MESSAGES = 1_000;

/** What was read of an answer so far. */
export class Answered {
  readonly #texts = new Map<unknown, string>();
  readonly #usage: Usage = {};
  #length = 0;
  #isComplete = false;

  get hasText(): boolean {
    return this.#texts.size > 0;
  }

  /** @param message which message of the answer goes on; they are ordered by their first texts */
  say(text: string, message: unknown = 0): void {
    if (text === '') return;
    this.#length += text.length;
    if (this.isTooLong) this.#texts.clear();
    else this.#texts.set(message, (this.#texts.get(message) ?? '') + text);
  }

  get isTooLong(): boolean {
    return this.#length > MAX_TEXT || this.#texts.size > MAX_MESSAGES;
  }

  /** Keeps the last number of each kind; what is no number of tokens does not count. */
  use(usage: Readonly<Record<keyof Usage, unknown>>): void {
    for (const kind of ['input', 'cached', 'output'] as const) {
      const tokens = usage[kind];
      if (Number.isSafeInteger(tokens) && (tokens as number) >= 0) this.#usage[kind] = tokens as number;
    }
  }

  complete(): void {
    this.#isComplete = true;
  }

  end(): Answer {
    const turns: Turn[] = [...this.#texts.values()].flatMap((text) => turnOfText('assistant', text) ?? []);
    return { turns, usage: this.#usage, isComplete: this.#isComplete };
  }
}

/** Returns the value at a path, undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name] ?? undefined;
  }
  return found;
}

/** Returns the text of a content that is a string or a list of parts, thinking left out. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(textInPart).join('');
}

function textInPart(part: unknown): string {
  const type = at(part, 'type');
  const isText = type === undefined || type === 'text' || type === 'output_text';
  const text = at(part, 'text');
  return isText && at(part, 'thought') !== true && typeof text === 'string' ? text : '';
}
