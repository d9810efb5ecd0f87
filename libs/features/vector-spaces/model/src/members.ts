/** Places of the memories that share text with each chunk, in the order of the chunks. */
export type Members = readonly (readonly number[])[];

/**
 * Finds the memories in each chunk. Both cover the same text in its order except for white space, so the letters before
 * a unit tell where it is.
 */
export function membersOf(chunks: readonly string[], memories: readonly string[]): Members {
  const ends = endsOf(memories);
  let first = 0;
  let start = 0;
  return endsOf(chunks).map((end) => {
    while (first < ends.length && (ends[first] as number) <= start) first += 1;
    const members: number[] = [];
    for (let place = first; place < ends.length && startOf(ends, place) < end; place += 1) members.push(place);
    start = end;
    return members;
  });
}

const startOf = (ends: readonly number[], place: number): number => ends[place - 1] ?? 0;

/** How many letters there are up to the end of each text. */
function endsOf(texts: readonly string[]): number[] {
  let letters = 0;
  return texts.map((text) => {
    letters += text.length - (text.match(/\s/g)?.length ?? 0);
    return letters;
  });
}
