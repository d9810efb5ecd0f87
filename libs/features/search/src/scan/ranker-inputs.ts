import { ENDS_IN_QUESTION } from '../entries/unit.ts';
import { meanCosine, NEAR, type RankerInputs } from '../ranking/inputs.ts';
import type { Fusion } from './fusion.ts';
import type { RecordReader } from './record-reader.ts';
import { COSINE_BARE, COSINE_WIDE, UNIT_FLAGS } from './records.ts';

/** A unit in the records of a scan, with its scores by words. */
interface ScannedPlace {
  readonly header: number;
  readonly ordinal: number;
  readonly words: number;
  readonly documentWords: number;
  /** Base score of the unit before this one. The first unit: 0. */
  readonly previous: number;
}

/** Returns what the ranker takes from the scores of a unit. Null: it has no vectors. */
export function rankerInputs(
  reader: RecordReader,
  fusion: Fusion,
  { header, ordinal, words, documentWords, previous }: ScannedPlace,
): RankerInputs | null {
  const unit = header + 1 + ordinal;
  const flags = reader.flags(unit);
  if ((flags & COSINE_BARE) === 0 || (flags & COSINE_WIDE) === 0) return null;
  return {
    ...{ words, documentWords },
    meaning: reader.cosineBare(unit),
    wide: reader.cosineWide(unit, header, header + reader.units(header)),
    core: reader.cosineCore(unit),
    near: meanCosine(reader.cosinesAround(header, ordinal, NEAR)),
    speaker: fusion.relation(reader.speakerOf(unit)),
    flags: flags & UNIT_FLAGS,
    previous: ordinal > 0 && reader.flags(unit - 1) & ENDS_IN_QUESTION ? previous : 0,
  };
}
