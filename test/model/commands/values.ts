import fc from 'fast-check';
import { customIdPath, documentPath } from '../client.ts';
import type { Metadata, Model, ModelDocument, Name, Sent } from '../contract/model.ts';
import { isTranscript } from '../contract/text.ts';
import { WORDS } from '../contract/words.ts';

/** What commands are made of. */

export const MAX_DOCUMENTS = 5;
export const MAX_MEMORIES = 6;
export const TAGS = ['home', 'org/a b', 'räume'] as const;
export const CUSTOM_IDS = ['one', 'list', 'drei/3 %'] as const;

export const words = fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 5 }).map((some) => some.join(' '));
/** A number or a day, which alone does not make a line another one. */
const date = fc.constantFrom('', '', '', '3', '14', 'Monday', 'Friday');
/** A line of prose. */
export const line = fc.tuple(words, date).map(([some, at]) => `${dated(some, at)}.`);
const speaker = fc.constantFrom('[user]', '[assistant]');
/** Who says it, and what. */
export const turn = fc.tuple(speaker, line).map((parts) => parts.join(' '));

/** With another number or day behind its first word. */
export const dated = (text: string, at: string): string =>
  text.replace(/^(.*?\] )?(\w+)(?: (?:\d+|Monday|Friday))?/, (_, marker = '', word) =>
    [`${marker}${word}`, at].join(' ').trimEnd(),
  );

const lines = (minLength: number, maxLength: number) =>
  fc.array(line, { minLength, maxLength }).map((all) => all.join('\n'));
const turns = fc
  .tuple(fc.array(turn, { minLength: 1, maxLength: 9 }), fc.boolean())
  .map(([all, isNumbered]) => all.map((one, i) => (isNumbered ? `${i + 1}. ${one}` : one)).join('\n'));

/** Mostly short; sometimes long enough for several chunks. */
export const text = fc.oneof(
  { weight: 4, arbitrary: lines(1, 2) },
  { weight: 8, arbitrary: lines(3, 8) },
  { weight: 4, arbitrary: lines(8, 20) },
  { weight: 6, arbitrary: turns },
  { weight: 1, arbitrary: lines(120, 200) },
);

/** What is put into a text: a turn into a transcript, if it is one. */
export const fitting = (content: string, own: { readonly line: string; readonly turn: string }): string =>
  isTranscript(content) ? own.turn : own.line;

export const tag = fc.constantFrom(...TAGS);
/** Often the same ones, so that adds meet a document. */
export const tags = fc.oneof(
  { weight: 3, arbitrary: fc.constant([TAGS[0]]) },
  { weight: 2, arbitrary: fc.uniqueArray(tag, { minLength: 1, maxLength: 2 }) },
);
export const customId = fc.constantFrom(...CUSTOM_IDS);
/** Of an add, which need not name any. */
export const addedTags = fc.oneof({ weight: 5, arbitrary: tags }, { weight: 1, arbitrary: fc.constant([]) });
export const metadata = fc.option(
  fc.oneof<fc.Arbitrary<Metadata>[]>(
    fc.record({ kind: fc.constantFrom('note', 'chat'), n: fc.integer({ min: 0, max: 9 }), seen: fc.boolean() }),
    fc.constant({ claude_memory_type: 'file', file_path: '/a.txt' }),
  ),
  { nil: null },
);
/** Picks one of the documents there are. */
export const pick = fc.nat(MAX_DOCUMENTS - 1);
/** Picks one of the memories there are. */
export const pickMemory = fc.nat(MAX_MEMORIES - 1);

export const sent: fc.Arbitrary<Sent> = fc.record({
  content: text,
  customId: fc.option(customId, { nil: null, freq: 2 }),
  tags: addedTags,
  metadata,
});

/** Whether there is room for what names no existing document. */
export const hasRoom = (model: Readonly<Model>, names: readonly Name[]): boolean => {
  if (names.some(({ customId }) => customId !== null && model.unsettledNames.has(customId))) return false;
  const created = new Set<unknown>(
    names
      .filter((one) => model.destination(one) === undefined)
      .map(({ customId, tags }) => (customId === null ? Symbol() : JSON.stringify([customId, tags.toSorted()]))),
  );
  return model.documents.length + created.size <= MAX_DOCUMENTS;
};

export const bodyOf = ({ content, customId, tags, metadata }: Sent): object => ({
  content,
  ...(tags.length > 0 && { containerTags: tags }),
  ...(customId !== null && { customId }),
  ...(metadata !== null && { metadata }),
});

/** How a request addresses a document: `picked`: by its customId and its first tag. */
export type Address = 'id' | 'customId' | 'picked';

export const address = fc.constantFrom<Address[]>('id', 'customId', 'picked');

/**
 * @param how of a customId: as the contract says it of the request
 * @returns the path, and the document that it addresses; undefined: none, or several
 */
export function addressed(
  model: Model,
  document: ModelDocument,
  by: Address,
  how: 'addressed' | 'deletedBy' = 'addressed',
): { readonly path: string; readonly found: ModelDocument | undefined } {
  const { id, customId, tags } = document;
  if (by === 'id' || customId === null) return { path: documentPath(id), found: document };
  const tag = by === 'picked' ? (tags[0] as string) : null;
  return { path: customIdPath(customId, tag), found: model[how](customId, tag) };
}

/** Short, for the list of commands of a counterexample. */
export const shown = (value: unknown): string => JSON.stringify(value, (_, one) => abridged(one));

const abridged = (value: unknown): unknown =>
  typeof value === 'string' && value.length > 200 ? `${value.slice(0, 150)}… (${value.length} characters)` : value;
