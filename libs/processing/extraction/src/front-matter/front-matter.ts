import type { Json, JsonObject } from '#platform/kernel';
import type { ReadableText } from '../extractors/extractor.ts';
import { type FrontMatterFrame, frontMatterFrame } from './frame.ts';
import { frontMatterValues } from './values.ts';

/**
 * Reads what a text says about itself at its beginning. The text keeps it, as YAML that a person can read and search finds.
 * Null: it has no front matter, or one that cannot be read.
 */
export async function readFrontMatter(text: string): Promise<ReadableText | null> {
  const frame = frontMatterFrame(text);
  const frontMatter = frame && (await valuesIn(text, frame));
  return frame && frontMatter && withFrontMatter(frontMatter, text.slice(frame.behind));
}

/** Returns a text with these values in front of it. */
export async function withFrontMatter(frontMatter: JsonObject, text: string): Promise<ReadableText> {
  const values = new Map(Object.entries(frontMatter).map(([key, value]) => [key.toLowerCase(), value as Json]));
  const words = (...names: string[]): string | null => {
    const found = names.map((name) => wordsOf(values.get(name) ?? null)).find((one) => one !== '');
    return found ?? null;
  };
  const { yamlOf } = await import('./yaml.ts');
  const entries = Object.entries(frontMatter) as [string, Json][];
  return {
    text: `---\n${yamlOf(entries)}---\n${text}`,
    frontMatter,
    title: words('title'),
    titleComesFirst: true,
    date: words('date', 'published', 'created'),
    author: words('author', 'authors'),
    language: words('lang', 'language'),
    canonicalUrl: words('canonical', 'canonical_url', 'canonicalurl'),
  };
}

/** Broken YAML or TOML is text like any other. */
async function valuesIn(text: string, { language, start, end }: FrontMatterFrame): Promise<JsonObject | null> {
  const lines = text.slice(start, end);
  const parse = language === 'toml' ? await tomlParser() : (await import('./yaml.ts')).parseYaml;
  try {
    return frontMatterValues(parse(lines));
  } catch {
    return null;
  }
}

async function tomlParser(): Promise<(text: string) => unknown> {
  const { parse } = await import('smol-toml');
  return (text) => parse(text, { integersAsBigInt: 'asNeeded' });
}

/** On one line; of an object, such as an author with an address, its name. */
function wordsOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value).replace(/\s+/g, ' ').trim();
  if (!Array.isArray(value)) return wordsOf((value as JsonObject).name);
  return value
    .map(wordsOf)
    .filter((words) => words !== '')
    .join(', ');
}
