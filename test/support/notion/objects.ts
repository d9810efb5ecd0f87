import { createHash, createHmac } from 'node:crypto';
import { richText } from './blocks.ts';
import type { Block, Database, DataSource, Json, KeptFile, Page } from './workspace.ts';

/** What the API shows of what a workspace holds. */

/** `2026-03-11` took `archived` away. */
export type Version = '2025-09-03' | '2026-03-11';

export const BOT = '11111111-1111-4111-8111-111111111111';
export const PERSON = '22222222-2222-4222-8222-222222222222';

export const USERS: readonly Json[] = [
  {
    ...{ object: 'user', id: PERSON, type: 'person', name: 'Ada Lovelace', avatar_url: null },
    person: { email: 'ada@example.org' },
  },
  {
    ...{ object: 'user', id: BOT, type: 'bot', name: 'Mneme', avatar_url: null },
    bot: { owner: { type: 'workspace', workspace: true }, workspace_name: 'Engines' },
  },
];

/** How many references the answer of a page holds; the rest come from the endpoint of the property. */
export const REFERENCES = 25;

export class Objects {
  readonly #files: { readonly url: () => string; readonly ttl: number; readonly all: ReadonlyMap<string, KeptFile> };
  readonly #version: Version;

  constructor(files: { url: () => string; ttl: number; all: ReadonlyMap<string, KeptFile> }, version: Version) {
    this.#files = files;
    this.#version = version;
  }

  page(page: Page): Json {
    const title = String((page.properties[page.titleName] as { title: { plain_text: string }[] }).title[0]?.plain_text);
    const properties = Object.entries(page.properties).map(([name, value]) => [name, this.#property(name, value)]);
    return {
      ...{ object: 'page', id: page.id, ...this.#state(page), icon: null, cover: null, parent: page.parent },
      ...{
        properties: Object.fromEntries(properties),
        url: linkOf(title, page.id),
        public_url: null,
        is_locked: false,
      },
    };
  }

  block(block: Block, parent: Json): Json {
    return {
      ...{ object: 'block', id: block.id, parent, ...this.#state(block), has_children: block.children.length > 0 },
      ...{ type: block.type, [block.type]: this.#content(block.content) },
    };
  }

  /** A page stands as a block in the page above it. */
  childPage(page: Page): Json {
    const [title] = (page.properties[page.titleName] as { title: { plain_text: string }[] }).title;
    return {
      ...{
        object: 'block',
        id: page.id,
        parent: page.parent,
        ...this.#state(page),
        has_children: page.blocks.length > 0,
      },
      ...{ type: 'child_page', child_page: { title: title?.plain_text ?? '' } },
    };
  }

  childDatabase(database: Database): Json {
    return {
      ...{ object: 'block', id: database.id, parent: database.parent, ...this.#state(database), has_children: false },
      ...{ type: 'child_database', child_database: { title: database.title } },
    };
  }

  database(database: Database): Json {
    return {
      ...{ object: 'database', id: database.id, ...this.#state(database), title: richText(database.title) },
      ...{ description: [], icon: null, cover: null, parent: database.parent, is_inline: false, is_locked: false },
      data_sources: database.dataSources.map(({ id, title }) => ({ id, name: title })),
      ...{ url: linkOf(database.title, database.id), public_url: null },
    };
  }

  dataSource(source: DataSource): Json {
    const properties = Object.entries(source.properties).map(([name, type]) => {
      return [name, { id: idOfProperty(name, type), name, type, [type]: {} }];
    });
    return {
      ...{ object: 'data_source', id: source.id, ...this.#state(source), title: richText(source.title) },
      ...{ description: [], icon: null, cover: null, properties: Object.fromEntries(properties) },
      parent: { type: 'database_id', database_id: source.database },
      ...{ database_parent: source.parent, url: linkOf(source.title, source.id), public_url: null, is_inline: false },
    };
  }

  #state({ created, edited, isInTrash }: { created: number; edited: number; isInTrash: boolean }): Json {
    return {
      ...{ created_time: new Date(created).toISOString(), last_edited_time: new Date(edited).toISOString() },
      ...{ created_by: { object: 'user', id: PERSON }, last_edited_by: { object: 'user', id: PERSON } },
      ...{ in_trash: isInTrash, ...(this.#version === '2025-09-03' && { archived: isInTrash }) },
    };
  }

  #property(name: string, value: Json): Json {
    const type = String(value.type);
    const all = value[type];
    const isCut = Array.isArray(all) && ['relation', 'people', 'rich_text', 'title'].includes(type);
    const shown = isCut ? all.slice(0, REFERENCES) : this.#content(all);
    const more = type === 'relation' ? { has_more: (all as unknown[]).length > REFERENCES } : {};
    return { id: idOfProperty(name, type), type, [type]: shown, ...more };
  }

  /** Addresses of files that Notion keeps are made for the answer, and end. */
  #content(content: unknown): unknown {
    if (Array.isArray(content)) return content.map((one) => this.#content(one));
    if (typeof content !== 'object' || content === null) return content;
    if ('kept' in content) return this.#addressOf(String(content.kept));
    return Object.fromEntries(Object.entries(content).map(([name, value]) => [name, this.#content(value)]));
  }

  #addressOf(id: string): Json {
    const until = Date.now() + this.#files.ttl;
    const query = `X-Amz-Expires=${until}&X-Amz-Signature=${signatureOf(id, until)}`;
    const { name = '' } = this.#files.all.get(id) ?? {};
    const url = `${this.#files.url()}/${id}/${encodeURIComponent(name)}?${query}`;
    return { url, expiry_time: new Date(until).toISOString() };
  }
}

/** @param until milliseconds since the Unix epoch */
export const signatureOf = (id: string, until: number): string =>
  createHmac('sha256', 'the key of the stand-in').update(`${id} ${until}`).digest('hex');

/** Short and percent-encoded; that of the title is always the same. */
export const idOfProperty = (name: string, type: string): string =>
  type === 'title' ? 'title' : `%3A${createHash('sha256').update(name).digest('hex').slice(0, 4)}`;

const linkOf = (title: string, id: string): string =>
  `https://www.notion.so/${title.replaceAll(/[^A-Za-z0-9]+/g, '-')}-${id.replaceAll('-', '')}`;
