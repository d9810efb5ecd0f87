import fc from 'fast-check';
import type { Metadata, Model, ModelDocument, Sent } from '../contract/model.ts';
import { WORDS } from '../contract/words.ts';

/** What commands are made of. */

export const MAX_DOCUMENTS = 5;
export const MAX_MEMORIES = 6;
export const TAGS = ['home', 'org/a b', 'räume'] as const;
export const CUSTOM_IDS = ['one', 'list', 'drei/3 %'] as const;

export const words = fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 5 }).map((some) => some.join(' '));
const line = words.map((some) => `${some}.`);
const lines = (minLength: number, maxLength: number) =>
  fc.array(line, { minLength, maxLength }).map((all) => all.join('\n'));

/** Mostly short; sometimes long enough for several chunks. */
export const text = fc.oneof(
  { weight: 12, arbitrary: lines(1, 4) },
  { weight: 4, arbitrary: lines(8, 20) },
  { weight: 1, arbitrary: lines(120, 200) },
);

export const tag = fc.constantFrom(...TAGS);
export const tags = fc.uniqueArray(tag, { minLength: 1, maxLength: 2 });
export const customId = fc.constantFrom(...CUSTOM_IDS);
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
  tags,
  metadata,
});

/** Whether there is room for what names no existing document. */
export const hasRoom = (model: Readonly<Model>, customIds: readonly (string | null)[]): boolean => {
  if (customIds.some((one) => one !== null && model.unsettledNames.has(one))) return false;
  const created = new Set<unknown>(
    customIds.filter((one) => model.named(one) === undefined).map((one) => one ?? Symbol()),
  );
  return model.documents.length + created.size <= MAX_DOCUMENTS;
};

export const bodyOf = ({ content, customId, tags, metadata }: Sent): object => ({
  content,
  containerTags: tags,
  ...(customId !== null && { customId }),
  ...(metadata !== null && { metadata }),
});

/** A document by one of its names. */
export const nameOf = ({ id, customId }: ModelDocument, byCustomId: boolean): string =>
  byCustomId && customId !== null ? customId : id;

/** Short, for the list of commands of a counterexample. */
export const shown = (value: unknown): string => JSON.stringify(value, (_, one) => abridged(one));

const abridged = (value: unknown): unknown =>
  typeof value === 'string' && value.length > 200 ? `${value.slice(0, 150)}… (${value.length} characters)` : value;
