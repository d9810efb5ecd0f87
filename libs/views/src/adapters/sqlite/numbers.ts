import type { UnitKind } from '../../port.ts';

/**
 * A document's number is its partition's number and its place there, so that everything of one partition stands side by
 * side in every table and is one range of numbers. 2^28 partitions of 2^25 places are exact in a double.
 */
export const PLACES = 2 ** 25;

export const firstNumber = (partition: number): number => partition * PLACES;
export const lastNumber = (partition: number): number => partition * PLACES + (PLACES - 1);
export const partitionOf = (document: number): number => Math.floor(document / PLACES);
export const placeOf = (document: number): number => document % PLACES;

/** How kinds are written in a column; also the order in which units are listed. */
export const KINDS: readonly UnitKind[] = ['chunk', 'memory'];
export const kindNumber = (kind: UnitKind): number => (kind === 'chunk' ? 0 : 1);
export const kindOf = (number: number): UnitKind => (number === 0 ? 'chunk' : 'memory');
