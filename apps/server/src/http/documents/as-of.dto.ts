import { IsPastTime, invalid } from '#platform/input';
import { PickedTagQuery } from './picked-tag.dto.ts';

export class DocumentQuery extends PickedTagQuery {
  /** A time that is not in the future: the document as it was then. Default: as it is now. */
  @IsPastTime()
  asOf?: string;
}

/**
 * Milliseconds since the epoch. Null: any date.
 * @throws InputError 400 together with `asOf`
 */
export function dateIn({ validAt, asOf }: { readonly validAt?: string; readonly asOf?: string }): number | null {
  if (validAt !== undefined && asOf !== undefined) throw invalid('validAt', 'validAt and asOf exclude each other');
  return validAt === undefined ? null : Date.parse(validAt);
}

/** Milliseconds since the epoch. Null: now. */
export const momentOf = ({ asOf }: Pick<DocumentQuery, 'asOf'>): number | null =>
  asOf === undefined ? null : Date.parse(asOf);
