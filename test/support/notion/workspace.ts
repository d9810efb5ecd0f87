import { randomUUID } from 'node:crypto';
import { type NewBlock, richText } from './blocks.ts';

/** What a workspace of the stand-in holds. Times are those of its own clock. */

export type Json = Readonly<Record<string, unknown>>;

export type Parent =
  | { readonly type: 'workspace'; readonly workspace: true }
  | { readonly type: 'page_id'; readonly page_id: string }
  | { readonly type: 'data_source_id'; readonly data_source_id: string; readonly database_id: string };

interface Kept {
  readonly id: string;
  readonly created: number;
  edited: number;
  isInTrash: boolean;
}

export interface Page extends Kept {
  parent: Parent;
  /** By name, as property values of the API without their ids. */
  properties: Record<string, Json>;
  blocks: Block[];
  /** Of `Name` or `title`: the name of the property that holds the title. */
  readonly titleName: string;
}

export interface Block extends Kept {
  readonly type: string;
  readonly content: Json;
  children: Block[];
}

export interface Database extends Kept {
  readonly title: string;
  readonly parent: Parent;
  readonly dataSources: readonly DataSource[];
}

export interface DataSource extends Kept {
  readonly title: string;
  readonly database: string;
  readonly parent: Parent;
  /** By name: the type of the property. One is of the type `title`. */
  readonly properties: Readonly<Record<string, string>>;
}

export interface KeptFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly contentType: string;
}

export interface NewPage {
  readonly title: string;
  /** Id of a page. Default: the workspace. */
  readonly parent?: string;
  readonly blocks?: readonly NewBlock[];
}

export interface NewRow {
  readonly title: string;
  /** By name, as property values of the API, e.g. `{ type: 'number', number: 3 }`. */
  readonly properties?: Readonly<Record<string, Json>>;
  readonly blocks?: readonly NewBlock[];
}

export interface NewDatabase {
  readonly title: string;
  readonly parent?: string;
  /** By name: the type of the property. Default: a title alone. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Titles. Default: one, with the title of the database. */
  readonly dataSources?: readonly string[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export class Workspace {
  readonly pages = new Map<string, Page>();
  readonly databases = new Map<string, Database>();
  readonly dataSources = new Map<string, DataSource>();
  readonly files = new Map<string, KeptFile>();
  /** Ids of what the search does not find, because its index is behind or because it was never shared. */
  readonly hidden = new Set<string>();
  #now: number;

  /** @param now where the clock begins. Milliseconds since the Unix epoch */
  constructor(now = Date.now() - DAY_MS) {
    this.#now = now;
  }

  /** Notion tells times of changes by the minute. Each change takes place a minute after the one before. */
  tick(): number {
    this.#now += MINUTE_MS;
    return this.#minute();
  }

  addPage({ title, parent, blocks = [] }: NewPage): string {
    const properties = { title: titleOf(title) };
    return this.#keepPage({ parent: parentOf(parent), properties, titleName: 'title' }, blocks);
  }

  addDatabase({ title, parent, properties = { Name: 'title' }, dataSources = [title] }: NewDatabase) {
    const [id, now] = [randomUUID(), this.tick()];
    const kept = { created: now, edited: now, isInTrash: false };
    const sources = dataSources.map((name): DataSource => {
      return { ...kept, id: randomUUID(), title: name, database: id, parent: parentOf(parent), properties };
    });
    this.databases.set(id, { ...kept, id, title, parent: parentOf(parent), dataSources: sources });
    for (const source of sources) this.dataSources.set(source.id, source);
    return { id, dataSources: sources.map((source) => source.id) };
  }

  addRow(dataSource: string, { title, properties = {}, blocks = [] }: NewRow): string {
    const source = found(this.dataSources, dataSource);
    const titleName = Object.keys(source.properties).find((name) => source.properties[name] === 'title') ?? 'title';
    const parent: Parent = { type: 'data_source_id', data_source_id: source.id, database_id: source.database };
    return this.#keepPage({ parent, properties: { ...properties, [titleName]: titleOf(title) }, titleName }, blocks);
  }

  /**
   * Changes what is given.
   * @param isSameMinute the change takes place in the minute of the one before, so that the page's time stays
   */
  changePage(
    id: string,
    change: {
      readonly title?: string;
      readonly properties?: Record<string, Json>;
      readonly blocks?: readonly NewBlock[];
    },
    isSameMinute = false,
  ): void {
    const page = found(this.pages, id);
    page.edited = isSameMinute ? this.#minute() : this.tick();
    if (change.title !== undefined) page.properties[page.titleName] = titleOf(change.title);
    Object.assign(page.properties, change.properties);
    if (change.blocks !== undefined) page.blocks = this.#blocksOf(change.blocks, page.edited);
  }

  /** @param parent id of a page; null: the workspace */
  movePage(id: string, parent: string | null): void {
    const page = found(this.pages, id);
    page.parent = parentOf(parent ?? undefined);
    page.edited = this.tick();
  }

  /** With the pages below it. */
  trashPage(id: string, isInTrash = true): void {
    const page = found(this.pages, id);
    page.isInTrash = isInTrash;
    page.edited = this.tick();
    for (const below of this.childrenOf(id)) this.trashPage(below.id, isInTrash);
  }

  /** As if it had never been, or were no longer shared: the API does not find it. */
  removePage(id: string): void {
    for (const below of this.childrenOf(id)) this.removePage(below.id);
    this.pages.delete(id);
  }

  addFile(name: string, bytes: Buffer, contentType: string): string {
    const id = randomUUID();
    this.files.set(id, { name, bytes, contentType });
    return id;
  }

  childrenOf(page: string): readonly Page[] {
    return [...this.pages.values()].filter(({ parent }) => parent.type === 'page_id' && parent.page_id === page);
  }

  databasesIn(page: string): readonly Database[] {
    return [...this.databases.values()].filter(({ parent }) => parent.type === 'page_id' && parent.page_id === page);
  }

  /** @returns the block and where it stands */
  findBlock(id: string): { readonly block: Block; readonly parent: Json } | null {
    for (const page of this.pages.values()) {
      const block = blockIn(page.blocks, id, { type: 'page_id', page_id: page.id });
      if (block !== null) return block;
    }
    return null;
  }

  #keepPage(page: Pick<Page, 'parent' | 'properties' | 'titleName'>, blocks: readonly NewBlock[]): string {
    const [id, now] = [randomUUID(), this.tick()];
    this.pages.set(id, {
      id,
      created: now,
      edited: now,
      isInTrash: false,
      ...page,
      blocks: this.#blocksOf(blocks, now),
    });
    return id;
  }

  #blocksOf(blocks: readonly NewBlock[], now: number): Block[] {
    return blocks.map(({ type, content = {}, children = [] }) => ({
      ...{ id: randomUUID(), created: now, edited: now, isInTrash: false, type, content },
      children: this.#blocksOf(children, now),
    }));
  }

  #minute(): number {
    return this.#now - (this.#now % MINUTE_MS);
  }
}

const titleOf = (title: string): Json => ({ type: 'title', title: richText(title) });

const parentOf = (page: string | undefined): Parent =>
  page === undefined ? { type: 'workspace', workspace: true } : { type: 'page_id', page_id: page };

function found<T>(all: ReadonlyMap<string, T>, id: string): T {
  const one = all.get(id);
  if (one === undefined) throw new Error(`The stand-in of Notion has no ${id}`);
  return one;
}

function blockIn(blocks: readonly Block[], id: string, parent: Json): { block: Block; parent: Json } | null {
  for (const block of blocks) {
    const below =
      block.id === id ? { block, parent } : blockIn(block.children, id, { type: 'block_id', block_id: block.id });
    if (below !== null) return below;
  }
  return null;
}
