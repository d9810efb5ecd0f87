/** Content of pages in the shapes of Notion's public API, from plain words. */

/** A piece of a text: the words, or with its annotations, a link, an equation or a mention. */
export type Piece = string | PieceWithLooks;

export interface PieceWithLooks {
  /** The words; of an equation: its expression. */
  readonly text: string;
  readonly kind?: 'text' | 'equation' | { readonly mention: Readonly<Record<string, unknown>> };
  readonly href?: string;
  readonly looks?: readonly ('bold' | 'italic' | 'strikethrough' | 'underline' | 'code')[];
}

export type RichText = readonly Readonly<Record<string, unknown>>[];

/** What a test gives: the type, what stands below its name, and the blocks in it. */
export interface NewBlock {
  readonly type: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly children?: readonly NewBlock[];
}

const LOOKS = ['bold', 'italic', 'strikethrough', 'underline', 'code'] as const;

export function richText(...pieces: readonly Piece[]): RichText {
  return pieces.map((piece) => {
    const {
      text,
      kind = 'text',
      href,
      looks = [],
    }: PieceWithLooks = typeof piece === 'string' ? { text: piece } : piece;
    const annotations = { ...Object.fromEntries(LOOKS.map((one) => [one, looks.includes(one)])), color: 'default' };
    const rest = { annotations, plain_text: text, href: href ?? null };
    if (kind === 'equation') return { type: 'equation', equation: { expression: text }, ...rest };
    if (kind === 'text') {
      return { type: 'text', text: { content: text, link: href === undefined ? null : { url: href } }, ...rest };
    }
    return { type: 'mention', mention: kind.mention, ...rest };
  });
}

/** A block that is a text: paragraph, heading_1 to heading_3, bulleted_list_item, numbered_list_item, quote, toggle. */
export const textBlock = (
  type: string,
  text: Piece | readonly Piece[],
  children: readonly NewBlock[] = [],
): NewBlock => ({
  type,
  content: { rich_text: richText(...piecesOf(text)), color: 'default', ...(isHeading(type) && toggleable(children)) },
  children,
});

export const paragraph = (text: Piece | readonly Piece[], children: readonly NewBlock[] = []) =>
  textBlock('paragraph', text, children);

export const toDo = (text: Piece, checked = false, children: readonly NewBlock[] = []): NewBlock => ({
  type: 'to_do',
  content: { rich_text: richText(text), checked, color: 'default' },
  children,
});

export const code = (text: string, language = 'plain text'): NewBlock => ({
  type: 'code',
  content: { caption: [], rich_text: richText(text), language },
});

export const equation = (expression: string): NewBlock => ({ type: 'equation', content: { expression } });

export const divider: NewBlock = { type: 'divider', content: {} };

export const callout = (text: Piece, emoji = '💡', children: readonly NewBlock[] = []): NewBlock => ({
  type: 'callout',
  content: { rich_text: richText(text), icon: { type: 'emoji', emoji }, color: 'gray_background' },
  children,
});

/** @param rows of cells; the first is the header */
export const table = (...rows: readonly (readonly Piece[])[]): NewBlock => ({
  type: 'table',
  content: { table_width: rows[0]?.length ?? 0, has_column_header: true, has_row_header: false },
  children: rows.map((cells) => ({ type: 'table_row', content: { cells: cells.map((cell) => richText(cell)) } })),
});

export const columns = (...each: readonly (readonly NewBlock[])[]): NewBlock => ({
  type: 'column_list',
  content: {},
  children: each.map((children) => ({ type: 'column', content: { width_ratio: 1 / each.length }, children })),
});

export const bookmark = (url: string, caption: Piece = ''): NewBlock => ({
  type: 'bookmark',
  content: { url, caption: caption === '' ? [] : richText(caption) },
});

/** @param from id of the block whose children are shown; null: the original, which has them */
export const synced = (from: string | null, children: readonly NewBlock[] = []): NewBlock => ({
  type: 'synced_block',
  content: { synced_from: from === null ? null : { type: 'block_id', block_id: from } },
  children,
});

/**
 * A file that Notion keeps. `file` is the id that `addFile` returned; its address is made anew for every answer.
 * @param type file, image, pdf, video or audio
 */
export const fileBlock = (type: string, file: string, caption: Piece = ''): NewBlock => ({
  type,
  content: { caption: caption === '' ? [] : richText(caption), type: 'file', file: { kept: file } },
});

export const externalImage = (url: string, caption: Piece = ''): NewBlock => ({
  type: 'image',
  content: { caption: caption === '' ? [] : richText(caption), type: 'external', external: { url } },
});

/** Of a type that the API does not show. */
export const unsupported: NewBlock = { type: 'unsupported', content: {} };

const piecesOf = (text: Piece | readonly Piece[]): readonly Piece[] => (Array.isArray(text) ? text : [text as Piece]);

const isHeading = (type: string) => type.startsWith('heading_');

const toggleable = (children: readonly NewBlock[]) => ({ is_toggleable: children.length > 0 });
