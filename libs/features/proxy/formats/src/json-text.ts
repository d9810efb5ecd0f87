import { type Edit, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { jsonSize } from '#platform/kernel';

export type { Edit, Node };

/** A JSON text, and its values with their places in it. */
export interface JsonText {
  readonly text: string;
  readonly root: Node;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns undefined for what is not JSON in UTF-8, and above the limits of `jsonSize`. */
export function parseJson(body: Buffer): JsonText | undefined {
  if (jsonSize(body).exceeds !== null) return undefined;
  try {
    const text = UTF8.decode(body);
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, { disallowComments: true });
    return root === undefined || errors.length > 0 ? undefined : { text, root };
  } catch {
    // Other bytes; or what is no JSON and deeper than the stack.
    return undefined;
  }
}

/** Returns the value of a property; of several with this name the last, as parsers of providers do. */
export function property(node: Node | undefined, name: string): Node | undefined {
  if (node?.type !== 'object') return undefined;
  return node.children?.findLast(({ children }) => children?.[0]?.value === name)?.children?.[1];
}

export const elements = (node: Node | undefined): readonly Node[] =>
  node?.type === 'array' ? (node.children ?? []) : [];

export const stringOf = (node: Node | undefined): string | undefined =>
  node?.type === 'string' ? (node.value as string) : undefined;

export const isAbsent = (node: Node | undefined): boolean => node === undefined || node.type === 'null';

export const endOf = ({ offset, length }: Node): number => offset + length;

export const sourceOf = ({ text }: JsonText, node: Node): string => text.slice(node.offset, endOf(node));

/** Inserts values before the element at `index`, or at the end. */
export function insertion(array: Node, index: number, values: readonly string[]): Edit {
  const list = elements(array);
  const next = list[index];
  const last = list.at(-1);
  if (next !== undefined) return { offset: next.offset, length: 0, content: `${values.join(',')},` };
  if (last !== undefined) return { offset: endOf(last), length: 0, content: `,${values.join(',')}` };
  return { offset: array.offset + 1, length: 0, content: values.join(',') };
}

/** Sets a property that is absent or null. */
export function setting(object: Node, name: string, value: string): Edit {
  const present = property(object, name);
  if (present !== undefined) return replacement(present, value);
  const comma = object.children?.length ? ',' : '';
  return { offset: object.offset + 1, length: 0, content: `${JSON.stringify(name)}:${value}${comma}` };
}

export const replacement = ({ offset, length }: Node, content: string): Edit => ({ offset, length, content });

/**
 * Applies edits that do not overlap; at one place in their order, of which a removal is the last. Linear: `applyEdits` of the
 * parser copies the text for each edit.
 */
export function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset)) {
    pieces.push(text.slice(from, offset), content);
    from = offset + length;
  }
  return pieces.join('') + text.slice(from);
}
