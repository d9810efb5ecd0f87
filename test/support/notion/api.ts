import { ApiError, notFound } from './api-error.ts';
import { isWanted, ordered, type Paging, pageOf } from './lists.ts';
import { BOT, idOfProperty, type Objects, USERS } from './objects.ts';
import type { Block, Database, DataSource, Json, Page, Workspace } from './workspace.ts';

/** What a request asks for. Of a GET the paging is in the query, of a POST in the body. */
export interface Asking {
  readonly method: string;
  readonly path: string;
  readonly given: Readonly<Record<string, unknown>>;
}

/** The endpoints that read. */
export class Api {
  readonly #workspace: Workspace;
  readonly #objects: Objects;
  /** Most results of one page of a list. */
  readonly #largest: number;

  constructor(workspace: Workspace, objects: Objects, largest: number) {
    this.#workspace = workspace;
    this.#objects = objects;
    this.#largest = largest;
  }

  /** @throws ApiError */
  answer({ method, path, given }: Asking): Json {
    const [kind = '', given_id = '', part, property] = path.slice('/v1/'.length).split('/').map(decodeURIComponent);
    const id = kind === 'users' && given_id === 'me' ? BOT : dashed(given_id);
    const asked = [method, kind, id === '' ? '' : ':id', part ?? ''].filter((word) => word !== '').join(' ');
    if (asked === 'POST search') return this.#search(given);
    if (asked === 'GET users') return this.#list(USERS as { id: string }[], given, 'user', (one) => ({ ...one }));
    if (asked === 'GET users :id') return found(USERS.find((one) => one.id === id) ?? null, 'user', id);
    if (asked === 'GET pages :id') return this.#objects.page(this.#page(id));
    if (asked === 'GET pages :id properties') return this.#property(this.#page(id), property ?? '', given);
    if (asked === 'GET databases :id') return this.#objects.database(this.#database(id));
    if (asked === 'GET data_sources :id') return this.#objects.dataSource(this.#source(id));
    if (asked === 'POST data_sources :id query') return this.#query(this.#source(id), given);
    if (asked === 'GET blocks :id') return this.#block(id);
    if (asked === 'GET blocks :id children') return this.#children(id, given);
    throw new ApiError(400, 'invalid_request_url', 'Invalid request URL.');
  }

  #search({ query = '', filter, sort, ...paging }: Readonly<Record<string, unknown>>): Json {
    const { property = 'object', value = null } = (filter ?? {}) as { property?: unknown; value?: unknown };
    if (property !== 'object' || ![null, 'page', 'data_source'].includes(value as string | null)) {
      const message = 'body failed validation: body.filter.value should be `"page"` or `"data_source"`.';
      throw new ApiError(400, 'validation_error', message);
    }
    const { pages, dataSources, hidden } = this.#workspace;
    const all = [
      ...(value === 'data_source' ? [] : [...pages.values()].map((page) => ({ ...page, show: this.#shownPage(page) }))),
      ...(value === 'page'
        ? []
        : [...dataSources.values()].map((one) => ({ ...one, show: () => this.#objects.dataSource(one) }))),
    ];
    const wanted = String(query).toLowerCase();
    const listed = all
      .filter((one) => !one.isInTrash && !hidden.has(one.id))
      .filter((one) => wanted === '' || titleIn(one).toLowerCase().includes(wanted));
    // Without an order that is asked for, the latest edits come first.
    const order = sort ?? { timestamp: 'last_edited_time', direction: 'descending' };
    return this.#list(ordered(listed, order), paging, 'page_or_data_source', ({ show }) => show());
  }

  #shownPage(page: Page): () => Json {
    return () => this.#objects.page(page);
  }

  #query(source: DataSource, { filter, sorts, ...paging }: Readonly<Record<string, unknown>>): Json {
    const rows = [...this.#workspace.pages.values()].filter(
      ({ parent, isInTrash }) => !isInTrash && parent.type === 'data_source_id' && parent.data_source_id === source.id,
    );
    const wanted = rows.filter((row) => isWanted(row, filter));
    const [sort] = (sorts ?? []) as unknown[];
    return this.#list(ordered(wanted, sort), paging, 'page_or_data_source', (row) => this.#objects.page(row));
  }

  #block(id: string): Json {
    const page = this.#workspace.pages.get(id);
    if (page !== undefined) return this.#objects.childPage(page);
    const block = found(this.#workspace.findBlock(id), 'block', id);
    return this.#objects.block(block.block, block.parent);
  }

  #children(id: string, paging: Paging): Json {
    const page = this.#workspace.pages.get(id);
    const blocks = page?.blocks ?? found(this.#workspace.findBlock(id), 'block', id).block.children;
    const parent = page === undefined ? { type: 'block_id', block_id: id } : { type: 'page_id', page_id: id };
    const original = this.#syncedFrom(id);
    const all: { readonly id: string; readonly show: () => Json }[] = (original?.children ?? blocks).map((block) => ({
      ...{ id: block.id, show: () => this.#objects.block(block, parent) },
    }));
    for (const below of page === undefined ? [] : this.#workspace.childrenOf(id)) {
      if (!below.isInTrash) all.push({ id: below.id, show: () => this.#objects.childPage(below) });
    }
    for (const below of page === undefined ? [] : this.#workspace.databasesIn(id)) {
      all.push({ id: below.id, show: () => this.#objects.childDatabase(below) });
    }
    return this.#list(all, paging, 'block', ({ show }) => show());
  }

  /** What a copy of a synced block shows. */
  #syncedFrom(id: string): Block | null {
    const content = this.#workspace.findBlock(id)?.block.content as { synced_from?: { block_id: string } | null };
    if (content?.synced_from === undefined || content.synced_from === null) return null;
    return this.#workspace.findBlock(content.synced_from.block_id)?.block ?? null;
  }

  /** A property whose value is a list comes in pages of single items. */
  #property(page: Page, id: string, paging: Paging): Json {
    const named = Object.entries(page.properties).find(([name, value]) => {
      return decodeURIComponent(idOfProperty(name, String(value.type))) === id;
    });
    const [, value] = found(named ?? null, 'property', id);
    const type = String(value.type);
    const all = value[type];
    if (!Array.isArray(all)) return { object: 'property_item', id, ...value };
    const items = all.map((one, at) => ({ id: `${id}-${at}`, one }));
    const list = this.#list(items, paging, 'property_item', ({ one }) => ({
      object: 'property_item',
      id,
      type,
      [type]: one,
    }));
    return { ...list, property_item: { id, type, [type]: {}, next_url: null } };
  }

  #list<T extends { readonly id: string }>(
    all: readonly T[],
    paging: Paging,
    kind: string,
    show: (one: T) => Json,
  ): Json {
    return pageOf(all, paging, { kind, largest: this.#largest, show });
  }

  #page(id: string): Page {
    return found(this.#workspace.pages.get(id) ?? null, 'page', id);
  }

  #database(id: string): Database {
    return found(this.#workspace.databases.get(id) ?? null, 'database', id);
  }

  #source(id: string): DataSource {
    return found(this.#workspace.dataSources.get(id) ?? null, 'data_source', id);
  }
}

function found<T>(one: T | null, kind: string, id: string): T {
  if (one === null) throw notFound(kind, id);
  return one;
}

/** Ids are taken with and without their dashes. */
const dashed = (id: string): string => id.replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, '$1-$2-$3-$4-$5');

function titleIn(one: Page | DataSource): string {
  if (!('titleName' in one)) return one.title;
  const { title } = one.properties[one.titleName] as unknown as { title: { plain_text: string }[] };
  return title.map(({ plain_text }) => plain_text).join('');
}
