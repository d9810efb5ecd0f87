const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** @returns the finite number that a text spells in decimal notation, else null ("", "0x10", "Infinity" and "1e999" are none) */
export function numberIn(text: string): number | null {
  if (!DECIMAL.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}
