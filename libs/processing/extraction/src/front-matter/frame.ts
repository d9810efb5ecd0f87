/** Where front matter stands in a text. */
export interface FrontMatterFrame {
  readonly language: 'yaml' | 'toml';
  /** Of the lines between the marks. */
  readonly start: number;
  readonly end: number;
  /** Where the text behind it begins. */
  readonly behind: number;
}

/** Between lines of `---` (YAML, which `...` may end) or `+++` (TOML) at the beginning of a text, at most 40,000 characters. */
const FRAME =
  /^(?:[ \t]*\n){0,9}(?:---[ \t]*\n(?<yaml>[\s\S]{0,40000}?)\n(?:---|\.\.\.)|\+\+\+[ \t]*\n(?<toml>[\s\S]{0,40000}?)\n\+\+\+)[ \t]*(?:\n|$)/d;
/** A line that names a value. Without one, the lines divide a text. */
const NAMED_VALUE = /^[^\s#:=-][^\n:=]{0,200}[:=](?:\s|$)/m;

/** Finds what may be front matter: only a parser knows whether it is. Linear. */
export function frontMatterFrame(text: string): FrontMatterFrame | null {
  const match = FRAME.exec(text);
  if (match === null) return null;
  const { yaml, toml } = match.indices?.groups ?? {};
  const [start, end] = (yaml ?? toml) as [number, number];
  if (!NAMED_VALUE.test(text.slice(start, end))) return null;
  return { language: yaml ? 'yaml' : 'toml', start, end, behind: match[0].length };
}
