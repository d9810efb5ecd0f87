import { hash } from 'node:crypto';
import { type Json, ok } from '../../../../platform/kernel/src/index.ts';
import type { Connector, ListingPage, Source, SourceItem } from '../connector.ts';
import { ItemUnreadableError } from '../errors.ts';

export interface ScriptedItem {
  readonly text: string;
  readonly path: string;
  /** Default: follows from the text. */
  readonly version?: string;
  /** Why it cannot be read. */
  readonly unreadable?: string;
}

/** A source in memory, which a test changes and lets fail. */
export class ScriptedSource {
  readonly items = new Map<string, ScriptedItem>();
  /** Ids of items, each time that one was fetched. */
  readonly fetched: string[] = [];
  /** Cursors of the listings. */
  readonly listed: Json[] = [];
  revoked = 0;
  listsEverything = false;
  pageSize = 100;
  /** Called before each page. */
  beforePage: (page: number) => Promise<void> | void = () => {};
  /** Called before each fetch. */
  beforeFetch: (id: string) => Promise<void> | void = () => {};
  /** Absent: every listing is complete. Otherwise what a listing from a cursor answers. */
  changes: ((cursor: Json) => Pick<ListingPage, 'removed'> & { readonly ids: readonly string[] }) | null = null;
  #changed: () => void = () => {};

  put(id: string, text: string, details: Partial<ScriptedItem> = {}): void {
    this.items.set(id, { text, path: `/${id}`, ...details });
  }

  /** Tells whoever watches that something has changed. */
  tell(): void {
    this.#changed();
  }

  connector(details: Partial<Connector> = {}): Connector {
    return {
      ...{ provider: 'scripted', missing: null, hasStableIds: true, interval: 3_600_000, isOfOperator: false },
      readSetup: ({ token, ...setup }) =>
        ok({ setup, secrets: typeof token === 'string' ? { token } : ({} as Record<string, string>) }),
      open: async () => this.#opened(),
      ...details,
    };
  }

  #opened(): Source {
    return {
      listsEverything: this.listsEverything,
      list: (cursor, signal) => this.#list(cursor, signal),
      fetch: async (item, use) => {
        await this.beforeFetch(item.id);
        this.fetched.push(item.id);
        const found = this.items.get(item.id);
        if (found === undefined) throw new ItemUnreadableError('it is gone');
        if (found.unreadable !== undefined) throw new ItemUnreadableError(found.unreadable);
        return use({ type: null, text: found.text });
      },
      watch: async (changed, signal) => {
        this.#changed = changed;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
      revoke: async () => {
        this.revoked += 1;
      },
      close: async () => {},
    };
  }

  async *#list(cursor: Json, signal: AbortSignal): AsyncGenerator<ListingPage> {
    this.listed.push(cursor);
    const changes = cursor === null ? null : (this.changes?.(cursor) ?? null);
    const ids = [...(changes?.ids ?? this.items.keys())];
    const pages = Math.max(1, Math.ceil(ids.length / this.pageSize));
    for (let page = 0; page < pages; page += 1) {
      await this.beforePage(page);
      signal.throwIfAborted();
      const isLast = page === pages - 1;
      const listing = changes === null ? 'complete' : 'changes';
      yield {
        items: ids.slice(page * this.pageSize, (page + 1) * this.pageSize).flatMap((id) => this.#item(id) ?? []),
        removed: isLast ? (changes?.removed ?? []) : [],
        ends: isLast ? { listing, cursor: this.changes === null ? null : this.listed.length } : null,
      };
    }
  }

  #item(id: string): SourceItem | null {
    const item = this.items.get(id);
    if (item === undefined) return null;
    const { text, path, version = hash('sha256', text, 'hex') } = item;
    const title = path.slice(path.lastIndexOf('/') + 1);
    const unknown = { contentType: null, link: null, owner: null, createdAt: null, updatedAt: null };
    return { id, version, path, title, size: Buffer.byteLength(text), ...unknown };
  }
}
