import { shortened } from '#processing/languages';
import type { Explanation, Hit, SearchResponse } from './api.ts';
import { isolate, wrap } from './lines.ts';

/** Characters. */
const SHOWN = 180;
const INDENT = '      ';

/** Prints the results of a search with their explanations. */
export function printResults(response: SearchResponse, say: (line: string) => void): void {
  const { profile, searchResults } = response;
  if (profile) {
    say(`   profile.dynamic: ${profile.dynamic.length} memories, newest first:`);
    for (const memory of profile.dynamic.slice(0, 2)) say(quoted(memory));
  }
  const { results, timing } = searchResults ?? response;
  if (results.length === 0) say('   no results');
  for (const hit of results) {
    const { score, text, explain } = bestOf(hit);
    say(`   ${score.toFixed(2)}  ${isolate(hit.title ?? '(no title)')}`);
    say(quoted(text));
    if (explain !== undefined) say(wrap(`explain: ${reasonOf(explain)}`, INDENT));
  }
  say(`   ${results.length} ${results.length === 1 ? 'result' : 'results'} in ${timing} ms`);
}

function bestOf(hit: Hit): { score: number; text: string; explain: Explanation | null | undefined } {
  const [chunk] = hit.chunks ?? [];
  if (chunk) return { score: hit.score ?? 0, text: chunk.content, explain: chunk.explain };
  return { score: hit.similarity ?? 0, text: hit.memory ?? hit.chunk ?? '', explain: hit.explain };
}

function reasonOf(explanation: Explanation | null): string {
  if (explanation === null) return 'one of the newest';
  const { cosine, cosineWide, coverage } = explanation;
  const words =
    coverage === 0
      ? 'contains no word of the query'
      : `contains ${Math.round(coverage * 100)} % of the query's words, weighted by rarity`;
  if (cosine === null) return coverage === 0 ? "neighbouring passages contain the query's words" : words;
  const withNeighbours = cosineWide === null ? '' : `, ${cosineWide.toFixed(2)} with its neighbours`;
  return `${words}; cosine ${cosine.toFixed(2)}${withNeighbours}`;
}

function quoted(text: string): string {
  return wrap(`“${shortened(text.replace(/\s+/g, ' '), SHOWN)}”`, INDENT);
}
