import type { Json } from '#platform/kernel';
import type { ConnectionSetup, ListingPage, Source, SourceContent, SourceItem } from '../../connector.ts';
import { SourceLostError } from '../../errors.ts';
import { listChanged, readChanges } from './changed-files.ts';
import type { Channels } from './channels.ts';
import { DriveChoice } from './choice.ts';
import { CompleteListing } from './complete-listing.ts';
import { fetchContent } from './content.ts';
import { type Cursor, readCursor } from './cursor.ts';
import { type DriveApi, DriveRefusedError } from './drive-api.ts';
import type { GoogleAccess } from './google-access.ts';
import { scopeOf } from './setup.ts';
import { Tree } from './tree.ts';

export interface DriveSourceOptions {
  readonly connection: ConnectionSetup;
  readonly api: DriveApi;
  readonly access: GoogleAccess;
  /** Null: Google cannot reach this server. */
  readonly channels: Channels | null;
  readonly logger: { warn(message: string, cause?: unknown): void };
}

/** The Drive of one account. */
export class DriveSource implements Source {
  readonly resources: DriveChoice;
  readonly #options: DriveSourceOptions;

  constructor(options: DriveSourceOptions) {
    this.#options = options;
    this.resources = new DriveChoice(options.api, options.connection.setup);
  }

  async *list(cursor: Json | null, signal: AbortSignal): AsyncGenerator<ListingPage> {
    try {
      for await (const page of this.#pages(cursor, signal)) {
        if (page.ends !== null) await this.#keepChannels((page.ends.cursor as unknown as Cursor).logs, signal);
        yield page;
      }
    } catch (error) {
      if (!(error instanceof DriveRefusedError)) throw error;
      throw new SourceLostError(`Google Drive refuses to list the files: ${error.message}`, { cause: error });
    }
  }

  async *#pages(given: Json | null, signal: AbortSignal): AsyncGenerator<ListingPage> {
    const { api, connection } = this.#options;
    const scope = scopeOf(connection.setup);
    if (scope.kind === 'selected' && scope.chosen.length === 0) {
      throw new SourceLostError('Nothing is selected yet. Select files and folders, or connect with syncScope "full".');
    }
    const tree = new Tree(api, signal);
    const cursor = readCursor(given, scope);
    const changed = cursor?.targets == null ? null : await readChanges(api, cursor, signal);
    if (changed === null) yield* new CompleteListing(api, tree, signal).list(scope);
    else yield* listChanged(changed, { scope, targets: cursor?.targets ?? {}, tree });
  }

  async fetch<T>(item: SourceItem, use: (content: SourceContent) => Promise<T>, signal: AbortSignal): Promise<T> {
    return fetchContent(this.#options.api, item, use, signal);
  }

  async revoke(): Promise<void> {
    const { access, channels } = this.#options;
    await channels?.closeAll(AbortSignal.timeout(10_000)).catch(() => undefined);
    await access.revoke();
  }

  async close(): Promise<void> {}

  /** Without them the source is listed as often as ever. */
  async #keepChannels(logs: Cursor['logs'], signal: AbortSignal): Promise<void> {
    const { channels, connection, logger } = this.#options;
    try {
      await channels?.keep(connection, logs, signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn(`Google Drive sends no notifications for the connection ${connection.connection}`, error);
    }
  }
}
