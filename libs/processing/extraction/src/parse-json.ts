import type { Json } from '#platform/kernel';

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Parses JSON, or a line each as JSON. Null: it is neither. */
export function parseJson(text: string): Json {
  try {
    return parseExactly(text);
  } catch {
    return parseJsonLines(text);
  }
}

/** Parses JSON. A number that JavaScript would write in another way, such as `1.10` or one of 20 digits, becomes a text. */
function parseExactly(text: string): Json {
  const value = JSON.parse(text) as Json;
  // The parser can only tell how a number is written in a way that is recursive.
  const quoted = text.replace(STRING_OR_NUMBER, (token) => (isExact(token) ? token : `"${token}"`));
  return quoted === text ? value : (JSON.parse(quoted) as Json);
}

const isExact = (token: string): boolean => token.startsWith('"') || String(Number(token)) === token;

/** A line that is damaged becomes a text. Null: more than half of the lines so far are no JSON. */
function parseJsonLines(text: string): Json {
  const values: Json[] = [];
  let damaged = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      values.push(parseExactly(line));
    } catch {
      values.push(line);
      damaged += 1;
      if (damaged * 2 > values.length) return null;
    }
  }
  return values;
}
