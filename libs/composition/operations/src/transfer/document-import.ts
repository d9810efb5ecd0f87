import {
  blobFolder,
  documentStream,
  foldDocument,
  initialState,
  type Live,
  lossIn,
  type NameInTags,
} from '#features/documents';
import { type OrganizationId, systemScope } from '#platform/kernel';
import { type StreamChange, systemCause } from '#ports/event-store';
import type { OperationsContext } from '../operation.ts';
import { appendHistory } from './append-history.ts';
import { contentHashOf } from './content-hash.ts';
import { liveOf } from './document-line.ts';
import { type HistoryEntry, type ImportedDocument, jsonLineOf } from './format.ts';
import { DamagedFileError, storeFiles } from './import-files.ts';
import {
  documentOf,
  eventsOfHistory,
  freshId,
  importedEvent,
  isInterrupted,
  ofDocument,
  type Recording,
  withId,
} from './imported-events.ts';
import { MalformedLineError } from './parse-document.ts';

/** How often a customId is claimed that other requests claim at the same time. */
const CLAIM_ATTEMPTS = 8;

/** What became of a document. A refusal has a sentence. */
export type ImportOutcome =
  | { readonly outcome: 'imported' | 'unchanged'; readonly id: string }
  | { readonly outcome: 'exists' | 'deleted' | 'custom_id' | 'damaged' | 'tag_merging'; readonly message: string };

export interface ImportTarget {
  readonly context: OperationsContext;
  readonly organization: OrganizationId;
  /** The folder of the export. */
  readonly folder: string;
  /** Documents whose id is taken get another one. */
  readonly newIds: boolean;
}

/**
 * Imports a document, unless it is there already or its id or customId is taken; completes it if a former import was
 * interrupted. A document of up to 12 events is one append.
 */
export async function importDocument(document: ImportedDocument, target: ImportTarget): Promise<ImportOutcome> {
  const { id } = document;
  const history = await historyFor(document, target);
  const present = await presentIn(target, id, document);
  if (isMissing(present)) return write(document, id, history, target, present);
  if (present.outcome === 'unchanged' || !target.newIds) return present;
  const other = freshId(target.organization, id);
  const copy = await presentIn(target, other, document);
  return isMissing(copy) ? write(document, other, withId(history, other, target.organization), target, copy) : copy;
}

/** A memory of a document follows its document, which may have got another id. */
async function historyFor({ history }: ImportedDocument, target: ImportTarget): Promise<readonly HistoryEntry[]> {
  const documentId = documentOf(history);
  if (documentId === null || !target.newIds) return history;
  const copy = freshId(target.organization, documentId);
  const { store } = target.context.parts.storage;
  const { revision } = await store.readStream(documentStream(target.organization, copy), { from: 0, limit: 1 });
  return revision === 'no-stream' ? history : ofDocument(history, copy);
}

/** `absent`: no document ever had the id. `interrupted`: an import was, when it had recorded a part of the document. */
type MissingDocument = 'absent' | 'interrupted';

const isMissing = (present: ImportOutcome | MissingDocument): present is MissingDocument => typeof present === 'string';

async function presentIn(
  { context: { parts }, organization }: ImportTarget,
  id: string,
  { contentHash }: ImportedDocument,
): Promise<ImportOutcome | MissingDocument> {
  const { events, revision, erased } = await parts.storage.store.readStream(documentStream(organization, id));
  if (revision === 'no-stream') return 'absent';
  if (erased || events.at(-1)?.envelope.type === 'DocumentDeleted') {
    return { outcome: 'deleted', message: `The document ${id} was deleted here.` };
  }
  if (isInterrupted(events)) return 'interrupted';
  const message = `There is a document ${id} with other content.`;
  try {
    const live = liveOf(events);
    const isSame = live !== null && (await contentHashOf(live, parts.texts, parts.storage.blobs)) === contentHash;
    return isSame ? { outcome: 'unchanged', id } : { outcome: 'exists', message };
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return { outcome: 'exists', message };
  }
}

/** Documents with one customId are written one after the other. */
function write(
  document: ImportedDocument,
  id: string,
  history: readonly HistoryEntry[],
  target: ImportTarget,
  missing: MissingDocument,
): Promise<ImportOutcome> {
  const { context, organization } = target;
  const { customId, tags } = stateOf(history, { organization, id, now: context.clock.now() });
  if (customId === null) return writeNamed(document, id, history, target, missing, null);
  const { together } = context.parts.documents;
  return together.inTurn(systemScope(organization), [customId], () =>
    writeNamed(document, id, history, target, missing, { customId, tags, id, exportedId: document.id }),
  );
}

async function writeNamed(
  document: ImportedDocument,
  id: string,
  history: readonly HistoryEntry[],
  target: ImportTarget,
  missing: MissingDocument,
  named: ImportedName | null,
): Promise<ImportOutcome> {
  const { context, organization, folder } = target;
  const { store, blobs } = context.parts.storage;
  if (named !== null && (await claimsFor(target, named)) === null) return taken(document.id, named.customId);
  const prefix = blobFolder(organization, id);
  // What an interrupted import has recorded refers to its blobs.
  const discard = async () => (missing === 'absent' ? blobs.deletePrefix(prefix) : undefined);
  let stored: readonly HistoryEntry[];
  try {
    stored = await storeFiles(history, { folder, prefix, blobs });
  } catch (error) {
    await discard();
    if (!(error instanceof DamagedFileError)) throw error;
    return { outcome: 'damaged', message: `The document ${document.id} is damaged: ${error.message}.` };
  }
  if (named !== null && !(await claim(target, named))) {
    await discard();
    return taken(document.id, named.customId);
  }
  const recording = { organization, id, now: context.clock.now() };
  const events = [
    ...eventsOfHistory(stored, recording),
    await importedEvent(document, history, context.parts.texts, recording),
  ];
  if (context.parts.tagLocks.refusal(events) !== null) {
    await discard();
    const message = `A tag of the document ${document.id} is being merged into another one. Import it again afterwards.`;
    return { outcome: 'tag_merging', message };
  }
  const isBegun = missing === 'interrupted';
  if (await appendHistory(store, documentStream(organization, id), events, { isBegun })) {
    return { outcome: 'imported', id };
  }
  const present = await presentIn(target, id, document);
  if (!isMissing(present)) return present;
  return {
    outcome: 'exists',
    message: `An import of another version of the document ${id} has to be completed first.`,
  };
}

/** @throws MalformedLineError for a history that is none of a live document */
function stateOf(history: readonly HistoryEntry[], recording: Recording): Live {
  try {
    const state = eventsOfHistory(history, recording).reduce(foldDocument, initialState);
    if (state.status === 'live') return state;
  } catch (error) {
    throw new MalformedLineError('history cannot be read', { cause: error });
  }
  throw new MalformedLineError('history is not that of a document');
}

const taken = (id: string, customId: string): ImportOutcome => ({
  outcome: 'custom_id',
  message: `The document ${id} is not imported: another document with its tags has its customId ${jsonLineOf(customId)}.`,
});

/** A document that is imported, with its customId and its tags. */
interface ImportedName extends NameInTags {
  readonly id: string;
  /** That it had in the export. */
  readonly exportedId: string;
}

/**
 * Returns the claims with which the document has its customId; null: another document with the same tags has it. Documents of
 * an export can be equal in both, and stay so.
 */
async function claimsFor(target: ImportTarget, named: ImportedName): Promise<readonly StreamChange[] | null> {
  const { context, organization } = target;
  const { customIds } = context.parts.documents;
  const moment = { cause: systemCause(), now: context.clock.now() };
  try {
    const place = await customIds.place(systemScope(organization), named, named.id, moment);
    if (place.kind === 'taken') {
      const isOfExport = place.id !== named.exportedId && (await isImported(target, place.id));
      return isOfExport ? [] : null;
    }
    return place.kind === 'reserved' ? null : place.claims;
  } catch (error) {
    if (lossIn(error) === null) throw error;
    return null;
  }
}

async function isImported({ context, organization }: ImportTarget, id: string): Promise<boolean> {
  const { events } = await context.parts.storage.store.readStream(documentStream(organization, id));
  return events.some(({ envelope }) => envelope.type === 'DocumentImported');
}

/** Returns whether the document has the customId from now on. */
async function claim(target: ImportTarget, named: ImportedName): Promise<boolean> {
  for (let attempt = 1; attempt <= CLAIM_ATTEMPTS; attempt += 1) {
    const claims = await claimsFor(target, named);
    if (claims === null) return false;
    if (await target.context.parts.documents.customIds.claim(claims)) return true;
  }
  return false;
}
