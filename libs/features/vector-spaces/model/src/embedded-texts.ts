import type { Live } from '#features/documents';
import { sharesWindows } from '#features/search';
import { atOnce, contentHash, giveWayToRequests, inTurns, type Steps } from '#platform/kernel';
import { estimateTokens, wideText } from '#processing/extraction';
import type { Unit } from '#read-side/views';
import { membersOf } from './members.ts';
import { WINDOW_TOKENS, windowsOf } from './windows.ts';

/** Keys of the vectors by which one unit is compared with a question. */
export interface UnitKeys {
  /** Of the unit alone; of a chunk those of its memories, of which the best one counts. */
  readonly bare: readonly string[];
  /** Of the unit in its context; null: there is none, or it follows from the neighbours' vectors. */
  readonly wide: string | null;
  /** Weight of the unit in the context of its neighbours. 0: their contexts do not follow from its vector. */
  readonly tokens: number;
}

/** What goes through the model at once. */
export type EmbeddedPassage =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'window';
      readonly texts: readonly string[];
      readonly keys: readonly string[];
      /** Ids of the units of each text: several if the same texts share a window more than once. */
      readonly units: readonly (readonly string[])[];
    };

/** What of a document is embedded in one space, and where the vectors of its units are found again. */
export interface EmbeddedTexts {
  /** What has to be embedded for each vector, by its key. The vectors of a window share one passage. */
  readonly passages: ReadonlyMap<string, EmbeddedPassage>;
  /** In the order of the units. Units may share a key. Those of units that are not wanted are empty. */
  readonly keys: readonly UnitKeys[];
  /** Ids of the memories that each chunk is compared by, by its own id. Chunks in a window of their own are left out. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/** Key of the vector of a text that is embedded alone. Organizations share no vectors. */
const vectorKey = (space: string, organization: string, text: string): string => contentHash(space, organization, text);

/** Key of the vector of one text of a window. */
const windowKey = (space: string, organization: string, texts: readonly string[], place: number): string =>
  contentHash(space, organization, ...texts, `${place}`);

/** What of a document decides about its embedded texts. */
type EmbeddedDocument = Pick<Live, 'organization' | 'unitsDate'>;

/** Units before other work may go on; about half a millisecond. */
const UNITS_AT_ONCE = 32;
/**
 * A text of up to this size, estimated, has a vector of its own. The models read 512 tokens, and English prose has three
 * quarters of its estimate. Of a text that has more, the beginning is read.
 */
const WHOLE_TOKENS = 680;

/**
 * Decides what of a document is embedded in a space.
 * @param units all of the document, by kind, then in order
 * @param isWanted of which units, with the memories of chunks. Default: of all
 */
export function embeddedTexts(
  space: string,
  document: EmbeddedDocument,
  units: readonly Unit[],
  isWanted: IsWanted = () => true,
): EmbeddedTexts {
  return atOnce(stepsOf(space, document, units, isWanted));
}

/** As `embeddedTexts`, for a thread that answers requests between the steps: a long text takes a second or more. */
export const embeddedTextsInTurns = (
  space: string,
  document: EmbeddedDocument,
  units: readonly Unit[],
): Promise<EmbeddedTexts> =>
  inTurns(
    stepsOf(space, document, units, () => true),
    giveWayToRequests,
  );

type IsWanted = (unit: Unit) => boolean;

const stepsOf = (
  space: string,
  document: EmbeddedDocument,
  units: readonly Unit[],
  isWanted: IsWanted,
): Steps<EmbeddedTexts> =>
  sharesWindows(space) ? windowSteps(space, document, units, isWanted) : singleSteps(space, document, units, isWanted);

const UNWANTED: UnitKeys = { bare: [], wide: null, tokens: 0 };

/** Each unit alone, and with its neighbours. */
function* singleSteps(
  space: string,
  { organization, unitsDate }: EmbeddedDocument,
  units: readonly Unit[],
  isWanted: IsWanted,
): Steps<EmbeddedTexts> {
  const keyOfText = new Map<string, string>();
  const passages = new Map<string, EmbeddedPassage>();
  const keyOf = (text: string): string => {
    const known = keyOfText.get(text);
    if (known !== undefined) return known;
    const key = vectorKey(space, organization, text);
    keyOfText.set(text, key);
    passages.set(key, { kind: 'text', text });
    return key;
  };
  const keys: UnitKeys[] = [];
  for (const kind of ['chunk', 'memory'] as const) {
    const own = units.filter((unit) => unit.kind === kind);
    const ofKind = own.map(({ text }) => text);
    for (const [i, unit] of own.entries()) {
      const wide = () => keyOf(wideText(ofKind, i, unitsDate));
      keys.push(isWanted(unit) ? { bare: [keyOf(unit.text)], wide: wide(), tokens: 0 } : UNWANTED);
      if (keys.length % UNITS_AT_ONCE === 0) yield;
    }
  }
  return { passages, keys, members: new Map() };
}

/**
 * Each memory once, in windows. A chunk is compared by the vectors of its memories; chunks without memories share windows
 * themselves. Prose that a model can read at once has a vector of the whole text for its chunks.
 */
function* windowSteps(
  space: string,
  { organization }: EmbeddedDocument,
  units: readonly Unit[],
  isWanted: IsWanted,
): Steps<EmbeddedTexts> {
  const passages = new Map<string, EmbeddedPassage>();
  const chunkUnits = units.filter(({ kind }) => kind === 'chunk');
  const memoryUnits = units.filter(({ kind }) => kind === 'memory');
  const chunks = chunkUnits.map(({ text }) => text);
  const memories = memoryUnits.map(({ text }) => text);
  function* keysOf(embedded: readonly Unit[], isNeeded: IsWanted): Steps<string[]> {
    const texts = embedded.map(({ text }) => text);
    const keys: string[] = [];
    for (const { start, end } of windowsOf(texts)) {
      const window = texts.slice(start, end);
      if (!embedded.slice(start, end).some(isNeeded)) {
        for (const _ of window) keys.push('');
        continue;
      }
      const own = window.map((_, place) => windowKey(space, organization, window, place));
      const ids = embedded.slice(start, end).map(({ id }) => id);
      const same = passages.get(own[0] as string);
      const others = same?.kind === 'window' ? same.units : [];
      const ofText = ids.map((id, place) => [...(others[place] ?? []), id]);
      const passage = { kind: 'window', texts: window, keys: own, units: ofText } as const;
      for (const key of own) {
        passages.set(key, passage);
        keys.push(key);
        if (keys.length % UNITS_AT_ONCE === 0) yield;
      }
    }
    return keys;
  }
  const members = membersOf(chunks, memories);
  const ofWanted = new Set(chunkUnits.flatMap((unit, place) => (isWanted(unit) ? (members[place] ?? []) : [])));
  const wanted = new Set(memoryUnits.filter((unit, place) => ofWanted.has(place) || isWanted(unit)));
  const memoryKeys = yield* keysOf(memoryUnits, (unit) => wanted.has(unit));
  const alone = chunkUnits.filter((_, place) => members[place]?.length === 0);
  const chunkKeys = yield* keysOf(alone, isWanted);
  const whole = wholeText(chunks, units);
  const wide = whole === null ? null : vectorKey(space, organization, whole);
  if (whole !== null && wide !== null) passages.set(wide, { kind: 'text', text: whole });
  let nextAlone = 0;
  const keys = chunkUnits.map((unit, place): UnitKeys => {
    const own = members[place] as readonly number[];
    const bare = own.length === 0 ? [chunkKeys[nextAlone++]] : own.map((member) => memoryKeys[member]);
    return isWanted(unit) ? { bare: bare as string[], wide, tokens: 0 } : UNWANTED;
  });
  const idsOf = (own: readonly number[] = []) => own.map((member) => (memoryUnits[member] as Unit).id);
  return {
    passages,
    members: new Map(
      chunkUnits.flatMap(({ id }, place) => (members[place]?.length === 0 ? [] : [[id, idsOf(members[place])]])),
    ),
    keys: [
      ...keys,
      ...memoryKeys.map((key, place) =>
        key === ''
          ? UNWANTED
          : { bare: [key], wide: null, tokens: Math.max(1, estimateTokens(memories[place] as string)) },
      ),
    ],
  };
}

/** The text of a document of prose that a model reads in one pass, but no window holds. Null: it is none. */
function wholeText(chunks: readonly string[], units: readonly Unit[]): string | null {
  const text = chunks.join('\n');
  // A code unit is a quarter of a token at least.
  if (text.length > 4 * WHOLE_TOKENS || units.some(({ speaker }) => speaker !== null)) return null;
  const tokens = estimateTokens(text);
  return tokens > WINDOW_TOKENS && tokens <= WHOLE_TOKENS ? text : null;
}
