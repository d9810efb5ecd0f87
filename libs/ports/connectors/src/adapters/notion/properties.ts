import type { NotionApi } from './api.ts';
import type { Page, PropertyValue, RichText } from './objects.ts';
import { linkTo, markdownOf } from './rich-text.ts';

/** The answer of a page has at most so many of a list; the others are asked for. */
const MOST_IN_PAGE = 25;

interface Named {
  readonly id?: string;
  readonly name?: string | null;
}

/** Returns lines such as "State: done", of the properties that have a value. @throws as `NotionApi.get` */
export async function propertiesOf(
  api: NotionApi,
  page: Page,
  titleOf: (id: string) => string | undefined,
): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(page.properties)) {
    if (value.type === 'title') continue;
    const text = shownValue(await whole(api, page, value), titleOf).trim();
    if (text !== '') lines.push(`${name}: ${text.replace(/\s*\n\s*/g, ' ')}`);
  }
  return lines;
}

async function whole(api: NotionApi, { id }: Page, value: PropertyValue): Promise<PropertyValue> {
  const { type } = value;
  const all = value[type];
  const isCut = value.has_more === true || (Array.isArray(all) && all.length >= MOST_IN_PAGE);
  if (!isCut || !['relation', 'people', 'rich_text'].includes(type)) return value;
  const items: unknown[] = [];
  const path = `pages/${id}/properties/${encodeURIComponent(decodeURIComponent(value.id))}`;
  for await (const item of api.list<PropertyValue>(path)) items.push(item[type]);
  return { ...value, [type]: items };
}

function shownValue(value: PropertyValue, titleOf: (id: string) => string | undefined): string {
  const { type } = value;
  const content = value[type];
  if (content === null || content === undefined) return '';
  switch (type) {
    case 'title':
    case 'rich_text':
      return markdownOf(content as RichText[]);
    case 'select':
    case 'status':
    case 'created_by':
    case 'last_edited_by':
      return (content as Named).name ?? '';
    case 'multi_select':
    case 'people':
      return joined((content as Named[]).map(({ name }) => name ?? ''));
    case 'relation':
      return joined((content as Named[]).map(({ id = '' }) => titleOf(id) ?? ''));
    case 'files':
      return joined((content as (Named & { external?: { url: string } })[]).map(fileOf));
    case 'date':
      return dateOf(content as { start: string; end: string | null });
    case 'checkbox':
      return content === true ? 'yes' : 'no';
    case 'unique_id': {
      const { prefix, number } = content as { prefix: string | null; number: number };
      return prefix === null ? String(number) : `${prefix}-${number}`;
    }
    case 'formula':
      return shownValue(content as PropertyValue, titleOf);
    case 'rollup':
      return (content as PropertyValue).type === 'array'
        ? joined(((content as PropertyValue).array as PropertyValue[]).map((one) => shownValue(one, titleOf)))
        : shownValue(content as PropertyValue, titleOf);
    default:
      return ['string', 'number', 'boolean'].includes(typeof content) ? String(content) : '';
  }
}

const joined = (all: readonly string[]): string => all.filter((one) => one !== '').join(', ');

const dateOf = ({ start, end }: { start: string; end: string | null }): string =>
  end === null || end === undefined ? start : `${start} to ${end}`;

/** Addresses of files that Notion keeps end within an hour, so that they are no content. */
const fileOf = ({ name, external }: Named & { external?: { url: string } }): string =>
  external === undefined ? (name ?? '') : linkTo(external.url, name || external.url);
