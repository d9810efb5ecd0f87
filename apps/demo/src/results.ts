import type { Explanation, Found, Hit } from './api.ts';

const WIDTH = 100;
const SHOWN = 180;
const INDENT = '      ';

/** Prints what was found and, for each result, why. */
export function printResults(found: Found, say: (line: string) => void): void {
  const { profile, searchResults } = found;
  if (profile) {
    say(`   profile.dynamic: ${profile.dynamic.length} memories, the newest first:`);
    for (const memory of profile.dynamic.slice(0, 2)) say(quoted(memory));
  }
  const { results, timing } = searchResults ?? found;
  if (results.length === 0) say('   nothing found');
  for (const hit of results) {
    const { score, text, explain } = bestOf(hit);
    say(`   ${score.toFixed(2)}  ${hit.title ?? '(no title)'}`);
    say(quoted(text));
    if (explain !== undefined) say(wrapped(`why: ${reasonOf(explain)}`, INDENT));
  }
  say(`   ${results.length} in ${timing} ms`);
}

function bestOf(hit: Hit): { score: number; text: string; explain: Explanation | null | undefined } {
  const [chunk] = hit.chunks ?? [];
  if (chunk) return { score: hit.score ?? 0, text: chunk.content, explain: chunk.explain };
  return { score: hit.similarity ?? 0, text: hit.memory ?? hit.chunk ?? '', explain: hit.explain };
}

function reasonOf(explanation: Explanation | null): string {
  if (explanation === null) return 'it is among the newest';
  const { cosine, cosineWide, coverage } = explanation;
  const words =
    coverage === 0
      ? 'none of the words of the question stands in it'
      : `it holds ${Math.round(coverage * 100)} % of the words of the question, rare ones counting more`;
  if (cosine === null) return coverage === 0 ? 'words of the question stand right beside it' : words;
  const around = cosineWide === null ? '' : `, ${cosineWide.toFixed(2)} together with what stands around it`;
  return `${words}; in meaning it is ${cosine.toFixed(2)} close${around}`;
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return wrapped(`“${line.length > SHOWN ? `${line.slice(0, SHOWN).trimEnd()} …` : line}”`, INDENT);
}

/** Lines of at most `WIDTH` characters, broken between words. */
export function wrapped(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line !== '' && indent.length + line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => indent + line).join('\n');
}
