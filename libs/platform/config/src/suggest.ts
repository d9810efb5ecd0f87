/** More changes than this are another word. */
const MAX_CHANGES = 3;

/** Returns the known name that an unknown one was probably meant to be, or null. */
export function suggest(unknown: string, known: readonly string[], prefix: string): string | null {
  const rest = (name: string) => name.slice(prefix.length);
  const allowed = Math.min(MAX_CHANGES, Math.ceil(rest(unknown).length / 2));
  const near = known
    .map((name) => ({ name, changes: distance(rest(unknown), rest(name)) }))
    .filter(({ changes }) => changes <= allowed)
    .sort((a, b) => a.changes - b.changes);
  const containing = known.filter((name) => rest(name).includes(rest(unknown)) || rest(unknown).includes(rest(name)));
  // An engine has several settings; its bare name means its address.
  const address = known.find((name) => name === `${unknown}_URL`);
  return address ?? near[0]?.name ?? (containing.length === 1 ? (containing[0] as string) : null);
}

/** Returns the Levenshtein distance: how many letters must be added, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] as number) + (letter === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
