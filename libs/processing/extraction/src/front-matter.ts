import type { ReadableText } from './extractors/extractor.ts';

/** Between lines of `---` (YAML) or `+++` (TOML) at the beginning of a text. */
const FRONT_MATTER = /^(---|\+\+\+)[ \t]*\n([\s\S]{0,20000}?)\n\1[ \t]*(?:\n|$)/;
/** A line that names a value: `key: value`, `key = value`. */
const ENTRY = /^([A-Za-z_-]{1,40})\s*[:=]\s*(.*)$/;

/** What a text says about itself at its beginning; the text is the rest. Null: it has no front matter. */
export function readFrontMatter(text: string): ReadableText | null {
  const match = FRONT_MATTER.exec(text);
  if (match === null) return null;
  const values = new Map<string, string>();
  const lines = (match[2] as string).split('\n');
  for (const line of lines) {
    const entry = ENTRY.exec(line);
    const value = unquoted(entry?.[2] ?? '');
    if (entry?.[1] !== undefined && value !== '') values.set(entry[1].toLowerCase(), value);
  }
  // A text may begin with a line that only divides it.
  if (values.size === 0 && lines.some((line) => line.trim() !== '')) return null;
  const value = (...names: string[]) => names.map((name) => values.get(name)).find((one) => one !== undefined) ?? null;
  return {
    text: text.slice(match[0].length),
    title: value('title'),
    titleComesFirst: true,
    date: value('date', 'published', 'created'),
    author: value('author', 'authors'),
    language: value('lang', 'language'),
    canonicalUrl: value('canonical', 'canonical_url', 'canonicalurl'),
  };
}

/** Without quotes, the brackets of a list, and a comment. */
function unquoted(value: string): string {
  const quoted = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(value.trim());
  if (quoted) return (quoted[2] as string).trim();
  const plain = value.replace(/\s#.*$/, '').trim();
  return plain.replace(/^\[(.*)\]$/, (_, list: string) => list.replace(/["']/g, '')).trim();
}
