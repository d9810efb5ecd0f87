import type { Turn } from './format.ts';
import { type Edit, elements, insertion, type Node } from './json-text.ts';

/** One element of the list of messages. */
export interface Item {
  readonly node: Node;
  /** `other`: results of tools, and what is neither said by the user nor by the assistant. */
  readonly kind: 'system' | 'user' | 'assistant' | 'other';
  readonly turn?: Turn | undefined;
  /** Ids of the tool calls in it, and of the calls whose results are in it; where the format has no ids, names. */
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** What a format finds in a body, and how it changes it. */
export interface Conversation {
  readonly items: readonly Item[];
  /** What is sent beside the items: system text, tools. */
  readonly beside: readonly (Node | undefined)[];
  readonly model?: string | undefined;
  readonly user?: string | undefined;
  readonly stream: boolean;
  readonly isStateful: boolean;
  /** Edits that make the block the last part of the system text; none if it has no place. */
  placeBlock(block: string): readonly Edit[];
  /** Edits that put turns before the items, after system text. */
  putInFront(turns: readonly Turn[]): readonly Edit[];
}

/** Returns the items of a list of messages; undefined if it is none, is empty, or has what is no message. */
export function itemsOf(
  list: Node | undefined,
  itemOf: (element: Node) => Item | undefined,
): readonly Item[] | undefined {
  const items = elements(list).map(itemOf);
  return items.length > 0 && items.every((item) => item !== undefined) ? items : undefined;
}

/** Returns how many items with system text are before all others. */
export function leadingSystem(items: readonly Item[]): number {
  const first = items.findIndex(({ kind }) => kind !== 'system');
  return first === -1 ? items.length : first;
}

/** @param write a message of the format */
export const inFront = (
  list: Node,
  items: readonly Item[],
  turns: readonly Turn[],
  write: (turn: Turn) => object,
): readonly Edit[] => [
  insertion(
    list,
    leadingSystem(items),
    turns.map((turn) => JSON.stringify(write(turn))),
  ),
];

/** As OpenAI and Anthropic write a turn. */
export const plainMessage = ({ role, text }: Turn): object => ({ role, content: text });
