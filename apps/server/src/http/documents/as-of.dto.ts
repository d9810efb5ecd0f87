import { IsPastTime } from '../validation/rules/date.ts';

export class AsOfQuery {
  /** A time that is not in the future: the document as it was then. Default: as it is now. */
  @IsPastTime()
  asOf?: string;
}

/** Milliseconds since the epoch. Null: now. */
export const momentOf = ({ asOf }: Pick<AsOfQuery, 'asOf'>): number | null =>
  asOf === undefined ? null : Date.parse(asOf);
