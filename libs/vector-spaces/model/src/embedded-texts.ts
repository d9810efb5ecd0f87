import type { Live } from '#documents';
import { wideText } from '#extraction';
import { contentHash, giveWayToRequests } from '#kernel';
import type { Unit } from '#views';

/** Keys of the vectors of one unit. */
export interface UnitKeys {
  /** Of the unit alone. */
  readonly bare: string;
  /** Of the unit with its neighbours and the document's date. */
  readonly wide: string;
}

/** What of a document is embedded in one space, and where the vectors of its units are found again. */
export interface EmbeddedTexts {
  /** Every text to embed, by the key of its vector. */
  readonly texts: ReadonlyMap<string, string>;
  /** In the order of the units. Units may share a key. */
  readonly keys: readonly UnitKeys[];
}

/** Key of a text's vector in the cache. Organizations share no vectors. */
export const vectorKey = (space: string, organization: string, text: string): string =>
  contentHash(space, organization, text);

/** What of a document decides about its embedded texts. */
type EmbeddedDocument = Pick<Live, 'organization' | 'unitsDate'>;

/** Units before other work may go on; about half a millisecond. */
const UNITS_AT_ONCE = 32;

/**
 * Decides what of a document is embedded in a space: each unit alone, and with its neighbours.
 * @param units all of the document, by kind, then in order
 */
export function embeddedTexts(space: string, document: EmbeddedDocument, units: readonly Unit[]): EmbeddedTexts {
  const steps = stepsOf(space, document, units);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As `embeddedTexts`, for a thread that answers requests between the steps: a long text takes a second or more. */
export async function embeddedTextsInTurns(
  space: string,
  document: EmbeddedDocument,
  units: readonly Unit[],
): Promise<EmbeddedTexts> {
  const steps = stepsOf(space, document, units);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await giveWayToRequests();
  }
}

/** Yields after each group of units. */
function* stepsOf(
  space: string,
  { organization, unitsDate }: EmbeddedDocument,
  units: readonly Unit[],
): Generator<undefined, EmbeddedTexts, undefined> {
  const keyOfText = new Map<string, string>();
  const texts = new Map<string, string>();
  const keyOf = (text: string): string => {
    const known = keyOfText.get(text);
    if (known !== undefined) return known;
    const key = vectorKey(space, organization, text);
    keyOfText.set(text, key);
    texts.set(key, text);
    return key;
  };
  const keys: UnitKeys[] = [];
  for (const kind of ['chunk', 'memory'] as const) {
    const ofKind = units.filter((unit) => unit.kind === kind).map((unit) => unit.text);
    for (const [i, text] of ofKind.entries()) {
      keys.push({ bare: keyOf(text), wide: keyOf(wideText(ofKind, i, unitsDate)) });
      if (keys.length % UNITS_AT_ONCE === 0) yield;
    }
  }
  return { texts, keys };
}
