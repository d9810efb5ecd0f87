import type { UnitKind } from '../../documents.ts';

/**
 * A document's number is its partition's number and a number within the partition, so that the rows of a partition are
 * adjacent in every table and form one range. 2^28 partitions of 2^25 documents are exact in a double.
 */
export const PLACES = 2 ** 25;

export const firstNumber = (partition: number): number => partition * PLACES;
export const lastNumber = (partition: number): number => partition * PLACES + (PLACES - 1);
export const partitionOf = (document: number): number => Math.floor(document / PLACES);
export const placeOf = (document: number): number => document % PLACES;

/** Column values of the kinds; also the order in which units are listed. */
export const KINDS: readonly UnitKind[] = ['chunk', 'memory'];
export const kindNumber = (kind: UnitKind): number => (kind === 'chunk' ? 0 : 1);
export const kindOf = (number: number): UnitKind => (number === 0 ? 'chunk' : 'memory');

/**
 * Column values of what a partition holds: documents, memories recorded directly, touched memories of documents, pieces, earlier
 * versions of memories that were recorded directly, and of touched ones, and units that have left their documents.
 */
export const OF_DOCUMENTS = 0;
export const OF_MEMORIES = 1;
export const OF_PASSAGES = 2;
export const OF_PIECES = 3;
export const OF_FORMERS = 4;
export const OF_FORMER_PASSAGES = 5;
export const OF_FORMER_UNITS = 6;
