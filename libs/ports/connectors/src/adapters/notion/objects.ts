/** Objects of the API, as far as they are read. */

export interface RichText {
  readonly type: string;
  readonly plain_text: string;
  readonly href: string | null;
  readonly annotations?: Readonly<Record<string, boolean | string>>;
  readonly equation?: { readonly expression: string };
}

export interface Parent {
  readonly type: string;
  readonly page_id?: string;
  readonly block_id?: string;
  readonly database_id?: string;
  readonly data_source_id?: string;
}

export interface PropertyValue {
  readonly id: string;
  readonly type: string;
  readonly has_more?: boolean;
  readonly [type: string]: unknown;
}

interface Shown {
  readonly id: string;
  readonly url?: string;
  readonly created_time: string;
  readonly last_edited_time: string;
  readonly in_trash?: boolean;
  readonly archived?: boolean;
  readonly parent: Parent;
}

export interface Page extends Shown {
  readonly object: 'page';
  readonly properties: Readonly<Record<string, PropertyValue>>;
}

export interface DataSource extends Shown {
  readonly object: 'data_source';
  readonly title: readonly RichText[];
  readonly description?: readonly RichText[];
  /** Where the database stands to which it belongs. */
  readonly database_parent?: Parent;
  readonly properties: Readonly<Record<string, PropertyValue>>;
}

export interface Block {
  readonly id: string;
  readonly type: string;
  readonly has_children: boolean;
  readonly parent?: Parent;
  readonly [type: string]: unknown;
}

export function titleOf(object: Page | DataSource): string {
  if (object.object === 'data_source') return plain(object.title) || 'Untitled';
  const title = Object.values(object.properties).find(({ type }) => type === 'title')?.title;
  return plain((title ?? []) as RichText[]) || 'Untitled';
}

export const isGone = ({ in_trash, archived }: Shown): boolean => in_trash === true || archived === true;

const plain = (texts: readonly RichText[]): string =>
  texts
    .map(({ plain_text }) => plain_text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
