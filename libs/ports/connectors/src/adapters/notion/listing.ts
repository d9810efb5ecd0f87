import type { Json } from '#platform/kernel';
import type { ListingPage, SourceItem } from '../../connector.ts';
import { ItemUnreadableError } from '../../errors.ts';
import type { NotionApi } from './api.ts';
import { type Block, type DataSource, isGone, type Page, type Parent, titleOf } from './objects.ts';

const FORMAT = 1;
const MOST_ITEMS = 100;
/** Ids in a cursor, which is kept in an event. */
const MOST_KNOWN = 8_000;
const LONGEST_PATH = 30;
/**
 * Times of changes are those of minutes: another change within the same one leaves the time as it is. Until the minute is
 * over, and a little longer, since clocks differ, each listing gives the page another version. Milliseconds.
 */
const SETTLED_MS = 120_000;

/** What is kept of a page or data source until all are known: the titles of others are parts of its path. */
interface Listed {
  readonly item: Omit<SourceItem, 'path'>;
  readonly parent: Parent;
  readonly title: string;
}

export interface ListingOptions {
  readonly api: NotionApi;
  readonly now: () => number;
  /** Of pages by their ids, for those who refer to them. */
  readonly titles: Map<string, string>;
  readonly signal: AbortSignal;
}

/** Lists everything that the search finds, and what it found before and does not find now, if it is still there. */
export async function* listNotion(options: ListingOptions, cursor: Json | null): AsyncGenerator<ListingPage> {
  const { api, now, titles } = options;
  const all = new Map<string, Listed>();
  for await (const object of api.search<Page | DataSource>()) {
    if (!isGone(object)) all.set(object.id, listedOf(object, now()));
  }
  const known = readCursor(cursor);
  const removed: string[] = [];
  for (const id of known ?? []) {
    const [kind, object] = splitId(id);
    if (all.has(object)) continue;
    const found = await find(api, kind, object);
    if (found === null) removed.push(id);
    else all.set(object, listedOf(found, now()));
  }
  titles.clear();
  for (const [id, { title }] of all) titles.set(id, title);

  let items: SourceItem[] = [];
  for (const { item, parent } of all.values()) {
    items.push({ ...item, path: `${await pathTo(options, all, parent)}/${partOf(item.title)}` });
    if (items.length < MOST_ITEMS) continue;
    yield { items, removed: [], ends: null };
    items = [];
  }
  // Without what was known before, what is not found may be there all the same; the search promises nothing.
  const listing = known === null ? 'complete' : 'changes';
  yield { items, removed, ends: { listing, cursor: cursorOf([...all.values()].map(({ item }) => item.id)) } };
}

function listedOf(object: Page | DataSource, now: number): Listed {
  const { id, last_edited_time: edited, created_time: created, url = null } = object;
  const isSettled = Date.parse(edited) < now - SETTLED_MS;
  const title = titleOf(object);
  const parent = object.object === 'data_source' ? (object.database_parent ?? object.parent) : object.parent;
  return {
    ...{ title, parent },
    item: {
      ...{ id: `${object.object}/${id}`, version: isSettled ? edited : `${edited} ${now}`, title },
      ...{ contentType: 'text/markdown', size: null, link: url, owner: null, createdAt: created, updatedAt: edited },
    },
  };
}

/** @returns null: it is not there any more */
async function find(api: NotionApi, kind: string, id: string): Promise<Page | DataSource | null> {
  try {
    const found = await api.get<Page | DataSource>(`${kind}s/${id}`);
    return isGone(found) ? null : found;
  } catch (error) {
    if (error instanceof ItemUnreadableError) return null;
    throw error;
  }
}

/** Of the pages and databases above. Where the integration may not read further, the path begins. */
async function pathTo({ api }: ListingOptions, all: ReadonlyMap<string, Listed>, parent: Parent): Promise<string> {
  const parts: string[] = [];
  for (let above: Parent | null = parent; above !== null && parts.length < LONGEST_PATH; ) {
    if (above.block_id !== undefined) {
      above = await parentOfBlock(api, above.block_id);
      continue;
    }
    const listed: Listed | undefined = all.get(above.data_source_id ?? above.page_id ?? '');
    if (listed === undefined) break;
    parts.unshift(partOf(listed.title));
    above = listed.parent;
  }
  return parts.map((part) => `/${part}`).join('');
}

/** Of a page within a column or a toggle. */
async function parentOfBlock(api: NotionApi, id: string): Promise<Parent | null> {
  try {
    return (await api.get<Block>(`blocks/${id}`)).parent ?? null;
  } catch (error) {
    if (error instanceof ItemUnreadableError) return null;
    throw error;
  }
}

const partOf = (title: string): string => title.replaceAll('/', '-');

export function splitId(id: string): [string, string] {
  const [kind = '', object = ''] = id.split('/');
  return [kind, object];
}

function readCursor(cursor: Json | null): readonly string[] | null {
  const { format, pages, dataSources } = (cursor ?? {}) as Record<string, Json>;
  if (format !== FORMAT || typeof pages !== 'string' || typeof dataSources !== 'string') return null;
  const idsIn = (kind: string, packed: string) =>
    (Buffer.from(packed, 'base64').toString('hex').match(/.{32}/g) ?? []).map((id) => `${kind}/${dashed(id)}`);
  return [...idsIn('page', pages), ...idsIn('data_source', dataSources)];
}

/** Null: they are too many. */
function cursorOf(ids: readonly string[]): Json {
  if (ids.length > MOST_KNOWN) return null;
  const packed = (kind: string) => {
    const hex = ids.filter((id) => id.startsWith(`${kind}/`)).map((id) => splitId(id)[1].replaceAll('-', ''));
    return Buffer.from(hex.join(''), 'hex').toString('base64');
  };
  return { format: FORMAT, pages: packed('page'), dataSources: packed('data_source') };
}

const dashed = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
