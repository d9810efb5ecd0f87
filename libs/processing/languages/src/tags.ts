/** Codes for which detection and analysis use another one. */
const SAME: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', iw: 'he', in: 'id' };

/** Returns `en` for `en-GB`, and one code for each language; null for what is no language tag. */
export function primaryLanguage(tag: string | null | undefined): string | null {
  const primary = /^\s*([a-z]{2,3})(?:[-_][a-z0-9_-]{0,40})?\s*$/i.exec(tag ?? '')?.[1]?.toLowerCase();
  return primary === undefined ? null : (SAME[primary] ?? primary);
}
