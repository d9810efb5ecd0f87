import { hash } from 'node:crypto';
import type { Unit } from '../../documents.ts';
import { foldedText } from '../../statements.ts';

/** Bytes, so that the number is exact in a double. */
const KEY_BYTES = 6;

const keyOf = (text: string): number => hash('sha256', text, 'buffer').readUIntBE(0, KEY_BYTES);

/** Returns the number by which memories with a text, in whatever form, are found. Other texts may have it. */
export const textKey = (text: string): number => keyOf(foldedText(text));

/** Returns the number by which chunks with exactly a text are found. Other texts may have it. */
export const chunkTextKey = (text: string): number => keyOf(text);

export const textKeyOf = ({ kind, text }: Unit): number => (kind === 'memory' ? textKey(text) : chunkTextKey(text));
