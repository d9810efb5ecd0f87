import { isTaken, itemCustomId, type SyncedItem } from '#features/connections';
import { hasCode, type Json, ok, type Result } from '#platform/kernel';
import {
  ItemUnreadableError,
  type ListingPage,
  type Source,
  type SourceContent,
  type SourceItem,
  SourceLostError,
} from '#ports/connectors';
import { withFile } from './bring-file.ts';
import { decideItem } from './decide-item.ts';
import { each } from './each.ts';
import { detailsHash, detailsOf } from './item-details.ts';
import { AT_ONCE, KnownItems } from './known-items.ts';
import { type BroughtFile, type ItemDetails, type SyncOptions, TIMING } from './options.ts';
import { ATTEMPTS, isPassing, Pauses } from './pauses.ts';
import { removeGone } from './remove-gone.ts';
import { SeenItems } from './seen-items.ts';
import type { SyncRecord } from './sync-record.ts';

/** Items of a page that are brought at the same time. */
const BROUGHT_AT_ONCE = 16;
const LONGEST_FAILURE = 500;

/** What a listing has come to. */
interface Listed {
  /** Null: the listing did not end. */
  readonly ends: ListingPage['ends'];
  /** Ids of items that are there. */
  readonly seen: SeenItems;
  /** Ids of items that are not, as the source says. */
  readonly gone: SeenItems;
}

/** How a sync that has reached the end of a listing ends. */
export interface SyncResult {
  readonly outcome: 'completed' | 'many_removed';
  readonly cursor: Json;
  readonly gone: number;
}

/** One sync of a connection, from wherever it was left. */
export class SyncRun {
  readonly record: SyncRecord;
  readonly #options: SyncOptions;
  readonly #source: Source;
  readonly #known: KnownItems;
  readonly #pauses: Pauses;
  readonly #signal: AbortSignal;
  /** Known items that were listed. */
  #listed = 0;
  /** Documents that may still be added. */
  #room = Number.POSITIVE_INFINITY;
  /** Something that was listed is to be listed again, because it was left out or may be brought later. */
  #isIncomplete = false;

  constructor(options: SyncOptions, record: SyncRecord, source: Source, signal: AbortSignal) {
    const { timing = TIMING, views } = options;
    this.record = record;
    this.#options = options;
    this.#source = source;
    this.#signal = signal;
    this.#known = new KnownItems(views.reader, views.progress);
    this.#pauses = new Pauses(timing, signal);
  }

  /** Lists the source and brings what is new. @throws SourceLostError; the reason of the signal; what cannot be waited for */
  async run(): Promise<SyncResult> {
    const { store } = this.#options;
    if (this.record.running.trigger !== 'cron') await this.record.start();
    // What was recorded before, by another process too.
    await this.#known.reached(await store.head(), this.#signal);
    const { documentLimit, cursor: before } = this.record.connection;
    const known = await this.#pauses.attempt(() => this.#known.count(this.record.connection));
    if (documentLimit !== null) this.#room = documentLimit - known;
    const seen = new SeenItems();
    const gone = new SeenItems();
    // Who asks for a sync wants to be sure: everything is listed, and what has failed is tried again.
    const { listsEverything = false } = this.#source;
    const cursor = this.record.running.trigger === 'manual' && !listsEverything ? null : before;
    const ends = await this.#list(cursor, { ends: null, seen, gone });
    if (ends === null) throw new SourceLostError('the listing had no end');
    const isComplete = ends.listing === 'complete';
    const isNothingGone = isComplete ? this.#listed === known : gone.size === 0;
    const left = isNothingGone ? 0 : await this.#removeGone((id) => (isComplete ? !seen.has(id) : gone.has(id)));
    const isListedAgain = left > 0 || (this.#isIncomplete && !listsEverything);
    const next = isListedAgain ? cursor : ends.cursor;
    return { outcome: left > 0 ? 'many_removed' : 'completed', cursor: next, gone: left };
  }

  /** A listing that was cut begins anew: what has been brought is not brought again. */
  async #list(cursor: Json, listed: Listed): Promise<ListingPage['ends']> {
    for (let failed = 0; ; ) {
      let pages = 0;
      try {
        for await (const page of this.#source.list(cursor, this.#signal)) {
          this.#signal.throwIfAborted();
          pages += 1;
          await this.#take(page, listed);
          if (page.ends !== null) return page.ends;
        }
        return null;
      } catch (error) {
        this.#signal.throwIfAborted();
        failed = pages > 1 ? 1 : failed + 1;
        if (!isPassing(error) || failed > ATTEMPTS) throw error;
        await this.record.flush();
        await this.#pauses.after(error, failed);
      }
    }
  }

  async #take({ items, removed }: ListingPage, { seen, gone }: Listed): Promise<void> {
    for (const id of removed) gone.add(id);
    const { filters } = this.record.connection;
    for (let from = 0; from < items.length; from += AT_ONCE) {
      const part = items.slice(from, from + AT_ONCE);
      const wanted = part.filter((item) => {
        const isWanted = isTaken(filters, item);
        // Of a listing of changes: an item that has moved to where it is not wanted.
        if (!isWanted) gone.add(item.id);
        return isWanted;
      });
      const fresh = wanted.filter(({ id }) => seen.add(id));
      const ids = fresh.map(({ id }) => id);
      const known = await this.#pauses.attempt(() => this.#known.find(this.record.connection, ids));
      this.#listed += known.size;
      this.record.count({ found: fresh.length });
      try {
        await each(fresh, BROUGHT_AT_ONCE, (item) => this.#item(item, known.get(item.id)));
      } catch (error) {
        // This sync does not come back to those that were not begun.
        this.#isIncomplete = true;
        throw error;
      }
      await this.record.checkpoint();
    }
  }

  async #item(item: SourceItem, known: SyncedItem | undefined): Promise<void> {
    this.#signal.throwIfAborted();
    const details = detailsOf(this.record.connection, item);
    const step = decideItem(known, item, detailsHash(details), this.record.running.trigger === 'manual');
    if (step === 'nothing') return;
    if (step === 'describe' && known !== undefined) return this.#describe(item, known);
    if (known === undefined) {
      if (this.#room <= 0) {
        this.#isIncomplete = true;
        return;
      }
      this.#room -= 1;
    }
    try {
      await this.#pauses.attempt(() => this.#bring(item, known));
    } catch (error) {
      this.#signal.throwIfAborted();
      const isTemporary = isPassing(error);
      if (!isTemporary && !isOfItem(error)) throw error;
      if (isTemporary) this.#isIncomplete = true;
      await this.#fail(item, known, error as Error, isTemporary);
    }
  }

  async #describe(item: SourceItem, known: SyncedItem): Promise<void> {
    const details = detailsOf(this.record.connection, item);
    if (known.document !== null) await this.#describeDocument(known.document, details);
    this.record.count({ done: 1 });
    await this.record.item({ ...known, ...shown(item), details: detailsHash(details) });
  }

  /** A document that was deleted here stays deleted. */
  async #describeDocument(document: string, details: ItemDetails): Promise<void> {
    await this.#write(async () => {
      const described = await this.#options.documents.describe(this.record.connection, document, details);
      return !described.ok && described.error === 'not_found' ? ok(null) : described;
    });
  }

  async #bring(item: SourceItem, known: SyncedItem | undefined): Promise<void> {
    const use = (content: SourceContent) => this.#keep(item, known, content);
    await (item.content === undefined ? this.#source.fetch(item, use, this.#signal) : use(item.content));
  }

  async #keep(item: SourceItem, known: SyncedItem | undefined, content: SourceContent): Promise<void> {
    const { scratch, maxBytes } = this.#options;
    const largest = Math.min(maxBytes, this.record.connection.filters.maxBytes ?? maxBytes);
    const limits = { scratch, maxBytes: largest, signal: this.#signal };
    await withFile(item, content, limits, async (file) => {
      const details = detailsOf(this.record.connection, item);
      const hash = detailsHash(details);
      const isSame = known?.hash === file.sha256;
      const document = isSame ? known.document : await this.#put(item, file);
      if (isSame && document !== null && known.details !== hash) {
        await this.#describeDocument(document, details);
      }
      this.record.count({ done: 1, bytes: file.size });
      const { version } = item;
      const kept = { document, hash: file.sha256, bytes: file.size, failure: null };
      await this.record.item({ id: item.id, version, details: hash, ...shown(item), ...kept });
    });
  }

  async #put(item: SourceItem, file: BroughtFile): Promise<string> {
    const { documents } = this.#options;
    const put = await this.#write(() => {
      const { connection } = this.record;
      const details = detailsOf(connection, item);
      const customId = itemCustomId(connection.id, item.id);
      const named = { ...file, name: details.title };
      const { tags, provider: source } = connection;
      return documents.put(connection, { ...details, customId, tags, source, file: named });
    });
    return put.id;
  }

  /** Repeats what is refused for a while. @throws ItemUnreadableError for another refusal */
  async #write<T>(write: () => Promise<Result<T, string>>): Promise<T> {
    for (let refused = 1; ; refused += 1) {
      const written = await this.#pauses.attempt(write);
      if (written.ok) return written.value;
      if (!WAITED_FOR.has(written.error)) throw new ItemUnreadableError(`it was refused: ${written.error}`);
      await this.#pauses.after(null, Math.min(refused, LONGEST_WAIT));
      // After a merge of tags the connection has others.
      await this.record.reload();
    }
  }

  async #fail(item: SourceItem, known: SyncedItem | undefined, error: Error, isTemporary: boolean): Promise<void> {
    this.record.count({ failed: 1 });
    const { document = null, hash = null, bytes = null } = known ?? {};
    const failure = error.message.slice(0, LONGEST_FAILURE);
    // An empty version is no version of an item, so that it is tried again.
    const version = isTemporary ? '' : item.version;
    const details = detailsHash(detailsOf(this.record.connection, item));
    await this.record.item({ id: item.id, version, details, ...shown(item), document, hash, bytes, failure });
  }

  #removeGone(isGone: (id: string) => boolean): Promise<number> {
    const { connection } = this.record;
    const [known, pauses] = [this.#known, this.#pauses];
    return removeGone(connection, { known, pauses, isGone, remove: (item) => this.#remove(item) });
  }

  async #remove({ id, document }: SyncedItem): Promise<void> {
    this.#signal.throwIfAborted();
    if (document !== null) {
      await this.#pauses.attempt(() => this.#options.documents.remove(this.record.connection, document));
    }
    this.record.count({ done: 1 });
    await this.record.removed(id);
  }
}

/** Doublings of the pause after a refusal. */
const LONGEST_WAIT = 6;
const WAITED_FOR: ReadonlySet<string> = new Set(['backlog_full', 'tag_merging']);

const isOfItem = (error: unknown): boolean =>
  error instanceof ItemUnreadableError || hasCode(error, 'fetch_failed', 'fetch_refused');

const shown = ({ path, title }: SourceItem) => ({ path: path.slice(0, 2_000), title: title.slice(0, 500) });
