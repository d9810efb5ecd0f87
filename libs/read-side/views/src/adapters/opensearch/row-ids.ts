import { toColumn } from '../../text.ts';
import { termOf } from './term.ts';

/** Identifies a stream in the index of a read model, and is the routing of its rows. */
export const streamKey = (stream: string): string => termOf('stream', toColumn(stream));

/** Rows at the floor of their stream keep their ids when the floor rises, so that they are replaced. */
export const rowId = (key: string, revision: number, place: number, floor: number): string =>
  `${key}/${revision === floor ? 'f' : revision}/${place}`;

/** Which rows of a stream count. */
export interface StreamFloor {
  /** Rows of lower revisions do not count. */
  readonly floor: number;
  /** Rows at the floor. */
  readonly count: number;
  /** There are rows above the floor, or were. */
  readonly more: boolean;
}

export const NO_FLOOR: StreamFloor = { floor: -1, count: 0, more: false };
