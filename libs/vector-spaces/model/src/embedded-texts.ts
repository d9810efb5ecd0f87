import type { Live } from '#documents';
import { wideText } from '#extraction';
import { contentHash } from '#kernel';
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

/**
 * Decides what of a document is embedded in a space: each unit alone, and with its neighbours.
 * @param units all of the document, by kind, then in order
 */
export function embeddedTexts(
  space: string,
  { organization, documentDate }: Pick<Live, 'organization' | 'documentDate'>,
  units: readonly Unit[],
): EmbeddedTexts {
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
  const keys = (['chunk', 'memory'] as const).flatMap((kind) => {
    const ofKind = units.filter((unit) => unit.kind === kind).map((unit) => unit.text);
    return ofKind.map((text, i) => ({ bare: keyOf(text), wide: keyOf(wideText(ofKind, i, documentDate)) }));
  });
  return { texts, keys };
}
