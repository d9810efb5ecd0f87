import type { Json, JsonObject } from '#platform/kernel';
import type { ReadableText } from '../extractors/extractor.ts';
import { readFrontMatter, withFrontMatter } from '../front-matter/front-matter.ts';
import { frontMatterValues } from '../front-matter/values.ts';
import { isObject } from '../json-values.ts';
import { inFence, joinedText } from './format.ts';
import { textOfOutputs } from './outputs.ts';

/** Pictures that a cell has attached; in the text they have only their names. */
const ATTACHMENT = /!\[([^\]\n]{0,500})\]\(attachment:[^)\n]{0,500}\)/g;

/** Names of metadata that readers write. */
const TOLD: ReadonlySet<string> = new Set([
  ...['title', 'author', 'authors', 'date', 'tags', 'keywords', 'aliases', 'status', 'summary', 'description'],
]);

/** Reads a Jupyter notebook of the formats 2 to 4. Null: the text is none. */
export async function readNotebook(text: string): Promise<ReadableText | null> {
  const notebook = parsed(text);
  const cells = notebook && cellsOf(notebook);
  if (!notebook || !cells) return null;
  const language = languageOf(notebook);
  const texts: string[] = [];
  let heading: string | null = null;
  for (const cell of cells) {
    const written = await textOfCell(cell, language);
    if (written.trim() === '') continue;
    texts.push(written);
    if (cell.cell_type === 'markdown' || cell.cell_type === 'heading') heading ??= headingIn(written);
  }
  const whole = texts.join('\n\n');
  const told = frontMatterValues(toldIn(notebook));
  // Some programs write front matter as the first cell, others as metadata.
  const noted = (await readFrontMatter(whole)) ?? (told && (await withFrontMatter(told, `\n${whole}`)));
  return { text: whole, ...noted, title: noted?.title ?? heading, titleComesFirst: true };
}

/** What the metadata say to a reader; the rest is for programs. */
const toldIn = ({ metadata }: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(isObject(metadata) ? metadata : {}).filter(([name]) => TOLD.has(name)));

function parsed(text: string): JsonObject | null {
  if (!text.includes('"nbformat"')) return null;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) && typeof value.nbformat === 'number' ? value : null;
  } catch {
    return null;
  }
}

/** Before format 4, cells are in worksheets. */
function cellsOf({ cells, worksheets }: JsonObject): readonly JsonObject[] | null {
  if (Array.isArray(cells)) return cells.filter(isObject);
  if (!Array.isArray(worksheets)) return null;
  return worksheets.filter(isObject).flatMap((sheet) => cellsOf({ cells: sheet.cells ?? [] }) ?? []);
}

/** Of the code, for a reader: `python`. */
function languageOf({ metadata }: JsonObject): string {
  const { kernelspec, language_info: info } = isObject(metadata) ? metadata : {};
  const names = [isObject(kernelspec) ? kernelspec.language : null, isObject(info) ? info.name : null];
  return names.find(isName) ?? '';
}

const isName = (name: Json | undefined): name is string => typeof name === 'string' && /^[\w+#-]{1,30}$/.test(name);

async function textOfCell(cell: JsonObject, language: string): Promise<string> {
  const source = joinedText(cell.source ?? cell.input);
  switch (cell.cell_type) {
    case 'code': {
      const code = source.trim() === '' ? [] : [inFence(source, isName(cell.language) ? cell.language : language)];
      return [...code, ...(await textOfOutputs(cell.outputs))].join('\n\n');
    }
    case 'heading':
      return `${'#'.repeat(levelOf(cell))} ${source.replace(/\s+/g, ' ').trim()}`;
    default:
      return source.replace(ATTACHMENT, '$1');
  }
}

const levelOf = ({ level }: JsonObject): number => Math.min(Math.max(Number(level) || 1, 1), 6);

const headingIn = (text: string): string | null =>
  /^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,300})/m
    .exec(text)?.[1]
    ?.replace(/\s+#+\s*$|\*\*|__|`/g, '')
    .trim() ?? null;
