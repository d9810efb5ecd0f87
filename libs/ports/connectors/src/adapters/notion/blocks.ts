import { ItemUnreadableError } from '../../errors.ts';
import type { NotionApi } from './api.ts';
import type { Block, RichText } from './objects.ts';
import { linkTo, markdownOf } from './rich-text.ts';

const MOST_BLOCKS = 20_000;
const MOST_DEPTH = 30;

/** What a block may have below the name of its type. */
interface Content {
  readonly rich_text?: readonly RichText[];
  readonly caption?: readonly RichText[];
  readonly checked?: boolean;
  readonly language?: string;
  readonly expression?: string;
  readonly url?: string;
  readonly title?: string;
  readonly name?: string;
  readonly icon?: { readonly emoji?: string } | null;
  readonly cells?: readonly (readonly RichText[])[];
  readonly external?: { readonly url: string };
  readonly file?: { readonly url: string };
  readonly page_id?: string;
  readonly database_id?: string;
}

/** What is read of one page. */
interface Reading {
  readonly api: NotionApi;
  left: number;
}

/** Markdown of the blocks of a page. @throws as `NotionApi.get`; ItemUnreadableError for a page with too many */
export async function blocksOf(api: NotionApi, page: string): Promise<string> {
  return childrenOf({ api, left: MOST_BLOCKS }, page, 0);
}

async function childrenOf(reading: Reading, id: string, depth: number): Promise<string> {
  if (depth > MOST_DEPTH) return '';
  const parts: string[] = [];
  let [former, number] = ['', 0];
  for await (const block of reading.api.list<Block>(`blocks/${id}/children`)) {
    reading.left -= 1;
    if (reading.left < 0) throw new ItemUnreadableError(`the page has more than ${MOST_BLOCKS} blocks`);
    number = block.type === 'numbered_list_item' && former === block.type ? number + 1 : 1;
    const text = await blockOf(reading, block, number, depth);
    if (text.trim() === '') continue;
    // Lists and tables are one block in Markdown.
    const isSame = block.type === former && /_item$|^to_do$|^table_row$/.test(block.type);
    parts.push(parts.length === 0 ? text : `${isSame ? '\n' : '\n\n'}${text}`);
    former = block.type;
  }
  return parts.join('');
}

async function blockOf(reading: Reading, block: Block, number: number, depth: number): Promise<string> {
  const { type } = block;
  const content = (block[type] ?? {}) as Content;
  const text = markdownOf(content.rich_text);
  // A page or database within a page is an item of its own.
  const isOther = type === 'child_page' || type === 'child_database';
  const inner = block.has_children && !isOther ? await childrenOf(reading, block.id, depth + 1) : '';
  const item = (mark: string) => `${mark}${text}${inner === '' ? '' : `\n${indented(inner, mark.length)}`}`;
  switch (type) {
    case 'heading_1':
    case 'heading_2':
    case 'heading_3':
    case 'heading_4':
      // The title of the page is above them.
      return joined(`${'#'.repeat(Number(type.at(-1)) + 1)} ${text}`, inner);
    case 'bulleted_list_item':
      return item('- ');
    case 'numbered_list_item':
      return item(`${number}. `);
    case 'to_do':
      return `- [${content.checked === true ? 'x' : ' '}] ${text}${inner === '' ? '' : `\n${indented(inner, 2)}`}`;
    case 'quote':
      return quoted(joined(text, inner));
    case 'callout':
      return quoted(joined(`${content.icon?.emoji ?? ''} ${text}`.trim(), inner));
    case 'code':
      return fenced(content.rich_text ?? [], content.language ?? '');
    case 'equation':
      return `$$\n${content.expression ?? ''}\n$$`;
    case 'divider':
      return '---';
    case 'table':
      return inner.replace('\n', `\n${'| --- '.repeat(columnsIn(inner))}|\n`);
    case 'table_row':
      return `| ${(content.cells ?? []).map((cell) => cellOf(markdownOf(cell))).join(' | ')} |`;
    case 'child_page':
    case 'child_database':
      return content.title ?? '';
    case 'link_to_page': {
      const id = content.page_id ?? content.database_id ?? '';
      return id === '' ? '' : `https://www.notion.so/${id.replaceAll('-', '')}`;
    }
    case 'bookmark':
    case 'embed':
    case 'link_preview': {
      const { url = '' } = content;
      return linkTo(url, markdownOf(content.caption) || url);
    }
    case 'image':
    case 'file':
    case 'pdf':
    case 'video':
    case 'audio':
      return fileOf(content);
    default:
      return joined(text, inner);
  }
}

const joined = (text: string, inner: string): string => [text, inner].filter((part) => part !== '').join('\n\n');

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));

const quoted = (text: string): string => text.replace(/^/gm, '> ');

const columnsIn = (table: string): number => (table.split('\n')[0]?.match(/(?<!\\)\|/g)?.length ?? 1) - 1;

const cellOf = (text: string): string => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');

function fenced(texts: readonly RichText[], language: string): string {
  const code = texts.map(({ plain_text }) => plain_text).join('');
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language === 'plain text' ? '' : language}\n${code}\n${fence}`;
}

/** The address of a file that Notion keeps ends within an hour and is another one each time, so that it is no content. */
function fileOf({ caption, name, external, file }: Content): string {
  const words = markdownOf(caption);
  if (external !== undefined) return linkTo(external.url, words || name || external.url);
  return [name ?? nameIn(file?.url ?? ''), words].filter((part) => part !== '').join(': ');
}

function nameIn(address: string): string {
  const last = URL.parse(address)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
