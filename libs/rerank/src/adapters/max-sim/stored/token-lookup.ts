import { decodeTokens, type VectorCache } from '#vector-cache';

/** Rows of one unit, or those of the units that it consists of. Null: its tokens are not stored. */
export type UnitRows = readonly Int8Array[] | null;

type Records = Awaited<ReturnType<VectorCache['get']>>;

/** The steps of a lookup: yields the keys to be read, and is given their records. */
function* steps(keys: readonly string[]): Generator<readonly string[], UnitRows[], Records> {
  const units = (yield keys).map((bytes) => (bytes === null ? null : decodeTokens(bytes)));
  const wanted = new Set(units.flatMap((unit) => (unit?.kind === 'parts' ? unit.keys : [])));
  const parts = new Map<string, Int8Array>();
  if (wanted.size > 0) {
    const partKeys = [...wanted];
    for (const [i, bytes] of (yield partKeys).entries()) {
      const part = bytes === null ? null : decodeTokens(bytes);
      if (part?.kind === 'rows') parts.set(partKeys[i] as string, part.rows);
    }
  }
  return units.map((unit) => {
    if (unit === null) return null;
    if (unit.kind === 'rows') return [unit.rows];
    const rows = unit.keys.map((key) => parts.get(key));
    return rows.every((one) => one !== undefined) ? rows : null;
  });
}

/** Reads the tokens of units, in the order of their keys. */
export function lookUp(keys: readonly string[], get: (keys: readonly string[]) => Records): UnitRows[] {
  const lookup = steps(keys);
  for (let step = lookup.next(); ; step = lookup.next(get(step.value))) if (step.done) return step.value;
}

/** The same where reading takes a round trip. */
export async function lookUpRemotely(
  keys: readonly string[],
  get: (keys: readonly string[]) => Promise<Records>,
): Promise<UnitRows[]> {
  const lookup = steps(keys);
  for (let step = lookup.next(); ; step = lookup.next(await get(step.value))) if (step.done) return step.value;
}
