import type { Location } from '#platform/kernel';
import type { Count } from '../openapi/scalars.ts';

/** Where in its source a passage stands. A type only; only what is known is present. */
export class PassageLocation {
  /** Page of a document, from 1. */
  readonly page?: Count;
  /** Name of the sheet of a workbook. */
  readonly sheet?: string;
  /** Row of a table, from 1, as the program that made it numbers it. */
  readonly row?: Count;
  /** Seconds from the beginning of a recording. */
  readonly startSeconds?: number;
  /** The nearest heading before the passage, or at its beginning. */
  readonly heading?: string;
  /** When it was said or noted, ISO 8601, where a transcript says so for each turn. */
  readonly date?: string;
}

/** Absent where nothing is known. */
export const locationOf = ({ location }: { readonly location?: Location }): { readonly location?: PassageLocation } =>
  location === undefined ? {} : { location };
