import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type DocumentRepository, decideFailure } from '#documents';
import { type EventStore, type Position, type RecordedEvent, systemCause } from '#event-store';
import { hasCode, systemScope } from '#kernel';
import type { DocumentChange, DocumentRow, RejectedRow, RowRejectedError, ViewsWriter } from '#views';
import type { Incomplete, Projected, Projector } from './projector.ts';

/** How much one batch, or several, brought into the views. */
export interface Written {
  readonly documents: number;
  readonly units: number;
}

export interface ProjectionOptions {
  readonly store: EventStore;
  readonly writer: ViewsWriter;
  readonly projector: Projector;
  /** Where it is recorded that the views do not take a document, or that it has lost something. */
  readonly documents: Pick<DocumentRepository, 'change' | 'recordLoss'>;
  readonly signal: AbortSignal;
  /** Told after each checkpoint: how far the views are, and what was written since the one before. */
  readonly onProgress: (position: Position, written: Written) => void;
  /** Told when a batch could not be applied; it is tried again, without what the views reject. */
  readonly onFault: (error: unknown) => void;
}

/** Codes of errors after which the views have to be opened again: another writer has taken over, or they are unusable. */
const FINAL = ['fenced', 'views_damaged', 'views_missing'];

/** Events of one transaction. */
const BATCH = 4_096;
/** The same while catching up, where each may stand for a whole document. */
const CATCH_UP_BATCH = 1_024;
/** While catching up, where the writer can bring batches ahead of a checkpoint. */
const CHECKPOINT_EVERY_MS = 2_000;
/** Of such batches: while one is indexed elsewhere, the next one is on its way. */
const BROUGHT_AT_ONCE = 2;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** How often what is missing is looked for, within three seconds: a store that was restored or moved may be late. */
const LOOKS = 6;

/** Documents of a batch lack something that their events name. */
class IncompleteError extends Error {
  override readonly name = 'IncompleteError';

  constructor(lacking: readonly Incomplete[]) {
    const told = lacking.map(
      ({ organization, id, reason }) => `document ${id} of organization ${organization}: ${reason}`,
    );
    super(`something is missing that the log names; ${told.join('; ')}`);
  }
}

/**
 * Keeps the views up with the log: from their checkpoint on, until the signal aborts. The only writer of views.
 * @throws FencedError, ViewsDamagedError, ViewsMissingError: the views have to be opened anew
 */
export async function runProjection(options: ProjectionOptions): Promise<void> {
  const { store, writer, projector, signal } = options;
  const after = await catchUp(options, await writer.checkpoint());
  for await (const { events, position } of store.subscribe({ after, signal, batch: BATCH })) {
    await apply(options, { position, project: () => projector.changesOf(events) });
  }
}

/**
 * Brings the views to where the log ended when this began. While a batch is written, the store reads the streams of the
 * next one. Batches may be written side by side, for rows know their revision. Views that begin from nothing need only be
 * told which documents there are: each is read from its own stream.
 */
async function catchUp(options: ProjectionOptions, checkpoint: Position | null): Promise<Position | null> {
  const { store, writer, projector } = options;
  const head = await store.head();
  if (head === null) return checkpoint;
  const pages = pagesBetween(options, checkpoint, head);

  let after = checkpoint;
  let written = NOTHING;
  let checkpointAt = performance.now();
  const brought: Promise<Written>[] = [];
  let page = (await pages.next()).value;
  let prepared = page && settled(projector.latestOf(page.events));
  while (page) {
    const { events, position } = page;
    const projected = await prepared;
    page = (await pages.next()).value;
    prepared = page && settled(projector.latestOf(page.events));
    // The calls leave this thread before the writing keeps it busy.
    await nextTurn();
    const project = async () => projected ?? projector.latestOf(events);
    const checkpointIsDue = !page || !writer.bring || performance.now() - checkpointAt >= CHECKPOINT_EVERY_MS;
    while (brought.length >= (checkpointIsDue ? 1 : BROUGHT_AT_ONCE)) {
      written = together(written, (await brought.shift()) as Written);
    }
    if (checkpointIsDue) {
      await apply(options, { position, project, before: written });
      written = NOTHING;
      checkpointAt = performance.now();
    } else {
      brought.push(bring(options, project));
    }
    after = position;
  }
  return after;
}

/** The log up to a place, each page asked for when the one before it is handed out. */
async function* pagesBetween(
  { store, signal }: ProjectionOptions,
  checkpoint: Position | null,
  head: Position,
): AsyncGenerator<{ readonly events: readonly RecordedEvent[]; readonly position: Position }, undefined> {
  const filter = checkpoint === null ? { types: ['DocumentAdded'] } : {};
  const isBehind = (position: Position | null) => position === null || store.compare(position, head) < 0;
  const read = (after: Position | null) => {
    if (signal.aborted || !isBehind(after)) return null;
    const page = store.readAll({ after, limit: CATCH_UP_BATCH, filter, envelopesOnly: true });
    // Whoever awaits it is told; until then it must not count as unheard.
    page.catch(() => undefined);
    return page;
  };
  for (let page = read(checkpoint); page !== null; ) {
    const { events, position } = await page;
    page = read(position);
    // A page may reach further than where this began; what lies there was filtered, and is read again afterwards.
    yield { events, position: position !== null && isBehind(position) ? position : head };
  }
}

/** Null: it failed or lacks something, and is to be tried again by whoever needs it. */
async function settled(promise: Promise<Projected>): Promise<Projected | null> {
  try {
    const projected = await promise;
    return projected.incomplete.length === 0 ? projected : null;
  } catch {
    return null;
  }
}

interface Batch {
  readonly position: Position | null;
  readonly project: () => Promise<Projected>;
  /** Brought since the last checkpoint. */
  readonly before?: Written;
}

const NOTHING: Written = { documents: 0, units: 0 };

/** Writes a batch with its checkpoint, for as long as it takes. @throws what is final */
async function apply(options: ProjectionOptions, { position, project, before = NOTHING }: Batch): Promise<void> {
  if (position === null) return;
  const own = await persist(options, project, (changes) => options.writer.apply(changes, position));
  if (own !== null) options.onProgress(position, together(before, own));
}

/** Writes a batch ahead of its checkpoint. Rejects with what is final, to whoever awaits it. */
function bring(options: ProjectionOptions, project: Batch['project']): Promise<Written> {
  const own = persist(options, project, async (changes) => options.writer.bring?.(changes));
  const brought = own.then((written) => written ?? NOTHING);
  brought.catch(() => undefined);
  return brought;
}

/** @returns null: the signal aborted before it was written */
async function persist(
  options: ProjectionOptions,
  project: () => Promise<Projected>,
  write: (changes: readonly DocumentChange[]) => Promise<void>,
): Promise<Written | null> {
  const { signal, onFault } = options;
  let changes: readonly DocumentChange[] | null = null;
  let looks = 0;
  for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      changes ??= await changesIn(options, await project(), ++looks);
      await write(changes);
      return writtenBy(changes);
    } catch (error) {
      if (hasCode(error, ...FINAL)) throw error;
      onFault(error);
      const left: readonly DocumentChange[] | null = changes && (await withoutRejected(options, changes, error));
      if (left) changes = left;
      else await pause(wait, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

/**
 * What a batch brings. A document that lacks something after several looks ends as failed before the views get any
 * further, and is shown without its units, so that it holds up nobody else.
 * @throws IncompleteError before that
 */
async function changesIn(
  { documents }: ProjectionOptions,
  { changes, incomplete }: Projected,
  looks: number,
): Promise<readonly DocumentChange[]> {
  if (incomplete.length === 0) return changes;
  if (looks < LOOKS) throw new IncompleteError(incomplete);
  for (const { organization, id, contentVersion, reason } of incomplete) {
    await documents.recordLoss(systemScope(organization), id, contentVersion, reason);
  }
  return changes;
}

const together = (a: Written, b: Written): Written => ({
  documents: a.documents + b.documents,
  units: a.units + b.units,
});

/**
 * What is left of a batch when the documents that the views reject are taken out, so that they hold up nobody else. They
 * end as failed, before the views get any further: none of them becomes done. A deletion is never left out.
 * @returns null when the whole batch has to be tried again
 */
async function withoutRejected(
  { documents, onFault }: ProjectionOptions,
  changes: readonly DocumentChange[],
  error: unknown,
): Promise<readonly DocumentChange[] | null> {
  if (!hasCode(error, 'rows_rejected')) return null;
  const rejected = new Map((error as RowRejectedError).rows.map((row) => [`${row.organization} ${row.id}`, row]));
  const left: DocumentChange[] = [];
  try {
    for (const change of changes) {
      const row = change.kind === 'upsert' && rejected.get(`${change.row.organization} ${change.row.id}`);
      if (row) await fail(documents, change.row, row);
      else left.push(change);
    }
  } catch (fault) {
    onFault(fault);
    return null;
  }
  return left.length < changes.length ? left : null;
}

/** One that is done or failed already stays so; the fault was told. */
async function fail(
  documents: Pick<DocumentRepository, 'change'>,
  { organization, id, contentVersion }: DocumentRow,
  { reason }: RejectedRow,
): Promise<void> {
  const failure = { code: 'views_rejected', message: `The views do not take this document: ${reason}` };
  await documents.change(systemScope(organization), id, systemCause(), (state) =>
    decideFailure(state, contentVersion, 'indexing', failure),
  );
}

function writtenBy(changes: readonly DocumentChange[]): Written {
  const unitsOf = (change: DocumentChange) => (change.kind === 'upsert' ? (change.units?.units.length ?? 0) : 0);
  return { documents: changes.length, units: changes.reduce((sum, change) => sum + unitsOf(change), 0) };
}
