const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Parses a finite decimal number, or returns null (as for "", "0x10", "Infinity" and "1e999"). */
export function numberIn(text: string): number | null {
  if (!DECIMAL.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}
