import type { Json, JsonObject, Result } from '#platform/kernel';
import type { Authorization, NotificationHeaders, Notified } from './authorization.ts';
import type { Resources } from './resources.ts';

/** What lies at a source and may become a document, as a listing tells it. */
export interface SourceItem {
  /** Names the item as long as it exists. Where the source has no such id: its path. */
  readonly id: string;
  /** Another value whenever the content may be another: a hash, an ETag, a revision. An equal one: the item is not fetched. */
  readonly version: string;
  /** Begins with "/"; parts are separated by "/". For filters and the document's `filepath`. */
  readonly path: string;
  readonly title: string;
  readonly contentType: string | null;
  /** Bytes. Null: not known before the item is fetched. */
  readonly size: number | null;
  /** Where a person opens it. */
  readonly link: string | null;
  readonly owner: string | null;
  /** ISO 8601, of the source. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** Content that came with the listing. Absent: `fetch` brings it. */
  readonly content?: SourceContent;
}

/** `type`: the type of the document if the source knows it, such as `google_doc`. */
export type SourceContent =
  | { readonly type: string | null; readonly text: string }
  | {
      readonly type: string | null;
      readonly name: string;
      readonly contentType: string | null;
      /** Can be read once. */
      readonly body: AsyncIterable<Uint8Array>;
    };

export interface ListingPage {
  readonly items: readonly SourceItem[];
  /** Ids of items that the source says are gone. */
  readonly removed: readonly string[];
  /**
   * Null: more pages follow. On the last page, what it was: `complete`: every item there is, so that those which were not
   * listed are gone; `changes`: what has changed since the cursor, and all others are as they were.
   */
  readonly ends: { readonly listing: 'complete' | 'changes'; readonly cursor: Json } | null;
}

/** A source, opened with the setup and the secrets of one connection. */
export interface Source {
  /**
   * Whether listings are of everything with a cursor, too, which only tells what the source was like before. It is then given
   * also when somebody wants everything to be listed.
   */
  readonly listsEverything?: boolean;
  /**
   * Lists what has changed since the cursor of a former listing, or everything.
   * @param cursor null: everything
   * @throws SourceLostError; SourceBusyError; FetchFailedError
   */
  list(cursor: Json | null, signal: AbortSignal): AsyncIterable<ListingPage>;
  /**
   * Brings the content of an item.
   * @param use reads the content, which ends when it returns
   * @throws ItemUnreadableError; SourceLostError; SourceBusyError; FetchFailedError; what `use` throws
   */
  fetch<T>(item: SourceItem, use: (content: SourceContent) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Tells soon when something may have changed, until the signal aborts. Listings do not depend on it. */
  watch?(changed: () => void, signal: AbortSignal): Promise<void>;
  /** Of a source of which a person chooses parts. */
  readonly resources?: Resources;
  /** Gives the permission back that the source was opened with. */
  revoke?(): Promise<void>;
  close(): Promise<void>;
}

/** Of one connection; names are those that `readSetup` gave. */
export interface ConnectionSecrets {
  get(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
}

export interface ConnectionSetup {
  readonly connection: string;
  readonly organization: string;
  /** As `readSetup` gave it, with what was configured since. */
  readonly setup: JsonObject;
  readonly secrets: ConnectionSecrets;
}

/** `setup`: kept in the log and shown. `secrets`: sealed and never shown. */
export interface ReadSetup {
  readonly setup: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
}

/** `field`: the name of the wrong field below `metadata`. `message`: what follows the name, such as "must be a URL". */
export interface SetupRefusal {
  readonly field: string;
  readonly message: string;
}

/** A kind of source. One folder in `adapters`, and a line in the list of connectors. */
export interface Connector {
  /** As in the path of the API, e.g. `google-drive`. */
  readonly provider: string;
  /** Why it can't be used here, naming the setting that is missing. Null: it can. */
  readonly missing: string | null;
  /** Whether an item keeps its id when it is renamed or moved. */
  readonly hasStableIds: boolean;
  /** Between two syncs without a cause. Milliseconds; the engine adds jitter. */
  readonly interval: number;
  /** Whether only a full key of the operator (scope A) may connect it, because it reads from the machine of the server. */
  readonly isOfOperator: boolean;
  /**
   * Reads the `metadata` of the request that creates a connection.
   * @param organization whose connection it will be; not every organization may read every folder of the operator
   */
  readSetup(metadata: JsonObject, organization: string): Result<ReadSetup, SetupRefusal>;
  /** Of a source that a person permits at the provider; its secrets come from there. */
  readonly authorization?: Authorization;
  /** Whether there is something to read yet: a person has chosen. Absent: always. */
  isChosen?(setup: JsonObject): boolean;
  /** Returns what a notification tells. Null: it is not one of the provider for this installation. */
  notified?(headers: NotificationHeaders): Notified | null;
  /** @throws SourceLostError */
  open(connection: ConnectionSetup): Promise<Source>;
}
