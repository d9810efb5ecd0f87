import {
  asDecorator,
  type Complaint,
  InputError,
  invalid,
  isObject,
  Required,
  Rule,
  readInput,
  ShownBy,
} from '#platform/input';
import { giveWay, type Principal } from '#platform/kernel';
import { AddDocumentInput, newDocument, SharedDetails } from '../add-document/add-document.input.ts';
import type { Attempt } from '../attempt.ts';
import { AddDocuments, type NewText } from './add-documents.command.ts';

const MAX_ITEMS = 600;

/** The items of a batch. Each item is checked for itself later: a wrong one is an error of that item only. */
function IsBatch(): PropertyDecorator {
  const item = { oneOf: [{ $ref: '#/components/schemas/AddDocumentInput' }, { type: 'string' }] };
  const schema = { type: 'array', minItems: 1, maxItems: MAX_ITEMS, items: item };
  return asDecorator('isBatch', new Rule(schema, batchComplaint, { known: () => AddDocumentInput }));
}

function batchComplaint(value: unknown): Complaint | null {
  if (!Array.isArray(value)) return { says: 'must be an array' };
  return value.length >= 1 && value.length <= MAX_ITEMS ? null : { says: `must have 1 to ${MAX_ITEMS} entries` };
}

/**
 * Documents to add. Fields beside `documents` hold for every document that does not have its own. Keys of metadata are
 * merged.
 */
@ShownBy({
  'Three notes and a text': {
    documents: [
      { content: 'The tiles load slowly on the test phone.', customId: 'note-1', documentDate: '2025-02-03' },
      { content: 'Hikers ask for offline maps.', customId: 'note-2', metadata: { priority: 1 } },
      { content: 'The compass turns the wrong way.', customId: 'note-3', metadata: { kind: 'bug' } },
      'A text without other fields.',
    ],
    containerTag: 'drafts',
    metadata: { kind: 'note' },
  },
})
export class AddDocumentsInput extends SharedDetails {
  /** 1 to 600 documents. A string is the content of a document without other fields. */
  @Required()
  @IsBatch()
  documents!: readonly unknown[];
}

export interface BatchDocument {
  readonly document: NewText;
  readonly entityContext: string | undefined;
}

/** The documents of a batch, or what is wrong with them, in their order. */
export type BatchItem = BatchDocument | InputError;

/** Other work goes on between the items. */
export async function batchItems({ documents, ...shared }: AddDocumentsInput): Promise<readonly BatchItem[]> {
  const items: BatchItem[] = [];
  for (const item of documents) {
    await giveWay();
    items.push(batchItem(item, shared));
  }
  return items;
}

function batchItem(item: unknown, shared: Omit<AddDocumentsInput, 'documents'>): BatchItem {
  try {
    const body = readInput(AddDocumentInput, withDefaults(item, shared), 'ignore');
    const document = newDocument(body, body.content);
    return { document, entityContext: body.entityContext };
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

export const addDocuments = (
  principal: Principal,
  documents: readonly NewText[],
  { idempotencyKey, isRetry }: Attempt,
): AddDocuments => new AddDocuments(principal, documents, idempotencyKey, isRetry);

type Fields = Readonly<Record<string, unknown>>;

/** @throws InputError if the item is neither an object nor a string */
function withDefaults(item: unknown, shared: Omit<AddDocumentsInput, 'documents'>): Fields {
  const own: Fields | null = typeof item === 'string' ? { content: item } : isObject(item) ? item : null;
  if (own === null) throw invalid('documents', 'An entry of documents must be an object or a string');
  const { containerTag, containerTags, ...rest } = shared;
  const namesTags = isGiven(own.containerTag) || isGiven(own.containerTags);
  return {
    ...rest,
    ...(namesTags ? {} : { containerTag, containerTags }),
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => isGiven(value))),
    metadata: merged(shared.metadata, own.metadata),
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Entries, not spreading, because a key may be `__proto__`. */
function merged(shared: Fields | undefined, own: unknown): unknown {
  if (shared === undefined || !(isObject(own) || !isGiven(own))) return own;
  return Object.fromEntries([...Object.entries(shared), ...Object.entries(own ?? {})]);
}
