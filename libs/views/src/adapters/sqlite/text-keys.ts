import { hash } from 'node:crypto';
import type { Unit } from '../../documents.ts';
import { foldedText } from '../../statements.ts';

/** Bytes, so that the number is exact in a double. */
const KEY_BYTES = 6;

/** Returns the number by which memories with a text, in whatever form, are found. Other texts may have it. */
export const textKey = (text: string): number => hash('sha256', foldedText(text), 'buffer').readUIntBE(0, KEY_BYTES);

/** Chunks are not found by their texts. */
export const textKeyOf = ({ kind, text }: Unit): number | null => (kind === 'memory' ? textKey(text) : null);
